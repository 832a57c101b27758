//! Rules as data. A rule that is a property of an instruction, a type, a modifier or a table's cell
//! stands in that row; what the manual says about one thing in several places stands here, under one
//! name. Either counts when it is used.

use parallax_spec::{RuleId, coverage};

/// Some rules that hold together.
pub(super) type Rules = &'static [RuleId];

/// The rules of some ids, without the part they share; checked at compile time.
macro_rules! rules {
    () => {
        &[] as crate::eu::rules::Rules
    };
    ($prefix:literal: $($id:literal),+ $(,)?) => {
        const {
            &[$(parallax_spec::RuleId::named(concat!($prefix, ".", $id))),+]
                as crate::eu::rules::Rules
        }
    };
}

/// Counts one use of each.
pub(super) fn count(rules: Rules) {
    rules.iter().for_each(|rule| coverage::hit(*rule));
}
