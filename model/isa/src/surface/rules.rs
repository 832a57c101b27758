//! The rules about formats, whose ids are made of the formats' names.

use parallax_spec::{RuleId, family};

/// The rule `prefix`, the format's name as rules spell it, `ending`.
///
/// # Panics
/// If there is none: the tables are part of the source.
pub(super) fn of_format(prefix: &str, format: &str, ending: &str) -> RuleId {
    family::rule(&format!("{prefix}{}{ending}", format.to_lowercase().replace('_', "-")))
}
