//! A number to the field of bits that comes nearest to it.

use parallax_isa::surface::{Component, Numeric, Value};
use parallax_spec::decision;

use super::{greatest, natural, srgb};
use crate::surface::{
    SurfaceError,
    exact::{Exact, FloatShape},
};

/// The field that comes nearest to a value.
pub(crate) fn component(
    component: Component,
    value: Value,
    srgb: bool,
) -> Result<u64, SurfaceError> {
    let wanted = natural(component);
    if value.natural != wanted {
        return Err(SurfaceError::WrongType { component, wanted, given: value.natural });
    }
    let (bits, single) = (component.bits, value.bits as u32);
    Ok(match component.numeric {
        Numeric::Unorm if srgb => {
            clamped(single, false).map_or(0, |x| srgb::srgb_from_linear(x, greatest(bits)))
        }
        Numeric::Unorm => unorm(single, bits),
        Numeric::Snorm => snorm(single, bits),
        Numeric::SnormNoZero => snorm_no_zero(single, bits),
        Numeric::Uscaled => integer(single, 0, 0, greatest(bits).into(), bits),
        Numeric::Sscaled => signed(single, 0, bits),
        Numeric::Sfixed => signed(single, 16, bits),
        Numeric::Uint => value.bits.min(greatest(bits)),
        Numeric::Sint => {
            decision!("D-surface-integer-clamp");
            let most = greatest(bits - 1).cast_signed();
            i64::from(single.cast_signed()).clamp(-most - 1, most).cast_unsigned() & greatest(bits)
        }
        Numeric::Bit => unorm(single, 1),
        Numeric::Float if bits >= 32 => value.bits,
        Numeric::Float => half(single),
        Numeric::Ufloat => ufloat(single, FloatShape::small(u32::from(bits) - 5)),
        Numeric::Raw => value.bits & greatest(bits),
        Numeric::Index => return Err(SurfaceError::NotWritable("palette indices".into())),
        Numeric::Mantissa | Numeric::Exponent => unreachable!("written together"),
        Numeric::Chosen | Numeric::Pad => unreachable!("resolved or left out before writing"),
    })
}

fn is_nan(single: u32) -> bool {
    single & 0x7FFF_FFFF > 0x7F80_0000
}

/// A binary32 clamped to 0 (or -1) to 1; nothing if it is a NaN.
fn clamped(single: u32, signed: bool) -> Option<Exact> {
    if is_nan(single) {
        return None;
    }
    let negative = single >> 31 == 1;
    let magnitude = (single & 0x7FFF_FFFF).min(0x3F80_0000);
    let number = Exact::from_single(magnitude).expect("at most 1");
    match (negative, signed) {
        (true, false) => Some(Exact::ZERO),
        _ => Some(Exact { negative, ..number }),
    }
}

/// UNORM: NaN is 0; scaled, halves going up.
fn unorm(single: u32, bits: u8) -> u64 {
    decision!("D-surface-norm-rounding");
    clamped(single, false).map_or(0, |x| times(x, greatest(bits)).nearest_integer())
}

/// SNORM: NaN is 0; scaled, halves going away from zero; the least code is never written.
fn snorm(single: u32, bits: u8) -> u64 {
    decision!("D-surface-norm-rounding");
    let Some(number) = clamped(single, true) else { return 0 };
    if bits == 1 {
        return u64::from(number.negative) & number.nearest_integer();
    }
    let magnitude = times(number, greatest(bits - 1)).nearest_integer();
    with_sign(magnitude, number.negative) & greatest(bits)
}

/// SNORM without a zero: the code c with (2c + 1) / (2^n - 1) nearest; NaN is code 0.
fn snorm_no_zero(single: u32, bits: u8) -> u64 {
    let Some(number) = clamped(single, true) else { return 0 };
    // Twice the code is an even number one less than this; halves of steps go away from zero.
    let steps = times(number, greatest(bits)).scaled(-1);
    let magnitude = (steps.floor() as u64).min(greatest(bits - 1));
    if number.negative && number.numerator != 0 { (!magnitude) & greatest(bits) } else { magnitude }
}

/// A number times an integer.
fn times(number: Exact, factor: u64) -> Exact {
    // Mantissas have 24 bits and factors 32.
    Exact { numerator: number.numerator * factor, ..number }
}

/// Two's complement of a magnitude and a sign.
fn with_sign(magnitude: u64, negative: bool) -> u64 {
    if negative { magnitude.wrapping_neg() } else { magnitude }
}

/// A binary32 as an integer of a range, scaled by a power of two; NaN is 0.
fn integer(single: u32, point: i32, least: i128, most: i128, bits: u8) -> u64 {
    decision!("D-surface-scaled-writes");
    let negative = single >> 31 == 1;
    let magnitude = match Exact::from_single(single) {
        Some(number) => number.scaled(point).nearest_integer(),
        None if is_nan(single) => 0,
        None => u64::MAX,
    };
    let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    value.clamp(least, most) as u64 & greatest(bits)
}

fn signed(single: u32, point: i32, bits: u8) -> u64 {
    let most = i128::from(greatest(bits - 1));
    integer(single, point, -most - 1, most, bits)
}

/// IEEE binary16, to nearest even; too large numbers become infinities.
fn half(single: u32) -> u64 {
    decision!("D-surface-float-rounding");
    let sign = u64::from(single >> 31) << 15;
    let shape = FloatShape::small(10);
    sign | match Exact::from_single(single) {
        Some(number) => number.round(shape),
        None if is_nan(single) => nan(single, shape),
        None => shape.infinity(),
    }
}

/// A float without sign, to nearest even: negative numbers are 0, finite ones too large for the
/// format its greatest.
fn ufloat(single: u32, shape: FloatShape) -> u64 {
    decision!("D-surface-float-rounding");
    match Exact::from_single(single) {
        Some(number) if number.negative => 0,
        Some(number) => number.round(shape).min(shape.infinity() - 1),
        None if is_nan(single) => nan(single, shape),
        None if single >> 31 == 1 => 0,
        None => shape.infinity(),
    }
}

/// A NaN of a shape with the top of the fraction of a binary32 NaN; quiet if that is all zero.
fn nan(single: u32, shape: FloatShape) -> u64 {
    decision!("D-surface-small-float-nan");
    let fraction = u64::from(single & 0x7F_FFFF) >> (23 - shape.fraction_bits);
    shape.infinity() | if fraction == 0 { 1 << (shape.fraction_bits - 1) } else { fraction }
}

/// The three mantissas and the exponent nearest to three colours.
pub(crate) fn shared_exponent(singles: [u32; 3]) -> ([u64; 3], u64) {
    decision!("D-surface-sharedexp");
    // 511/512 * 2^16, the greatest value there is.
    const GREATEST: u32 = 0x477F_8000;
    let clamp = |single: u32| match single {
        _ if is_nan(single) || single >> 31 == 1 => 0,
        _ => single.min(GREATEST),
    };
    let colours = singles.map(clamp);
    let largest = colours.into_iter().max().expect("three of them");
    // The exponent that puts the largest in 256 to 511, at least 0.
    let floor_log2 = (largest >> 23) as i32 - 127;
    let exponent = (floor_log2 + 16).max(0);
    let mantissa = |single: u32, exponent: i32| {
        let number = Exact::from_single(single).expect("clamped");
        number.scaled(24 - exponent).nearest_integer()
    };
    // Rounding can carry the largest to 512.
    let exponent = exponent + i32::from(mantissa(largest, exponent) == 512);
    (colours.map(|colour| mantissa(colour, exponent)), exponent as u64)
}
