//! Rows of the tables of double-precision results (tables 9.1 to 9.12): which of them decides a
//! result, by the classes of the operands.

use parallax_isa::r700::AluOpcode;
use parallax_spec::{row, rule};

use super::Operands;
use crate::{number::Number, r700::number};

/// The classes of a table's columns, in their order: -inf, -F, -denorm, -0, +0, +denorm, +F, +inf, NaN.
const CLASSES: usize = 9;
/// The same with -1.0 after -F and +1.0 before +F.
const CLASSES_WITH_ONE: usize = 11;

/// Classes of the negative and of the positive operand of a kind.
fn signed(negative: bool, classes: [usize; 2]) -> usize {
    classes[usize::from(!negative)]
}

/// The class of an operand; a denormal has the value of zero, so that bits tell them apart.
fn class(value: Number, is_denormal: bool) -> usize {
    let negative = value.is_negative();
    match () {
        () if value.is_nan() => 8,
        () if value.is_infinite() => signed(negative, [0, 7]),
        () if is_denormal => signed(negative, [2, 5]),
        () if value.is_zero() => signed(negative, [3, 4]),
        () => signed(negative, [1, 6]),
    }
}

/// The class of an operand where those of 1.0 have columns.
fn class_with_one(value: Number, is_denormal: bool) -> usize {
    match class(value, is_denormal) {
        1 if value == -Number::ONE => 2,
        6 if value == Number::ONE => 7,
        class @ ..2 => class,
        class @ 2..6 => class + 1,
        class => class + 2,
    }
}

/// What is said of sums of operands as these: neither of them comes first, and one less itself is nothing. The result
/// is compared as it is, so that it could not be another one with the operands exchanged.
fn relate_sum(a: Number, b: Number) {
    if a.is_nan() || b.is_nan() {
        return;
    }
    rule!("r700.aluinst.add-64.commutative");
    if a.is_infinite() && b.is_infinite() && a.is_negative() != b.is_negative() {
        rule!("r700.aluinst.f64.nan64");
    }
    if !a.is_infinite() && !a.is_zero() && a == -b {
        rule!("r700.aluinst.add-64.cancel");
    }
}

/// What is said of products of operands as these.
fn relate_product(a: Number, b: Number) {
    if a.is_nan() || b.is_nan() {
        return;
    }
    rule!("r700.aluinst.mul-64.commutative");
    if a.is_infinite() && b.is_zero() || a.is_zero() && b.is_infinite() {
        rule!("r700.aluinst.f64.nan64");
    }
}

/// Counts the row that decides a result.
pub(super) fn count(opcode: AluOpcode, slots: &[Operands]) {
    let low_slot = match opcode {
        AluOpcode::Frexp64 => 1,
        _ => slots.len() - 1,
    };
    let source = |n: usize| {
        let (high, low) = (slots[0].bits[n], slots[low_slot].bits[n]);
        let denormal = high & 0x7FF0_0000 == 0 && (high & 0xF_FFFF | low) != 0;
        (number::double(high, low), denormal)
    };
    let one = || {
        let (value, denormal) = source(0);
        class_with_one(value, denormal)
    };
    let pair = |classes: usize, class: fn(Number, bool) -> usize| {
        let [(a, first), (b, second)] = [source(0), source(1)];
        classes * class(a, first) + class(b, second)
    };
    match opcode {
        AluOpcode::Add64 => {
            relate_sum(source(0).0, source(1).0);
            row!("r700.aluinst.add-64.table", pair(CLASSES, class));
        }
        AluOpcode::Mul64 => {
            relate_product(source(0).0, source(1).0);
            row!("r700.aluinst.mul-64.table", pair(CLASSES_WITH_ONE, class_with_one));
        }
        AluOpcode::PredSete64 => row!("r700.aluinst.pred-sete-64.table", pair(CLASSES, class)),
        AluOpcode::PredSetge64 => row!("r700.aluinst.pred-setge-64.table", pair(CLASSES, class)),
        AluOpcode::PredSetgt64 => row!("r700.aluinst.pred-setgt-64.table", pair(CLASSES, class)),
        AluOpcode::Flt32ToFlt64 => {
            let bits = slots[0].bits[0];
            let denormal = bits & 0x7F80_0000 == 0 && bits << 1 != 0;
            let class = class_with_one(slots[0].float(0), denormal);
            row!("r700.aluinst.flt32-to-flt64.table", class);
        }
        AluOpcode::Flt64ToFlt32 => {
            // -NaN is the first row.
            let negative_nan = source(0).0.is_nan() && slots[0].bits[0] >> 31 == 1;
            let row = if negative_nan { 0 } else { one() + 1 };
            row!("r700.aluinst.flt64-to-flt32.table", row);
        }
        AluOpcode::Fract64 => row!("r700.aluinst.fract-64.table", one()),
        AluOpcode::Frexp64 => {
            let (value, denormal) = source(0);
            if !value.is_nan() && !value.is_infinite() && !value.is_zero() {
                // Both results of the one step, which `LDEXP_64` takes.
                rule!("r700.aluinst.frexp-64.reconstruct");
            }
            row!("r700.aluinst.frexp-64.table", class(value, denormal));
        }
        _ => {}
    }
}
