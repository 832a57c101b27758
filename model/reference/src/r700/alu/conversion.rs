//! Conversions between single-precision numbers and integers.

use parallax_isa::r700::Profile;

use super::{Effect, Operands, Value};
use crate::{
    number::{Number, Rounding},
    r700::number::rounded,
};

/// `FLT_TO_INT`: src0 without its fraction. What does not fit gives its low 32 bits as printed;
/// hardware saturates.
pub(super) fn flt_to_int(s: &Operands) -> Effect {
    let source = s.float(0);
    match (s.profile, truncated(source)) {
        (Profile::Manual, None) => Value::Undefined.into(),
        (Profile::Manual, Some(integer)) => Value::Bits(integer as u32).into(),
        (Profile::Silicon, _) => {
            Value::Bits(saturated(source, i128::from(i32::MIN), i128::from(i32::MAX))).into()
        }
    }
}

/// `FLT_TO_UINT`: src0 without its fraction. What does not fit is undefined as printed; hardware
/// saturates.
pub(super) fn flt_to_uint(s: &Operands) -> Effect {
    let source = s.float(0);
    let most = i128::from(u32::MAX);
    match (s.profile, truncated(source)) {
        (Profile::Silicon, _) => Value::Bits(saturated(source, 0, most)).into(),
        (Profile::Manual, Some(integer)) if (0..=most).contains(&integer) => {
            Value::Bits(integer as u32).into()
        }
        (Profile::Manual, _) => Value::Undefined.into(),
    }
}

/// A finite number without its fraction.
fn truncated(value: Number) -> Option<i128> {
    Some(value.finite()?.to_integer(Rounding::TowardZero))
}

/// The nearest integer of a range; a NaN becomes 0.
fn saturated(value: Number, least: i128, most: i128) -> u32 {
    let integer = match truncated(value) {
        Some(integer) => integer.clamp(least, most),
        None if value.is_nan() => 0,
        None if value.is_negative() => least,
        None => most,
    };
    integer as u32
}

/// `INT_TO_FLT`: the number nearest to a signed integer.
pub(super) fn int_to_flt(s: &Operands) -> Effect {
    Value::Float(rounded(Number::integer(s.signed(0)))).into()
}

/// `UINT_TO_FLT`: the number nearest to an unsigned integer.
pub(super) fn uint_to_flt(s: &Operands) -> Effect {
    Value::Float(rounded(Number::integer(s.unsigned(0)))).into()
}
