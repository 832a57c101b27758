//! References against texels (decision D-r700-compare).

use parallax_isa::r700::sampler::Comparison;

use super::super::{format::Depth, number::float};

/// A number on the side of a comparison: an integer, or the bits of a single.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side {
    Integer(i32),
    Single(f32),
}

/// A reference, or the border, as texels of a format are.
pub(super) fn converted(depth: Depth, bits: u32) -> Side {
    let number = float(bits);
    match depth {
        Depth::Single => Side::Single(number),
        // Of the three integers that a NaN may become.
        Depth::Fraction { .. } if number.is_nan() => Side::Integer(0),
        Depth::Fraction { bits, signed } => {
            let whole = if signed { (1 << (bits - 1)) - 1 } else { (1 << bits) - 1 };
            let low = if signed { -1.0 } else { 0.0 };
            let scaled = f64::from(number.max(low).min(1.0)) * f64::from(whole);
            Side::Integer(scaled.round_ties_even() as i32)
        }
    }
}

/// A texel, by its first dword.
pub(super) fn texel(depth: Depth, raw: u32) -> Side {
    match depth {
        Depth::Single => Side::Single(float(raw)),
        Depth::Fraction { bits, signed: false } => {
            Side::Integer((raw & (u32::MAX >> (32 - bits))).cast_signed())
        }
        Depth::Fraction { bits, signed: true } => {
            let unused = 32 - bits;
            let value = (raw << unused).cast_signed() >> unused;
            let lowest = 1 - (1 << (bits - 1));
            Side::Integer(value.max(lowest))
        }
    }
}

/// Whether the comparison passes.
pub(super) fn passes(how: Comparison, reference: Side, texel: Side) -> bool {
    let [less, equal, greater] = match (reference, texel) {
        (Side::Integer(a), Side::Integer(b)) => [a < b, a == b, a > b],
        (Side::Single(a), Side::Single(b)) => [a < b, a == b, a > b],
        _ => [false; 3],
    };
    match how {
        Comparison::Never => false,
        Comparison::Less => less,
        Comparison::Equal => equal,
        Comparison::LessEqual => less || equal,
        Comparison::Greater => greater,
        Comparison::NotEqual => !equal,
        Comparison::GreaterEqual => greater || equal,
        Comparison::Always => true,
    }
}
