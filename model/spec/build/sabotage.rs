//! Reads `sabotage.csv`: where lockstep notices that a rule of the executor is broken.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    rule: String,
    suite: String,
    device: String,
}

/// The suite of a rule that no case shows broken; what stands for the device is the suites that met it.
const UNNOTICED: &str = "-";
/// The same of a rule that no step decides.
const NO_STEPS: &str = "no steps";

/// The source of the sorted tables of rules that no case shows broken, and of the suites that meet each.
///
/// # Panics
/// If the file is not a table of this shape, or names a rule that does not exist.
pub(crate) fn source(file: &Path, is_rule: impl Fn(&str) -> bool) -> String {
    let name = file.display();
    let reader = csv::Reader::from_path(file);
    let mut reader = reader.unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut unnoticed = BTreeSet::new();
    let mut met = BTreeMap::new();
    for row in reader.deserialize() {
        let Row { rule, suite, device } = row.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(is_rule(&rule), "{name}: there is no rule {rule}");
        let has_suite = ![UNNOTICED, NO_STEPS].contains(&suite.as_str());
        if suite == UNNOTICED {
            unnoticed.insert(rule.clone());
        }
        met.insert(rule, if has_suite { suite } else { device });
    }
    let met: Vec<_> = met.into_iter().collect();
    let unnoticed: Vec<_> = unnoticed.into_iter().collect();
    format!(
        "/// Rules that no case shows broken, sorted.\nstatic UNNOTICED: [&str; {}] = {unnoticed:?};\n\
         /// The suites that met each rule, sorted.\nstatic MET: [(&str, &str); {}] = {met:?};\n",
        unnoticed.len(),
        met.len()
    )
}
