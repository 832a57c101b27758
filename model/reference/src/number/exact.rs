//! Finite numbers without a format: what an operation comes to before it is rounded.

use std::{
    cmp::Ordering,
    ops::{Mul, Neg},
};

use num_bigint::{BigInt, BigUint, Sign};

use super::rounding::Rounding;

/// A finite number: `significand * 2^exponent`, negative or not; zeros have a sign.
///
/// A quotient, a root or a sum of numbers far apart need more digits than there are. Then the
/// significand has at least 64 and `sticky` says that the magnitude is larger by less than one unit
/// of its last place: enough to round to any format of [`FloatFormat`](super::format::FloatFormat) as if all
/// digits were there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact {
    pub(crate) negative: bool,
    pub(crate) significand: u128,
    pub(crate) exponent: i32,
    pub(crate) sticky: bool,
}

/// The span of binary digits within which sums are formed in one machine integer.
const NARROW: i32 = 120;

impl Exact {
    pub(crate) const ZERO: Self = Self::new(0, 0);

    /// A magnitude times a power of two.
    pub(crate) const fn new(significand: u128, exponent: i32) -> Self {
        Self { negative: false, significand, exponent, sticky: false }
    }

    /// An integer.
    pub(crate) const fn integer(value: i128) -> Self {
        Self { negative: value < 0, ..Self::new(value.unsigned_abs(), 0) }
    }

    /// A quotient. The denominator is not zero.
    pub(crate) fn quotient(numerator: u128, denominator: u64) -> Self {
        if numerator == 0 {
            return Self::ZERO;
        }
        let shift = numerator.leading_zeros();
        let (dividend, denominator) = (numerator << shift, u128::from(denominator));
        let quotient = dividend / denominator;
        let sticky = quotient * denominator != dividend;
        Self { sticky, ..Self::new(quotient, -(shift as i32)) }
    }

    /// This number times a power of two.
    pub(crate) const fn scaled(self, power: i32) -> Self {
        Self { exponent: self.exponent + power, ..self }
    }

    pub(crate) const fn is_zero(self) -> bool {
        self.significand == 0
    }

    /// The power of two of the highest digit. The number is not zero.
    pub(crate) const fn highest_digit(self) -> i32 {
        self.exponent + self.significand.ilog2() as i32
    }

    /// The power of two of the lowest digit that is one. The number is not zero.
    pub(crate) const fn lowest_digit(self) -> i32 {
        self.exponent + self.significand.trailing_zeros() as i32
    }

    /// The number rounded to an integral one. A zero keeps the sign.
    pub(crate) fn integral(self, rounding: Rounding) -> Self {
        if self.exponent >= 0 {
            return self;
        }
        let places = self.exponent.unsigned_abs();
        let cut = rounding.cut(self.significand, places, self.sticky, self.negative);
        Self { negative: self.negative, ..Self::new(cut.kept, 0) }
    }

    /// The number rounded to an integer, the nearest one there is beyond ±2^126.
    pub(crate) fn to_integer(self, rounding: Rounding) -> i128 {
        let whole = self.integral(rounding);
        let magnitude = if whole.is_zero() {
            0
        } else if whole.highest_digit() >= 126 {
            1 << 126
        } else {
            (whole.significand << whole.exponent) as i128
        };
        if self.negative { -magnitude } else { magnitude }
    }

