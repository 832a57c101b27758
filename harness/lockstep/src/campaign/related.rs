//! Which findings probably come from one mistake. What many instructions share, as regions or predicates,
//! shows a mistake in each of them, and what one instruction does wrong shows in its result and its flag.

use std::collections::{BTreeMap, BTreeSet};

use super::special::Special;
use crate::suspects::names_instruction;

/// What is known of a finding, as far as it tells mistakes apart.
#[derive(Debug, Clone, Copy)]
pub struct Suspicion<'f> {
    /// Its kind: the instruction, then what it does wrong.
    pub kind: &'f str,
    /// The first of the implicated rules, the likeliest first.
    pub rules: [Option<&'f str>; REPORTED],
    /// What tells its instructions from those that agree, in words, if anything does.
    pub signature: Option<&'f str>,
    /// How its first place differs, if it is in a way that instructions have in common.
    special: Option<Special>,
}

/// How many rules of a finding are reported before others.
pub const REPORTED: usize = 3;

/// Findings of different instructions that have something in common by chance: of two, each is as likely wrong by
/// itself.
const FEW: usize = 2;

impl<'f> Suspicion<'f> {
    /// What is known of a finding of a kind, from its rules.
    pub fn new(kind: &'f str, rules: impl IntoIterator<Item = &'f str>) -> Self {
        let mut rules = rules.into_iter();
        Self { kind, rules: std::array::from_fn(|_| rules.next()), signature: None, special: None }
    }

    /// The same with a signature.
    #[must_use]
    pub const fn with_signature(self, signature: Option<&'f str>) -> Self {
        Self { signature, ..self }
    }

    /// The same with the first place that differs, such as `r4.3:f`, what is expected there, such as `-1.5 bfc00000`, and
    /// what the engine has.
    #[must_use]
    pub fn with_values(self, location: &str, expected: &str, actual: &str) -> Self {
        Self { special: Special::of(location, [expected, actual]), ..self }
    }

    fn instruction(&self) -> &'f str {
        self.kind.split(' ').next().unwrap_or_default()
    }

    /// What it is told apart by.
    fn blame(&self, place: usize) -> Blame<'f> {
        match self.rules[0] {
            _ if self.signature.is_some() => Blame::Nothing(place),
            None => Blame::Nothing(place),
            Some(rule) if names_instruction(self.instruction(), rule) => {
                Blame::Instruction(self.instruction())
            }
            Some(rule) => Blame::Shared(rule),
        }
    }
}

/// What findings are most likely wrong in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Blame<'f> {
    /// An instruction, by a rule of its own.
    Instruction(&'f str),
    /// A rule that instructions share.
    Shared(&'f str),
    /// The finding at that place, which names no rule or has a signature.
    Nothing(usize),
}

/// Findings that probably come from one mistake, by their places; each stands in the order of the list, and
/// so does what stands together.
#[must_use]
pub fn related(findings: &[Suspicion<'_>]) -> Vec<Vec<usize>> {
    let unsigned: Vec<_> = findings.iter().map(|f| f.with_signature(None)).collect();
    let mut of_rules = grouped(&unsigned);
    // An engine with a single mistake in what instructions share: whatever else they have in common is chance.
    let mistake = of_rules.iter().find(|(blame, places)| {
        matches!(blame, Blame::Shared(_)) && 2 * places.len() >= findings.len().max(2 * FEW)
    });
    let mistake = mistake.map(|(blame, _)| *blame);
    let groups = match mistake {
        Some(mistake) => {
            join_few(&mut of_rules, mistake);
            of_rules
        }
        None => grouped(findings),
    };
    let signed = findings.iter().filter(|finding| finding.signature.is_some()).count();
    let few = if mistake.is_some() { FEW } else { FEW.max(signed) };
    let is_one = |places: &[usize]| {
        let instruction = findings[places[0]].instruction();
        places.len() > few
            || places.iter().any(|place| findings[*place].signature.is_some())
            || places.iter().all(|place| findings[*place].instruction() == instruction)
    };
    let mut all: Vec<Vec<usize>> = groups
        .into_values()
        .flat_map(|places| match is_one(&places) {
            true => vec![places],
            false => places.into_iter().map(|place| vec![place]).collect(),
        })
        .collect();
    join_special(findings, &mut all);
    all.sort();
    all
}

/// Joins what differs in the same special way in more than a few instructions, which are right or wrong there alike.
fn join_special(findings: &[Suspicion<'_>], groups: &mut Vec<Vec<usize>>) {
    for special in Special::ALL {
        let is_special =
            |places: &Vec<usize>| places.iter().all(|p| findings[*p].special == Some(special));
        let places = groups.iter().filter(|places| is_special(places)).flatten();
        let instructions: BTreeSet<_> = places.map(|p| findings[*p].instruction()).collect();
        if instructions.len() > FEW {
            let mut together: Vec<_> = groups.extract_if(.., |p| is_special(p)).flatten().collect();
            together.sort_unstable();
            groups.push(together);
        }
    }
}

/// The places of findings by what those blame.
fn grouped<'f>(findings: &[Suspicion<'f>]) -> BTreeMap<Blame<'f>, Vec<usize>> {
    let mut groups: BTreeMap<Blame<'_>, Vec<usize>> = BTreeMap::new();
    for (place, finding) in findings.iter().enumerate() {
        groups.entry(finding.blame(place)).or_default().push(place);
    }
    join_signed(findings, &mut groups);
    join_smaller(findings, &mut groups);
    groups
}

