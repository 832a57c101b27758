//! How programs are written: devices, types, registers, instructions and programs; machine code,
//! instruction and text, each from the others; legality; and the vocabulary of machine state in
//! which engines are compared.
//!
//! What programs *mean* is not here: that is said twice, in `parallax-reference` and in
//! `parallax-executor`.

pub mod device;
pub mod engine;
pub mod enums;
pub mod eu;
pub mod expectation;
pub mod hex;
pub mod image;
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
pub use engine::{Engine, Machine, Model, Reference};
pub use expectation::{Acceptance, Expectation, Range32};
pub use image::{Extent, Image};
pub use nearest::nearest;
pub use outcome::{Declined, EngineError, LoadError, Outcome, Step};
pub use syntax::{Syntax, UnknownSyntax};
pub use weakness::Weaknesses;
