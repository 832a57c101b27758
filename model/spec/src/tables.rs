//! The manuals' tables as data: `model/spec/tables/*.csv`, embedded so that a built program needs
//! no files beside it.

pub mod eu;
pub mod r700;
pub mod surface;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

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
