//! Arithmetic on F and HF with host numbers.
//!
//! Lanes are binary64. A product of two numbers of 24 digits is exact there; a sum is computed with
//! its error (Knuth's two-sum) and made odd where it is not exact, so that one more rounding, in
//! whatever direction to 24 digits or fewer, gives what the exact result would have given.

use super::modes::{Modes, Rounding};

/// A number of binary64 that stands for an inexact result: its last digit is one.
fn odd(sum: f64, error: f64) -> f64 {
    if error == 0.0 || !sum.is_finite() {
        return sum;
    }
    // The truncated magnitude, with the last digit set.
    let away = (error < 0.0) == (sum > 0.0);
    f64::from_bits((sum.to_bits() - u64::from(away)) | 1)
}

/// A sum of numbers of F or of products of two, odd where it is not exact.
///
/// A sum of zeros of different signs, or an exact one of zero, has the sign that the rounding asks.
pub(super) fn add(a: f64, b: f64, rounding: Rounding) -> f64 {
    let sum = a + b;
    if sum == 0.0 {
        let both_negative = a.is_sign_negative() && b.is_sign_negative();
        let cancelled = a.is_sign_negative() != b.is_sign_negative();
        let negative = both_negative || cancelled && rounding == Rounding::Down;
        return if negative { -0.0 } else { 0.0 };
    }
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    odd(sum, error)
}

/// A sum of several terms; the errors of partial sums are themselves summed.
pub(super) fn sum<const N: usize>(terms: [f64; N], rounding: Rounding) -> f64 {
    let (mut total, mut low) = (terms[0], 0.0);
    for term in &terms[1..] {
        let next = total + term;
        let part = next - total;
        low += (total - (next - part)) + (term - part);
        total = next;
    }
    if low == 0.0 || !total.is_finite() || !low.is_finite() {
        let zero = terms.iter().all(|term| *term == 0.0);
        return if zero {
            terms.into_iter().reduce(|a, b| add(a, b, rounding)).unwrap_or(0.0)
        } else {
            total
        };
    }
    add(total, low, rounding)
}

/// An integer as a lane, odd where it has too many digits.
pub(super) fn from_integer(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> excess;
    let sticky = u128::from(kept << excess != magnitude);
    let magnitude = ((kept | sticky) as f64) * 2f64.powi(excess.cast_signed());
    if value < 0 { -magnitude } else { magnitude }
}

/// A number of F as a source of arithmetic.
pub(super) fn single_source(bits: u32, modes: &Modes) -> f64 {
    let value = f32::from_bits(bits);
    if modes.alternative && value.is_infinite() {
        return f64::from(f32::MAX.copysign(value));
    }
    let flushed = value.is_subnormal() && (!modes.keep_single || modes.alternative);
    f64::from(if flushed { 0f32.copysign(value) } else { value })
}

/// A number of HF as a source of arithmetic.
pub(super) fn half_source(bits: u16, modes: &Modes) -> f64 {
    let value = from_half(bits);
    let denormal = bits & 0x7C00 == 0;
    if denormal && !modes.keep_half { 0f64.copysign(value) } else { value }
}

/// A number of DF as a source of arithmetic.
pub(super) fn double_source(bits: u64, modes: &Modes) -> f64 {
    flush_double(f64::from_bits(bits), modes)
}

/// Denormals of DF become the zero of their sign where they are not kept.
pub(super) fn flush_double(value: f64, modes: &Modes) -> f64 {
    if value.is_subnormal() && !modes.keep_double { 0f64.copysign(value) } else { value }
}

/// The exact value of a half.
pub(super) fn from_half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3FF);
    let magnitude = match bits >> 10 & 0x1F {
        0 => fraction * 2f64.powi(-24),
        31 if bits & 0x3FF == 0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// What arithmetic gives that is not a number: always the same, whatever the host makes of operands.
pub(super) use crate::eu::description::NAN_SINGLE;
pub(super) const NAN_HALF: u16 = 0x7E00;

/// A lane rounded to F, and whether a finite one overflowed.
pub(super) fn to_single(lane: f64, modes: &Modes, flush: bool) -> (f32, bool) {
    if lane.is_nan() {
        return (f32::from_bits(NAN_SINGLE), false);
    }
    let nearest = lane as f32;
    let wide = f64::from(nearest);
    // A step in magnitude is a step of the bits.
    let rounded = match modes.rounding {
        Rounding::NearestEven => nearest,
        _ if wide == lane => nearest,
        rounding => {
            let grown = wide.abs() > lane.abs();
            let away = rounding.away(lane.is_sign_negative());
            let step = i32::from(away && !grown) - i32::from(!away && grown);
            f32::from_bits(nearest.to_bits().wrapping_add_signed(step))
        }
    };
    let overflow = lane.is_finite()
        && lane.abs() > f64::from(f32::MAX)
        && wide != lane
        && (rounded.is_infinite() || lane.abs() >= OVERFLOW);
    if modes.alternative && rounded.is_infinite() {
        return (f32::MAX.copysign(rounded), overflow);
    }
    let flush = flush && rounded.is_subnormal() && (!modes.keep_single || modes.alternative);
    (if flush { 0f32.copysign(rounded) } else { rounded }, overflow)
}

/// 2 to the power of 128: the smallest magnitude that no number of F has.
const OVERFLOW: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;

/// A lane rounded to HF, and whether a finite one overflowed.
pub(super) fn to_half(lane: f64, modes: &Modes, flush: bool) -> (u16, bool) {
    let sign = ((lane.to_bits() >> 48) & 0x8000) as u16;
    if lane.is_nan() {
        return (NAN_HALF, false);
    }
    let magnitude = lane.abs();
    if magnitude.is_infinite() {
        return (sign | 0x7C00, false);
    }
    // The exponent of the last digit; that of denormals is the smallest.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let digits = magnitude * 2f64.powi(10 - exponent);
    let whole = match modes.rounding {
        Rounding::NearestEven => digits.round_ties_even(),
        rounding if rounding.away(sign != 0) => digits.ceil(),
        _ => digits.trunc(),
    };
    // A denormal has no implied digit, and a carry goes into the exponent by itself.
    let bits = ((exponent + 14) << 10) + whole as i32;
    let overflow = bits >= 0x7C00;
    let bits = if overflow {
        let largest = modes.rounding == Rounding::TowardZero
            || matches!(modes.rounding, Rounding::Up | Rounding::Down)
                && !modes.rounding.away(sign != 0);
        if largest { 0x7BFF } else { 0x7C00 }
    } else {
        bits as u16
    };
    let denormal = bits & 0x7C00 == 0;
    (sign | if flush && denormal && !modes.keep_half { 0 } else { bits }, overflow)
}
