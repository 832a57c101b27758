//! A number to the field of bits that comes nearest to it.

use parallax_isa::surface::{Component, Numeric, Value};

use super::{greatest, natural, srgb};
use crate::{
    number::{Context, Exact, FloatFormat, Number, Overflow, Rounding},
    surface::SurfaceError,
};

/// The field that comes nearest to a value; of two that are equally near, where normalised numbers have them, the one
/// that `ties` says.
pub(crate) fn component(
    component: Component,
    value: Value,
    srgb: bool,
    ties: Rounding,
) -> Result<u64, SurfaceError> {
    let wanted = natural(component);
    if value.natural != wanted {
        return Err(SurfaceError::WrongType { component, wanted, given: value.natural });
    }
    let (bits, single) = (component.bits, value.bits as u32);
    Ok(match component.numeric {
        Numeric::Unorm if srgb => {
            clamped(single, false).map_or(0, |x| srgb::srgb_from_linear(x.into(), greatest(bits)))
        }
        Numeric::Unorm => unorm(single, bits, ties),
        Numeric::Snorm => snorm(single, bits, ties),
        Numeric::SnormNoZero => snorm_no_zero(single, bits),
        Numeric::Uscaled => integer(single, 0, 0, greatest(bits).into(), bits),
        Numeric::Sscaled => signed(single, 0, bits),
        Numeric::Sfixed => signed(single, 16, bits),
        Numeric::Uint => value.bits.min(greatest(bits)),
        Numeric::Sint => {
            // Decision D-surface-integer-clamp.
            let most = greatest(bits - 1).cast_signed();
            i64::from(single.cast_signed()).clamp(-most - 1, most).cast_unsigned() & greatest(bits)
        }
        Numeric::Bit => unorm(single, 1, ties),
        Numeric::Float if bits >= 32 => value.bits,
        Numeric::Float => half(single),
        Numeric::Ufloat => ufloat(single, FloatFormat::unsigned(bits.into())),
        Numeric::Raw => value.bits & greatest(bits),
        Numeric::Index => return Err(SurfaceError::NotWritable("palette indices".into())),
        Numeric::Mantissa | Numeric::Exponent => unreachable!("written together"),
        Numeric::Chosen | Numeric::Pad => unreachable!("resolved or left out before writing"),
    })
}

/// A binary32 clamped to 0 (or -1) to 1; nothing if it is a NaN.
fn clamped(single: u32, signed: bool) -> Option<Exact> {
    let number = FloatFormat::BINARY32.decode(single.into());
    let negative = number.is_negative();
    match number {
        Number::Nan { .. } => None,
        _ if negative && !signed => Some(Exact::ZERO),
        Number::Finite(exact) if number.abs() < Number::ONE => Some(exact),
        _ => Some(Exact { negative, ..Exact::integer(1) }),
    }
}

/// The magnitude's nearest integer.
fn nearest_integer(number: Exact, ties: Rounding) -> u64 {
    let magnitude = Exact { negative: false, ..number }.to_integer(ties);
    u64::try_from(magnitude).unwrap_or(u64::MAX)
}

/// UNORM: NaN is 0.
fn unorm(single: u32, bits: u8, ties: Rounding) -> u64 {
    // Decision D-surface-norm-rounding.
    clamped(single, false).map_or(0, |x| nearest_integer(times(x, greatest(bits)), ties))
}

/// SNORM: NaN is 0; the least code is never written.
fn snorm(single: u32, bits: u8, ties: Rounding) -> u64 {
    // Decision D-surface-norm-rounding.
    let Some(number) = clamped(single, true) else { return 0 };
    if bits == 1 {
        return u64::from(number.negative) & nearest_integer(number, ties);
    }
    let magnitude = nearest_integer(times(number, greatest(bits - 1)), ties);
    with_sign(magnitude, number.negative) & greatest(bits)
}

