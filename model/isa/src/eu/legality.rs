//! What programs must not do: the restrictions of the G45 manual (volume 4, mainly section
//! 11.3.10, 11.5.3 and chapter 14), each a row of a table or a small function. Those of Gen7 and later
//! are in `later`.
//!
//! [`check`] decides what one instruction shows by itself, [`program::check`] what takes its
//! neighbours. `model/spec/examples` has an example of each, and says of the others why no check sees them.

use std::fmt;

use parallax_spec::{Practice, RuleId, Severity};

use super::{generation::Generation, instruction::Instruction};
use crate::Device;

mod accumulator;
mod addressing;
mod compression;
mod descriptor;
mod encoding;
mod extended_math;
mod facts;
mod findings;
mod flow;
mod immediates;
mod later;
mod modifiers;
mod operands;
pub mod program;
mod region;
mod registers;
mod restriction;
mod send;
mod types;
mod vector;

use facts::{DestinationFacts, Facts, Rows, SourceFacts};
use restriction::Subject;

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Violation {
    /// The rule.
    pub rule: RuleId,
    /// Other rules of the catalogue that say the same.
    pub also: Vec<RuleId>,
    /// Why it is less than illegal, if so.
    pub practice: Option<&'static Practice>,
    /// What is wrong and how to fix it, in a sentence.
    pub message: String,
}

impl Violation {
    /// A broken rule, with others that say the same behind it.
    fn of(rules: &[RuleId], message: String) -> Self {
        Self::naming(rules[0], rules[1..].to_vec(), message)
    }

    /// A broken rule, and others that say the same.
    const fn naming(rule: RuleId, also: Vec<RuleId>, message: String) -> Self {
        Self { rule, also, practice: None, message }
    }

    /// The same as what drivers of some devices do, if the device is one of them.
    fn practised(mut self, device: Device, practice: Option<&'static Practice>) -> Self {
        self.practice = practice.filter(|practice| practice.devices.contains(&device.name()));
        self
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.practice.map_or(Severity::Illegal, |practice| practice.severity)
    }

    /// Whether it is of a rule, by itself or because that says the same.
    #[must_use]
    pub fn names(&self, rule: RuleId) -> bool {
        self.rule == rule || self.also.contains(&rule)
    }

    /// Every rule that it names, the first one first.
    #[must_use]
    pub fn rules(&self) -> Vec<RuleId> {
        [&[self.rule], &*self.also].concat()
    }
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

/// What a restriction of Gen4 and Gen4.5 is about.
struct Early;

impl Subject for Early {
    type Facts<'i> = Facts<'i>;
    type SourcePlaces = Rows;
    type DestinationPlaces = usize;
}

type Check = restriction::Check<Early>;

/// Makes the table of a subject: `Subject [rules] about …, holds …, message;`. `practice "name"` behind the
/// rules makes what is found a practice of `practices.toml`, on the devices that it names.
macro_rules! checks {
    ($($subject:ident [$($id:expr),+ $(,)?] $(practice $practice:literal)? about $about:expr, holds $holds:expr, $message:expr;)*) => {
        pub(in crate::eu::legality) static CHECKS: &[Check] =
            &[$(crate::eu::legality::restriction::Check {
            rules: &[$(parallax_spec::rule_id!($id)),+],
            test: crate::eu::legality::restriction::Test::$subject { about: $about, holds: $holds },
            practice: crate::eu::legality::restriction::practice!($($practice)?),
            message: $message,
        }),*];
    };
}
use checks;

/// The tables of all subjects.
static TABLES: [&[Check]; 16] = [
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
    descriptor::data_port::CHECKS,
    descriptor::sampler::CHECKS,
    descriptor::gateway::CHECKS,
    descriptor::urb::CHECKS,
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
        check.apply(device, &facts, facts.sources(), facts.destination.as_ref(), &mut violations);
    }
    types::check(&facts, &mut violations);
    violations
}

/// Whether nothing is illegal about an instruction by itself.
#[must_use]
pub fn is_legal(device: Device, instruction: &Instruction) -> bool {
    check(device, instruction).iter().all(|found| found.severity() < Severity::Illegal)
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

#[cfg(test)]
mod tests;
