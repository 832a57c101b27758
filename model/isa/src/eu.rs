//! Intel execution units: the shape of instructions, programs, cases and state.

#[cfg(feature = "arbitrary")]
mod arbitrary;
pub mod bits;
pub mod case;
pub mod codes;
pub mod compaction;
pub mod decode;
pub mod encode;
pub mod fields;
pub mod forms;
pub mod hazards;
pub mod instruction;
pub mod legality;
pub mod message;
mod names;
pub mod opcode;
pub mod operand;
pub mod program;
pub mod reading;
pub mod register;
pub mod scoreboard;
pub mod state;
pub mod text;
pub mod types;

pub use case::Case;
pub use forms::forms;
pub use instruction::Instruction;
pub use opcode::Opcode;
pub use program::Program;
pub use reading::{Reading, Reads};
pub use state::State;
pub use types::DataType;

pub use crate::generation;

use crate::Machine;

/// An Intel execution unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eu {}

impl Machine for Eu {
    const NAME: &'static str = "eu";
    type Case = Case;
    type State = State;
}
