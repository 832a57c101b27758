//! What programs mean, fast: a second implementation, independent of the reference.
//!
//! A case is loaded once: its machine code is decoded here, every operand, mask and type is
//! resolved, and each instruction becomes a micro-op that calls the functions chosen for it.
//! Steps then allocate nothing and never look at types again. Results use host arithmetic; what
//! the host does differently (rounding, denormals, overflow) is repaired on the data, and the
//! floating-point environment of the process is left alone.

#![deny(unsafe_code)]

mod elementary;
pub mod enums;
pub mod eu;
mod machine_code;
pub mod r700;
mod shared;
mod simd;
pub mod surface;
pub mod units;

pub use machine_code::{interpret_all_blocks, why_not_compiling};
pub use simd::{InstructionSet, InstructionSetError};
