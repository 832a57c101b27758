//! What programs of Gen7 and later must not do: the table `eu-legality-by-gen` and the restrictions of
//! the catalogues `gen7-eu`, `eu-later-gens` and `gen-talk`.
//!
//! What no check can decide, and what an instruction cannot even say, is listed in `decisions.md`
//! (D-eu-later-not-static).

use parallax_spec::{RuleId, coverage};

use super::{
    super::{generation::Generation, instruction::Instruction},
    Violation,
};
use crate::Device;

mod accumulator;
mod encoding;
mod facts;
mod flow;
mod messages;
mod mixed;
mod modifiers;
mod operations;
pub(super) mod program;
mod region;
mod span;
#[cfg(test)]
mod tests;
mod types;

use facts::{DestinationFacts, Facts, SourceFacts};

/// The generations that a restriction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    Gen7,
    Gen9,
    Gen12,
    /// Gen7 and Gen9.
    Both,
    FromGen9,
    All,
}

impl On {
    fn includes(self, generation: Generation) -> bool {
        match self {
            Self::Gen7 => generation == Generation::Gen7,
            Self::Gen9 => generation == Generation::Gen9,
            Self::Gen12 => generation == Generation::Gen12,
            Self::Both => generation < Generation::Gen12,
            Self::FromGen9 => generation >= Generation::Gen9,
            Self::All => true,
        }
    }
}

/// A restriction that one instruction shows by itself.
struct Check {
    on: On,
    /// The rule, then other rules that say the same.
    rules: &'static [RuleId],
    test: Test,
    /// What is wrong when it does not hold, and how to mend it.
    message: &'static str,
}

/// What a restriction is about, and what has to hold there.
enum Test {
    Instruction {
        about: fn(&Facts) -> bool,
        holds: fn(&Facts) -> bool,
    },
    Source {
        about: fn(&Facts, &SourceFacts) -> bool,
        holds: fn(&Facts, &SourceFacts) -> bool,
    },
    Destination {
        about: fn(&Facts, &DestinationFacts) -> bool,
        holds: fn(&Facts, &DestinationFacts) -> bool,
    },
}

/// Makes the table of a subject: `Generation Subject [rules] about …, holds …, message;`.
macro_rules! checks {
    ($($on:ident $subject:ident [$($id:expr),+ $(,)?] about $about:expr, holds $holds:expr, $message:expr;)*) => {
        pub(super) static CHECKS: &[Check] = &[$(Check {
            on: super::On::$on,
            rules: &[$(parallax_spec::rule_id!($id)),+],
            test: Test::$subject { about: $about, holds: $holds },
            message: $message,
        }),*];
    };
}
use checks;

/// The tables of all subjects.
static TABLES: [&[Check]; 9] = [
    encoding::CHECKS,
    region::CHECKS,
    span::CHECKS,
    types::CHECKS,
    operations::CHECKS,
    mixed::CHECKS,
    accumulator::CHECKS,
    messages::CHECKS,
    flow::CHECKS,
];

/// The restrictions that an instruction breaks on a device.
pub(super) fn check(
    device: Device,
    generation: Generation,
    instruction: &Instruction,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    let facts = Facts::new(device, generation, instruction);
    let checks = TABLES.into_iter().flatten();
    for check in checks.filter(|check| check.on.includes(generation)) {
        check.apply(&facts, &mut violations);
    }
    modifiers::check(&facts, &mut violations);
    types::check(&facts, &mut violations);
    violations
}

/// Every rule that [`check`] or [`program::check`] enforces.
pub(super) fn enforced_rules() -> impl Iterator<Item = RuleId> {
    let rows = TABLES.into_iter().flatten().flat_map(|check| check.rules.iter().copied());
    rows.chain(types::rules()).chain(modifiers::rules()).chain(program::RULES.iter().copied())
}

impl Check {
    fn apply(&self, facts: &Facts, violations: &mut Vec<Violation>) {
        match self.test {
            Test::Instruction { about, holds } => {
                if about(facts) {
                    self.judge(holds(facts), "", violations);
                }
            }
            Test::Source { about, holds } => {
                for source in facts.sources().filter(|source| about(facts, source)) {
                    self.judge(holds(facts, source), source.name(), violations);
                }
            }
            Test::Destination { about, holds } => {
                if let Some(destination) = &facts.destination
                    && about(facts, destination)
                {
                    self.judge(holds(facts, destination), "destination: ", violations);
                }
            }
        }
    }

    fn judge(&self, holds: bool, place: &str, violations: &mut Vec<Violation>) {
        coverage::hit_all(self.rules);
        if !holds {
            let (rule, also) = (self.rules[0], &self.rules[1..]);
            violations.push(Violation { rule, also, message: format!("{place}{}", self.message) });
        }
    }
}