/// SNORM without a zero: the code c with (2c + 1) / (2^n - 1) nearest; NaN is code 0.
fn snorm_no_zero(single: u32, bits: u8) -> u64 {
    let Some(number) = clamped(single, true) else { return 0 };
    // Twice the code is an even number one less than this; halves of steps go away from zero.
    let steps = times(number, greatest(bits)).scaled(-1);
    let whole = steps.to_integer(Rounding::TowardZero).unsigned_abs() as u64;
    let magnitude = whole.min(greatest(bits - 1));
    if number.negative && !number.is_zero() { (!magnitude) & greatest(bits) } else { magnitude }
}

/// A number times an integer.
fn times(number: Exact, factor: u64) -> Exact {
    number * Exact::integer(factor.into())
}

/// Two's complement of a magnitude and a sign.
fn with_sign(magnitude: u64, negative: bool) -> u64 {
    if negative { magnitude.wrapping_neg() } else { magnitude }
}

/// A binary32 as an integer of a range, scaled by a power of two; NaN is 0.
fn integer(single: u32, point: i32, least: i128, most: i128, bits: u8) -> u64 {
    // Decision D-surface-scaled-writes.
    let value = match FloatFormat::BINARY32.decode(single.into()) {
        Number::Finite(number) => number.scaled(point).to_integer(Rounding::NearestAway),
        Number::Nan { .. } => 0,
        Number::Infinity { negative: true } => least,
        Number::Infinity { negative: false } => most,
    };
    value.clamp(least, most) as u64 & greatest(bits)
}

fn signed(single: u32, point: i32, bits: u8) -> u64 {
    let most = i128::from(greatest(bits - 1));
    integer(single, point, -most - 1, most, bits)
}

/// IEEE binary16, to nearest even; too large numbers become infinities. A NaN keeps the top of its
/// fraction; it is quiet if that is all zero.
fn half(single: u32) -> u64 {
    // Decision D-surface-float-rounding.
    // Decision D-surface-small-float-nan.
    Context::IEEE.round(FloatFormat::BINARY32.decode(single.into()), FloatFormat::BINARY16).bits
}

/// A float without sign, to nearest even: negative numbers are 0, finite ones too large for the
/// format its greatest.
fn ufloat(single: u32, format: FloatFormat) -> u64 {
    // Decision D-surface-float-rounding.
    match FloatFormat::BINARY32.decode(single.into()) {
        Number::Finite(Exact { negative: true, .. }) | Number::Infinity { negative: true } => 0,
        Number::Infinity { .. } => format.infinity(),
        number => {
            Context { overflow: Overflow::Largest, ..Context::IEEE }.round(number, format).bits
        }
    }
}

/// The three mantissas and the exponent nearest to three colours.
pub(crate) fn shared_exponent(singles: [u32; 3]) -> ([u64; 3], u64) {
    // Decision D-surface-sharedexp.
    // 511/512 * 2^16, the greatest value there is.
    const GREATEST: u32 = 0x477F_8000;
    let clamp = |single: u32| {
        let number = FloatFormat::BINARY32.decode(single.into());
        if number.is_nan() || number.is_negative() { 0 } else { single.min(GREATEST) }
    };
    let colours = singles.map(clamp);
    let largest = colours.into_iter().max().expect("three of them");
    // The exponent that puts the largest in 256 to 511, at least 0.
    let floor_log2 = (largest >> 23) as i32 - 127;
    let exponent = (floor_log2 + 16).max(0);
    let mantissa = |single: u32, exponent: i32| {
        let number = FloatFormat::BINARY32.decode(single.into()).finite().expect("clamped");
        nearest_integer(number.scaled(24 - exponent), Rounding::NearestAway)
    };
    // Rounding can carry the largest to 512.
    let exponent = exponent + i32::from(mantissa(largest, exponent) == 512);
    (colours.map(|colour| mantissa(colour, exponent)), exponent as u64)
}
