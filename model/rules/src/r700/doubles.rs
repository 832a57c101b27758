//! Double-precision operations: what the section on them says of all, and the tables of results by the classes of the
//! operands (tables 9.1 to 9.12), each row of which counts by itself.

use parallax_isa::r700::AluOpcode::{
    self, Add64, Flt32ToFlt64, Flt64ToFlt32, Fract64, Frexp64, Ldexp64, Mul64, Muladd64,
    Muladd64D2, Muladd64M2, Muladd64M4, PredSete64, PredSetge64, PredSetgt64,
};
use parallax_spec::{RuleId, coverage, rows::Table};

use super::{
    rule::{Rule, operation, rule},
    step::{Operation, Pixel, SIGN, TRANS},
};

/// Every double-precision operation.
pub(super) const ALL: &[AluOpcode] = &[
    Add64,
    Flt32ToFlt64,
    Flt64ToFlt32,
    Fract64,
    Frexp64,
    Ldexp64,
    Mul64,
    Muladd64,
    Muladd64M2,
    Muladd64M4,
    Muladd64D2,
    PredSete64,
    PredSetge64,
    PredSetgt64,
];

/// Those that round.
pub(super) const ARITHMETIC: &[AluOpcode] = &[Add64, Mul64, Muladd64];

/// Whether the words of a double that is read are not the same.
pub(super) fn shows_its_words(operation: Operation) -> bool {
    operation.any(|p| p.lanes().any(|lane| lane.bits(0) != p.bits(0)))
}

fn has_nan(p: Pixel) -> bool {
    (0..p.operation.sources.len()).any(|source| p.double(source).is_nan())
}

/// Infinities that are subtracted, or one times zero.
fn is_invalid(p: Pixel) -> bool {
    let (a, b) = (p.double(0), p.double(1));
    match p.operation.opcode {
        Add64 => !has_nan(p) && (a + b).is_nan(),
        _ => !has_nan(p) && (a * b).is_nan(),
    }
}

/// Two numbers, of which the first is not the second.
fn are_two(operation: Operation) -> bool {
    operation.any(|p| !has_nan(p) && p.double(0) != p.double(1))
}

pub(super) const RULES: &[Rule] = &[
    operation("r700.aluinst.f64.rounding", ARITHMETIC, rounds_double),
    operation(
        "r700.aluinst.f64.denorm-in",
        &[
            Add64,
            Flt64ToFlt32,
            Fract64,
            Frexp64,
            Ldexp64,
            Mul64,
            Muladd64,
            Muladd64M2,
            Muladd64M4,
            Muladd64D2,
            PredSete64,
            PredSetge64,
            PredSetgt64,
        ],
        |o| o.any(|p| (0..o.sources.len()).any(|source| p.is_denormal_double(source))),
    ),
    operation("r700.aluinst.f64.nan64", &[Add64, Mul64], |o| o.any(is_invalid)),
    operation(
        "r700.aluinst.f64.nan-propagate",
        &[Add64, Frexp64, Ldexp64, Mul64, Muladd64, Muladd64M2, Muladd64M4, Muladd64D2],
        |o| o.any(has_nan),
    ),
    operation("r700.aluinst.f64.storage", ALL, shows_its_words),
    rule("r700.aluinst.f64.dst-gprs", |s| {
        let mut doubles = s.slots().filter(|slot| slot.is_double() && slot.written != 0);
        let first = doubles.next();
        doubles.any(|slot| first.is_some_and(|first| first.alu.dst_gpr() != slot.alu.dst_gpr()))
    }),
    rule("r700.aluinst.f64.coissue", |s| {
        let pairs = |slot: &Operation| slot.opcode.double_slots() == 2 && slot.is_decided();
        s.operations().filter(|slot| slot.unit != TRANS).count() > 1
            && s.operations().any(|slot| pairs(&slot))
    }),
    operation("r700.aluinst.add-64.commutative", &[Add64], are_two),
    operation("r700.aluinst.add-64.sub-identity", &[Add64], |o| {
        o.sources.get(1).is_some_and(|source| source.negate) && o.any(|p| p.double(1) != 0.0)
    }),
    operation("r700.aluinst.add-64.cancel", &[Add64], |o| {
        o.any(|p| p.double(0).is_normal() && p.double(0) == -p.double(1))
    }),
    operation("r700.aluinst.frexp-64.reconstruct", &[Frexp64], |o| {
        o.any(|p| p.double(0).is_normal())
    }),
    operation("r700.aluinst.mul-64.commutative", &[Mul64], are_two),
];

