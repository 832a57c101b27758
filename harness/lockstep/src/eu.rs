//! Intel execution units as a machine of the harness: engines, cases, explanations.

pub mod flow;
pub mod generate;
mod operand_values;
mod shrink;
pub mod suites;

pub use parallax_isa::eu::Eu;
use parallax_isa::{
    Device, Reference,
    eu::{
        Case, Instruction, State,
        case::{Event, Surroundings},
        decode::decode,
        text,
    },
    shared::SharedFunctions,
};
use serde::{Deserialize, Deserializer};

use crate::subject::{EngineEntry, OperandValues, Subject};

/// A case as traces of version 1 hold it: without shared functions.
#[derive(Deserialize)]
struct FirstVersionCase {
    device: Device,
    program: Vec<u8>,
    state: Box<State>,
    step_limit: u64,
    surroundings: FirstVersionSurroundings,
}

#[derive(Deserialize)]
struct FirstVersionSurroundings {
    system_routine: Option<u32>,
    events: Vec<Event>,
}

impl Subject for Eu {
    const ENGINES: &'static [EngineEntry<Self>] = &[
        EngineEntry { name: "executor", make: || Box::new(parallax_executor::eu::Executor::new()) },
        EngineEntry {
            name: "reference",
            make: || Box::new(parallax_reference::eu::Reference::new()),
        },
    ];

    fn reference() -> Box<dyn Reference<Self>> {
        Box::new(parallax_reference::eu::Reference::new())
    }

    fn earlier_case<'de, D: Deserializer<'de>>(
        version: u32,
        deserializer: D,
    ) -> Result<Case, D::Error> {
        if version > 1 {
            return Case::deserialize(deserializer);
        }
        let FirstVersionCase { device, program, state, step_limit, surroundings } =
            FirstVersionCase::deserialize(deserializer)?;
        let FirstVersionSurroundings { system_routine, events } = surroundings;
        let shared_functions = SharedFunctions::None;
        let surroundings = Surroundings { system_routine, events, shared_functions };
        Ok(Case { device, program, state, step_limit, surroundings })
    }

    fn describe_next(case: &Case, state: &State) -> String {
        match instruction_at(case, state.ip) {
            Some(instruction) => text::print(case.device, &instruction),
            None => format!("nothing at byte {}", state.ip),
        }
    }

    fn operands(case: &Case, state: &State) -> Vec<OperandValues> {
        operand_values::operands(case, state)
    }

    fn mnemonic(case: &Case, state: &State) -> String {
        let instruction = instruction_at(case, state.ip);
        instruction.map_or("end", |instruction| instruction.opcode.mnemonic()).to_owned()
    }

    fn device(case: &Case) -> &'static str {
        case.device.name()
    }
}

/// The instruction that starts at a byte of a case's program, if one decodes there.
#[must_use]
pub fn instruction_at(case: &Case, ip: u32) -> Option<Instruction> {
    let bytes = case.program.get(ip as usize..)?;
    decode(case.device, bytes).ok().map(|(instruction, _)| instruction)
}
