//! What a decoder takes a word of machine code for: what can be said of it without running it. Codes
//! of which no program shows anything, because the device refuses what they name or nothing says what it
//! does, are told from one another by it.

use super::{
    DataType, Instruction, Opcode, opcode::Format, operand::Source, scoreboard::Scoreboard,
};
use crate::{Device, device::Generation};

/// What a decoder of Gen7 or later takes an instruction for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// The mnemonic; `illegal` of a code that is no operation.
    pub mnemonic: &'static str,
    /// The function of `math`.
    pub function: Option<&'static str>,
    /// The types of destination and sources of an instruction that computes.
    pub types: [Option<DataType>; 4],
    /// The bits of the first source that is an immediate.
    pub immediate: Option<u64>,
    /// JIP and UIP of `brd` and `brc`, in bytes, where they are in the instruction.
    pub distances: [Option<i32>; 2],
    /// What the software scoreboard is told (Gen12).
    pub scoreboard: Scoreboard,
}

/// An engine that says what its decoder takes machine code for.
pub trait Reads {
    /// What the instruction at the start of `code` is taken for, or why it is none. `None` if the engine
    /// does not say that of code of the device.
    fn reading(&self, device: Device, code: &[u8]) -> Option<Result<Reading, String>> {
        let _ = (device, code);
        None
    }
}

impl Reading {
    /// What an instruction of Gen7 or later is as the model's decoder has it.
    #[must_use]
    pub fn of(generation: Generation, instruction: &Instruction) -> Self {
        let sources = match instruction.opcode.format_on(generation) {
            _ if matches!(instruction.opcode, Opcode::Jmpi | Opcode::Wait) => None,
            Format::Unary => Some(1),
            Format::Binary => Some(instruction.math.map_or(2, |function| function.sources())),
            Format::Ternary => Some(3),
            _ => None,
        };
        let used = &instruction.sources[..sources.unwrap_or(0)];
        let mut types = [None; 4];
        if sources.is_some() {
            types[0] = Some(instruction.destination.data_type);
        }
        for (place, source) in types[1..].iter_mut().zip(used) {
            *place = Some(source.data_type());
        }
        let is_open = matches!(instruction.opcode, Opcode::Brd | Opcode::Brc);
        let branch = instruction.branch.filter(|_| is_open);
        Self {
            mnemonic: instruction.opcode.mnemonic(),
            function: instruction.math.map(|function| function.name()),
            types,
            immediate: used.iter().find_map(|source| match source {
                Source::Immediate { bits, .. } => Some(*bits),
                Source::Register { .. } => None,
            }),
            distances: branch.map_or([None; 2], |branch| [branch.jip, branch.uip]),
            scoreboard: instruction.scoreboard,
        }
    }
}
