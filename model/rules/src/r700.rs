//! The R700 instruction set manual: rules of ALU groups, of control flow, of exports and memory writes, of fetches.

mod control;
mod doubles;
mod exports;
mod fetch;
mod fetches;
mod flow;
mod formats;
mod groups;
mod index;
mod instructions;
mod local_share;
mod memory_reads;
mod operands;
mod ports;
mod program;
mod results;
mod rule;
mod step;
mod textures;

pub use index::{observe, rules};
pub use ports::observe_ports;
pub use rule::Rule;
pub use step::of_units;
