//! The rules about formats, whose ids are made of the formats' names.

use std::sync::LazyLock;

use parallax_spec::{
    RuleId, coverage, family,
    rows::{Row, Table},
    rule_id,
};

use super::format::{Document, Format, R700_FORMATS};

impl Format {
    /// Counts the rule that lists it.
    pub fn count(&self) {
        match self.document {
            Document::R700 => count_r700(self.code.into()),
            _ => self.rule.into_iter().for_each(coverage::hit),
        }
    }
}

/// Counts the row of a data format of R700 in the table of their codes, if it has a layout.
pub fn count_r700(code: u32) {
    static ROWS: LazyLock<Vec<Option<Row>>> = LazyLock::new(|| {
        let mut rows = Table::of(rule_id!("r700.fmt.codes")).into_iter().flat_map(Table::rows);
        R700_FORMATS
            .iter()
            .map(|format| if format.is_defined() { rows.next() } else { None })
            .collect()
    });
    ROWS.get(code as usize).copied().flatten().into_iter().for_each(coverage::hit_row);
}

/// The rule `prefix`, the format's name as rules spell it, `ending`.
///
/// # Panics
/// If there is none: the tables are part of the source.
pub(super) fn of_format(prefix: &str, format: &str, ending: &str) -> RuleId {
    family::rule(&format!("{prefix}{}{ending}", format.to_lowercase().replace('_', "-")))
}
