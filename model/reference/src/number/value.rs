//! What an operand or a result may be: a finite number, an infinity or a NaN.

use std::{cmp::Ordering, ops::Neg};

use super::{exact::Exact, rounding::Rounding};

/// A floating-point datum without a format (IEEE 754, section 3.2).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    Finite(Exact),
    Infinity {
        negative: bool,
    },
    /// Not a number.
    Nan {
        negative: bool,
        /// The fraction field, its highest bit (which says that the NaN is quiet) at the top.
        payload: u64,
    },
}

/// The bit of a payload that makes a NaN quiet.
const QUIET: u64 = 1 << 63;

impl Number {
    pub(crate) const ZERO: Self = Self::Finite(Exact::ZERO);
    pub(crate) const ONE: Self = Self::Finite(Exact::integer(1));
    pub(crate) const INFINITY: Self = Self::Infinity { negative: false };
    /// What an invalid operation gives.
    pub(crate) const DEFAULT_NAN: Self = Self::Nan { negative: false, payload: QUIET };

    pub(crate) const fn integer(value: i128) -> Self {
        Self::Finite(Exact::integer(value))
    }

    /// The number, if it is finite.
    pub(crate) const fn finite(self) -> Option<Exact> {
        match self {
            Self::Finite(number) => Some(number),
            Self::Infinity { .. } | Self::Nan { .. } => None,
        }
    }

    /// The number, if it is finite and not zero.
    pub(crate) const fn finite_non_zero(self) -> Option<Exact> {
        match self {
            Self::Finite(number) if !number.is_zero() => Some(number),
            _ => None,
        }
    }

    pub(crate) const fn is_finite(self) -> bool {
        matches!(self, Self::Finite(_))
    }

    pub(crate) const fn is_infinite(self) -> bool {
        matches!(self, Self::Infinity { .. })
    }

    pub(crate) const fn is_nan(self) -> bool {
        matches!(self, Self::Nan { .. })
    }

    pub(crate) const fn is_zero(self) -> bool {
        matches!(self, Self::Finite(number) if number.is_zero())
    }

    /// The sign bit.
    pub(crate) const fn is_negative(self) -> bool {
        match self {
            Self::Finite(Exact { negative, .. })
            | Self::Infinity { negative }
            | Self::Nan { negative, .. } => negative,
        }
    }

    /// The same with this sign bit.
    pub(crate) const fn with_sign(self, negative: bool) -> Self {
        match self {
            Self::Finite(number) => Self::Finite(Exact { negative, ..number }),
            Self::Infinity { .. } => Self::Infinity { negative },
            Self::Nan { payload, .. } => Self::Nan { negative, payload },
        }
    }

    pub(crate) const fn abs(self) -> Self {
        self.with_sign(false)
    }

    /// A NaN made quiet; anything else as it is.
    pub(crate) const fn quiet(self) -> Self {
        match self {
            Self::Nan { negative, payload } => Self::Nan { negative, payload: payload | QUIET },
            number => number,
        }
    }

    /// This number times a power of two.
    pub(crate) const fn scaled(self, power: i32) -> Self {
        match self {
            Self::Finite(number) => Self::Finite(number.scaled(power)),
            other => other.quiet(),
        }
    }

    /// The number rounded to an integral one.
    pub(crate) fn integral(self, rounding: Rounding) -> Self {
        match self {
            Self::Finite(number) => Self::Finite(number.integral(rounding)),
            other => other.quiet(),
        }
    }

    /// The largest integral number not above this one.
    pub(crate) fn floor(self) -> Self {
        self.integral(Rounding::Down)
    }

    /// The exact product. NaNs propagate, the first one of two.
    pub(crate) fn times(self, other: Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(a * b),
            (Self::Nan { .. }, _) => self.quiet(),
            (_, Self::Nan { .. }) => other.quiet(),
            _ if self.is_zero() || other.is_zero() => Self::DEFAULT_NAN,
            _ => Self::Infinity { negative },
        }
    }

    /// The exact sum; `rounding` decides the sign of a zero. NaNs propagate, the first one of two.
    pub(crate) fn plus(self, other: Self, rounding: Rounding) -> Self {
        Self::sum(&[self, other], rounding)
    }

    /// The exact difference.
    pub(crate) fn minus(self, other: Self, rounding: Rounding) -> Self {
        // The sign of a NaN is not an operand's business.
        self.plus(if other.is_nan() { other } else { -other }, rounding)
    }

    /// The exact sum of at most four terms.
    pub(crate) fn sum(terms: &[Self], rounding: Rounding) -> Self {
        let mut numbers = [Exact::ZERO; 4];
        let mut infinity = None;
        let mut opposite = false;
        for (term, number) in terms.iter().zip(&mut numbers) {
            match *term {
                Self::Finite(finite) => *number = finite,
                Self::Infinity { negative } => {
                    opposite |= infinity == Some(!negative);
                    infinity = Some(negative);
                }
                Self::Nan { .. } => return term.quiet(),
            }
        }
        match infinity {
            _ if opposite => Self::DEFAULT_NAN,
            Some(negative) => Self::Infinity { negative },
            None => Self::Finite(Exact::sum(&numbers[..terms.len()], rounding)),
        }
    }
}

impl From<Exact> for Number {
    fn from(number: Exact) -> Self {
        Self::Finite(number)
    }
}

impl Neg for Number {
    type Output = Self;

    fn neg(self) -> Self {
        self.with_sign(!self.is_negative())
    }
}

/// Equality of IEEE 754: a NaN is not even equal to itself.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// The order of IEEE 754: none where one is a NaN.
impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        // Infinities lie at both ends.
        let end = |number: &Self| match number {
            Self::Infinity { negative: true } => -1,
            Self::Infinity { negative: false } => 1,
            _ => 0,
        };
        match (self, other) {
            (Self::Nan { .. }, _) | (_, Self::Nan { .. }) => None,
            (Self::Finite(a), Self::Finite(b)) => a.partial_cmp(b),
            _ => end(self).partial_cmp(&end(other)),
        }
    }
}
