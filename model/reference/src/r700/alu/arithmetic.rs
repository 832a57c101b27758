//! Single-precision arithmetic: sums, products and integral parts.

use super::{Effect, Operands, Value};
use crate::{
    number::{Number, Rounding},
    r700::number::{MAX_FLOAT, SIGN, add as sum, multiply, multiply_dx9, nan, rounded, single},
};

/// `ADD`: src0 + src1.
pub(super) fn add(s: &Operands) -> Effect {
    Value::Float(sum(s.float(0), s.float(1))).into()
}

/// `MUL`: src0 * src1, where zero times anything is +0.
pub(super) fn mul(s: &Operands) -> Effect {
    Value::Float(multiply_dx9(s.float(0), s.float(1))).into()
}

/// `MUL_IEEE`: src0 * src1 by the rules of IEEE 754.
pub(super) fn mul_ieee(s: &Operands) -> Effect {
    Value::Float(multiply(s.float(0), s.float(1))).into()
}

/// A power of two by which some instructions scale their result.
fn scaled(value: Number, power: i32) -> Number {
    rounded(value.scaled(power))
}

macro_rules! multiply_add {
    ($($(#[$meta:meta])* $name:ident $product:ident $power:literal;)*) => {
        $($(#[$meta])*
        pub(super) fn $name(s: &Operands) -> Effect {
            let product = $product(s.float(0), s.float(1));
            Value::Float(scaled(sum(product, s.float(2)), $power)).into()
        })*
    };
}

multiply_add! {
    /// `MULADD`: src0 * src1 + src2, product and sum rounded.
    muladd multiply_dx9 0;
    /// `MULADD_M2`: (src0 * src1 + src2) * 2.
    muladd_m2 multiply_dx9 1;
    /// `MULADD_M4`: (src0 * src1 + src2) * 4.
    muladd_m4 multiply_dx9 2;
    /// `MULADD_D2`: (src0 * src1 + src2) / 2.
    muladd_d2 multiply_dx9 -1;
    /// `MULADD_IEEE`: src0 * src1 + src2 by the rules of IEEE 754, product and sum rounded.
    muladd_ieee multiply 0;
    /// `MULADD_IEEE_M2`: (src0 * src1 + src2) * 2 by the rules of IEEE 754.
    muladd_ieee_m2 multiply 1;
    /// `MULADD_IEEE_M4`: (src0 * src1 + src2) * 4 by the rules of IEEE 754.
    muladd_ieee_m4 multiply 2;
    /// `MULADD_IEEE_D2`: (src0 * src1 + src2) / 2 by the rules of IEEE 754.
    muladd_ieee_d2 multiply -1;
}

/// Product of the lighting instructions: the most negative number where src1 is that, minus
/// infinity or NaN, or where src2 is not above zero.
fn lit(s: &Operands, power: i32) -> Effect {
    let most_negative = single(SIGN | MAX_FLOAT);
    let (base, exponent) = (s.float(1), s.float(2));
    let guarded = base == most_negative
        || base == -Number::INFINITY
        || base.is_nan()
        || exponent <= Number::ZERO
        || exponent.is_nan();
    if guarded {
        return Value::Float(scaled(most_negative, power)).into();
    }
    Value::Float(scaled(multiply_dx9(s.float(0), base), power)).into()
}

/// `MUL_LIT`: src0 * src1, guarded for lighting.
pub(super) fn mul_lit(s: &Operands) -> Effect {
    lit(s, 0)
}

/// `MUL_LIT_M2`: `MUL_LIT` times 2.
pub(super) fn mul_lit_m2(s: &Operands) -> Effect {
    lit(s, 1)
}

/// `MUL_LIT_M4`: `MUL_LIT` times 4.
pub(super) fn mul_lit_m4(s: &Operands) -> Effect {
    lit(s, 2)
}

/// `MUL_LIT_D2`: `MUL_LIT` divided by 2.
pub(super) fn mul_lit_d2(s: &Operands) -> Effect {
    lit(s, -1)
}

/// `FRACT`: src0 - FLOOR(src0).
pub(super) fn fract(s: &Operands) -> Effect {
    let source = s.float(0);
    if source.is_infinite() || source.is_nan() {
        return Value::Float(nan()).into();
    }
    let floor = source.floor();
    if source == floor {
        return Value::Float(Number::ZERO).into();
    }
    let fraction = sum(source, -floor);
    if fraction == Number::ONE {
        // Just below zero the formula rounds to 1.0, which the result's range leaves out.
        return Value::Either(fraction, single(0x3F7F_FFFF)).into();
    }
    Value::Float(fraction).into()
}

/// An integral part: the manual does not say which zero one of a negative number is.
fn integral(source: Number, rounding: Rounding) -> Effect {
    let value = source.integral(rounding);
    // Decision D-r700-zeros.
    if value.is_zero() && source.is_negative() {
        return Value::Either(value, -value).into();
    }
    Value::Float(value).into()
}

/// `TRUNC`: the integer part of src0, toward zero.
pub(super) fn trunc(s: &Operands) -> Effect {
    integral(s.float(0), Rounding::TowardZero)
}

/// `CEIL`: the smallest integral number that is not below src0.
pub(super) fn ceil(s: &Operands) -> Effect {
    integral(s.float(0), Rounding::Up)
}

/// `RNDNE`: src0 rounded to the nearest integral number, ties to even.
pub(super) fn rndne(s: &Operands) -> Effect {
    integral(s.float(0), Rounding::NearestEven)
}

/// `FLOOR`: the largest integral number that is not above src0.
pub(super) fn floor(s: &Operands) -> Effect {
    integral(s.float(0), Rounding::Down)
}
