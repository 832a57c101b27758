//! Which rules a campaign would notice broken (`model/spec/sabotage.csv`, which `scripts/sabotage-all.sh` writes).

use crate::Rule;

include!(concat!(env!("OUT_DIR"), "/sabotage.rs"));

/// Whether lockstep notices an engine that breaks a rule. So it is taken to be where nothing else is known: of rules that
/// no step decides (units, enumerations, text), and of those that no case of the table's run met.
#[must_use]
pub fn is_noticed(rule: &Rule) -> bool {
    UNNOTICED.binary_search(&rule.id).is_err()
}
