//! How programs are written: devices, types, registers, instructions and programs; machine code,
//! instruction and text, each from the others; legality; and the vocabulary of machine state in
//! which engines are compared.
//!
//! What programs *mean* is not here: that is said twice, in `parallax-reference` and in
//! `parallax-executor`.
//!
//! ```
//! use parallax_isa::{Device, eu::{Program, legality, text}};
//!
//! let assembly = text::parse(Device::Skl, "add (8|M0) r2<1>:f r3<8;8,1>:f 1.0:f").expect("it assembles");
//! let machine_code = assembly.program.bytes();
//!
//! let program = Program::decode(Device::Skl, machine_code)?;
//! let add = &program.instructions()[0].instruction;
//! assert_eq!(text::print(Device::Skl, add), "add (8|M0) r2.0<1>:f r3.0<8;8,1>:f 1.0:f");
//! assert!(legality::check(Device::Skl, add).is_empty());
//! # Ok::<(), parallax_isa::eu::program::ProgramError>(())
//! ```

pub mod device;
pub mod engine;
pub mod enums;
pub mod eu;
pub mod expectation;
pub mod generation;
pub mod hex;
pub mod image;
mod machine;
pub mod nearest;
pub mod outcome;
pub mod query;
pub mod r700;
pub mod shared;
pub mod surface;
mod syntax;
pub mod units;
pub mod weakness;

pub use device::Device;
pub use engine::{Engine, Model, Reference};
pub use expectation::{Acceptance, Expectation, Range32};
pub use image::{Extent, Image};
pub use machine::Machine;
pub use nearest::nearest;
pub use outcome::{Declined, EngineError, LoadError, Outcome, Step};
pub use syntax::{Syntax, UnknownSyntax};
pub use weakness::Weaknesses;
