//! Reads `practices.toml`: what published drivers do against the manuals.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Practice {
    level: Severity,
    devices: Vec<String>,
    rules: Vec<String>,
    what: String,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Warning,
    Erratum,
}

/// The source of the table, sorted by name.
///
/// # Panics
/// If the file is not TOML of this shape.
pub(crate) fn source(file: &Path) -> String {
    let name = file.display();
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    let practices: BTreeMap<String, Practice> =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut code = format!(
        "/// Every practice, sorted by name.\npub static PRACTICES: [Practice; {}] = [\n",
        practices.len()
    );
    for (name, Practice { level, devices, rules, what, source }) in &practices {
        writeln!(
            code,
            "Practice {{ name: {name:?}, severity: Severity::{level:?}, devices: &{devices:?}, \
             rules: &{rules:?}, what: {what:?}, source: {source:?} }},"
        )
        .expect("writing to a string");
    }
    code.push_str("];\n");
    let names: Vec<_> = practices.keys().collect();
    writeln!(code, "static NAMES: [&str; {}] = {names:?};", names.len())
        .expect("writing to a string");
    code
}
