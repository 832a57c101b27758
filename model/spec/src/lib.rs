//! What the manuals say, as data: the rule catalogue, the decision log and the tables, with rule
//! ids checked at compile time and counters of how often each rule was exercised.
//!
//! The catalogue lives in `model/spec/catalogue/*.csv`, the choices made where the manuals are
//! silent or wrong in `model/spec/decisions.md`, the manuals' tables in `model/spec/tables/*.csv`,
//! examples of restrictions in `model/spec/examples/*.toml`, what published drivers do against the
//! manuals in `model/spec/practices.toml`, and what becomes of broken rules in `model/spec/sabotage.csv`.
//!
//! ```
//! use parallax_spec::{Level, browse::Query, rule_id};
//!
//! // A misspelt id does not compile.
//! let saturate = rule_id!("g45.inst.add.saturate").rule();
//! assert_eq!(saturate.level, Level::Must);
//! println!("{}, lines {}: {}", saturate.catalogue, saturate.lines, saturate.rule);
//!
//! let of_add = Query { unit: Some("add".into()), ..Query::default() };
//! assert!(of_add.rules().any(|rule| rule.id == saturate.id));
//! ```

pub mod browse;
pub mod coverage;
pub mod examples;
pub mod family;
pub mod practice;
pub mod rows;
pub mod rules;
pub mod sabotage;
mod selector;
pub mod tables;

pub use practice::{Practice, Severity};
pub use rules::{Level, Rule, RuleId};

/// The decision log, as it is written.
pub const DECISION_LOG: &str = include_str!("../decisions.md");
