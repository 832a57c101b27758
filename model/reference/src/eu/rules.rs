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
    ($($id:literal),+ $(,)?) => {
        const { &[$(parallax_spec::RuleId::named($id)),+] as crate::eu::rules::Rules }
    };
    ($prefix:literal: $($id:literal),+ $(,)?) => {
        const {
            &[$(parallax_spec::RuleId::named(concat!($prefix, ".", $id))),+]
                as crate::eu::rules::Rules
        }
    };
}

/// Counts one use of each.
#[inline]
pub(super) fn count(rules: Rules) {
    coverage::hit_all(rules);
}

/// The rows of a table, by the number of the operation that each says; checked at compile time.
macro_rules! by_opcode {
    ($rows:ident: $Row:ty) => {{
        let mut by_opcode: [Option<&'static $Row>; Opcode::ALL.len()] = [None; Opcode::ALL.len()];
        let mut n = 0;
        while n < $rows.len() {
            let place = &mut by_opcode[$rows[n].opcode as usize];
            assert!(place.is_none(), "an operation stands in two rows");
            *place = Some(&$rows[n]);
            n += 1;
        }
        by_opcode
    }};
}
