//! Which rules a campaign would notice broken (`model/spec/sabotage.csv`, which `scripts/sabotage-all.sh` writes).

use crate::Rule;

include!(concat!(env!("OUT_DIR"), "/sabotage.rs"));

/// Whether lockstep notices an engine that breaks a rule. So it is taken to be where nothing else is known: of rules that
/// no step decides (units, enumerations, text), and of those that no case of the table's run met.
#[must_use]
pub fn is_noticed(rule: &Rule) -> bool {
    UNNOTICED.binary_search(&rule.id).is_err()
}

/// The suites that met a rule when the table was written: of those that notice it broken the first. None if none did.
pub fn suites(rule: &Rule) -> impl Iterator<Item = &'static str> + use<> {
    let row = MET.binary_search_by_key(&rule.id, |(id, _)| id).map_or("", |row| MET[row].1);
    row.split('+').filter(|suite| !suite.is_empty())
}
