//! What programs mean, fast: a second implementation, independent of the reference.
//!
//! A case is loaded once: its machine code is decoded here, every operand, mask and type is
//! resolved, and each instruction becomes a micro-op that calls the functions chosen for it.
//! Steps then allocate nothing and never look at types again. Results use host arithmetic; what
//! the host does differently (rounding, denormals, overflow) is repaired on the data, and the
//! floating-point environment of the process is left alone.
//!
//! ```
//! use parallax_executor::eu::Executor;
//! use parallax_isa::{Device, Model as _, Outcome, eu::{Case, State, text}};
//!
//! let assembly = text::parse(Device::Skl, "add (8|M0) r2<1>:f r3<8;8,1>:f 1.0:f").expect("it assembles");
//! let mut state = Box::new(State::of(Device::Skl));
//! state.grf[3][..4].copy_from_slice(&1.5f32.to_le_bytes());
//! let case = Case::new(Device::Skl, assembly.program.bytes().to_vec(), state, 100);
//!
//! // Compiles blocks that run often to machine code.
//! let mut executor = Executor::new();
//! executor.load(&case).expect("it decodes");
//! assert_eq!(executor.run(), Outcome::Halted);
//! assert_eq!(executor.state().grf[2][..4], 2.5f32.to_le_bytes());
//!
//! // Compiles every block before it runs: the result is the same.
//! let mut compiled = Executor::compiling_at_once();
//! compiled.load(&case).expect("it decodes");
//! assert_eq!(compiled.run(), Outcome::Halted);
//! assert_eq!(compiled.state().grf, executor.state().grf);
//! ```

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
