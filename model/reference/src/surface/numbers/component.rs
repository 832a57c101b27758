//! One component: its field of bits to a number, and back.

use parallax_isa::surface::{Component, Natural, Numeric, Value};
use parallax_spec::decision;

use super::srgb;
use crate::surface::{
    SurfaceError,
    exact::{Exact, FloatShape},
};

/// What a component's bits stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    /// A number that has yet to be rounded to binary32.
    Exact(Exact),
    /// A finished value.
    Value(Value),
}

impl Number {
    /// As a channel's value.
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Exact(number) => Value::float32(number.single()),
            Self::Value(value) => value,
        }
    }

    /// As a channel's value, taken as an sRGB code.
    pub(crate) fn value_from_srgb(self) -> Value {
        match self {
            Self::Exact(number) => Value::float32(srgb::linear_from_srgb(number)),
            Self::Value(value) => value,
        }
    }
}

/// The greatest value of an unsigned field.
pub(crate) const fn greatest(bits: u8) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// A field as a two's complement number.
pub(crate) const fn sign_extend(field: u64, bits: u8) -> i64 {
    (field << (64 - bits)).cast_signed() >> (64 - bits)
}

/// The number a field of a component stands for.
pub(crate) fn read(component: Component, field: u64) -> Number {
    let bits = component.bits;
    let signed = || sign_extend(field, bits);
    match component.numeric {
        Numeric::Unorm => unorm(field, bits),
        Numeric::Snorm => snorm(signed(), bits),
        Numeric::SnormNoZero => Number::Exact(Exact::signed(2 * signed() + 1, greatest(bits))),
        Numeric::Uscaled => Number::Exact(Exact::integer(field)),
        Numeric::Sscaled => Number::Exact(Exact::signed(signed(), 1)),
        Numeric::Sfixed => Number::Exact(Exact::signed(signed(), 1 << 16)),
        Numeric::Uint | Numeric::Index => Number::Value(Value::uint32(field as u32)),
        Numeric::Sint => Number::Value(Value::sint32(signed() as i32)),
        Numeric::Bit => Number::Exact(Exact::integer(field)),
        Numeric::Float if bits == 32 => Number::Value(Value::float32(field as u32)),
        Numeric::Float if bits == 64 => Number::Value(Value::float64(field)),
        Numeric::Float => half(field),
        Numeric::Ufloat => small_float(field, FloatShape::small(u32::from(bits) - 5)),
        Numeric::Raw if bits == 64 => Number::Value(Value::raw64(field)),
        Numeric::Raw => Number::Value(Value::uint32(field as u32)),
        Numeric::Mantissa | Numeric::Exponent => unreachable!("read together: shared_exponent"),
        Numeric::Chosen | Numeric::Pad => unreachable!("resolved or left out before reading"),
    }
}

/// UNORM: all ones is 1.
pub(crate) fn unorm(field: u64, bits: u8) -> Number {
    Number::Exact(Exact::ratio(field, greatest(bits)))
}

/// SNORM: the greatest is 1, the two least are -1. One bit has only 0 and -1.
pub(crate) fn snorm(value: i64, bits: u8) -> Number {
    decision!("D-surface-snorm1");
    let one = greatest(bits - 1).max(1);
    Number::Exact(Exact::signed(value.max(-one.cast_signed()), one))
}

/// IEEE binary16.
pub(crate) fn half(field: u64) -> Number {
    let magnitude = small_float(field & 0x7FFF, FloatShape::small(10)).value().bits;
    Number::Value(Value::float32(magnitude as u32 | (field as u32 >> 15) << 31))
}

/// A float of 5 exponent bits without sign. NaNs keep their fraction, moved to the top.
fn small_float(field: u64, shape: FloatShape) -> Number {
    decision!("D-surface-small-float-nan");
    let bits = match shape.number(field) {
        Some(number) => number.single(),
        None => 0x7F80_0000 | ((field - shape.infinity()) as u32) << (23 - shape.fraction_bits),
    };
    Number::Value(Value::float32(bits))
}