/// Lets findings that blame something else which instructions share join those of the one mistake that the engine has,
/// where they are two at most or a tenth of all.
fn join_few<'f>(groups: &mut BTreeMap<Blame<'f>, Vec<usize>>, mistake: Blame<'f>) {
    let few = FEW.max(groups.values().map(Vec::len).sum::<usize>() / 10);
    let are_few = |blame: &Blame<'_>, places: &mut Vec<usize>| {
        matches!(blame, Blame::Shared(_)) && *blame != mistake && places.len() <= few
    };
    let joining: Vec<_> = groups.extract_if(.., are_few).flat_map(|(_, places)| places).collect();
    let together = groups.entry(mistake).or_default();
    together.extend(joining);
    together.sort_unstable();
}

/// Lets findings without a signature join the one finding with a signature that blames the same rule: the flags of an
/// instruction whose result is wrong, or its result in forms that were seen too seldom.
fn join_signed<'f>(findings: &[Suspicion<'f>], groups: &mut BTreeMap<Blame<'f>, Vec<usize>>) {
    let signed = findings.iter().enumerate().filter(|(_, finding)| finding.signature.is_some());
    let mut by_rule: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, finding) in signed {
        by_rule.entry(finding.rules[0].unwrap_or_default()).or_default().push(place);
    }
    for (rule, signed) in by_rule {
        let [signed] = signed[..] else { continue };
        let blamed = |places: &Vec<usize>| {
            places.iter().all(|place| {
                let finding = &findings[*place];
                finding.signature.is_none() && finding.rules[0] == Some(rule)
            })
        };
        let joining: Vec<_> = groups.extract_if(.., |_, places| blamed(places)).collect();
        let together = groups.entry(Blame::Nothing(signed)).or_default();
        together.extend(joining.into_iter().flat_map(|(_, places)| places));
        together.sort_unstable();
    }
}

