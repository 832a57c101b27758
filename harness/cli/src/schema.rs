//! Schemas of types of other crates in what the program prints as JSON.

pub(crate) mod foreign;
