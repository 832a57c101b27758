//! The rules that a divergence implicates: those that decide the step, the likeliest first.

use parallax_isa::{Image, Step, image::Bank};
use parallax_spec::{Rule, RuleId, coverage};

use crate::{subject::Subject, verdict::Difference};

/// The rules that decide the step of a divergence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Suspects {
    /// Those that set the instruction apart from others, then those that every instruction applies.
    pub(crate) rules: Vec<RuleId>,
    /// How many of them set it apart.
    pub(crate) own: usize,
}

/// Kinds of rules by what they decide, those first that say the most of it. What a finding differs in is
/// rarely decided by how the instruction is written.
const DECIDE: [(Differs, &[&str]); 4] = [
    (
        Differs::Result,
        &[
            "instruction",
            "float",
            "compare",
            "minmax",
            "conversion",
            "message",
            "sampler",
            "memory",
            "format",
        ],
    ),
    (Differs::Flag, &["flag", "compare", "minmax", "instruction"]),
    (Differs::Flow, &["controlflow", "mask", "exception"]),
    (Differs::Register, &["register"]),
];

/// Kinds of rules that are about programs rather than about what they do.
const WRITING: [&str; 4] = ["encoding", "assembly", "restriction", "performance"];

/// How the ids end of the rules that say what an instruction does.
const SAY_IT_ALL: [&str; 2] = [".semantics", ".operation"];

/// What is wrong after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Differs {
    /// A result: what banks of results hold.
    Result,
    /// A flag.
    Flag,
    /// Where it goes on, or for which channels.
    Flow,
    /// Any other register.
    Register,
}

impl Differs {
    fn of<M: Subject>(difference: &Difference) -> Self {
        let Difference::State(mismatches) = difference else { return Self::Flow };
        let first = mismatches.first();
        first.map_or(Self::Register, |mismatch| Self::of_bank(M::State::bank(mismatch.offset)))
    }

    /// What is wrong if a register of a bank is.
    pub(crate) fn of_bank(bank: &Bank) -> Self {
        match bank.name {
            _ if bank.holds_results => Self::Result,
            "f" => Self::Flag,
            "ip" | "mask" => Self::Flow,
            _ => Self::Register,
        }
    }

    /// How much a kind of rules says of it: less is more.
    pub(crate) fn distance(self, kind: &str) -> usize {
        let of_this = DECIDE.iter().filter(|(differs, _)| *differs == self);
        let mut kinds = of_this.flat_map(|(_, kinds)| *kinds);
        let last = if WRITING.contains(&kind) { usize::MAX } else { usize::MAX - 1 };
        kinds.position(|decides| *decides == kind).unwrap_or(last)
    }
}

/// Whether a rule names an instruction of a text: `g45.inst.add.…`, `r700.aluinst.add-int.…`, `r700.tex.…`,
/// the name stands in the third place.
pub(crate) fn names_instruction(text: &str, rule: &str) -> bool {
    let name = rule.split('.').nth(2).unwrap_or_default();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    name.len() > 1 && words.any(|word| word.to_ascii_lowercase().replace('_', "-") == name)
}

/// The same of the rules that there are.
fn names(instruction: &str) -> impl Fn(&RuleId) -> bool {
    move |rule| names_instruction(instruction, rule.rule().id)
}

/// Those of some rules that name the instruction of a kind of findings: `add result`, `ADD+MUL result`. Types
/// that stand behind it are not its own.
pub(crate) fn own(kind: &str, rules: &[RuleId]) -> Vec<RuleId> {
    let names = names(kind.split_whitespace().next().unwrap_or_default());
    rules.iter().copied().filter(|rule| names(rule)).collect()
}

/// Orders the rules of a step: first those that name the instruction, then those that an ordinary
/// instruction does not apply, then the rest; of each of them those first that say the most of what differs.
pub(crate) fn suspects<M: Subject>(
    case: &M::Case,
    instruction: &str,
    difference: &Difference,
    mut rules: Vec<RuleId>,
) -> Suspects {
    let shared = ordinary_rules::<M>(case);
    let (names, differs) = (names(instruction), Differs::of::<M>(difference));
    let rank = |rule: &RuleId| match (names(rule), shared.contains(rule)) {
        (true, _) => 0,
        (false, false) => 1,
        (false, true) => 2,
    };
    rules.sort_by_key(|rule| {
        let Rule { id, kind, .. } = *rule.rule();
        let says_it_all = SAY_IT_ALL.iter().any(|last| id.ends_with(last));
        (rank(rule), differs.distance(kind), !says_it_all, id)
    });
    let own = rules.iter().filter(|rule| rank(rule) < 2).count();
    Suspects { rules, own }
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
