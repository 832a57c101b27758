//! What programs mean: the slow, obvious model.
//!
//! It is written to be checked against the manuals line by line: one function per instruction,
//! named as the manual names it, working on values (integers as `i128`, floats as `rustc_apfloat`
//! numbers with an explicit rounding mode). Speed is nowhere a reason for cleverness.

#![forbid(unsafe_code)]
#![deny(clippy::float_arithmetic)]

pub mod eu;
pub mod r700;
pub mod surface;
