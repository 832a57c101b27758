//! Whether the software scoreboard codes of a Gen12 program guard everything that has to wait, and what to write
//! where they do not.

pub mod check;
pub mod fix;
mod footprint;
mod paths;
