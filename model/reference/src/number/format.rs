//! Binary interchange formats, as data.

use super::{exact::Exact, value::Number};

/// A binary floating-point format: from the most significant bit, a sign (if it has one), an
/// exponent with bias `2^(exponent_bits - 1) - 1` and a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FloatFormat {
    pub(crate) exponent_bits: u32,
    pub(crate) fraction_bits: u32,
    pub(crate) signed: bool,
}

impl FloatFormat {
    /// IEEE 754 binary16, type HF.
    pub(crate) const BINARY16: Self = Self::signed(5, 10);
    /// IEEE 754 binary32, type F.
    pub(crate) const BINARY32: Self = Self::signed(8, 23);
    /// IEEE 754 binary64, type DF.
    pub(crate) const BINARY64: Self = Self::signed(11, 52);

    const fn signed(exponent_bits: u32, fraction_bits: u32) -> Self {
        Self { exponent_bits, fraction_bits, signed: true }
    }

    /// The formats of surfaces that have the exponent of binary16, a shorter fraction and no sign:
    /// 10 and 11 bits.
    pub(crate) const fn unsigned(bits: u32) -> Self {
        Self { exponent_bits: 5, fraction_bits: bits - 5, signed: false }
    }

    /// The largest exponent of a finite number: the bias too.
    pub(crate) const fn greatest_exponent(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of the smallest normal number.
    pub(crate) const fn least_exponent(self) -> i32 {
        1 - self.greatest_exponent()
    }

    /// The bits of plus infinity: all ones in the exponent field.
    pub(crate) const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The bits of the largest finite number.
    pub(crate) const fn largest(self) -> u64 {
        self.infinity() - 1
    }

    /// The sign as a bit of the format.
    pub(crate) const fn sign(self, negative: bool) -> u64 {
        ((negative && self.signed) as u64) << (self.exponent_bits + self.fraction_bits)
    }

    /// The bits of a NaN: as much of its payload as the format holds, and quiet if that is nothing.
    pub(crate) const fn nan(self, negative: bool, payload: u64) -> u64 {
        let fraction = match payload >> (64 - self.fraction_bits) {
            0 => 1 << (self.fraction_bits - 1),
            fraction => fraction,
        };
        self.sign(negative) | self.infinity() | fraction
    }

    /// Whether a bit pattern is a denormal number.
    pub(crate) const fn is_denormal(self, bits: u64) -> bool {
        let magnitude = bits & !self.sign(true);
        magnitude != 0 && magnitude >> self.fraction_bits == 0
    }

    /// What a bit pattern stands for, denormals and payloads included.
    #[inline]
    pub(crate) fn decode(self, bits: u64) -> Number {
        let negative = bits & self.sign(true) != 0;
        let magnitude = bits & !self.sign(true);
        let fraction = magnitude & ((1 << self.fraction_bits) - 1);
        let biased = (magnitude >> self.fraction_bits) as i32;
        if magnitude == self.infinity() {
            return Number::Infinity { negative };
        } else if magnitude > self.infinity() {
            return Number::Nan { negative, payload: fraction << (64 - self.fraction_bits) };
        }
        let (significand, exponent) = if biased == 0 {
            (fraction, self.least_exponent())
        } else {
            (fraction | 1 << self.fraction_bits, self.least_exponent() + biased - 1)
        };
        let exponent = exponent - self.fraction_bits as i32;
        Number::Finite(Exact { negative, ..Exact::new(significand.into(), exponent) })
    }
}
