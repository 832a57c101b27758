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
    shape::{Has, Shape},
    start,
    straight::Straight,
};
use crate::{choices::Choices, random::SplitMix64};

/// Bytes that decide a program: of many instructions that are drawn few may be accepted.
const BYTES: usize = 64 << 10;

/// The operations of a device with the types that an engine has.
pub(in crate::eu) struct Operations {
    pub(super) of_generation: OfGeneration,
    pub(super) shape: Shape,
}

pub(super) enum OfGeneration {
    /// Before Gen7.
    Earlier(Vec<(Opcode, Vec<Combination>)>),
    /// Gen7 and later.
    Later(Vec<Operation>),
}

impl Operations {
    /// Those of which `has` says that the engine has them, by mnemonic, type of the destination and types of sources.
    pub(in crate::eu) fn new(
        device: Device,
        has: &dyn Fn(Opcode, DataType, &[DataType]) -> bool,
    ) -> Self {
        let of_generation = match Device::LATER.contains(&device) {
            true => {
                OfGeneration::Later(later::operations_within(later::operations_of(device), has))
            }
            false => OfGeneration::Earlier(Straight::operations_within(device, has)),
        };
        Self { of_generation, shape: Shape::ANY }
    }

    /// The same of Gen12 with `dp4a`, which its document does not list.
    pub(in crate::eu) fn with_dp4a(has: &dyn Fn(Opcode, DataType, &[DataType]) -> bool) -> Self {
        let operations = later::operations_within(later::operations_with_dp4a(), has);
        Self { of_generation: OfGeneration::Later(operations), shape: Shape::ANY }
    }

    /// Each operation with its types, first that of the destination, each once.
    pub(in crate::eu) fn typed(&self) -> Vec<(Opcode, Vec<DataType>)> {
        let mut all = match &self.of_generation {
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
        let has = self.shape.has;
        let accepts = |instruction: &Instruction| has(instruction) && (engine.accepts)(instruction);
        let engine = Has { accepts: &accepts, ..*engine };
        let mut case = match &self.of_generation {
            OfGeneration::Earlier(operations) => {
                earlier(device, choices, operations, self.shape, &engine)
            }
            OfGeneration::Later(operations) => {
                later::straight_line_within(device, choices, operations, self.shape, &engine)
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
    shape: Shape,
    engine: &Has,
) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let mut state = start(&mut random);
    let count = shape.count(&mut choices);
    let mut program = ProgramBuilder::new(device, engine.may_compact && choices.sometimes(64));
    let mut straight = Straight::new(device, &mut choices, random, &mut state);
    straight.window = shape.window;
    let mut instructions = Vec::new();
    for _ in 0..count {
        let Some(instruction) = straight.instruction_within(operations, engine.accepts) else {
            break;
        };
        let choices = &mut *straight.choices;
        let instruction = shape.placed(device, choices, &instructions, instruction, engine);
        instructions.push(instruction);
        program.push(instruction);
    }
    Case::new(device, program.bytes, state, 2 * LONGEST as u64)
}
