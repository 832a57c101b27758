//! What the command line says about execution units: names of registers, values for them.

pub(crate) mod case;
pub(crate) mod program;
pub(crate) mod values;
