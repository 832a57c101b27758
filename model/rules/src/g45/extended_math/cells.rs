//! The tables of special values (section 6.3): a rule a cell, named by function, mode and operands.

use std::sync::LazyLock;

use parallax_spec::RuleId;

use super::super::of_gen4;
use crate::{
    Rule,
    element::Element,
    extended_math::{
        Cell,
        Function::{self, Cosine, Exponential, Inverse, InverseRoot, Logarithm, Power, Root, Sine},
    },
};

/// The functions by their names in ids.
const FUNCTIONS: [(&str, Function); 8] = [
    ("inv", Inverse),
    ("log", Logarithm),
    ("exp", Exponential),
    ("sqrt", Root),
    ("rsq", InverseRoot),
    ("sin", Sine),
    ("cos", Cosine),
    ("pow", Power),
];

type Class = (&'static str, fn(Element) -> bool);

/// The classes of operands by their names in ids.
const CLASSES: [Class; 10] = [
    ("pinf", |e| e.is_infinite() && !e.is_negative()),
    ("pfin", |e| e.is_normal() && !e.is_negative()),
    ("pzero", |e| e.vanishes() && !e.is_negative()),
    ("mzero", |e| e.vanishes() && e.is_negative()),
    ("mfin", |e| e.is_normal() && e.is_negative()),
    ("minf", |e| e.is_infinite() && e.is_negative()),
    ("nan", Element::is_nan),
    ("absgt1", |e| e.is_normal() && magnitude(e) > ONE),
    ("abslt1", |e| e.is_normal() && magnitude(e) < ONE),
    ("abseq1", |e| magnitude(e) == ONE),
];

const ONE: u64 = 0x3F80_0000;

fn magnitude(element: Element) -> u64 {
    element.bits & 0x7FFF_FFFF
}

/// The cells that have a rule.
pub(crate) static CELLS: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    let mut add = |id: String, cell| {
        rules.extend(RuleId::find(&id).map(|id| of_gen4(Rule::of_cell(id, cell))));
    };
    for (function_name, function) in FUNCTIONS {
        for (mode, is_alternative) in [("ieee", false), ("alt", true)] {
            for (first_name, first) in CLASSES {
                let id = format!("g45.extmath.{function_name}.{mode}.{first_name}");
                for (second_name, second) in CLASSES {
                    let cell = Cell { function, is_alternative, first, second: Some(second) };
                    add(format!("{id}.{second_name}"), cell);
                }
                add(id, Cell { function, is_alternative, first, second: None });
            }
        }
    }
    rules
});
