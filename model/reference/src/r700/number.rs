//! Single and double-precision numbers as the ALUs take and give them.

use crate::number::{Context, Denormals, FloatFormat, Number, Overflow, Rounding};

/// The rounding of every arithmetic result.
pub(super) const NEAREST: Rounding = Rounding::NearestEven;

/// How the ALUs round: to nearest even, denormal operands and results count as zeros of their sign
/// (decision D-r700-float).
pub(super) const CONTEXT: Context = Context {
    rounding: NEAREST,
    overflow: Overflow::Rounded,
    input: Denormals::Flushed,
    output: Denormals::Flushed,
};

/// Sign bit of a single.
pub(super) const SIGN: u32 = 1 << 31;
/// Largest finite single.
pub(super) const MAX_FLOAT: u32 = 0x7F7F_FFFF;

/// The number an operand stands for: a denormal one is a zero of its sign.
pub(super) fn number(bits: u32) -> Number {
    // Decision D-r700-float.
    CONTEXT.operand(bits.into(), FloatFormat::BINARY32)
}

/// The bits of a result: a denormal one becomes a zero of its sign.
pub(super) fn bits(value: Number) -> u32 {
    CONTEXT.round(value, FloatFormat::BINARY32).bits as u32
}

/// A rounded result, as the next operation of the same instruction sees it.
pub(super) fn rounded(value: Number) -> Number {
    CONTEXT.rounded(value, FloatFormat::BINARY32)
}

/// A single of these bits.
pub(super) fn single(bits: u32) -> Number {
    FloatFormat::BINARY32.decode(bits.into())
}

/// The default NaN.
pub(super) fn nan() -> Number {
    -Number::DEFAULT_NAN
}

/// Rounded sum.
pub(super) fn add(a: Number, b: Number) -> Number {
    rounded(a.plus(b, NEAREST))
}

/// Rounded product by the rules of IEEE 754.
pub(super) fn multiply(a: Number, b: Number) -> Number {
    rounded(a.times(b))
}

/// Rounded product where zero times anything, infinities and NaN included, is zero.
pub(super) fn multiply_dx9(a: Number, b: Number) -> Number {
    if a.is_zero() || b.is_zero() { Number::ZERO } else { multiply(a, b) }
}

/// The number a double operand stands for: a denormal one is a zero of its sign.
pub(super) fn double(high: u32, low: u32) -> Number {
    CONTEXT.operand(u64::from(high) << 32 | u64::from(low), FloatFormat::BINARY64)
}

/// High and low word of a double result: a denormal one becomes a zero of its sign.
pub(super) fn words(value: Number) -> (u32, u32) {
    let bits = CONTEXT.round(value, FloatFormat::BINARY64).bits;
    ((bits >> 32) as u32, bits as u32)
}

/// A rounded double result, as the next operation sees it.
pub(super) fn rounded_double(value: Number) -> Number {
    CONTEXT.rounded(value, FloatFormat::BINARY64)
}
