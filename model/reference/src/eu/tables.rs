//! What `add` and `mul` give by the kind of their operands (G45 volume 4, tables 14-1, 14-2, 14-7 and
//! 14-8).

use super::number::FloatMode;
use super::rules::Rules;
use crate::number::{FloatFormat, Number};

/// A group of cells of the tables of `add`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sum {
    Nan,
    /// Infinities of opposite signs.
    Opposite,
    PositiveInfinity,
    NegativeInfinity,
    Zeros,
    /// Zeros of opposite signs.
    OppositeZeros,
    /// A zero and another number; whether that is the largest there is.
    FiniteAndZero {
        largest: bool,
    },
    /// Numbers of opposite signs; whether one is the largest there is.
    MixedSigns {
        largest: bool,
    },
    Negative {
        largest: bool,
    },
    Positive {
        largest: bool,
    },
}

impl Sum {
    /// The cell of two operands.
    pub(super) fn of(a: Number, b: Number) -> Self {
        let opposite = a.is_negative() != b.is_negative();
        let largest = is_largest(a) || is_largest(b);
        match (a, b) {
            _ if a.is_nan() || b.is_nan() => Self::Nan,
            (Number::Infinity { .. }, Number::Infinity { .. }) if opposite => Self::Opposite,
            (Number::Infinity { negative }, _) | (_, Number::Infinity { negative }) => {
                if negative {
                    Self::NegativeInfinity
                } else {
                    Self::PositiveInfinity
                }
            }
            _ if a.is_zero() && b.is_zero() => {
                if opposite {
                    Self::OppositeZeros
                } else {
                    Self::Zeros
                }
            }
            _ if a.is_zero() || b.is_zero() => Self::FiniteAndZero { largest },
            _ if opposite => Self::MixedSigns { largest },
            _ if a.is_negative() => Self::Negative { largest },
            _ => Self::Positive { largest },
        }
    }

    /// The sum, where it is none of numbers.
    pub(super) const fn special(self) -> Option<Number> {
        match self {
            Self::Nan | Self::Opposite => Some(Number::DEFAULT_NAN),
            Self::PositiveInfinity => Some(Number::INFINITY),
            Self::NegativeInfinity => Some(Number::INFINITY.with_sign(true)),
            _ => None,
        }
    }

    /// The rules of the cell.
    pub(super) const fn rules(self, mode: FloatMode) -> Rules {
        match (mode, self) {
            (FloatMode::Ieee, Self::Nan) => rules!["g45": "inst.add.ieee.nan"],
            (FloatMode::Ieee, Self::Opposite) => {
                rules!["g45": "float.ieee.inf-minus-inf", "inst.add.ieee.pos-inf-row",
                    "inst.add.ieee.neg-inf-row"]
            }
            (FloatMode::Ieee, Self::PositiveInfinity) => rules!["g45": "inst.add.ieee.pos-inf-row"],
            (FloatMode::Ieee, Self::NegativeInfinity) => rules!["g45": "inst.add.ieee.neg-inf-row"],
            (FloatMode::Ieee, Self::Zeros) => {
                rules!["g45": "inst.add.ieee.zero-zero", "float.ieee.add-negzero"]
            }
            (FloatMode::Ieee, Self::OppositeZeros) => {
                rules!["g45": "inst.add.ieee.zero-zero", "float.ieee.add-negzero",
                    "float.ieee.negzero-plus-zero"]
            }
            (FloatMode::Ieee, Self::FiniteAndZero { .. }) => {
                rules!["g45": "inst.add.ieee.finite-plus-zero", "float.ieee.add-zero-identity"]
            }
            (FloatMode::Ieee, Self::MixedSigns { .. }) => rules!["g45": "inst.add.ieee.mixed-sign"],
            (FloatMode::Ieee, Self::Negative { .. }) => rules!["g45": "inst.add.ieee.neg-neg"],
            (FloatMode::Ieee, Self::Positive { .. }) => rules!["g45": "inst.add.ieee.pos-pos"],
            (FloatMode::Alternative, Self::Zeros | Self::OppositeZeros) => {
                rules!["g45": "float.alt.no-special-results", "float.alt.only-listed-differences",
                    "inst.add.alt.zero-zero"]
            }
            (FloatMode::Alternative, Self::MixedSigns { largest: true }) => {
                rules!["g45": "float.alt.no-special-results", "float.alt.only-listed-differences",
                    "inst.add.alt.fmax-rows", "inst.add.alt.fmax-mixed"]
            }
            (
                FloatMode::Alternative,
                Self::FiniteAndZero { largest: true }
                | Self::Negative { largest: true }
                | Self::Positive { largest: true },
            ) => {
                rules!["g45": "float.alt.no-special-results", "float.alt.only-listed-differences",
                    "inst.add.alt.fmax-rows"]
            }
            (FloatMode::Alternative, _) => {
                rules!["g45": "float.alt.no-special-results", "float.alt.only-listed-differences",
                    "inst.add.alt.finite"]
            }
        }
    }
}

