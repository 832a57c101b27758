//! What programs must not do: the restrictions of the G45 manual (volume 4, mainly section
//! 11.3.10, 11.5.3 and chapter 14), each a row of a table or a small function. Those of Gen7 and later
//! are in `later`.
//!
//! [`check`] decides what one instruction shows by itself, [`program::check`] what takes its
//! neighbours. What can only be seen while a program runs is listed in `decisions.md`.

use std::fmt;

use parallax_spec::{RuleId, coverage};

use super::{generation::Generation, instruction::Instruction};
use crate::Device;

mod accumulator;
mod addressing;
mod compression;
mod encoding;
mod extended_math;
mod facts;
mod findings;
mod flow;
mod immediates;
mod later;
mod modifiers;
pub mod program;
mod region;
mod registers;
mod send;
mod types;
mod vector;

use facts::{DestinationFacts, Facts, SourceFacts};

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Violation {
    /// The rule.
    pub rule: RuleId,
    /// Other rules of the catalogue that say the same.
    pub also: &'static [RuleId],
    /// What is wrong and how to mend it, in a sentence.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.message, self.rule)?;
        self.also.iter().try_for_each(|rule| write!(f, ", {rule}"))?;
        f.write_str(")")
    }
}

/// A broken rule and the instruction it shows at.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// Number of instructions before it.
    pub index: usize,
    /// Its byte offset.
    pub offset: usize,
    /// What is wrong.
    #[serde(flatten)]
    pub violation: Violation,
}

/// A restriction that one instruction shows by itself.
struct Check {
    /// The rule, then other rules of the catalogue that say the same.
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

/// Makes the table of a subject: `Subject [rules] about …, holds …, message;`.
macro_rules! checks {
    ($($subject:ident [$($id:expr),+ $(,)?] about $about:expr, holds $holds:expr, $message:expr;)*) => {
        pub(super) static CHECKS: &[Check] = &[$(Check {
            rules: &[$(parallax_spec::rule_id!($id)),+],
            test: Test::$subject { about: $about, holds: $holds },
            message: $message,
        }),*];
    };
}
use checks;

/// The tables of all subjects.
static TABLES: [&[Check]; 12] = [
    encoding::CHECKS,
    region::CHECKS,
    modifiers::CHECKS,
    immediates::CHECKS,
    registers::CHECKS,
    accumulator::CHECKS,
    addressing::CHECKS,
    compression::CHECKS,
    vector::CHECKS,
    flow::CHECKS,
    send::CHECKS,
    extended_math::CHECKS,
];

/// The restrictions that an instruction breaks on a device; none if it is legal. Restrictions that
/// concern several instructions are not among them.
#[must_use]
pub fn check(device: Device, instruction: &Instruction) -> Vec<Violation> {
    let Some(generation) = device.generation() else {
        return Vec::new();
    };
    if generation > Generation::Gen45 {
        return later::check(device, generation, instruction);
    }
    let facts = Facts::new(device, generation, instruction);
    let mut violations = Vec::new();
    for check in TABLES.into_iter().flatten() {
        check.apply(&facts, &mut violations);
    }
    types::check(&facts, &mut violations);
    violations
}

/// Whether an instruction breaks no restriction that it shows by itself.
#[must_use]
pub fn is_legal(device: Device, instruction: &Instruction) -> bool {
    check(device, instruction).is_empty()
}

/// Whether instructions of two lengths can follow each other on a device.
fn compaction_exists(device: Device) -> bool {
    super::compaction::is_supported(device)
}

/// Every rule that [`check`] or [`program::check`] enforces.
pub fn enforced_rules() -> impl Iterator<Item = RuleId> {
    rules_of_g45().chain(later::enforced_rules())
}

/// Those of the G45 manual.
fn rules_of_g45() -> impl Iterator<Item = RuleId> {
    let rows = TABLES.into_iter().flatten().flat_map(|check| check.rules);
    rows.chain(types::RULES).chain(program::RULES).chain(extended_math::RULES).copied()
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

#[cfg(test)]
mod tests;
