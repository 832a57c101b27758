//! What functions give for zeros, infinities and NaNs (the tables of section 6.3, in both modes).
//!
//! Denormal numbers are zeros of their sign. A cell that the manual leaves empty is open.

use super::message::FloatFunction;
use crate::number::Number;

/// What tables tell apart of an operand; the base of a power by its magnitude too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    PlusInfinity,
    PlusZero,
    MinusZero,
    MinusInfinity,
    PlusFinite,
    MinusFinite,
    NotANumber,
    AboveOne,
    BelowOne,
    EqualToOne,
}

impl Class {
    pub(super) fn of(number: Number) -> Self {
        match number {
            Number::Nan { .. } => Self::NotANumber,
            Number::Infinity { negative: false } => Self::PlusInfinity,
            Number::Infinity { negative: true } => Self::MinusInfinity,
            _ => match (number.is_zero(), number.is_negative()) {
                (true, false) => Self::PlusZero,
                (true, true) => Self::MinusZero,
                (false, false) => Self::PlusFinite,
                (false, true) => Self::MinusFinite,
            },
        }
    }

    /// The class of the base of a power in IEEE mode.
    fn of_base(number: Number) -> Self {
        match Self::of(number) {
            Self::PlusFinite | Self::MinusFinite => match number.abs() {
                magnitude if magnitude > Number::ONE => Self::AboveOne,
                magnitude if magnitude < Number::ONE => Self::BelowOne,
                _ => Self::EqualToOne,
            },
            class => class,
        }
    }
}

/// A cell of a table. In the alternative mode infinity stands for FLT_MAX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Zero {
        negative: bool,
    },
    Infinity {
        negative: bool,
    },
    One,
    NotANumber,
    /// What the function gives for numbers that are not special.
    Finite,
    /// Nobody says what.
    Open,
}

/// The cells by the names that they have below.
macro_rules! special {
    (PlusZero) => {
        Special::Zero { negative: false }
    };
    (MinusZero) => {
        Special::Zero { negative: true }
    };
    (PlusInfinity) => {
        Special::Infinity { negative: false }
    };
    (MinusInfinity) => {
        Special::Infinity { negative: true }
    };
    (PlusLargest) => {
        Special::Infinity { negative: false }
    };
    (MinusLargest) => {
        Special::Infinity { negative: true }
    };
    ($other:ident) => {
        Special::$other
    };
}

/// What the tables say of the operands of a function.
pub(super) fn of(
    function: FloatFunction,
    is_alternative: bool,
    first: Number,
    second: Number,
) -> Special {
    let modes = match function {
        FloatFunction::Inverse => INVERSE,
        FloatFunction::Logarithm => LOGARITHM,
        FloatFunction::Exponential => EXPONENTIAL,
        FloatFunction::Root => ROOT,
        FloatFunction::InverseRoot => INVERSE_ROOT,
        FloatFunction::Sine => SINE,
        FloatFunction::Cosine => COSINE,
        FloatFunction::Power if is_alternative => {
            return look_up(alternative_power_row(Class::of(second)), Class::of(first));
        }
        FloatFunction::Power => {
            return look_up(power_row(Class::of(second)), Class::of_base(first));
        }
    };
    look_up(modes[usize::from(is_alternative)], Class::of(first))
}

/// A row of cells, each by the class of the operand.
type Row = &'static [(Class, Special)];

/// What a table says of an operand; if it has no column for that, what the function gives.
fn look_up(row: Row, class: Class) -> Special {
    row.iter().find(|(column, _)| *column == class).map_or(Special::Finite, |(_, special)| *special)
}

/// The classes by short names.
macro_rules! class {
    (pinf) => {
        Class::PlusInfinity
    };
    (pzero) => {
        Class::PlusZero
    };
    (mzero) => {
        Class::MinusZero
    };
    (minf) => {
        Class::MinusInfinity
    };
    (pfin) => {
        Class::PlusFinite
    };
    (mfin) => {
        Class::MinusFinite
    };
    (nan) => {
        Class::NotANumber
    };
    (absgt1) => {
        Class::AboveOne
    };
    (abslt1) => {
        Class::BelowOne
    };
    (abseq1) => {
        Class::EqualToOne
    };
}

/// A row: the cells by the class of the operand.
macro_rules! row {
    ($($class:ident $special:ident),+) => {
        &[$((class!($class), special!($special))),+]
    };
}

/// The rows of a function: of IEEE mode, then of the alternative mode.
type Modes = [Row; 2];

const INVERSE: Modes = [
    row!(pinf PlusZero, pzero PlusInfinity, mzero MinusInfinity, minf MinusZero,
        nan NotANumber),
    row!(pinf Open, pzero PlusLargest, mzero MinusLargest, minf Open, nan NotANumber),
];

