//! The R700 instruction set manual: rules of ALU groups.

mod doubles;
mod groups;
mod index;
mod instructions;
mod operands;
mod program;
mod results;
mod rule;
mod step;

pub use index::{observe, rules};
pub use rule::Rule;
