//! What the catalogues of Gen12 say about the parts of an instruction.

use std::sync::LazyLock;

use parallax_isa::device::Generation;
use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{ConditionalModifier, MathFunction, PredicateControl},
    operand::{Region, Source, SourceModifier, VerticalStride},
    register::ArfKind,
};
use parallax_spec::{RuleId, coverage, family, rows::Table, rule, rule_id};

use super::super::{
    execution::Execution,
    number::{ExecutionType, FloatMode, Value},
    rules::{Rules, count},
    settings::Settings,
};
use crate::number::{Denormals, FloatFormat, Number};

/// Counts the rules of an instruction's parts.
pub(super) fn count_parts(x: &Execution) {
    let instruction = x.instruction;
    count_types(x);
    count(of_operation(x));
    if instruction.accumulator_write && !x.accumulator_disabled {
        count(rules!["dg1.accwrctrl.both"]);
    }
    if instruction.first_channel != 0 {
        count(rules!["dg1.chanoff.semantics", "gen12.isa.mask.chanoff"]);
        if instruction.accumulator_write {
            count(rules!["dg1.chanoff.implicit-acc"]);
        }
    }
    count(of_condition(instruction));
    count(of_predicate(instruction));
    for source in &instruction.sources[..x.properties.sources] {
        count(of_source(source, instruction.opcode));
    }
    if x.mode == FloatMode::Alternative && x.execution_type == ExecutionType::Half {
        count(rules!["gen12.isa.cr.alt"]);
    }
}

/// Counts the types that operands are read with, where it shows: what a move keeps is the same in every
/// type of its size.
fn count_types(x: &Execution) {
    let Instruction { opcode, destination, sources, .. } = x.instruction;
    for source in &sources[..x.properties.sources] {
        let Source::Register { data_type, .. } = *source else { continue };
        let is_kept = matches!(opcode, Opcode::Mov | Opcode::Sel | Opcode::Movi)
            && destination.data_type.size() == data_type.size()
            && destination.data_type.is_float() == data_type.is_float();
        if !is_kept {
            count_row(COERCED, &TYPES, data_type);
        }
    }
    if *opcode == Opcode::Cmp {
        let [first, second] = x.source_types();
        let number = match (first, second) {
            (DataType::F, DataType::F) => 1,
            (DataType::Hf, DataType::Hf) => 2,
            (DataType::F, DataType::Hf) | (DataType::Hf, DataType::F) => 3,
            _ => 0,
        };
        coverage::hit_row(COMPARED.row(number));
    }
}

const COERCED: Table = table("dg1.regtype.coerce");
const COMPARED: Table = table("gen12.isa.op.cmp-types");

const fn table(id: &str) -> Table {
    Table::of(RuleId::named(id)).expect("a table")
}

/// The types of registers that there are instructions for.
const TYPES: [DataType; 8] = {
    use DataType::*;
    [B, Ub, W, Uw, D, Ud, Hf, F]
};

/// Counts the row of a thing in a table.
fn count_row<T: PartialEq>(table: Table, listed: &[T], thing: T) {
    let number = listed.iter().position(|listed| *listed == thing);
    number.into_iter().for_each(|number| coverage::hit_row(table.row(number)));
}

fn of_operation(x: &Execution) -> Rules {
    let instruction = x.instruction;
    let reads_accumulator = |source: &Source| match source {
        Source::Register { register, .. } => register.arf() == Some(ArfKind::Accumulator),
        Source::Immediate { .. } => false,
    };
    match instruction.opcode {
        Opcode::Mad if reads_accumulator(&instruction.sources[0]) => {
            rules!["gen12.isa.op.mad-acc"]
        }
        Opcode::Movi => rules!["gen12.isa.op.movi"],
        Opcode::Math => of_math(instruction),
        _ => rules![],
    }
}

fn of_math(instruction: &Instruction) -> Rules {
    match instruction.math {
        Some(MathFunction::Idiv) => rules!["dg1.math": "idiv-two-dst"],
        Some(MathFunction::Iqot) => rules!["dg1.math": "iqot"],
        Some(MathFunction::Irem) => rules!["dg1.math": "irem"],
        _ if instruction.sources[0].data_type() == DataType::Hf => rules!["gen12.isa.op.math-hf"],
        _ => rules![],
    }
}

fn of_condition(instruction: &Instruction) -> Rules {
    match (instruction.opcode, instruction.condition) {
        (_, ConditionalModifier::None) => rules!["dg1.flagmod.none"],
        (Opcode::Sel | Opcode::Csel, _) => rules!["dg1.flagmod.embedded-compare"],
        _ => rules!["dg1.flagmod.sources"],
    }
}

