//! Arithmetic on DF: exact, as integers with an exponent, and rounded once.

use super::modes::{Modes, Rounding};

/// A magnitude of an exponent, with a sign; what was shifted out shows in the last digit.
#[derive(Clone, Copy)]
pub(super) struct Exact {
    pub(super) negative: bool,
    pub(super) digits: u128,
    pub(super) exponent: i32,
}

impl Exact {
    /// A finite number.
    pub(super) fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7FF) as i32;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let digits = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        Self { negative: value.is_sign_negative(), digits, exponent: exponent.max(1) - 1075 }
    }

    /// The bits that its digits take, counted from the bit of weight one.
    pub(super) fn top(self) -> i32 {
        self.exponent + 128 - self.digits.leading_zeros().cast_signed()
    }

    /// The same with its last digit at another place; digits that are lost make it odd.
    fn at(self, exponent: i32) -> Self {
        let digits = if self.digits == 0 {
            0
        } else if exponent <= self.exponent {
            self.digits << (self.exponent - exponent)
        } else {
            let shift = (exponent - self.exponent).min(127).cast_unsigned();
            let kept = self.digits >> shift;
            kept | u128::from(kept << shift != self.digits)
        };
        Self { digits, exponent, ..self }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            digits: self.digits * other.digits,
            exponent: self.exponent + other.exponent,
        }
    }

    pub(super) fn plus(self, other: Self, rounding: Rounding) -> Self {
        if self.digits == 0 && other.digits != 0 {
            return other;
        }
        if other.digits == 0 && self.digits != 0 {
            return self;
        }
        // Everything fits if the last digit kept is far enough below the first one.
        let lowest = self.exponent.min(other.exponent);
        let exponent = lowest.max(self.top().max(other.top()) - 125);
        let (a, b) = (self.at(exponent), other.at(exponent));
        let signed = |number: Self| match number.negative {
            true => -number.digits.cast_signed(),
            false => number.digits.cast_signed(),
        };
        let sum = signed(a) + signed(b);
        let negative = match sum {
            0 if a.negative == b.negative => a.negative,
            0 => rounding == Rounding::Down,
            _ => sum < 0,
        };
        Self { negative, digits: sum.unsigned_abs(), exponent }
    }

    /// The number of binary64 it rounds to, and whether it overflowed.
    fn rounded(self, rounding: Rounding) -> (f64, bool) {
        let sign = u64::from(self.negative) << 63;
        if self.digits == 0 {
            return (f64::from_bits(sign), false);
        }
        let exponent = (self.top() - 53).max(-1074);
        let shift = exponent - self.exponent;
        let (kept, rest, half) = if shift <= 0 {
            (self.digits << -shift, 0, 1)
        } else {
            let shift = shift.min(127);
            let kept = self.digits >> shift;
            (kept, self.digits - (kept << shift), 1 << (shift - 1))
        };
        let up = match rounding {
            Rounding::NearestEven => rest > half || rest == half && kept & 1 == 1,
            _ => rest != 0 && rounding.away(self.negative),
        };
        let digits = (kept as u64) + u64::from(up);
        // The implied digit adds one to the exponent; so does a carry.
        let magnitude = (u64::from((exponent + 1074).cast_unsigned()) << 52) + digits;
        const INFINITY: u64 = 0x7FF << 52;
        if exponent > 971 || magnitude >= INFINITY {
            let infinite = match rounding {
                Rounding::NearestEven => true,
                _ => rounding.away(self.negative),
            };
            return (f64::from_bits(sign | (INFINITY - u64::from(!infinite))), true);
        }
        (f64::from_bits(sign | magnitude), false)
    }
}

/// A number rounded, denormals flushed, and whether it overflowed.
fn finish(exact: Exact, modes: &Modes) -> (f64, bool) {
    let (value, overflow) = exact.rounded(modes.rounding);
    (super::float::flush_double(value, modes), overflow)
}

/// The sum, rounded, and whether it overflowed.
pub(super) fn add(a: f64, b: f64, modes: &Modes) -> (f64, bool) {
    if !a.is_finite() || !b.is_finite() {
        return (a + b, false);
    }
    finish(Exact::of(a).plus(Exact::of(b), modes.rounding), modes)
}

/// The product, rounded, and whether it overflowed.
pub(super) fn multiply(a: f64, b: f64, modes: &Modes) -> (f64, bool) {
    if !a.is_finite() || !b.is_finite() {
        return (a * b, false);
    }
    finish(Exact::of(a).times(Exact::of(b)), modes)
}

/// `a * b + c`, rounded once, and whether it overflowed.
pub(super) fn multiply_add(a: f64, b: f64, c: f64, modes: &Modes) -> (f64, bool) {
    if !a.is_finite() || !b.is_finite() || !c.is_finite() {
        return (a.mul_add(b, c), false);
    }
    finish(Exact::of(a).times(Exact::of(b)).plus(Exact::of(c), modes.rounding), modes)
}

/// An integer as DF, rounded.
pub(super) fn from_integer(value: i128, modes: &Modes) -> f64 {
    let exact = Exact { negative: value < 0, digits: value.unsigned_abs(), exponent: 0 };
    exact.rounded(modes.rounding).0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NEAREST: Modes = Modes {
        rounding: Rounding::NearestEven,
        keep_half: true,
        keep_single: true,
        keep_double: true,
        alternative: false,
    };

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    proptest! {
        #[test]
        fn nearest_even_is_what_the_host_does(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
            let [x, y, z] = [a, b, c].map(f64::from_bits);
            prop_assert!(same(add(x, y, &NEAREST).0, x + y));
            prop_assert!(same(multiply(x, y, &NEAREST).0, x * y));
            prop_assert!(same(multiply_add(x, y, z, &NEAREST).0, x.mul_add(y, z)));
            let near = f64::from_bits(c ^ (x * y).to_bits() & 0x7FF << 52);
            prop_assert!(same(multiply_add(x, y, near, &NEAREST).0, x.mul_add(y, near)));
        }

        #[test]
        fn directions_enclose_the_nearest(a in any::<f64>(), b in any::<f64>()) {
            let [down, up, zero] = [Rounding::Down, Rounding::Up, Rounding::TowardZero]
                .map(|rounding| multiply(a, b, &NEAREST.rounding(rounding)).0);
            let nearest = a * b;
            prop_assume!(nearest.is_finite());
            prop_assert!(down <= nearest && nearest <= up);
            prop_assert!(same(nearest, down) || same(nearest, up));
            let inner = if nearest.is_sign_negative() { up } else { down };
            prop_assert!(same(zero, inner));
        }
    }
}
