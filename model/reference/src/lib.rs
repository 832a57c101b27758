//! What programs mean: the slow, obvious model.
//!
//! It is written to be checked against the manuals line by line: one function per instruction,
//! named as the manual names it, working on values: integers as `i128`, floats as exact numbers that
//! are rounded once, as the execution context says (`number`). Speed is nowhere a reason for
//! cleverness.
//!
//! ```
//! use parallax_isa::{Device, Model as _, Step, eu::{Case, State, text}};
//! use parallax_reference::eu::Reference;
//!
//! let assembly = text::parse(Device::Skl, "add (8|M0) r2<1>:f r3<8;8,1>:f 1.0:f").expect("it assembles");
//! let mut state = Box::new(State::of(Device::Skl));
//! state.grf[3][..4].copy_from_slice(&1.5f32.to_le_bytes());
//! let case = Case::new(Device::Skl, assembly.program.bytes().to_vec(), state, 100);
//!
//! let mut reference = Reference::new();
//! reference.load(&case).expect("it decodes");
//! assert_eq!(reference.step(), Step::Continue);
//! assert_eq!(reference.state().grf[2][..4], 2.5f32.to_le_bytes());
//! ```

#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]

pub mod enums;
pub mod eu;
mod number;
pub mod r700;
mod shared;
pub mod surface;
pub mod units;
