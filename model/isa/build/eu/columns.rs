//! Rows of the tables and their columns for generations.

use std::collections::HashMap;

use super::generation::Generation;

/// A row: its cells by the names of their columns.
pub(super) type Row = HashMap<String, String>;

/// The rows of a table.
pub(super) fn rows(table: &str) -> Vec<Row> {
    parallax_spec::tables::rows(table)
}

/// The name of a generation's column: `gen75`.
pub(super) fn column(generation: Generation) -> String {
    generation.name().to_lowercase().replace('.', "")
}

/// Reads `0x5B`.
pub(super) fn hexadecimal(text: &str) -> u32 {
    let digits = text.strip_prefix("0x").unwrap_or_else(|| panic!("{text:?} is not 0x…"));
    u32::from_str_radix(digits, 16).unwrap_or_else(|e| panic!("{text:?}: {e}"))
}
