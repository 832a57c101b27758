//! What the bits of a component stand for: its field to a number, and back.

pub(super) mod read;
pub(super) mod srgb;
pub(super) mod write;

use parallax_isa::surface::{Component, Natural, Numeric, Value};

use crate::number::Ratio;

/// What a component's bits stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    /// A number that has yet to be rounded to binary32.
    Exact(Ratio),
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
