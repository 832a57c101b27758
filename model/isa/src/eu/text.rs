//! The assembly language (G45 volume 4, sections 13.4 and 15.1): [`print()`] and [`parse`], both for a
//! device, since generations have other types, flags and operations.
//!
//! # Canonical form
//!
//! [`print()`] gives every instruction one text, which [`parse`] turns into the same machine code:
//!
//! ```text
//! (f0.0) add.sat.g.f0.0 (8) r4<1>:f r2<8;8,1>:f -r3.1<0;1,0>:f {NoMask}
//! ```
//!
//! - The predicate comes first, `(f0.1)`, inverted `(-f0.1)`, with its control `(f0.0.any4h)`.
//! - `.sat`, then the conditional modifier with its flag subregister, then the execution size.
//! - Subregisters are counted in elements of the operand's type and left out where they are 0;
//!   one that is not on an element is in bytes with a `b`: `r2.3b`.
//! - Regions are `<vertical;width,horizontal>`; `<width,horizontal>` where each row has its own
//!   address; in Align16 `<vertical>` and a swizzle that is left out where it is `.xyzw`.
//! - Integer constants are decimal for `d` and `w` and hexadecimal for `ud` and `uw`; floats are
//!   decimal where that is exact, else the bits in hexadecimal; `v` and `vf` are hexadecimal. A word
//!   constant whose halves differ has eight hexadecimal digits.
//! - On Gen7 and later the execution size may have the first channel with it, `(8|M8)`, and there is
//!   a second flag register, `f1.0`.
//! - A branch's distance is in units of 16 bytes from itself (`jmpi`: from the next instruction), with
//!   `pop` and a count where it pops mask stack levels: `break (8) 7 pop 3`.
//! - A word whose opcode is no operation of the device is `illegal` with the opcode: `illegal 0x0a`.
//! - Options stand in braces. Beyond the manual's there are `Compact` (the 64-bit form),
//!   `MaskCtrlEx`, `Flag1` (the flag subregister field where nothing else shows it) and
//!   `Residue(0x…)` (bits of the 128-bit word that no field uses).
//!
//! # What is read
//!
//! One instruction a line, in the canonical form or any other that the manual's grammar has:
//! capitals do not matter, `+` and `!` stand before a predicate, types, regions and execution
//! sizes may be left to defaults, `//` and `/* */` are comments, `name:` is a label that branches
//! can go to, and `jmp n` is `add (1) ip ip 16*n`. Pragmas are `.declare`, `.define`, `.default_…`,
//! and the markers `.kernel` to `.end_kernel` with `.reg_count_total` and `.reg_count_payload`.

mod constant;
mod cursor;
mod diagnostic;
mod dialect;
mod flag;
mod forms;
mod hints;
mod lexer;
mod operands;
mod options;
mod parser;
mod print;
mod printed;
mod region;
mod settings;
mod statement;
mod words;

use super::names;

pub use diagnostic::Diagnostic;
pub use dialect::recognise;
pub use forms::forms;
pub use parser::{Assembly, parse, parse_as, source};
pub use print::{print, print_destination, print_source};
pub use printed::{Detail, Printed, print_as};

#[cfg(test)]
mod tests;
