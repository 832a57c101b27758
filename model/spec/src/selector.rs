//! Names for groups of rules in the tables of `decisions.md`. The build script uses this file too,
//! to check that every name there selects something.

/// Whether `selector` names a rule: by its id (`g45.inst.add.saturate`), or by catalogue and unit
/// with a slash between them (`g45-instructions/send`); in both `*` stands for any text.
pub(crate) fn selects(selector: &str, id: &str, catalogue: &str, unit: &str) -> bool {
    match selector.split_once('/') {
        Some((wanted_catalogue, wanted_unit)) => {
            matches(wanted_catalogue, catalogue) && matches(wanted_unit, unit)
        }
        None => matches(selector, id),
    }
}

/// Whether `text` is what `pattern` describes, `*` standing for any run of characters.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    (0..=text.len()).any(|at| text.is_char_boundary(at) && matches(rest, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        assert!(matches("g45.inst.*.eot", "g45.inst.send.eot"));
        assert!(matches("*", ""));
        assert!(!matches("g45.inst.*.eot", "g45.inst.send.eot.x"));
        assert!(!matches("g45.inst", "g45.inst.send"));
    }

    #[test]
    fn a_slash_parts_catalogue_and_unit() {
        let send = |selector| selects(selector, "g45.inst.send.eot", "g45-instructions", "send");
        assert!(send("g45-instructions/send"));
        assert!(send("g45-*/*"));
        assert!(!send("g45-instructions/add"));
        assert!(!send("g45-instructions"));
    }
}