/// The classes of a table's columns, in their order: -inf, -F, -denorm, -0, +0, +denorm, +F, +inf, NaN.
const CLASSES: usize = 9;
/// The same with -1.0 after -F and +1.0 before +F.
const CLASSES_WITH_ONE: usize = 11;

/// The class of an operand; a denormal is read as a zero.
fn class(value: f64, is_denormal: bool) -> usize {
    let of_sign = |[negative, positive]: [usize; 2]| {
        if value.is_sign_negative() { negative } else { positive }
    };
    match () {
        () if value.is_nan() => 8,
        () if value.is_infinite() => of_sign([0, 7]),
        () if is_denormal => of_sign([2, 5]),
        () if value == 0.0 => of_sign([3, 4]),
        () => of_sign([1, 6]),
    }
}

/// The class of an operand where those of 1.0 have columns.
fn class_with_one(value: f64, is_denormal: bool) -> usize {
    match class(value, is_denormal) {
        1 if value == -1.0 => 2,
        6 if value == 1.0 => 7,
        class @ ..2 => class,
        class @ 2..6 => class + 1,
        class => class + 2,
    }
}

const fn table(id: &str) -> Table {
    Table::of(RuleId::named(id)).expect("a table")
}

const SUMS: Table = table("r700.aluinst.add-64.table");
const WIDENED: Table = table("r700.aluinst.flt32-to-flt64.table");
const NARROWED: Table = table("r700.aluinst.flt64-to-flt32.table");
const FRACTIONS: Table = table("r700.aluinst.fract-64.table");
const SPLIT: Table = table("r700.aluinst.frexp-64.table");
const PRODUCTS: Table = table("r700.aluinst.mul-64.table");
const EQUAL: Table = table("r700.aluinst.pred-sete-64.table");
const NOT_LESS: Table = table("r700.aluinst.pred-setge-64.table");
const GREATER: Table = table("r700.aluinst.pred-setgt-64.table");

/// The table that decides an operation, and which of its rows decides a pixel's result.
fn row(p: Pixel) -> Option<(Table, usize)> {
    let of_source = |source: usize, class: fn(f64, bool) -> usize| {
        class(p.double(source), p.is_denormal_double(source))
    };
    let pair = |classes: usize, class: fn(f64, bool) -> usize| {
        classes * of_source(0, class) + of_source(1, class)
    };
    Some(match p.operation.opcode {
        Add64 => (SUMS, pair(CLASSES, class)),
        Mul64 => (PRODUCTS, pair(CLASSES_WITH_ONE, class_with_one)),
        PredSete64 => (EQUAL, pair(CLASSES, class)),
        PredSetge64 => (NOT_LESS, pair(CLASSES, class)),
        PredSetgt64 => (GREATER, pair(CLASSES, class)),
        Flt32ToFlt64 => {
            let bits = p.bits(0);
            let is_denormal = bits & 0x7F80_0000 == 0 && bits & !SIGN != 0;
            (WIDENED, class_with_one(p.float(0).into(), is_denormal))
        }
        // -NaN is the first row.
        Flt64ToFlt32 if p.double(0).is_nan() && p.bits(0) & SIGN != 0 => (NARROWED, 0),
        Flt64ToFlt32 => (NARROWED, of_source(0, class_with_one) + 1),
        Fract64 => (FRACTIONS, of_source(0, class_with_one)),
        Frexp64 => (SPLIT, of_source(0, class)),
        _ => return None,
    })
}

/// Counts the rows of tables that decide an operation.
pub(super) fn observe_tables(operation: Operation) {
    if operation.is_double() {
        operation.any(|p| {
            if let Some((table, row)) = row(p) {
                coverage::hit_row(table.row(row));
            }
            false
        });
    }
}

/// A double-precision sum or product that its format does not hold exactly.
pub(super) fn rounds_double(operation: Operation) -> bool {
    use parallax_isa::r700::AluOpcode::Add64;
    operation.any(|p| {
        let (a, b) = (p.double(0), p.double(1));
        if operation.opcode == Add64 {
            let sum = a + b;
            let second = sum - a;
            return sum.is_finite() && (a - (sum - second)) + (b - second) != 0.0;
        }
        let product = a * b;
        product.is_normal() && a.mul_add(b, -product) != 0.0
    })
}
