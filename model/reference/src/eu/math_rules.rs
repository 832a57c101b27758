//! The rules of the functions of `math` on Gen12: the cells of their table, and their bases.

use std::sync::LazyLock;

use parallax_isa::{device::Generation, eu::instruction::MathFunction};
use parallax_spec::{RuleId, coverage, family, rule, rule_id};

use super::{number::FloatMode, settings::Settings};
use crate::number::{Denormals, FloatFormat, Number};

/// Cells of the table `dg1-math-special`, by function, mode, class of the operand and whether denormals
/// are kept.
struct Cells(Vec<RuleId>);

/// The functions of the table, by the codes of their names in it.
const FUNCTIONS: [(MathFunction, &str); 7] = [
    (MathFunction::Inv, "inv"),
    (MathFunction::Log, "log"),
    (MathFunction::Exp, "exp"),
    (MathFunction::Sqt, "sqt"),
    (MathFunction::Rsqt, "rsqt"),
    (MathFunction::Sin, "sin"),
    (MathFunction::Cos, "cos"),
];
/// Classes of operands as the ids of the cells spell them, with and without denormals.
const CLASSES: [&[&str]; 7] = [
    &["pinf"],
    &["minf"],
    &["nan"],
    &["pzero", "pzero-pdenorm"],
    &["mzero", "mzero-mdenorm"],
    &["pfinite", "finite"],
    &["mfinite", "finite"],
];
/// The main table, that with denormals kept, and what stands in the text. The alternative mode keeps none.
const TABLES: [&[&str]; 2] = [&["t1", "t0"], &["t2", "t0"]];

static CELLS: LazyLock<Cells> = LazyLock::new(|| {
    let mut cells = Vec::new();
    for (_, function) in FUNCTIONS {
        for mode in ["ieee", "alt"] {
            for classes in CLASSES {
                for tables in if mode == "alt" { [TABLES[0]; 2] } else { TABLES } {
                    let ids = classes.iter().flat_map(|class| {
                        let id = move |table| format!("dg1.math.{function}.{mode}.{class}.{table}");
                        tables.iter().map(id)
                    });
                    cells.push(family::own_or_shared(&ids.collect::<Vec<_>>()));
                }
            }
        }
    }
    Cells(cells)
});

/// Counts the cell of a function of an operand.
pub(super) fn count_cell(settings: &Settings, function: MathFunction, operand: Number) {
    let Some(function) = FUNCTIONS.iter().position(|(listed, _)| *listed == function) else {
        return;
    };
    let mode = usize::from(settings.mode == FloatMode::Alternative);
    let class = match operand {
        Number::Infinity { negative } => usize::from(negative),
        Number::Nan { .. } => 2,
        _ => {
            let negative = usize::from(operand.is_negative());
            if operand.is_zero() { 3 + negative } else { 5 + negative }
        }
    };
    let single = settings.context(FloatFormat::BINARY32);
    let table = usize::from(single.input == Denormals::Kept);
    let place = ((function * 2 + mode) * CLASSES.len() + class) * TABLES.len() + table;
    coverage::hit(CELLS.0[place]);
}

/// Counts the base of a logarithm, where it is above 1 to base 2 and below 1 to base e: cut off at 1 there
/// is only one result.
pub(super) fn count_base(settings: &Settings, operand: Number) {
    let between = Number::integer(9).scaled(-2)..Number::integer(21).scaled(-3);
    if settings.since(Generation::Gen12) && between.contains(&operand) {
        rule!("dg1.math.log-base");
    }
}

/// Counts the base of an exponential, where powers of 2 and of e are farther apart than any accuracy.
pub(super) fn count_exponential_base(settings: &Settings, operand: Number) {
    let far = Number::ONE.scaled(-3)..Number::integer(100);
    if settings.since(Generation::Gen12) && far.contains(&operand.abs()) {
        coverage::hit_told_apart(rule_id!("dg1.math.exp-base"));
    }
}

/// Counts what the formula that replaces `pow` makes of a negative base: its logarithm is no number, where
/// `pow` took the magnitude, as the alternative mode still does.
pub(super) fn count_negative_base(settings: &Settings, operand: Number) {
    let is_finite = !matches!(operand, Number::Infinity { .. } | Number::Nan { .. });
    let is_negative = is_finite && operand.is_negative() && !operand.is_zero();
    let is_gen12 = settings.since(Generation::Gen12);
    if is_gen12 && is_negative && settings.mode != FloatMode::Alternative {
        rule!("dg1.math.pow-abs");
    }
}
