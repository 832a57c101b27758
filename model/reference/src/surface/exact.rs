//! Exact numbers: fractions times powers of two, rounded once at the end.

/// A number: `numerator / denominator * 2^exponent`, negative or not. The fraction need not be in
/// lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Exact {
    pub(crate) negative: bool,
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
    pub(crate) exponent: i32,
}

/// A binary float without its sign: how many fraction bits it has, and the exponents of its
/// smallest and largest normal numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FloatShape {
    pub(crate) fraction_bits: u32,
    pub(crate) least_exponent: i32,
    pub(crate) greatest_exponent: i32,
}

impl FloatShape {
    /// IEEE binary32.
    pub(crate) const SINGLE: Self =
        Self { fraction_bits: 23, least_exponent: -126, greatest_exponent: 127 };

    /// A float of 5 exponent bits with bias 15: binary16 and the 10 and 11-bit floats.
    pub(crate) const fn small(fraction_bits: u32) -> Self {
        Self { fraction_bits, least_exponent: -14, greatest_exponent: 15 }
    }

    /// The bits of infinity.
    pub(crate) const fn infinity(self) -> u64 {
        ((self.greatest_exponent - self.least_exponent + 2) as u64) << self.fraction_bits
    }

    /// The number of a bit pattern without sign; nothing if it is an infinity or a NaN.
    pub(crate) fn number(self, bits: u64) -> Option<Exact> {
        if bits >= self.infinity() {
            return None;
        }
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let biased = (bits >> self.fraction_bits) as i32;
        let (mantissa, exponent) = if biased == 0 {
            (fraction, self.least_exponent)
        } else {
            (fraction | 1 << self.fraction_bits, self.least_exponent + biased - 1)
        };
        Some(Exact::integer(mantissa).scaled(exponent - self.fraction_bits as i32))
    }
}

impl Exact {
    pub(crate) const ZERO: Self = Self::integer(0);

    /// `numerator / denominator`.
    pub(crate) const fn ratio(numerator: u64, denominator: u64) -> Self {
        Self { negative: false, numerator, denominator, exponent: 0 }
    }

    pub(crate) const fn integer(value: u64) -> Self {
        Self::ratio(value, 1)
    }

    /// A signed number over a positive one.
    pub(crate) const fn signed(numerator: i64, denominator: u64) -> Self {
        Self {
            negative: numerator < 0,
            numerator: numerator.unsigned_abs(),
            denominator,
            exponent: 0,
        }
    }

    /// This number times a power of two.
    pub(crate) const fn scaled(self, exponent: i32) -> Self {
        Self { exponent: self.exponent + exponent, ..self }
    }

    /// The finite number of a binary32 bit pattern.
    pub(crate) fn from_single(bits: u32) -> Option<Self> {
        let number = FloatShape::SINGLE.number(u64::from(bits & 0x7FFF_FFFF))?;
        Some(Self { negative: bits >> 31 == 1, ..number })
    }

    /// The nearest float of a shape, ties to even; too large numbers become infinity. The sign is
    /// not in the result.
    pub(crate) fn round(self, shape: FloatShape) -> u64 {
        if self.numerator == 0 {
            return 0;
        }
        // A quotient of at least 63 significant bits, the last one sticky.
        let shift = u128::from(self.numerator).leading_zeros();
        let dividend = u128::from(self.numerator) << shift;
        let denominator = u128::from(self.denominator);
        let inexact = dividend % denominator != 0;
        let quotient = (dividend / denominator) | u128::from(inexact);
        let unit = self.exponent - shift as i32;
        let exponent = quotient.ilog2() as i32 + unit;
        let last_place = exponent.max(shape.least_exponent) - shape.fraction_bits as i32;
        let mantissa = half_even(quotient, last_place - unit) as u64;
        let bits = if exponent < shape.least_exponent {
            mantissa
        } else {
            // The hidden bit of the mantissa adds one to the exponent field.
            (((exponent - shape.least_exponent) as u64) << shape.fraction_bits) + mantissa
        };
        bits.min(shape.infinity())
    }

    /// The nearest binary32, ties to even.
    pub(crate) fn single(self) -> u32 {
        self.round(FloatShape::SINGLE) as u32 | u32::from(self.negative) << 31
    }

    /// The magnitude's nearest integer, ties away from zero; saturates at 2^64 - 1.
    pub(crate) fn nearest_integer(self) -> u64 {
        let doubled = self.scaled(1).floor();
        (doubled / 2 + doubled % 2).min(u128::from(u64::MAX)) as u64
    }

    /// The magnitude rounded down; saturates far above any integer format.
    pub(crate) fn floor(self) -> u128 {
        let (numerator, denominator) = (u128::from(self.numerator), u128::from(self.denominator));
        match self.exponent {
            64.. if numerator > 0 => u128::MAX,
            0..64 => (numerator << self.exponent) / denominator,
            -64..0 => numerator / (denominator << -self.exponent),
            _ => 0,
        }
    }
}

/// `value` without its last `places` bits, rounded to nearest, ties to even. The last bit of
/// `value` may be sticky: `places` is at least 2 for every caller.
fn half_even(value: u128, places: i32) -> u128 {
    match places {
        129.. => 0,
        128 => u128::from(value > 1 << 127),
        1..128 => {
            let (kept, rest, half) =
                (value >> places, value & ((1 << places) - 1), 1 << (places - 1));
            kept + u128::from(rest > half || rest == half && kept & 1 == 1)
        }
        _ => value << -places,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_numbers_come_back() {
        let patterns = (0..=u32::MAX).step_by(0x1_0001);
        for bits in patterns.filter(|bits| bits & 0x7F80_0000 != 0x7F80_0000) {
            let back = Exact::from_single(bits).expect("finite").single();
            assert_eq!(back, bits, "{bits:08X}");
        }
    }

    #[test]
    fn halves_are_rounded_to_even() {
        // 1 + 2^-24 lies between 1 and its successor; 1 + 3 * 2^-24 between the next two.
        assert_eq!(Exact::ratio((1 << 24) + 1, 1 << 24).single(), 0x3F80_0000);
        assert_eq!(Exact::ratio((1 << 24) + 3, 1 << 24).single(), 0x3F80_0002);
        assert_eq!(Exact::ratio(1, 3).single(), 0x3EAA_AAAB);
        assert_eq!(Exact::integer(1).scaled(-150).single(), 0);
        assert_eq!(Exact::integer(3).scaled(-151).single(), 1);
        assert_eq!(Exact::integer(1).scaled(128).single(), 0x7F80_0000);
        assert_eq!(Exact::integer(0xFFFF_FFFF).scaled(96).single(), 0x7F80_0000);
    }

    #[test]
    fn integers_are_rounded_away_from_zero() {
        assert_eq!(Exact::ratio(5, 2).nearest_integer(), 3);
        assert_eq!(Exact::ratio(7, 3).nearest_integer(), 2);
        assert_eq!(Exact::integer(1).scaled(-200).nearest_integer(), 0);
        assert_eq!(Exact::integer(1).scaled(200).nearest_integer(), u64::MAX);
    }
}
