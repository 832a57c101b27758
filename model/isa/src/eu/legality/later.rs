//! What programs of Gen7 and later must not do: the table `eu-legality-by-gen` and the restrictions of
//! the catalogues `gen7-eu`, `eu-later-gens` and `gen-talk`.
//!
//! What no check can decide, and what an instruction cannot even say, is listed in `decisions.md`
//! (D-eu-later-not-static).

use parallax_spec::RuleId;

use super::{
    super::{generation::Generation, instruction::Instruction, opcode::Opcode},
    Violation,
    restriction::{self, Subject},
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
mod relations;
mod span;
#[cfg(test)]
mod tests;
mod types;

use facts::{Bytes, DestinationFacts, Facts, SourceFacts};

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

/// What a restriction of Gen7 and later is about.
struct Later;

impl Subject for Later {
    type Facts<'i> = Facts<'i>;
    type SourcePlaces = Bytes;
    type DestinationPlaces = Bytes;
}

/// A restriction, and the generations that have it.
type Check = (On, restriction::Check<Later>);

/// Makes the table of a subject: `Generation Subject [rules] about …, holds …, message;`.
/// `practice "name"` behind the rules is as in the tables of Gen4.
macro_rules! checks {
    ($($on:ident $subject:ident [$($id:expr),+ $(,)?] $(practice $practice:literal)? about $about:expr, holds $holds:expr, $message:expr;)*) => {
        pub(super) static CHECKS: &[Check] = &[$((super::On::$on, super::super::restriction::Check {
            rules: &[$(parallax_spec::rule_id!($id)),+],
            test: super::super::restriction::Test::$subject { about: $about, holds: $holds },
            practice: super::super::restriction::practice!($($practice)?),
            message: $message,
        })),*];
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
    let facts = Facts::new(generation, instruction);
    let checks = TABLES.into_iter().flatten();
    for (_, check) in checks.filter(|(on, _)| on.includes(generation)) {
        check.apply(device, &facts, facts.sources(), facts.destination.as_ref(), &mut violations);
    }
    encoding::check_opcode(&facts, &mut violations);
    modifiers::check(&facts, &mut violations);
    types::check(&facts, &mut violations);
    relations::settle(generation, &mut violations);
    violations
}

/// Whether the device of a generation has an operation.
fn exists(generation: &str, opcode: Opcode) -> bool {
    Device::LATER.into_iter().any(|device| {
        device.generation().is_some_and(|known| known.name() == generation)
            && opcode.code(device).is_some()
    })
}

/// Every rule that [`check`] or [`program::check`] enforces.
pub(super) fn enforced_rules() -> impl Iterator<Item = RuleId> {
    let rows = TABLES.into_iter().flatten().flat_map(|(_, check)| check.rules.iter().copied());
    let tables = types::rules().chain(modifiers::rules()).chain(encoding::rules());
    rows.chain(tables).chain(program::RULES.iter().copied())
}