const LOGARITHM: Modes = [
    row!(pinf PlusInfinity, pzero MinusInfinity, mzero MinusInfinity, minf NotANumber,
        mfin NotANumber, nan NotANumber),
    row!(pinf Open, pzero MinusLargest, mzero MinusLargest, minf Open, mfin Finite,
        nan NotANumber),
];

const EXPONENTIAL: Modes = [
    row!(pinf PlusInfinity, pzero One, mzero One, minf PlusZero, mfin Finite,
        nan NotANumber),
    row!(pinf Open, pzero One, mzero One, minf Open, mfin Finite, nan NotANumber),
];

const ROOT: Modes = [
    row!(pinf PlusInfinity, pzero PlusZero, mzero MinusZero, minf NotANumber,
        mfin NotANumber, nan NotANumber),
    row!(pinf Open, pzero PlusZero, mzero PlusZero, minf Open, mfin Finite,
        nan NotANumber),
];

const INVERSE_ROOT: Modes = [
    row!(pinf PlusZero, pzero PlusInfinity, mzero MinusInfinity, minf NotANumber,
        mfin NotANumber, nan NotANumber),
    row!(pinf Open, pzero PlusLargest, mzero PlusLargest, minf Open, mfin Finite,
        nan NotANumber),
];

const SINE: Modes = [
    row!(pinf NotANumber, pzero PlusZero, mzero MinusZero, minf NotANumber, mfin Finite,
        nan NotANumber),
    row!(pinf Open, pzero PlusZero, mzero MinusZero, minf Open, mfin Finite,
        nan NotANumber),
];

const COSINE: Modes = [
    row!(pinf NotANumber, pzero One, mzero One, minf NotANumber, mfin Finite,
        nan NotANumber),
    row!(pinf Open, pzero One, mzero One, minf Open, mfin Finite, nan NotANumber),
];

/// Powers in IEEE mode: the row of an exponent, by the base.
fn power_row(exponent: Class) -> Row {
    match exponent {
        Class::PlusInfinity => row!(absgt1 PlusInfinity, abslt1 PlusZero,
            abseq1 NotANumber, pinf PlusInfinity, pzero PlusZero, mzero PlusZero, minf PlusInfinity,
            nan NotANumber),
        Class::PlusZero => row!(absgt1 One, abslt1 One, abseq1 One,
            pinf NotANumber, pzero NotANumber, mzero NotANumber, minf NotANumber, nan NotANumber),
        Class::MinusZero => row!(absgt1 One, abslt1 One, abseq1 One,
            pinf NotANumber, pzero NotANumber, mzero NotANumber, minf NotANumber, nan NotANumber),
        Class::MinusInfinity => row!(absgt1 PlusZero, abslt1 PlusInfinity,
            abseq1 NotANumber, pinf PlusZero, pzero PlusInfinity, mzero PlusInfinity, minf PlusZero,
            nan NotANumber),
        Class::NotANumber => row!(absgt1 NotANumber, abslt1 NotANumber,
            abseq1 NotANumber, pinf NotANumber, pzero NotANumber, mzero NotANumber,
            minf NotANumber, nan NotANumber),
        // The manual and its own formula disagree about minus infinity.
        Class::PlusFinite => row!(absgt1 Finite, abslt1 Finite, abseq1 One,
            pinf PlusInfinity, pzero PlusZero, mzero PlusZero, minf Open, nan NotANumber),
        _ => row!(absgt1 Finite, abslt1 Finite, abseq1 One, pinf PlusZero,
            pzero PlusInfinity, mzero PlusInfinity, minf PlusZero, nan NotANumber),
    }
}

/// Powers in the alternative mode: the row of an exponent, by the base.
fn alternative_power_row(exponent: Class) -> Row {
    match exponent {
        Class::PlusInfinity => {
            row!(pfin Open, pinf Open, pzero Open, mzero Open,
            minf Open, mfin Open, nan Open)
        }
        Class::PlusZero => row!(pfin One, pinf Open, pzero One, mzero One,
            minf Open, mfin One, nan NotANumber),
        Class::MinusZero => row!(pfin One, pinf Open, pzero One, mzero One,
            minf Open, mfin One, nan NotANumber),
        Class::MinusInfinity => row!(pfin Open, pinf Open, pzero Open,
            mzero Open, minf Open, mfin Open, nan Open),
        Class::NotANumber => row!(pfin NotANumber, pinf Open, pzero NotANumber,
            mzero NotANumber, minf Open, mfin NotANumber, nan NotANumber),
        Class::PlusFinite => row!(pfin Finite, pinf Open, pzero PlusZero,
            mzero PlusZero, minf Open, mfin Finite, nan NotANumber),
        _ => row!(pfin Finite, pinf Open, pzero PlusLargest, mzero PlusLargest,
            minf Open, mfin Finite, nan NotANumber),
    }
}
