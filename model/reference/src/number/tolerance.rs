//! How far from the exact value a result may be.

use super::{exact::Exact, format::FloatFormat, rounding::Rounding, value::Number};

/// How far from the exact value a result may be (table `approximation-tolerances`).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Accuracy {
    /// So many units of the last place that single precision has in the binade of the value.
    Units(i128),
    /// A part of the value, two to this power.
    Relative(i32),
    /// A number, in ten-thousandths.
    Absolute(u64),
}

impl Accuracy {
    fn distance(self, number: Number) -> Number {
        match self {
            Self::Units(units) => {
                let highest = number.finite_non_zero().map_or(0, |number| number.highest_digit());
                let last = highest.max(FloatFormat::BINARY32.least_exponent()) - 23;
                Number::integer(units).scaled(last)
            }
            Self::Relative(power) => number.abs().scaled(power),
            Self::Absolute(parts) => Number::Finite(Exact::quotient(parts.into(), 10_000)),
        }
    }
}

/// What a result may be: everything from one number to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerance {
    low: Number,
    high: Number,
}

impl Tolerance {
    /// Everything from `low` to `high`.
    pub(crate) const fn between(low: Number, high: Number) -> Self {
        Self { low, high }
    }

    /// Everything as far from a number as another one is from zero.
    pub(crate) fn around(number: Number, distance: Number) -> Self {
        let (number, distance) = (cut(number), cut(distance));
        let plus = |distance| number.plus(distance, Rounding::NearestEven);
        Self { low: plus(-distance), high: plus(distance) }
    }

    /// The same and a part of each end more, two to this power.
    pub(crate) fn widened(self, power: i32) -> Self {
        let [low, high] = self.ends().map(cut);
        let part = |number: Number| number.abs().scaled(power);
        let low = low.minus(part(low), Rounding::NearestEven);
        Self { low, high: high.plus(part(high), Rounding::NearestEven) }
    }

    /// What of it lies between two numbers; where it lies beyond one of them, that one.
    pub(crate) fn clamped(self, least: Number, greatest: Number) -> Self {
        let [low, high] = self.ends().map(|end| clamp(end, least, greatest));
        Self { low, high }
    }

    /// The least and the greatest.
    pub(crate) const fn ends(self) -> [Number; 2] {
        [self.low, self.high]
    }
}

/// A number, or the end of a range beyond which it lies.
pub(crate) fn clamp(number: Number, least: Number, greatest: Number) -> Number {
    if number < least {
        least
    } else if number > greatest {
        greatest
    } else {
        number
    }
}

/// A number without the digits that are known only to be there: an end of a range need not have them.
fn cut(number: Number) -> Number {
    match number {
        Number::Finite(exact) => Number::Finite(Exact { sticky: false, ..exact }),
        number => number,
    }
}

/// A number that is worked out well beyond single precision, and what a result may be instead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Approximate {
    pub(crate) number: Number,
    pub(crate) tolerance: Tolerance,
}

impl Approximate {
    /// About a number.
    pub(crate) fn about(number: Number, accuracy: Accuracy) -> Self {
        Self { number, tolerance: Tolerance::around(number, accuracy.distance(number)) }
    }

    /// The same with a part of each end more, two to this power.
    pub(crate) fn widened(self, power: i32) -> Self {
        Self { tolerance: self.tolerance.widened(power), ..self }
    }
}
