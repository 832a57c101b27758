//! Programs as LLVM's R600 backend writes them.
//!
//! ```text
//! ALU 2, @4, KC0[CB0:0-32], KC1[]
//! EXPORT T0.XYZ1
//! CF_END
//! PAD
//! ALU clause starting at 4:
//!   MUL_IEEE   T0.X, |T1.X|, KC0[4].Y,
//!   ADD * T0.Y, -PV.X, literal.x, BS:VEC_021/SCL_122
//! 1075838976(2.500000e+00), 0(0.000000e+00)
//! ```
//!
//! Counts are those of the fields, addresses count 64-bit words, `*` marks the last instruction of a
//! group. LLVM leaves out where an export goes, which is assumed with a warning, and the offsets of
//! texture coordinates. Fields that have no place here can be written as `NAME(value)`, as in the
//! manual's syntax, and other words under a heading `Data starting at 9:`, so that every program has a
//! text.

mod alu;
mod control;
mod fetch;
mod print;
mod reader;

pub use print::print;

use super::{
    cursor::{Diagnostic, select_letters, without_comment},
    dialect::LLVM,
    parse::{Assembly, read_lines},
};

/// Reads a program.
///
/// ```
/// use parallax_isa::r700::text::llvm;
///
/// let assembly = llvm::assemble("EXPORT T0.XY01\nCF_END\n").unwrap();
/// assert_eq!(assembly.program.encode(), [0xC000_0000, 0x9420_0B08, 0, 0x8020_0000]);
/// assert!(assembly.warnings[0].message.contains("PIX0"));
/// ```
///
/// # Errors
/// What is wrong with it, line by line; of more than a hundred mistakes the first.
pub fn assemble(source: &str) -> Result<Assembly, Vec<Diagnostic>> {
    read_lines(source, &LLVM, reader::Reader::default())
}

/// Selects as letters.
fn letters(selects: &[u32; 4]) -> String {
    select_letters(selects).to_uppercase()
}

/// Whether a text is LLVM's: it has a line that no other syntax has.
///
/// ```
/// use parallax_isa::r700::text::llvm;
///
/// assert!(llvm::is_likely("\tEXPORT T0.X___\n\tCF_END\n"));
/// assert!(!llvm::is_likely("00 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM"));
/// ```
#[must_use]
pub fn is_likely(source: &str) -> bool {
    source.lines().any(|line| {
        let line = without_comment(line, &LLVM).trim();
        line == "CF_END" || reader::heading(line).is_some()
    })
}

#[cfg(test)]
mod tests;
