//! The R700 instruction set manual: rules of ALU groups, of control flow, of exports and memory writes.

mod control;
mod doubles;
mod exports;
mod flow;
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
