//! Which rules a campaign would notice broken (`model/spec/sabotage.csv`, which `scripts/sabotage-all.sh` writes).

use crate::Rule;

include!(concat!(env!("OUT_DIR"), "/sabotage.rs"));

/// Whether lockstep notices a step that breaks a rule, as far as is known: of a rule that is not in the table,
/// because its comparisons are none of steps, the comparison itself says so.
#[must_use]
pub fn is_noticed(rule: &Rule) -> bool {
    UNNOTICED.binary_search(&rule.id).is_err()
}
