//! When each rule decides what an instruction does.
//!
//! A rule of the catalogue (`parallax-spec`) is a sentence. A row here says of which devices and instructions it speaks,
//! *when* it decides a step (a predicate on the record that the reference lends), and *what* it decides. A rule is met
//! where its predicate is true; a step for which it is false is no evidence for it.
//!
//! The rules of Intel instructions are here, those of R700 groups in [`r700`].
//!
//! The modules are laid out as the documents are, their rows in the order of the catalogue.
//!
//! ```
//! use parallax_rules::{Decides, rule_of};
//! use parallax_spec::rule_id;
//!
//! let overrun = rule_of(rule_id!("talk.op.bfe-overrun")).expect("a rule of data instructions");
//! assert_eq!(overrun.decides(), Decides::Result);
//! ```

mod access;
mod bits;
mod codes;
mod comparison;
mod conversion;
mod data_cache;
mod dg1;
mod element;
pub mod enums;
mod extended_math;
mod flow;
mod function_cell;
mod g45;
mod gen7;
mod generations;
mod index;
mod macros;
mod message;
pub mod r700;
mod rule;
mod sampler;
mod semantics;
mod step;
pub mod surface;
mod talk;
mod unit_step;
pub mod units;
mod word;

pub use g45::text;
pub use index::{decides, observe, rule_of, rules, rules_of};
pub use rule::{Decides, Record, Rule};
