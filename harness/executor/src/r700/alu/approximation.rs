//! Reciprocals, roots, exponentials, logarithms, sines and cosines.
//!
//! They are computed in double precision and rounded once: far inside the accuracy that the model
//! states for them.

use std::f64::consts::TAU;

use super::operation::{Operation, Role::Plain, kernel, last, operations};
use crate::r700::number::{INFINITY, MAX_FLOAT, SIGN, float, result};

operations! {
    EXP_IEEE: OP2 97, Trans, Float, Plain => |a| approximate(a, f64::exp2);
    // Only the lower end is clamped (E-r700-alu-31).
    LOG_CLAMPED: OP2 98, Trans, Float, Plain => |a| lower_end(approximate(a, f64::log2));
    LOG_IEEE: OP2 99, Trans, Float, Plain => |a| approximate(a, f64::log2);
    RECIP_CLAMPED: OP2 100, Trans, Float, Plain => |a| finite(approximate(a, f64::recip));
    RECIP_FF: OP2 101, Trans, Float, Plain => |a| zero_for_infinity(approximate(a, f64::recip));
    RECIP_IEEE: OP2 102, Trans, Float, Plain => |a| approximate(a, f64::recip);
    RECIPSQRT_CLAMPED: OP2 103, Trans, Float, Plain => |a| finite(reciprocal_root(a));
    RECIPSQRT_FF: OP2 104, Trans, Float, Plain => |a| zero_for_infinity(reciprocal_root(a));
    RECIPSQRT_IEEE: OP2 105, Trans, Float, Plain => |a| reciprocal_root(a);
    SQRT_IEEE: OP2 106, Trans, Float, Plain => |a| approximate(a, f64::sqrt);
    // The page says radians, shipped chips take turns (E-r700-alu-17). The remainder keeps -0.
    SIN: OP2 110, Trans, Float, Plain =>
        |a| approximate(a, f64::sin), silicon |a| approximate(a, |x| (x % 1.0 * TAU).sin());
    COS: OP2 111, Trans, Float, Plain =>
        |a| approximate(a, f64::cos), silicon |a| approximate(a, |x| (x % 1.0 * TAU).cos());
}

#[inline(always)]
fn approximate(bits: u32, function: fn(f64) -> f64) -> u32 {
    result(function(f64::from(float(bits))) as f32)
}

/// Division and root are taken in single precision, where twice as many fit into a vector; a step of
/// Newton's method, with products and sums rounded once, makes the result as accurate as the other ones.
#[inline(always)]
fn reciprocal_root(bits: u32) -> u32 {
    let value = float(bits);
    let near = value.sqrt().recip();
    let product = value * near;
    let lost = value.mul_add(near, -product);
    let rest = (-lost).mul_add(near, (-product).mul_add(near, 1.0));
    let better = (0.5 * near).mul_add(rest, near);
    // Zeros, infinities and NaNs are final.
    let step = near.abs() > 0.0 && near.abs() < f32::INFINITY;
    result(if step { better } else { near })
}

/// The negative infinity as the lowest finite number.
#[inline(always)]
fn lower_end(bits: u32) -> u32 {
    if bits == SIGN | INFINITY { SIGN | MAX_FLOAT } else { bits }
}

/// Infinities as the largest finite numbers.
#[inline(always)]
fn finite(bits: u32) -> u32 {
    if bits & !SIGN == INFINITY { bits & SIGN | MAX_FLOAT } else { bits }
}

#[inline(always)]
fn zero_for_infinity(bits: u32) -> u32 {
    if bits & !SIGN == INFINITY { bits & SIGN } else { bits }
}
