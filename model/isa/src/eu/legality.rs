//! What programs must not do: the restrictions of the G45 manual (volume 4, mainly sections 11.3.10 and
//! 11.5.3 and chapter 14), of the table `eu-legality-by-gen` and of the catalogues `gen7-eu`, `eu-later-gens`
//! and `gen-talk`. Each is a row of a table, with the generations that have it, or a small function.
//!
//! [`check`] decides what one instruction shows by itself, [`program::check`] what takes its
//! neighbours. `model/spec/examples` has an example of each, and says of the others why no check sees them;
//! what no check of Gen7 and later can decide is in `decisions.md` too (D-eu-later-not-static).

use std::{collections::HashMap, fmt, sync::LazyLock};

use parallax_spec::{Practice, RuleId, Severity};

use crate::{
    Device,
    eu::{
        DataType, Instruction, Opcode,
        generation::Generation,
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        register::RegisterFile,
    },
};

mod accumulator;
mod addressing;
mod compression;
mod destination;
mod encoding;
mod facts;
mod flow;
mod immediates;
mod messages;
mod mixed;
mod modifiers;
mod operands;
mod operations;
pub mod program;
mod region;
mod registers;
mod relations;
mod restriction;
mod types;
mod vector;

/// What the files of restrictions have in common.
mod prelude {
    pub(super) use parallax_spec::{RuleId, rule_id};

    pub(super) use super::{
        Violation,
        facts::{Facts, is_dword},
        operands::{DestinationFacts, Operand, SourceFacts},
        restriction::checks,
    };
    pub(super) use crate::{
        Device,
        device::Feature,
        eu::{
            fields::{self, Word},
            generation::Generation,
            instruction::{
                AccessMode, Compression, ConditionalModifier, Descriptor, Instruction,
                PredicateControl, ThreadControl,
            },
            opcode::{Format, Opcode},
            operand::{
                Destination, DestinationRegion, Region, Register, Source, SourceModifier,
                VerticalStride,
            },
            register::{ArfKind, REGISTER_BYTES, RegisterFile},
            types::DataType,
        },
    };
}

use facts::Facts;
use restriction::Check;

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

/// The tables of all subjects.
static TABLES: [&[Check]; 20] = [
    encoding::CHECKS,
    region::CHECKS,
    destination::CHECKS,
    modifiers::CHECKS,
    immediates::CHECKS,
    registers::CHECKS,
    types::CHECKS,
    operations::CHECKS,
    mixed::CHECKS,
    accumulator::CHECKS,
    addressing::CHECKS,
    compression::CHECKS,
    vector::CHECKS,
    flow::CHECKS,
    messages::CHECKS,
    messages::extended_math::CHECKS,
    messages::data_port::CHECKS,
    messages::sampler::CHECKS,
    messages::gateway::CHECKS,
    messages::urb::CHECKS,
];

/// The rows about the operations of each generation.
static ROWS: LazyLock<HashMap<(Generation, Opcode), Vec<&Check>>> = LazyLock::new(|| {
    let rows = |key: (Generation, Opcode)| {
        let all = TABLES.into_iter().flatten();
        (key, all.filter(|check| check.is_about(key.0, key.1)).collect())
    };
    let of = |generation| Opcode::ALL.iter().map(move |opcode| rows((generation, *opcode)));
    Generation::ALL.into_iter().flat_map(of).collect()
});

/// The restrictions that an instruction breaks on a device; none if it is legal. Restrictions that
/// concern several instructions are not among them.
#[must_use]
pub fn check(device: Device, instruction: &Instruction) -> Vec<Violation> {
    let Some(generation) = device.generation() else { return Vec::new() };
    judge(&Facts::new(device, generation, instruction))
}

/// The restrictions that an instruction breaks.
fn judge(facts: &Facts) -> Vec<Violation> {
    let mut violations = Vec::new();
    ROWS[&(facts.generation, facts.opcode)]
        .iter()
        .for_each(|check| check.apply(facts, &mut violations));
    encoding::check_opcode(facts, &mut violations);
    modifiers::check(facts, &mut violations);
    types::check(facts, &mut violations);
    relations::settle(facts.generation, &mut violations);
    violations
}

/// Whether nothing is illegal about an instruction by itself.
#[must_use]
pub fn is_legal(device: Device, instruction: &Instruction) -> bool {
    check(device, instruction).iter().all(|found| found.severity() < Severity::Illegal)
}

/// Whether an operation of a device has operands of some types together, whatever else an instruction has.
#[must_use]
pub fn combines(
    device: Device,
    opcode: Opcode,
    destination: DataType,
    sources: &[DataType],
) -> bool {
    let register = Register::Direct { file: RegisterFile::Grf, number: 0, subregister: 0 };
    let mut instruction = Instruction::bare(opcode);
    instruction.destination =
        Destination { register, data_type: destination, region: DestinationRegion::Stride(1) };
    for (source, data_type) in instruction.sources.iter_mut().zip(sources) {
        let (data_type, modifier) = (*data_type, SourceModifier::default());
        *source = Source::Register { register, data_type, region: Region::SCALAR, modifier };
    }
    let found = check(device, &instruction);
    !found.iter().any(|found| relations::is_of_types(&found.rules()))
}

/// Every rule that [`check`] or [`program::check`] enforces.
pub fn enforced_rules() -> impl Iterator<Item = RuleId> {
    let rows = TABLES.into_iter().flatten().flat_map(Check::rules);
    let tables = types::rules().chain(modifiers::rules()).chain(encoding::rules());
    rows.chain(tables).chain(program::rules())
}

#[cfg(test)]
mod tests;
