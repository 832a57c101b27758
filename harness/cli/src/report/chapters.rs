//! The chapters of the manuals, by the line at which each begins in its document.

use std::sync::LazyLock;

use parallax_spec::Rule;

/// A chapter: the start of the names of the catalogues of its manual, its first line, its heading.
type Chapter = (&'static str, u32, &'static str);

static CHAPTERS: LazyLock<Vec<Chapter>> = LazyLock::new(|| {
    let rows = include_str!("chapters.csv").lines().skip(1);
    rows.map(|row| chapter(row).unwrap_or_else(|| panic!("chapters.csv: {row}"))).collect()
});

fn chapter(row: &'static str) -> Option<Chapter> {
    let (manual, rest) = row.split_once(',')?;
    let (line, heading) = rest.split_once(',')?;
    Some((manual, line.parse().ok()?, heading))
}

/// The chapter that a rule stands in: that of its first line; where it has none, the first two parts
/// of its id.
pub(crate) fn of_rule(rule: &'static Rule) -> &'static str {
    let digits = rule.lines.find(|c: char| !c.is_ascii_digit()).unwrap_or(rule.lines.len());
    let line = rule.lines[..digits].parse::<u32>().ok();
    let begun = |(manual, first, _): &&Chapter| {
        let is_of_manual = rule.catalogue == *manual
            || rule.catalogue.strip_prefix(manual).is_some_and(|rest| rest.starts_with('-'));
        is_of_manual && line.is_some_and(|line| line >= *first)
    };
    let last_begun = CHAPTERS.iter().rfind(begun);
    last_begun.map_or_else(|| group(rule.id), |(.., heading)| heading)
}

/// The first two parts of an id.
fn group(id: &'static str) -> &'static str {
    let ends = id.match_indices('.').map(|(end, _)| end);
    &id[..ends.take(2).last().unwrap_or(id.len())]
}

#[cfg(test)]
mod tests {
    use parallax_spec::RuleId;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("g45.inst.avg.examples", "14 Instruction Set Reference")]
    #[case("g45.dt.d", "10 EU Data Types")]
    #[case("dg1.addrmode.direct", "Enumerations")]
    #[case("r700.conv.endian.bytes", "Preface")]
    #[case("talk.region.src-row-col", "Gen8 and Gen9 ISA")]
    fn rules_stand_in_chapters(#[case] id: &str, #[case] expected: &str) {
        let rule = RuleId::find(id).expect("in the catalogue").rule();
        assert_eq!(of_rule(rule), expected);
    }

    #[test]
    fn rules_without_lines_are_grouped_by_their_ids() {
        assert_eq!(group("gen9.isa.send.extended"), "gen9.isa");
        assert_eq!(group("leg.acc.byte"), "leg.acc");
    }
}