fn of_predicate(instruction: &Instruction) -> Rules {
    use PredicateControl as Control;
    let predicate = instruction.predicate;
    match (predicate.control, predicate.inverse) {
        (Control::None, false) => rules!["dg1.pred": "none"],
        (Control::None, true) => rules!["dg1.pred": "none", "inverse-none"],
        (Control::AnyV | Control::AllV, false) => rules!["dg1.pred": "anyv-flags"],
        (Control::AnyV | Control::AllV, true) => rules!["dg1.pred": "anyv-flags", "inverse-order"],
        (Control::Sequential, _) => rules![],
        (Control::Any4H | Control::All4H, false) => rules!["dg1.pred": "group-scope", "any4-both"],
        (Control::Any4H | Control::All4H, true) => {
            rules!["dg1.pred": "group-scope", "any4-both", "inverse-order"]
        }
        (_, false) => rules!["dg1.pred": "group-scope"],
        (_, true) => rules!["dg1.pred": "group-scope", "inverse-order"],
    }
}

fn of_source(source: &Source, opcode: Opcode) -> Rules {
    let Source::Register { region, modifier, .. } = *source else { return rules![] };
    count(of_modifier(modifier, opcode));
    match region {
        Region::Align1 { vertical: VerticalStride::PerRowAddress, .. } => {
            rules!["dg1.vstride": "0xf"]
        }
        Region::Align1 { horizontal: 0, .. } => {
            rules!["dg1.vstride.range", "dg1.horzstride.zero-row"]
        }
        _ => rules!["dg1.vstride": "range"],
    }
}

fn of_modifier(modifier: SourceModifier, opcode: Opcode) -> Rules {
    let is_logic = matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not);
    match modifier {
        SourceModifier { absolute: false, negate: true } if is_logic => {
            rules!["dg1.srcmod": "logic-not"]
        }
        SourceModifier { absolute: true, .. } if is_logic => rules!["dg1.srcmod": "logic-abs"],
        SourceModifier { absolute: true, negate: true } => rules!["dg1.srcmod": "order"],
        _ => rules![],
    }
}

/// Counts the rules of a result on its way to the destination type: `value` before, `overflows` if it is
/// outside of the range of an integer type.
pub(in super::super) fn count_result(x: &Execution, value: Value, overflows: bool) {
    let to_float = x.instruction.destination.data_type.is_float();
    count(match (x.instruction.saturate, value) {
        (true, Value::Float(number)) if number.is_nan() => rules!["dg1.sat": "nan"],
        (true, Value::Float(_)) if to_float => rules!["dg1.sat": "float"],
        (true, Value::Integer(_)) if !to_float => rules!["dg1.sat": "int"],
        (false, Value::Integer(_)) if overflows && !to_float => rules!["dg1.sat": "off"],
        _ => rules![],
    });
}

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
pub(in super::super) fn count_cell(settings: &Settings, function: MathFunction, operand: Number) {
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
pub(in super::super) fn count_base(settings: &Settings, operand: Number) {
    let between = Number::integer(9).scaled(-2)..Number::integer(21).scaled(-3);
    if settings.since(Generation::Gen12) && between.contains(&operand) {
        rule!("dg1.math.log-base");
    }
}

/// Counts the base of an exponential, where powers of 2 and of e are farther apart than any accuracy.
pub(in super::super) fn count_exponential_base(settings: &Settings, operand: Number) {
    let far = Number::ONE.scaled(-3)..Number::integer(100);
    if settings.since(Generation::Gen12) && far.contains(&operand.abs()) {
        coverage::hit_told_apart(rule_id!("dg1.math.exp-base"));
    }
}

/// Counts what the formula that replaces `pow` makes of a negative base: its logarithm is no number, where
/// `pow` took the magnitude, as the alternative mode still does.
pub(in super::super) fn count_negative_base(settings: &Settings, operand: Number) {
    let is_finite = !matches!(operand, Number::Infinity { .. } | Number::Nan { .. });
    let is_negative = is_finite && operand.is_negative() && !operand.is_zero();
    let is_gen12 = settings.since(Generation::Gen12);
    if is_gen12 && is_negative && settings.mode != FloatMode::Alternative {
        rule!("dg1.math.pow-abs");
    }
}

/// Counts the case of a division of integers.
pub(in super::super) fn count_division(dividend: i128, divisor: i128, is_signed: bool) {
    count(match (is_signed, divisor) {
        (true, 0) if dividend < 0 => rules!["dg1.math.idiv.integer.src1-0-src0-lt-0.t0"],
        (true, 0) => rules!["dg1.math.idiv.integer.src1-0-src0-ge-0.t0"],
        (true, _) => rules!["dg1.math.idiv.integer.otherwise-signed.t0"],
        (false, 0) => rules!["dg1.math.idiv.integer.ud-src1-0.t0"],
        (false, _) => rules!["dg1.math.idiv.integer.ud-src1-ne-0.t0"],
    });
}
