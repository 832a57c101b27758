//! The manuals' tables as data: `model/spec/tables/*.csv`, embedded so that a built program needs
//! no files beside it.

/// Names one embedded table after its file.
macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        /// Every embedded table: its name and its CSV text.
        pub static TABLES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../tables/", $name, ".csv")))),*];
    };
}

embedded![
    "dg1-blend",
    "dg1-compare-stencil-logic",
    "dg1-enums",
    "dg1-render-compression",
    "dg1-surface-formats",
    "eu-flag-cond-pred-encodings",
    "eu-inst-fields",
    "eu-opcodes-by-gen",
    "eu-type-encodings",
    "g45-alt-mode",
    "g45-arf",
    "g45-compaction",
    "g45-compare",
    "g45-conditional-modifiers",
    "g45-conversions",
    "g45-datatypes",
    "g45-encoding-fields",
    "g45-eu-device-params",
    "g45-exec-datatype",
    "g45-field-values",
    "g45-flag-truth",
    "g45-float-results",
    "g45-minmax",
    "g45-opcodes",
    "g45-predicate-modes",
    "g45-register-properties",
    "g45-restricted-float",
    "g45-sampler-channel-map",
    "g45-surface-formats",
    "g45-type-combinations",
    "r700-alu-opcodes",
    "r700-alu-special",
    "r700-alu-src-sel",
    "r700-cf-opcodes",
    "r700-data-formats",
    "r700-double-tables",
    "r700-fetch-opcodes",
    "r700-field-values",
    "r700-microcode-fields",
    "r700-slots",
    "r700-stack",
];

/// The CSV text of a table.
///
/// # Panics
/// If no table has the name; names are written in code, never read from input.
#[must_use]
pub fn text(name: &str) -> &'static str {
    let found = TABLES.iter().find(|(table, _)| *table == name);
    found.unwrap_or_else(|| panic!("no embedded table is called {name}")).1
}

/// The rows of a table, each deserialised by column name.
///
/// # Panics
/// If there is no such table or a row does not fit `T`: the tables are part of the source.
#[must_use]
pub fn rows<T: serde::de::DeserializeOwned>(name: &str) -> Vec<T> {
    let mut reader = csv::Reader::from_reader(text(name).as_bytes());
    let rows = reader.deserialize().collect::<Result<_, _>>();
    rows.unwrap_or_else(|error| panic!("table {name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_parses() {
        for (name, _) in TABLES {
            assert!(!rows::<Vec<String>>(name).is_empty(), "{name} has no rows");
        }
    }
}