/// Lets findings that blame a rule which instructions share join more findings that blame another one, where
/// the first finding of either shows the other's rule too.
fn join_smaller<'f>(findings: &[Suspicion<'f>], groups: &mut BTreeMap<Blame<'f>, Vec<usize>>) {
    let mut shared: Vec<(Blame<'f>, usize)> = groups
        .iter()
        .filter(|(blame, _)| matches!(blame, Blame::Shared(_)))
        .map(|(blame, places)| (*blame, places.len()))
        .collect();
    shared.sort_by_key(|(_, count)| *count);
    for (place, &(smaller, count)) in shared.iter().enumerate() {
        let shows = |blame: Blame<'f>, other: Blame<'f>| {
            let first = groups.get(&blame).map(|places| &findings[places[0]]);
            first.is_some_and(|first| {
                first.rules.iter().flatten().any(|rule| Blame::Shared(rule) == other)
            })
        };
        let takes_up = |&&(larger, more): &&(Blame<'f>, usize)| {
            more > count.max(FEW) && (shows(smaller, larger) || shows(larger, smaller))
        };
        if let Some(&(larger, _)) = shared[place + 1..].iter().rev().find(takes_up) {
            let mut places = groups.remove(&smaller).unwrap_or_default();
            let together = groups.entry(larger).or_default();
            together.append(&mut places);
            together.sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_rule_that_instructions_share(
        &[("mov result", "g45.dw3.imm"), ("mul result", "g45.inst.mul.semantics"), ("shl result", "g45.dw3.imm"),
          ("add flow", "g45.dw3.imm")],
        vec![vec![0, 2, 3], vec![1]]
    )]
    #[case::two_instructions_are_as_likely_wrong_by_themselves(
        &[("mov result", "g45.dw3.imm"), ("mul result", "g45.dw3.imm")],
        vec![vec![0], vec![1]]
    )]
    #[case::one_instruction_is_not(
        &[("mov result", "g45.dw3.imm"), ("mov f", "g45.dw3.imm")],
        vec![vec![0, 1]]
    )]
    #[case::result_and_flag_of_one_instruction(
        &[("rndu result", "g45.inst.rndu.semantics"), ("add f", "g45.cond.z"),
          ("rndu f", "g45.inst.rndu.flag-subset")],
        vec![vec![0, 2], vec![1]]
    )]
    #[case::fewer_join_more(
        &[("mov result", "a.b.c"), ("add result", "a.b.c"), ("mul result", "a.b.c"), ("cmp f", "d.e.f a.b.c")],
        vec![vec![0, 1, 2, 3]]
    )]
    #[case::or_are_among_what_those_show(
        &[("mov result", "a.b.c d.e.f"), ("add result", "a.b.c"), ("mul result", "a.b.c"), ("cmp f", "d.e.f"),
          ("shl f", "g45.inst.shl.semantics")],
        vec![vec![0, 1, 2, 3], vec![4]]
    )]
    #[case::two_of_another_rule_join_one_mistake(
        &[("mov result", "a.b.c"), ("add result", "a.b.c"), ("mul result", "a.b.c"), ("shl f", "d.e.f"),
          ("sel f", "d.e.f")],
        vec![vec![0, 1, 2, 3, 4]]
    )]
    #[case::not_if_they_are_as_many(
        &[("mov result", "a.b.c"), ("add result", "a.b.c"), ("mul result", "a.b.c"), ("cmp f", "d.e.f a.b.c"),
          ("shl f", "d.e.f a.b.c"), ("sel f", "d.e.f a.b.c")],
        vec![vec![0, 1, 2], vec![3, 4, 5]]
    )]
    #[case::nor_if_it_is_their_own(
        &[("mov result", "a.b.c"), ("add result", "a.b.c"), ("mul result", "a.b.c"),
          ("cmp f", "g45.inst.cmp.semantics a.b.c")],
        vec![vec![0, 1, 2], vec![3]]
    )]
    #[case::without_a_rule(&[("panic", ""), ("panic", "")], vec![vec![0], vec![1]])]
    fn findings_stand_together(
        #[case] findings: &[(&str, &str)],
        #[case] together: Vec<Vec<usize>>,
    ) {
        let suspicions: Vec<_> = findings
            .iter()
            .map(|(kind, rules)| Suspicion::new(kind, rules.split_whitespace()))
            .collect();
        assert_eq!(related(&suspicions), together);
    }

    #[rstest]
    #[case::flags_of_an_instruction_whose_result_is_wrong(
        &[("rndu f", "g45.inst.rndu.semantics", None), ("rndu result", "g45.inst.rndu.semantics", Some("rndu"))],
        vec![vec![0, 1]]
    )]
    #[case::what_breaks_the_rule_that_others_share(
        &[("mac f", "g45.cond.l", Some("any instruction with .l")), ("avg f", "g45.cond.l", None)],
        vec![vec![0, 1]]
    )]
    #[case::not_of_another_rule(
        &[("sel result", "g45.inst.sel.semantics", Some("sel :ud")), ("sel f", "g45.field.condmod.codes", None)],
        vec![vec![0], vec![1]]
    )]
    #[case::nor_where_two_signatures_blame_it(
        &[("sel result", "g45.inst.sel.semantics", Some("sel :ud")), ("sel f", "g45.inst.sel.semantics", None),
          ("sel result", "g45.inst.sel.semantics", Some("sel with .l"))],
        vec![vec![0], vec![1], vec![2]]
    )]
    fn findings_stand_with_a_signature(
        #[case] findings: &[(&str, &str, Option<&str>)],
        #[case] together: Vec<Vec<usize>>,
    ) {
        let suspicions: Vec<_> = findings
            .iter()
            .map(|(kind, rule, signature)| Suspicion::new(kind, [*rule]).with_signature(*signature))
            .collect();
        assert_eq!(related(&suspicions), together);
    }

    /// Zeros with the wrong sign in three instructions are of one mistake, in two they need not be.
    #[test]
    fn special_values_of_more_than_a_few_instructions_stand_together() {
        let rules = ["g45.inst.mul.float-int-mix", "g45.dt.f-format", "g45.inst.rndz.ieee"];
        let kinds = ["mul result", "mac result", "rndz result", "add result"];
        let zeros = ["-0.0 80000000", "0.0 00000000"];
        let finding = |place: usize, values: [&str; 2]| {
            let suspicion = Suspicion::new(kinds[place], rules.get(place).copied());
            suspicion.with_signature(Some(kinds[place])).with_values("r4.3:f", values[0], values[1])
        };
        let two = [finding(0, zeros), finding(1, zeros)];
        assert_eq!(related(&two), [[0], [1]]);
        let other = finding(3, ["1.0 3f800000", "0.0 00000000"]);
        let three = [two[0], two[1], other, finding(2, zeros)];
        assert_eq!(related(&three), [vec![0, 1, 3], vec![2]]);
    }
}
