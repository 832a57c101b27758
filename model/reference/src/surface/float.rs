//! Binary32 numbers by their bits, each operation rounded to nearest even.

use std::cmp::Ordering;

use crate::number::{Context, FloatFormat, Number, Rounding};

pub(super) const ZERO: u32 = 0;
pub(super) const ONE: u32 = 0x3F80_0000;
pub(super) const MINUS_ONE: u32 = 0xBF80_0000;

fn number(bits: u32) -> Number {
    FloatFormat::BINARY32.decode(bits.into())
}

fn bits(number: Number) -> u32 {
    Context::IEEE.round(number, FloatFormat::BINARY32).bits as u32
}

pub(super) fn is_nan(a: u32) -> bool {
    number(a).is_nan()
}

pub(super) fn add(a: u32, b: u32) -> u32 {
    bits(number(a).plus(number(b), Rounding::NearestEven))
}

pub(super) fn subtract(a: u32, b: u32) -> u32 {
    bits(number(a).minus(number(b), Rounding::NearestEven))
}

pub(super) fn multiply(a: u32, b: u32) -> u32 {
    bits(number(a).times(number(b)))
}

/// The lesser; the other one if one is a NaN.
pub(super) fn minimum(a: u32, b: u32) -> u32 {
    match compare(a, b) {
        Some(Ordering::Greater) => b,
        None if is_nan(a) => b,
        _ => a,
    }
}

/// The greater; the other one if one is a NaN.
pub(super) fn maximum(a: u32, b: u32) -> u32 {
    match compare(a, b) {
        Some(Ordering::Less) => b,
        None if is_nan(a) => b,
        _ => a,
    }
}

/// Order of two numbers; none if one is a NaN. Zeros are equal.
pub(super) fn compare(a: u32, b: u32) -> Option<Ordering> {
    number(a).partial_cmp(&number(b))
}

/// A number kept between two; a NaN becomes 0.
pub(super) fn clamp(a: u32, least: u32, most: u32) -> u32 {
    if is_nan(a) { ZERO } else { minimum(maximum(a, least), most) }
}
