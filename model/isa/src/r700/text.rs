//! Programs as text, in the style of AMD's own tools: numbered control-flow instructions, each
//! followed by the clause it runs, with its groups numbered through the program.
//!
//! ```text
//! 00 ALU: ADDR(2) CNT(3) KCACHE0(CB0:0-15)
//!       0  x: MUL_IEEE R0.x, KC0[0].x, -|R1.y| VEC_021
//!          t: ADD R1.w, PV.x, (0x40000000, 2.0).x CLAMP
//! 01 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM
//! ```
//!
//! Every field that has no place of its own in this notation can be written as `NAME(value)` behind the
//! instruction, under its name in the manual, and bits outside of all fields as `BITS0(0x…)` to
//! `BITS3(0x…)`: so every program has a text that stands for the same dwords. `ADDR` and `CNT` of a
//! clause may be left out.

mod alu;
pub mod amd;
mod control;
mod cursor;
mod dialect;
mod fetch;
mod layout;
mod literals;
pub mod llvm;
mod operand;
mod parse;
mod print;

pub use cursor::Diagnostic;
pub use operand::print_operand;
pub use parse::{Assembly, assemble, parse};
pub use print::{print, print_control_flow, print_data, print_fetch, print_group};

#[cfg(test)]
mod tests;