/// A mantissa with the exponent it shares: m * 2^(e - 15 - 9).
pub(crate) fn shared_exponent(mantissa: u64, exponent: u64) -> Number {
    Number::Exact(Exact::integer(mantissa).scaled(exponent as i32 - 24))
}

/// The natural type a component is read as and written from.
pub(crate) fn natural(component: Component) -> Natural {
    match (component.numeric, component.bits) {
        (Numeric::Uint | Numeric::Index, _) | (Numeric::Raw, 8) => Natural::Uint32,
        (Numeric::Sint, _) => Natural::Sint32,
        (Numeric::Float, 64) => Natural::Float64,
        (Numeric::Raw, _) => Natural::Raw64,
        _ => Natural::Float32,
    }
}

/// The field that comes nearest to a value.
pub(crate) fn write(component: Component, value: Value, srgb: bool) -> Result<u64, SurfaceError> {
    let wanted = natural(component);
    if value.natural != wanted {
        return Err(SurfaceError::WrongType { component, wanted, given: value.natural });
    }
    let (bits, single) = (component.bits, value.bits as u32);
    Ok(match component.numeric {
        Numeric::Unorm if srgb => {
            clamped(single, false).map_or(0, |x| srgb::srgb_from_linear(x, greatest(bits)))
        }
        Numeric::Unorm => write_unorm(single, bits),
        Numeric::Snorm => write_snorm(single, bits),
        Numeric::SnormNoZero => write_snorm_no_zero(single, bits),
        Numeric::Uscaled => write_integer(single, 0, 0, greatest(bits).into(), bits),
        Numeric::Sscaled => write_signed(single, 0, bits),
        Numeric::Sfixed => write_signed(single, 16, bits),
        Numeric::Uint => value.bits.min(greatest(bits)),
        Numeric::Sint => {
            decision!("D-surface-integer-clamp");
            let most = greatest(bits - 1).cast_signed();
            i64::from(single.cast_signed()).clamp(-most - 1, most).cast_unsigned() & greatest(bits)
        }
        Numeric::Bit => write_unorm(single, 1),
        Numeric::Float if bits >= 32 => value.bits,
        Numeric::Float => write_half(single),
        Numeric::Ufloat => write_ufloat(single, FloatShape::small(u32::from(bits) - 5)),
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
fn write_unorm(single: u32, bits: u8) -> u64 {
    decision!("D-surface-norm-rounding");
    clamped(single, false).map_or(0, |x| times(x, greatest(bits)).nearest_integer())
}

/// SNORM: NaN is 0; scaled, halves going away from zero; the least code is never written.
fn write_snorm(single: u32, bits: u8) -> u64 {
    decision!("D-surface-norm-rounding");
    let Some(number) = clamped(single, true) else { return 0 };
    if bits == 1 {
        return u64::from(number.negative) & number.nearest_integer();
    }
    let magnitude = times(number, greatest(bits - 1)).nearest_integer();
    with_sign(magnitude, number.negative) & greatest(bits)
}

/// SNORM without a zero: the code c with (2c + 1) / (2^n - 1) nearest; NaN is code 0.
fn write_snorm_no_zero(single: u32, bits: u8) -> u64 {
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
fn write_integer(single: u32, point: i32, least: i128, most: i128, bits: u8) -> u64 {
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

fn write_signed(single: u32, point: i32, bits: u8) -> u64 {
    let most = i128::from(greatest(bits - 1));
    write_integer(single, point, -most - 1, most, bits)
}

/// IEEE binary16, to nearest even; too large numbers become infinities.
fn write_half(single: u32) -> u64 {
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
fn write_ufloat(single: u32, shape: FloatShape) -> u64 {
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
pub(crate) fn write_shared_exponent(singles: [u32; 3]) -> ([u64; 3], u64) {
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
