//! R700 programs on the command line: reading, running.

pub(crate) mod case;
pub(crate) mod program;
pub(crate) mod registers;
pub(crate) mod values;
