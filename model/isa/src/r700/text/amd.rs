//! Programs as AMD's shader analyzer and its relatives write them (`.psh` and `.vsh` files).
//!
//! ```text
//! ; $MODE = "UniformRegister"
//! 00 TEX: ADDR(48) CNT(1)
//!       0  SAMPLE R1, R0.xy0x, t0, s0
//! 01 ALU: ADDR(32) CNT(3)
//!       1  x: MUL_e*2 ____, R1, (0x40000000, 2).x
//!          t: RCP_e R2.x, |R1|.w
//! 02 EXP_DONE: PIX0, R2.xyz
//! END_OF_PROGRAM
//! ```
//!
//! It differs from the manual's syntax in what may be left out, and in what that stands for: texture
//! coordinates are normalised, operands read the element that is written, literals are stored in the
//! order of reading, clauses move where they fit. The fields that have no word here are
//! `NAME(value)`, as in the manual's syntax, so that every program has a text.

mod recognise;

pub use recognise::is_likely;

use super::{
    super::program::Program,
    cursor::Diagnostic,
    dialect::AMD,
    parse::{Assembly, assemble_in},
    print::print_in,
};

/// Reads a program.
///
/// ```
/// use parallax_isa::r700::text::amd;
///
/// let assembly = amd::assemble("00 EXP_DONE: PIX0, R0.xy\nEND_OF_PROGRAM").unwrap();
/// assert_eq!(assembly.program.encode(), [0, 0x9420_0B08]);
/// assert!(assembly.warnings.is_empty());
/// ```
///
/// # Errors
/// What is wrong with it, line by line; of more than a hundred mistakes the first.
pub fn assemble(source: &str) -> Result<Assembly, Vec<Diagnostic>> {
    assemble_in(source, &AMD)
}

/// A program as text, which [`assemble`] reads back to the same dwords.
///
/// ```
/// use parallax_isa::r700::text::{amd, parse};
///
/// let program = parse("00 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM").unwrap();
/// assert_eq!(amd::print(&program), "00 EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM\n");
/// ```
#[must_use]
pub fn print(program: &Program) -> String {
    let text = print_in(program, &AMD);
    // Other syntaxes would read it otherwise.
    if is_likely(&text) { text } else { format!("; $SYNTAX = \"AMD\"\n{text}") }
}

#[cfg(test)]
mod tests;
