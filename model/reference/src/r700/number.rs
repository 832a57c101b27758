//! Single-precision numbers as the ALUs take and give them.

use parallax_spec::decision;
use rustc_apfloat::{
    Float, Round,
    ieee::{Double, Single},
};

/// The rounding of every arithmetic result.
pub(super) const NEAREST: Round = Round::NearestTiesToEven;

/// Sign bit of a single.
pub(super) const SIGN: u32 = 1 << 31;
/// Largest finite single.
pub(super) const MAX_FLOAT: u32 = 0x7F7F_FFFF;

/// The number an operand stands for: a denormal one is a zero of its sign.
pub(super) fn number(bits: u32) -> Single {
    decision!("D-r700-float");
    let value = Single::from_bits(u128::from(bits));
    if value.is_denormal() { Single::from_bits(u128::from(bits & SIGN)) } else { value }
}

/// The bits of a result: a denormal one becomes a zero of its sign.
pub(super) fn bits(value: Single) -> u32 {
    let bits = value.to_bits() as u32;
    if value.is_denormal() { bits & SIGN } else { bits }
}

/// A single of these bits.
pub(super) fn single(bits: u32) -> Single {
    Single::from_bits(u128::from(bits))
}

/// 1.0.
pub(super) fn one() -> Single {
    single(0x3F80_0000)
}

/// 0.0.
pub(super) fn zero() -> Single {
    single(0)
}

/// The default NaN.
pub(super) fn nan() -> Single {
    single(0xFFC0_0000)
}

/// An infinity of the sign of a number.
pub(super) fn infinity_like(sign: Single) -> Single {
    single(0x7F80_0000 | bits(sign) & SIGN)
}

/// A zero of the sign of a number.
pub(super) fn zero_like(sign: Single) -> Single {
    single(bits(sign) & SIGN)
}

/// A rounded result, as the next operation of the same instruction sees it.
pub(super) fn rounded(value: Single) -> Single {
    single(bits(value))
}

/// Rounded sum.
pub(super) fn add(a: Single, b: Single) -> Single {
    rounded(a.add_r(b, NEAREST).value)
}

/// Rounded product by the rules of IEEE 754.
pub(super) fn multiply(a: Single, b: Single) -> Single {
    rounded(a.mul_r(b, NEAREST).value)
}

/// Rounded product where zero times anything, infinities and NaN included, is zero.
pub(super) fn multiply_dx9(a: Single, b: Single) -> Single {
    if a.is_zero() || b.is_zero() { zero() } else { multiply(a, b) }
}

/// The number a double operand stands for: a denormal one is a zero of its sign.
pub(super) fn double(high: u32, low: u32) -> Double {
    let value = Double::from_bits(u128::from(high) << 32 | u128::from(low));
    if value.is_denormal() { zero_double(high & SIGN) } else { value }
}

/// High and low word of a double result: a denormal one becomes a zero of its sign.
pub(super) fn words(value: Double) -> (u32, u32) {
    let bits = value.to_bits();
    let (high, low) = ((bits >> 32) as u32, bits as u32);
    if value.is_denormal() { (high & SIGN, 0) } else { (high, low) }
}

/// A double zero with this sign bit in its high word.
pub(super) fn zero_double(sign: u32) -> Double {
    Double::from_bits(u128::from(sign) << 32)
}
