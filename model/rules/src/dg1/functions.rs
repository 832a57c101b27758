//! The table of the functions of `math` (special cases of the extended math functions): a rule a cell, by function, float
//! mode and class of the operand.

use std::sync::LazyLock;

use parallax_isa::{device::Generation::Gen12, eu::Opcode::Math};
use parallax_spec::{Level, RuleId};

use crate::{Rule, function_cell::FunctionCell};

pub(crate) static CELLS: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let cells = RuleId::all().filter_map(|id| {
        let rule = id.rule();
        let name = rule.id.strip_prefix("dg1.math.")?;
        let cell = FunctionCell::named(name, rule.level == Level::Undefined)?;
        Some(Rule::of_id(id).since(Gen12).of(&[Math]).function(cell))
    });
    cells.collect()
});
