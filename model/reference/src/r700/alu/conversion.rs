//! Conversions between single-precision numbers and integers.

use parallax_isa::r700::Profile;
use rustc_apfloat::{Float, Round, ieee::Single};

use super::{Effect, Operands, Value};
use crate::r700::number::NEAREST;

/// A finite number without its fraction. Of numbers above 2^100 only the sign is kept and that
/// they are multiples of 2^32: nothing below asks for more.
fn truncated(value: Single) -> i128 {
    if value.is_finite_non_zero() && value.ilogb() >= 100 {
        return if value.is_negative() { -(1 << 100) } else { 1 << 100 };
    }
    value.to_i128_r(128, Round::TowardZero, &mut false).value
}

/// `FLT_TO_INT`: src0 without its fraction. What does not fit gives its low 32 bits as printed;
/// hardware saturates.
pub(super) fn flt_to_int(s: &Operands) -> Effect {
    let source = s.float(0);
    match s.profile {
        Profile::Manual if source.is_nan() || source.is_infinite() => Value::Undefined.into(),
        Profile::Manual => Value::Bits(truncated(source) as u32).into(),
        Profile::Silicon => {
            Value::Bits(saturated(source, i128::from(i32::MIN), i128::from(i32::MAX))).into()
        }
    }
}

/// `FLT_TO_UINT`: src0 without its fraction. What does not fit is undefined as printed; hardware
/// saturates.
pub(super) fn flt_to_uint(s: &Operands) -> Effect {
    let source = s.float(0);
    let most = i128::from(u32::MAX);
    match s.profile {
        Profile::Silicon => Value::Bits(saturated(source, 0, most)).into(),
        Profile::Manual if source.is_nan() || source.is_infinite() => Value::Undefined.into(),
        Profile::Manual => match truncated(source) {
            value if (0..=most).contains(&value) => Value::Bits(value as u32).into(),
            _ => Value::Undefined.into(),
        },
    }
}

fn saturated(value: Single, least: i128, most: i128) -> u32 {
    if value.is_nan() {
        return 0;
    }
    let integer = match (value.is_infinite(), value.is_negative()) {
        (true, true) => least,
        (true, false) => most,
        (false, _) => truncated(value),
    };
    integer.clamp(least, most) as u32
}

/// `INT_TO_FLT`: the number nearest to a signed integer.
pub(super) fn int_to_flt(s: &Operands) -> Effect {
    Value::Float(Single::from_i128_r(s.signed(0), NEAREST).value).into()
}

/// `UINT_TO_FLT`: the number nearest to an unsigned integer.
pub(super) fn uint_to_flt(s: &Operands) -> Effect {
    Value::Float(Single::from_i128_r(s.unsigned(0), NEAREST).value).into()
}
