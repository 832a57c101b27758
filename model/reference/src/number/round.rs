//! The step from an exact value to a format, and back under a denormal policy.

use super::{exact::Exact, format::FloatFormat, rounding::Rounding, value::Number};

/// What becomes of denormal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denormals {
    Kept,
    /// Each becomes the zero of its sign.
    Flushed,
}

/// What a result beyond the largest finite number of its format becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// What the rounding mode makes of it (IEEE 754, section 7.4).
    Rounded,
    /// Infinity, whatever the rounding mode.
    Infinity,
    /// The largest finite number; infinities become that too.
    Largest,
}

/// How results get their format: a setting of the machine that executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Context {
    pub(crate) rounding: Rounding,
    pub(crate) overflow: Overflow,
    /// Denormal operands.
    pub(crate) input: Denormals,
    /// Results that are denormal once they are rounded.
    pub(crate) output: Denormals,
}

/// A result in its format, and what happened on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rounded {
    pub(crate) bits: u64,
    /// The finite result was too large.
    pub(crate) overflow: bool,
    /// The result differs from the exact one, other than by an overflow.
    pub(crate) inexact: bool,
    /// The exact result is not zero, but less than the smallest normal number.
    pub(crate) tiny: bool,
}

impl Rounded {
    const fn exactly(bits: u64) -> Self {
        Self { bits, overflow: false, inexact: false, tiny: false }
    }
}

impl Context {
    /// IEEE 754 as it is: to nearest even, denormals kept.
    pub(crate) const IEEE: Self = Self {
        rounding: Rounding::NearestEven,
        overflow: Overflow::Rounded,
        input: Denormals::Kept,
        output: Denormals::Kept,
    };

    /// The operand that a bit pattern is.
    #[inline]
    pub(crate) fn operand(self, bits: u64, format: FloatFormat) -> Number {
        if self.input == Denormals::Flushed && format.is_denormal(bits) {
            return format.decode(bits & format.sign(true));
        }
        format.decode(bits)
    }

    /// Brings a result to a format: the one rounding step. A format without a sign keeps the
    /// magnitude. A NaN keeps what the format holds of its payload; operations have made it quiet.
    #[inline]
    pub(crate) fn round(self, number: Number, format: FloatFormat) -> Rounded {
        match number {
            Number::Finite(number) => self.round_finite(number, format),
            Number::Infinity { negative } => {
                let sign = format.sign(negative);
                Rounded::exactly(match self.overflow {
                    Overflow::Largest => sign | format.largest(),
                    Overflow::Rounded | Overflow::Infinity => sign | format.infinity(),
                })
            }
            Number::Nan { negative, payload } => Rounded::exactly(format.nan(negative, payload)),
        }
    }

    /// The number that a result is once it has the format: an operand of the next operation.
    pub(crate) fn rounded(self, number: Number, format: FloatFormat) -> Number {
        format.decode(self.round(number, format).bits)
    }

    fn round_finite(self, number: Exact, format: FloatFormat) -> Rounded {
        let Exact { negative, significand, exponent, sticky } = number;
        let sign = format.sign(negative);
        if significand == 0 {
            return Rounded::exactly(sign);
        }
        let leading = number.highest_digit();
        if leading > format.greatest_exponent() {
            return self.too_large(negative, format);
        }
        let least = format.least_exponent();
        let last_place = leading.max(least) - format.fraction_bits as i32;
        let (mantissa, inexact) = if last_place <= exponent {
            debug_assert!(!sticky, "a sticky number has more digits than any format");
            (significand << (exponent - last_place), false)
        } else {
            let places = last_place.abs_diff(exponent);
            let cut = self.rounding.cut(significand, places, sticky, negative);
            (cut.kept, cut.inexact)
        };
        // The hidden bit of the mantissa adds one to the exponent field, and so does a carry.
        let above_least = (leading.max(least) - least) as u64;
        let magnitude = (above_least << format.fraction_bits) + mantissa as u64;
        if magnitude >= format.infinity() {
            return self.too_large(negative, format);
        }
        let flushed = self.output == Denormals::Flushed && format.is_denormal(magnitude);
        let bits = if flushed { sign } else { sign | magnitude };
        Rounded { bits, overflow: false, inexact, tiny: leading < least }
    }

    fn too_large(self, negative: bool, format: FloatFormat) -> Rounded {
        let infinite = match self.overflow {
            Overflow::Rounded => self.rounding.overflows_to_infinity(negative),
            Overflow::Infinity => true,
            Overflow::Largest => false,
        };
        let magnitude = if infinite { format.infinity() } else { format.largest() };
        let bits = format.sign(negative) | magnitude;
        Rounded { bits, overflow: true, inexact: false, tiny: false }
    }
}
