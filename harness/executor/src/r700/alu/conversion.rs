//! Conversions between single-precision numbers and integers.

use super::operation::{Operation, Role::Plain, kernel, last, operations};
use crate::r700::number::float;

operations! {
    // Out of range: the low bits as printed, saturation on shipped chips (E-r700-alu-21).
    FLT_TO_INT: OP2 107, Trans, Integer, Plain =>
        |a| low_bits(float(a)), silicon |a| (float(a) as i32).cast_unsigned();
    INT_TO_FLT: OP2 108, Trans, Float, Plain => |a| (a.cast_signed() as f32).to_bits();
    UINT_TO_FLT: OP2 109, Trans, Float, Plain => |a| (a as f32).to_bits();
    FLT_TO_UINT: OP2 121, Trans, Integer, Plain => |a| float(a) as u32;
}

/// The low 32 bits of a truncated float.
fn low_bits(value: f32) -> u32 {
    let exponent = (value.to_bits() >> 23 & 0xFF) as i32 - 150;
    if !value.is_finite() || exponent >= 32 {
        return 0;
    }
    let significand = u64::from(value.to_bits() & 0x7F_FFFF | 0x80_0000);
    let magnitude =
        if exponent >= 0 { significand << exponent } else { significand >> (-exponent).min(63) };
    let magnitude = magnitude as u32;
    if value.is_sign_negative() { magnitude.wrapping_neg() } else { magnitude }
}
