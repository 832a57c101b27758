//! A field of bits to the number it stands for.

use parallax_isa::surface::{Component, Numeric, Value};
use parallax_spec::decision;

use super::{Number, greatest, sign_extend};
use crate::surface::exact::{Exact, FloatShape};

/// The number a field of a component stands for.
pub(crate) fn component(component: Component, field: u64) -> Number {
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
