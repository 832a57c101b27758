//! Which of the rules that a step applied are worth a look when it goes wrong.

use parallax_isa::Step;
use parallax_spec::{RuleId, coverage};

use crate::subject::Subject;

/// The rules that a reference applied in the step of a divergence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stake {
    /// Those that set the instruction apart from others, then those that every instruction applies.
    pub(crate) rules: Vec<RuleId>,
    /// How many of them set it apart.
    pub(crate) own: usize,
}

/// Orders the rules of a step: first those that name the instruction, then those that an ordinary
/// instruction does not apply, then the rest.
pub(crate) fn stake<M: Subject>(
    case: &M::Case,
    instruction: &str,
    mut rules: Vec<RuleId>,
) -> Stake {
    let shared = ordinary_rules::<M>(case);
    let words: Vec<String> = instruction
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map(|word| word.to_ascii_lowercase().replace('_', "-"))
        .collect();
    // `g45.inst.add.…`, `r700.aluinst.add-int.…`, `r700.tex.…`: the name stands in the third place.
    let names = |rule: &RuleId| {
        let name = rule.rule().id.split('.').nth(2).unwrap_or_default();
        name.len() > 1 && words.iter().any(|word| word == name)
    };
    let rank = |rule: &RuleId| match (names(rule), shared.contains(rule)) {
        (true, _) => 0,
        (false, false) => 1,
        (false, true) => 2,
    };
    rules.sort_by_key(|rule| (rank(rule), rule.rule().id));
    let own = rules.iter().filter(|rule| rank(rule) < 2).count();
    Stake { rules, own }
}

/// What an ordinary case of the machine applies.
fn ordinary_rules<M: Subject>(case: &M::Case) -> Vec<RuleId> {
    let Some(ordinary) = M::ordinary(case) else { return Vec::new() };
    let mut reference = M::reference();
    coverage::uncounted(|| {
        if reference.load(&ordinary).is_ok() {
            while reference.step().is_ok_and(|step| step == Step::Continue) {}
        }
        coverage::marked()
    })
}
