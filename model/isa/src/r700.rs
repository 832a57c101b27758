//! AMD R700: the shape of programs, cases and state.
//!
//! A program is a list of dwords. Control-flow instructions and ALU instructions take two of them,
//! fetch instructions four; addresses inside a program count 64-bit words.

pub mod case;
pub mod decode;
pub mod instruction;
pub mod legality;
pub mod microcode;
pub mod opcode;
pub mod program;
pub mod sampler;
pub mod source;
pub mod state;
pub mod text;
pub mod texture;

pub use case::{Case, Profile};
pub use instruction::{Alu, Cf, Fetch, Group};
pub use opcode::{AluOpcode, CfOpcode, FetchOpcode};
pub use program::Program;
pub use source::Source;
pub use state::State;

use crate::Machine;

/// A wavefront of RV770.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum R700 {}

impl Machine for R700 {
    const NAME: &'static str = "r700";
    type Case = Case;
    type State = State;
}
