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
mod group;
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

use super::program::Program;
use crate::Syntax;

/// The syntax that a text is written in, by its content: one that has a word or a form of it; otherwise this
/// project's own, unless only AMD's takes the text.
///
/// ```
/// use parallax_isa::{Syntax, r700::text::recognise};
///
/// assert_eq!(recognise("00 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM"), Syntax::Manual);
/// assert_eq!(recognise("EXPORT T0.XYZ1\nCF_END"), Syntax::Llvm);
/// ```
#[must_use]
pub fn recognise(source: &str) -> Syntax {
    if llvm::is_likely(source) {
        Syntax::Llvm
    } else if amd::is_likely(source) || parse(source).is_err() && is_whole_in_amd(source) {
        Syntax::Amd
    } else {
        Syntax::Manual
    }
}

/// Whether AMD's syntax takes a text as it stands, with the end of the program.
fn is_whole_in_amd(source: &str) -> bool {
    source.contains("END_OF_PROGRAM")
        && amd::assemble(source).is_ok_and(|assembly| assembly.warnings.is_empty())
}

/// Reads a program in a syntax of `rv770`.
///
/// # Errors
/// What is wrong with it, line by line; of more than a hundred mistakes the first.
pub fn assemble_as(syntax: Syntax, source: &str) -> Result<Assembly, Vec<Diagnostic>> {
    match syntax {
        Syntax::Amd => amd::assemble(source),
        Syntax::Llvm => llvm::assemble(source),
        Syntax::Manual => assemble(source),
        Syntax::Iga | Syntax::Mesa => Err(vec![Diagnostic {
            line: 1,
            column: 1,
            message: format!("rv770 has no programs in {}", syntax.title()),
            text: source.lines().next().unwrap_or_default().to_owned(),
            rules: &[],
        }]),
    }
}

/// A program in a syntax of `rv770`, in which it is read as the same words again.
#[must_use]
pub fn print_as(syntax: Syntax, program: &Program) -> String {
    match syntax {
        Syntax::Amd => amd::print(program),
        Syntax::Llvm => llvm::print(program),
        Syntax::Manual | Syntax::Iga | Syntax::Mesa => print(program),
    }
}

#[cfg(test)]
mod tests;
