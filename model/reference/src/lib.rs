//! What programs mean: the slow, obvious model.
//!
//! It is written to be checked against the manuals line by line: one function per instruction,
//! named as the manual names it, working on values: integers as `i128`, floats as exact numbers that
//! are rounded once, as the execution context says (`number`). Speed is nowhere a reason for
//! cleverness.

#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]

pub mod enums;
pub mod eu;
mod number;
pub mod r700;
mod shared;
pub mod surface;
pub mod units;