    /// The exact sum of some numbers, none of them sticky. Where it is zero, the sign is that of the terms if they are
    /// all zeros of one sign; otherwise it is minus only where rounding goes down (IEEE 754,
    /// section 6.3).
    pub(crate) fn sum(terms: &[Self], rounding: Rounding) -> Self {
        debug_assert!(terms.iter().all(|term| !term.sticky), "digits are missing");
        let non_zero = || terms.iter().filter(|term| !term.is_zero());
        let Some(lowest) = non_zero().map(|term| term.exponent).min() else {
            let negative = match rounding {
                Rounding::Down => terms.iter().any(|term| term.negative),
                _ => terms.iter().all(|term| term.negative),
            };
            return Self { negative, ..Self::ZERO };
        };
        let highest = non_zero().map(|term| term.highest_digit()).max().expect("one is not zero");
        let mut rest = non_zero();
        match (rest.next(), rest.next(), rest.next()) {
            (Some(only), None, _) => return *only,
            _ if highest - lowest < NARROW => {
                let units = |term: &Self| {
                    let magnitude = (term.significand << (term.exponent - lowest)) as i128;
                    if term.negative { -magnitude } else { magnitude }
                };
                let sum: i128 = non_zero().map(units).sum();
                return Self::of_sum(Self::integer(sum).scaled(lowest), rounding);
            }
            (Some(a), Some(b), None) => {
                let (large, small) =
                    if a.highest_digit() < b.highest_digit() { (b, a) } else { (a, b) };
                if let Some(sum) = large.plus_a_little(small) {
                    return sum;
                }
            }
            _ => {}
        }
        let units = |term: &Self| {
            let sign = if term.negative { Sign::Minus } else { Sign::Plus };
            BigInt::from_biguint(sign, BigUint::from(term.significand) << (term.exponent - lowest))
        };
        let sum: BigInt = non_zero().map(units).sum();
        let (sign, magnitude) = sum.into_parts();
        let sum = Self::of_big(&magnitude, lowest);
        Self::of_sum(Self { negative: sign == Sign::Minus, ..sum }, rounding)
    }

    /// Gives a sum of terms that are not all zeros the sign of its zero.
    fn of_sum(sum: Self, rounding: Rounding) -> Self {
        if sum.is_zero() {
            return Self { negative: rounding == Rounding::Down, ..Self::ZERO };
        }
        sum
    }

    /// The sum with a number that is smaller than a unit of this one's last place, if it is.
    fn plus_a_little(self, small: &Self) -> Option<Self> {
        let shift = self.significand.leading_zeros().saturating_sub(1);
        let (significand, exponent) = (self.significand << shift, self.exponent - shift as i32);
        let negligible = small.highest_digit() < exponent;
        negligible.then(|| {
            let less = self.negative != small.negative;
            let significand = significand - u128::from(less);
            Self { significand, exponent, sticky: true, negative: self.negative }
        })
    }

    /// An integer of any size times a power of two.
    fn of_big(magnitude: &BigUint, exponent: i32) -> Self {
        let excess = magnitude.bits().saturating_sub(128);
        let top = u128::try_from(magnitude >> excess).expect("128 bits are left");
        let sticky = excess > 0 && magnitude.trailing_zeros() < Some(excess);
        Self { sticky, ..Self::new(top, exponent + excess as i32) }
    }
}

impl Neg for Exact {
    type Output = Self;

    fn neg(self) -> Self {
        Self { negative: !self.negative, ..self }
    }
}

impl Mul for Exact {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        debug_assert!(!self.sticky && !other.sticky, "digits are missing");
        let exponent = self.exponent + other.exponent;
        let product = match self.significand.checked_mul(other.significand) {
            Some(significand) => Self::new(significand, exponent),
            None => {
                let [a, b] = [self, other].map(|factor| BigUint::from(factor.significand));
                Self::of_big(&(a * b), exponent)
            }
        };
        Self { negative: self.negative != other.negative, ..product }
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By value: zeros are equal. Of two numbers with the same digits the sticky one is the larger in
/// magnitude; two sticky ones count as equal.
impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = || {
            let aligned = |number: &Self| number.significand << number.significand.leading_zeros();
            let key = |number: &Self| (number.highest_digit(), aligned(number), number.sticky);
            key(self).cmp(&key(other))
        };
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) if other.negative => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, true) => other.cmp(self).reverse(),
            (false, false) => match (self.negative, other.negative) {
                (false, false) => magnitude(),
                (true, true) => magnitude().reverse(),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
            },
        }
    }
}