/// A group of cells of the tables of `mul`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Product {
    Nan,
    InfinityTimesZero,
    Infinity {
        negative: bool,
    },
    Zero {
        negative: bool,
        /// The other factor is 1 or -1.
        one: bool,
    },
    /// One factor is 1 or -1.
    One,
    /// One factor is the largest number there is.
    Largest,
    Numbers,
}

impl Product {
    /// The cell of two operands.
    pub(super) fn of(a: Number, b: Number) -> Self {
        let negative = a.is_negative() != b.is_negative();
        let zero = a.is_zero() || b.is_zero();
        let one = a.abs() == Number::ONE || b.abs() == Number::ONE;
        match (a, b) {
            _ if a.is_nan() || b.is_nan() => Self::Nan,
            (Number::Infinity { .. }, _) | (_, Number::Infinity { .. }) => {
                if zero {
                    Self::InfinityTimesZero
                } else {
                    Self::Infinity { negative }
                }
            }
            _ if zero => Self::Zero { negative, one },
            _ if one => Self::One,
            _ if is_largest(a) || is_largest(b) => Self::Largest,
            _ => Self::Numbers,
        }
    }

    /// The product, where it is none of numbers other than zero.
    pub(super) const fn special(self) -> Option<Number> {
        match self {
            Self::Nan | Self::InfinityTimesZero => Some(Number::DEFAULT_NAN),
            Self::Infinity { negative } => Some(Number::INFINITY.with_sign(negative)),
            Self::Zero { negative, .. } => Some(Number::ZERO.with_sign(negative)),
            _ => None,
        }
    }

    /// The rules of the cell.
    pub(super) const fn rules(self, mode: FloatMode) -> Rules {
        match (mode, self) {
            (FloatMode::Ieee, Self::Nan) => rules!["g45": "inst.mul.ieee.nan"],
            (FloatMode::Ieee, Self::InfinityTimesZero) => {
                rules!["g45": "inst.mul.ieee.sign", "inst.mul.ieee.inf-zero",
                    "float.ieee.zero-times-inf", "float.ieee.denorm-times-inf"]
            }
            (FloatMode::Ieee, Self::Infinity { .. }) => {
                rules!["g45": "inst.mul.ieee.sign", "inst.mul.ieee.inf-finite"]
            }
            (FloatMode::Ieee, Self::Zero { one: false, .. }) => {
                rules!["g45": "inst.mul.ieee.sign", "inst.mul.ieee.zero"]
            }
            (FloatMode::Ieee, Self::Zero { one: true, .. }) => {
                rules!["g45": "inst.mul.ieee.sign", "inst.mul.ieee.zero",
                    "float.ieee.mul-one-flushes"]
            }
            (FloatMode::Ieee, Self::One) => {
                rules!["g45": "inst.mul.ieee.sign", "inst.mul.ieee.overflow", "inst.mul.ieee.one",
                    "float.ieee.mul-one-identity"]
            }
            (FloatMode::Ieee, Self::Largest | Self::Numbers) => {
                rules!["g45": "inst.mul.ieee.sign", "inst.mul.ieee.overflow"]
            }
            (FloatMode::Alternative, Self::Zero { .. }) => {
                rules!["g45": "float.alt.no-special-results", "float.alt.only-listed-differences",
                    "inst.mul.alt.zero"]
            }
            (FloatMode::Alternative, Self::One) => {
                rules!["g45": "float.alt.no-special-results", "float.alt.only-listed-differences",
                    "inst.mul.alt.one"]
            }
            (FloatMode::Alternative, Self::Largest) => {
                rules!["g45": "float.alt.no-special-results", "float.alt.only-listed-differences",
                    "inst.mul.alt.fmax"]
            }
            (FloatMode::Alternative, _) => {
                rules!["g45": "float.alt.no-special-results", "float.alt.only-listed-differences",
                    "inst.mul.alt.overflow"]
            }
        }
    }
}

/// Whether a number is the largest there is in magnitude: what overflows becomes in ALT mode.
fn is_largest(number: Number) -> bool {
    let largest = FloatFormat::BINARY32.decode(FloatFormat::BINARY32.largest());
    number.abs() == largest
}
