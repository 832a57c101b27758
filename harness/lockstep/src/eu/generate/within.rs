//! Straight-line programs of what an engine declares: instructions are drawn until it has one, so that an engine of a
//! few instructions gets programs as long and as mixed as any other.

use std::collections::HashSet;

use parallax_isa::{
    Device,
    eu::{Case, DataType, Instruction, Opcode},
    shared::SharedFunctions,
};

use super::{
    LONGEST, ProgramBuilder,
    combinations::Combination,
    later::{self, Operation},
    start,
    straight::Straight,
};
use crate::{choices::Choices, random::SplitMix64};

/// Instructions that are drawn for one that is accepted.
pub(super) const MOST_DRAWN: usize = 256;
/// So many of 256 are not of the operations, but of all that there is: messages, `math`, loads of address registers.
pub(super) const OTHERS: u8 = 24;

/// Bytes that decide a program: of many instructions that are drawn few may be accepted.
const BYTES: usize = 64 << 10;

/// The operations of a device with the types that an engine has.
pub(in crate::eu) struct Operations(OfGeneration);

enum OfGeneration {
    /// Before Gen7.
    Earlier(Vec<(Opcode, Vec<Combination>)>),
    /// Gen7 and later.
    Later(Vec<Operation>),
}

/// What an engine has.
pub(in crate::eu) struct Has<'h> {
    /// Whether it has an instruction.
    pub(in crate::eu) accepts: &'h dyn Fn(&Instruction) -> bool,
    /// Whether it has the compact form of machine code.
    pub(in crate::eu) may_compact: bool,
}

impl Operations {
    /// Those of which `has` says that the engine has them, by mnemonic, type of the destination and types of sources.
    pub(in crate::eu) fn new(
        device: Device,
        has: &dyn Fn(Opcode, DataType, &[DataType]) -> bool,
    ) -> Self {
        Self(match Device::LATER.contains(&device) {
            true => {
                OfGeneration::Later(later::operations_within(later::operations_of(device), has))
            }
            false => OfGeneration::Earlier(Straight::operations_within(device, has)),
        })
    }

    /// The same of Gen12 with `dp4a`, which its document does not list.
    pub(in crate::eu) fn with_dp4a(has: &dyn Fn(Opcode, DataType, &[DataType]) -> bool) -> Self {
        Self(OfGeneration::Later(later::operations_within(later::operations_with_dp4a(), has)))
    }

    /// Each operation with its types, first that of the destination, each once.
    pub(in crate::eu) fn typed(&self) -> Vec<(Opcode, Vec<DataType>)> {
        let mut all = match &self.0 {
            OfGeneration::Earlier(operations) => Straight::typed(operations),
            OfGeneration::Later(operations) => later::typed(operations),
        };
        let mut known = HashSet::new();
        all.retain(|operation| known.insert(operation.clone()));
        all
    }

    /// The straight-line case of a seed on a device; its program is empty if the engine has none of its instructions.
    pub(in crate::eu) fn straight_line(&self, device: Device, seed: u64, engine: &Has) -> Case {
        let mut bytes = vec![0; BYTES];
        SplitMix64::new(seed).fill(&mut bytes);
        let choices = Choices::new(&bytes);
        let mut case = match &self.0 {
            OfGeneration::Earlier(operations) => earlier(device, choices, operations, engine),
            OfGeneration::Later(operations) => {
                later::straight_line_within(device, choices, operations, engine)
            }
        };
        case.surroundings.shared_functions = SharedFunctions::Loopback;
        case
    }
}

fn earlier(
    device: Device,
    mut choices: Choices,
    operations: &[(Opcode, Vec<Combination>)],
    engine: &Has,
) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let mut state = start(&mut random);
    let count = 8 + choices.below(LONGEST - 8);
    let mut program = ProgramBuilder::new(device, engine.may_compact && choices.sometimes(64));
    let mut straight = Straight::new(device, &mut choices, random, &mut state);
    for _ in 0..count {
        let Some(instruction) = straight.instruction_within(operations, engine.accepts) else {
            break;
        };
        program.push(instruction);
    }
    Case::new(device, program.bytes, state, 2 * LONGEST as u64)
}
