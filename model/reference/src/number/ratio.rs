//! Fractions: what codes of components and mixtures of colours stand for.

use super::{exact::Exact, format::FloatFormat, round::Context};

/// A rational number: `numerator / denominator * 2^exponent`, negative or not. The fraction need not
/// be in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ratio {
    pub(crate) negative: bool,
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
    pub(crate) exponent: i32,
}

impl Ratio {
    pub(crate) const ZERO: Self = Self::integer(0);

    /// `numerator / denominator`.
    pub(crate) const fn new(numerator: u64, denominator: u64) -> Self {
        Self { negative: false, numerator, denominator, exponent: 0 }
    }

    pub(crate) const fn integer(value: u64) -> Self {
        Self::new(value, 1)
    }

    /// A signed number over a positive one.
    pub(crate) const fn signed(numerator: i64, denominator: u64) -> Self {
        Self { negative: numerator < 0, ..Self::new(numerator.unsigned_abs(), denominator) }
    }

    /// This number times a power of two.
    pub(crate) const fn scaled(self, power: i32) -> Self {
        Self { exponent: self.exponent + power, ..self }
    }

    /// The nearest binary32, ties to even.
    pub(crate) fn single(self) -> u32 {
        let quotient = Exact::quotient(self.numerator.into(), self.denominator);
        let number = Exact { negative: self.negative, ..quotient.scaled(self.exponent) };
        Context::IEEE.round(number.into(), FloatFormat::BINARY32).bits as u32
    }
}

/// A number of at most 64 significant bits.
impl From<Exact> for Ratio {
    fn from(number: Exact) -> Self {
        let numerator = u64::try_from(number.significand).expect("the significand of a float");
        Self { negative: number.negative, ..Self::integer(numerator) }.scaled(number.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_numbers_come_back() {
        let patterns = (0..=u32::MAX).step_by(0x1_0001);
        for bits in patterns.filter(|bits| bits & 0x7F80_0000 != 0x7F80_0000) {
            let number = FloatFormat::BINARY32.decode(bits.into()).finite().expect("finite");
            assert_eq!(Ratio::from(number).single(), bits, "{bits:08X}");
        }
    }

    #[test]
    fn halves_are_rounded_to_even() {
        // 1 + 2^-24 lies between 1 and its successor; 1 + 3 * 2^-24 between the next two.
        assert_eq!(Ratio::new((1 << 24) + 1, 1 << 24).single(), 0x3F80_0000);
        assert_eq!(Ratio::new((1 << 24) + 3, 1 << 24).single(), 0x3F80_0002);
        assert_eq!(Ratio::new(1, 3).single(), 0x3EAA_AAAB);
        assert_eq!(Ratio::signed(-1, 3).single(), 0xBEAA_AAAB);
        assert_eq!(Ratio::integer(1).scaled(-150).single(), 0);
        assert_eq!(Ratio::integer(3).scaled(-151).single(), 1);
        assert_eq!(Ratio::integer(1).scaled(128).single(), 0x7F80_0000);
        assert_eq!(Ratio::integer(0xFFFF_FFFF).scaled(96).single(), 0x7F80_0000);
    }
}
