//! Reads `sabotage.csv`: where lockstep notices that a rule of the executor is broken.

use std::{collections::BTreeSet, path::Path};

use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    rule: String,
    suite: String,
}

/// The suite of a rule that no case shows broken.
const UNNOTICED: &str = "-";

/// The source of the sorted table of rules that no case shows broken.
///
/// # Panics
/// If the file is not a table of this shape, or names a rule that does not exist.
pub(crate) fn source(file: &Path, is_rule: impl Fn(&str) -> bool) -> String {
    let name = file.display();
    let reader = csv::Reader::from_path(file);
    let mut reader = reader.unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut unnoticed = BTreeSet::new();
    for row in reader.deserialize() {
        let Row { rule, suite } = row.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(is_rule(&rule), "{name}: there is no rule {rule}");
        if suite == UNNOTICED {
            unnoticed.insert(rule);
        }
    }
    let unnoticed: Vec<_> = unnoticed.into_iter().collect();
    format!(
        "/// Rules that no case shows broken, sorted.\nstatic UNNOTICED: [&str; {}] = {unnoticed:?};\n",
        unnoticed.len()
    )
}
