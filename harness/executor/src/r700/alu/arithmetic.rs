//! Single-precision arithmetic: sums, products and integral parts.

use super::operation::{Operation, Role::Plain, kernel, last, operations};
use crate::r700::number::{float, multiply, multiply_zero, result};

operations! {
    ADD: OP2 0, Any, Float, Plain => |a, b| result(float(a) + float(b));
    MUL: OP2 1, Any, Float, Plain => |a, b| multiply_zero(a, b).to_bits();
    MUL_IEEE: OP2 2, Any, Float, Plain => |a, b| multiply(a, b).to_bits();
    FRACT: OP2 16, Any, Float, Plain => |a| result(float(a) - float(a).floor());
    TRUNC: OP2 17, Any, Float, Plain => |a| result(float(a).trunc());
    CEIL: OP2 18, Any, Float, Plain => |a| result(ceiling(float(a)));
    RNDNE: OP2 19, Any, Float, Plain => |a| result(float(a).round_ties_even());
    FLOOR: OP2 20, Any, Float, Plain => |a| result(float(a).floor());
    MUL_LIT: OP3 12, Trans, Float, Plain => |a, b, c| multiply_lit(a, b, c).to_bits();
    MUL_LIT_M2: OP3 13, Trans, Float, Plain => |a, b, c| result(multiply_lit(a, b, c) * 2.0);
    MUL_LIT_M4: OP3 14, Trans, Float, Plain => |a, b, c| result(multiply_lit(a, b, c) * 4.0);
    MUL_LIT_D2: OP3 15, Trans, Float, Plain => |a, b, c| result(multiply_lit(a, b, c) * 0.5);
    MULADD: OP3 16, Any, Float, Plain => |a, b, c| result(multiply_zero(a, b) + float(c));
    MULADD_M2: OP3 17, Any, Float, Plain =>
        |a, b, c| scaled(multiply_zero(a, b) + float(c), 2.0);
    MULADD_M4: OP3 18, Any, Float, Plain =>
        |a, b, c| scaled(multiply_zero(a, b) + float(c), 4.0);
    MULADD_D2: OP3 19, Any, Float, Plain =>
        |a, b, c| scaled(multiply_zero(a, b) + float(c), 0.5);
    MULADD_IEEE: OP3 20, Any, Float, Plain => |a, b, c| result(multiply(a, b) + float(c));
    MULADD_IEEE_M2: OP3 21, Any, Float, Plain => |a, b, c| scaled(multiply(a, b) + float(c), 2.0);
    MULADD_IEEE_M4: OP3 22, Any, Float, Plain => |a, b, c| scaled(multiply(a, b) + float(c), 4.0);
    MULADD_IEEE_D2: OP3 23, Any, Float, Plain => |a, b, c| scaled(multiply(a, b) + float(c), 0.5);
}

/// Truncation, plus one for positive fractions: the sign of a zero result is the operand's.
#[inline(always)]
fn ceiling(value: f32) -> f32 {
    let whole = value.trunc();
    if value > 0.0 && value != whole { whole + 1.0 } else { whole }
}

#[inline(always)]
fn scaled(value: f32, factor: f32) -> u32 {
    result(f32::from_bits(result(value)) * factor)
}

/// MUL_LIT: the product, or the most negative number where the lighting terms make no sense.
#[inline(always)]
fn multiply_lit(a: u32, b: u32, c: u32) -> f32 {
    let (exponent, cosine) = (float(b), float(c));
    if exponent <= f32::MIN || exponent.is_nan() || cosine <= 0.0 || cosine.is_nan() {
        f32::MIN
    } else {
        multiply_zero(a, b)
    }
}
