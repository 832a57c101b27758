//! A field of bits to the number it stands for.

use parallax_isa::surface::{Component, Numeric, Value};

use super::{Number, greatest, sign_extend};
use crate::number::{Context, FloatFormat, Ratio};

/// The number a field of a component stands for.
pub(crate) fn component(component: Component, field: u64) -> Number {
    let bits = component.bits;
    let signed = || sign_extend(field, bits);
    match component.numeric {
        Numeric::Unorm => unorm(field, bits),
        Numeric::Snorm => snorm(signed(), bits),
        Numeric::SnormNoZero => Number::Exact(Ratio::signed(2 * signed() + 1, greatest(bits))),
        Numeric::Uscaled => Number::Exact(Ratio::integer(field)),
        Numeric::Sscaled => Number::Exact(Ratio::signed(signed(), 1)),
        Numeric::Sfixed => Number::Exact(Ratio::signed(signed(), 1 << 16)),
        Numeric::Uint | Numeric::Index => Number::Value(Value::uint32(field as u32)),
        Numeric::Sint => Number::Value(Value::sint32(signed() as i32)),
        Numeric::Bit => Number::Exact(Ratio::integer(field)),
        Numeric::Float if bits == 32 => Number::Value(Value::float32(field as u32)),
        Numeric::Float if bits == 64 => Number::Value(Value::float64(field)),
        Numeric::Float => half(field),
        Numeric::Ufloat => float(FloatFormat::unsigned(bits.into()), field),
        Numeric::Raw if bits == 64 => Number::Value(Value::raw64(field)),
        Numeric::Raw => Number::Value(Value::uint32(field as u32)),
        Numeric::Mantissa | Numeric::Exponent => unreachable!("read together: shared_exponent"),
        Numeric::Chosen | Numeric::Pad => unreachable!("resolved or left out before reading"),
    }
}

/// UNORM: all ones is 1.
pub(crate) fn unorm(field: u64, bits: u8) -> Number {
    Number::Exact(Ratio::new(field, greatest(bits)))
}

/// SNORM: the greatest is 1, the two least are -1. One bit has only 0 and -1.
pub(crate) fn snorm(value: i64, bits: u8) -> Number {
    // Decision D-surface-snorm1.
    let one = greatest(bits - 1).max(1);
    Number::Exact(Ratio::signed(value.max(-one.cast_signed()), one))
}

/// IEEE binary16.
pub(crate) fn half(field: u64) -> Number {
    float(FloatFormat::BINARY16, field)
}

/// A float narrower than binary32. NaNs keep their fraction, moved to the top.
fn float(format: FloatFormat, field: u64) -> Number {
    // Decision D-surface-small-float-nan.
    let bits = Context::IEEE.round(format.decode(field), FloatFormat::BINARY32).bits;
    Number::Value(Value::float32(bits as u32))
}

/// A mantissa with the exponent it shares: m * 2^(e - 15 - 9).
pub(crate) fn shared_exponent(mantissa: u64, exponent: u64) -> Number {
    Number::Exact(Ratio::integer(mantissa).scaled(exponent as i32 - 24))
}
