//! Integer arithmetic and logic.

use parallax_isa::r700::Profile;

use super::{Effect, Operands, Value};

/// The low 32 bits of an integer.
fn low(value: i128) -> Effect {
    Value::Bits(value as u32).into()
}

/// `AND_INT`.
pub(super) fn and_int(s: &Operands) -> Effect {
    Value::Bits(s.bits[0] & s.bits[1]).into()
}

/// `OR_INT`.
pub(super) fn or_int(s: &Operands) -> Effect {
    Value::Bits(s.bits[0] | s.bits[1]).into()
}

/// `XOR_INT`.
pub(super) fn xor_int(s: &Operands) -> Effect {
    Value::Bits(s.bits[0] ^ s.bits[1]).into()
}

/// `NOT_INT`.
pub(super) fn not_int(s: &Operands) -> Effect {
    Value::Bits(!s.bits[0]).into()
}

/// `ADD_INT`: wraps.
pub(super) fn add_int(s: &Operands) -> Effect {
    low(s.signed(0) + s.signed(1))
}

/// `SUB_INT`: wraps. The manual prints src1 - src0; hardware subtracts the other way.
pub(super) fn sub_int(s: &Operands) -> Effect {
    match s.profile {
        Profile::Manual => low(s.signed(1) - s.signed(0)),
        Profile::Silicon => low(s.signed(0) - s.signed(1)),
    }
}

/// `MAX_INT`.
pub(super) fn max_int(s: &Operands) -> Effect {
    low(s.signed(0).max(s.signed(1)))
}

/// `MIN_INT`.
pub(super) fn min_int(s: &Operands) -> Effect {
    low(s.signed(0).min(s.signed(1)))
}

/// `MAX_UINT`.
pub(super) fn max_uint(s: &Operands) -> Effect {
    low(s.unsigned(0).max(s.unsigned(1)))
}

/// `MIN_UINT`.
pub(super) fn min_uint(s: &Operands) -> Effect {
    low(s.unsigned(0).min(s.unsigned(1)))
}

/// The count of a shift: as printed, everything above 31 moves all bits out; hardware takes the low
/// five bits.
fn count(s: &Operands) -> i128 {
    // Decision D-r700-shifts.
    match s.profile {
        Profile::Manual => s.unsigned(1).min(32),
        Profile::Silicon => s.unsigned(1) % 32,
    }
}

/// `ASHR_INT`: src0 shifted right by src1, its sign moving in.
pub(super) fn ashr_int(s: &Operands) -> Effect {
    low(s.signed(0) >> count(s))
}

/// `LSHR_INT`: src0 shifted right by src1, zeros moving in.
pub(super) fn lshr_int(s: &Operands) -> Effect {
    low(s.unsigned(0) >> count(s))
}

/// `LSHL_INT`: src0 shifted left by src1.
pub(super) fn lshl_int(s: &Operands) -> Effect {
    low(s.unsigned(0) << count(s))
}

/// `MULLO_INT`: low half of the signed product.
pub(super) fn mullo_int(s: &Operands) -> Effect {
    low(s.signed(0) * s.signed(1))
}

/// `MULHI_INT`: high half of the signed product.
pub(super) fn mulhi_int(s: &Operands) -> Effect {
    low((s.signed(0) * s.signed(1)) >> 32)
}

/// `MULLO_UINT`: low half of the unsigned product.
pub(super) fn mullo_uint(s: &Operands) -> Effect {
    low(s.unsigned(0) * s.unsigned(1))
}

/// `MULHI_UINT`: high half of the unsigned product.
pub(super) fn mulhi_uint(s: &Operands) -> Effect {
    low((s.unsigned(0) * s.unsigned(1)) >> 32)
}

/// A reciprocal within one part in 2^20.
fn reciprocal(value: i128) -> Effect {
    Value::ApproximateBits(value as u32, (value.unsigned_abs() >> 20) as u32 + 1).into()
}

/// `RECIP_INT`: 2^31 / src0, toward zero, at most the largest integer; undefined for 0.
pub(super) fn recip_int(s: &Operands) -> Effect {
    match s.signed(0) {
        0 => Value::Undefined.into(),
        divisor => reciprocal(((1 << 31) / divisor).min(i128::from(i32::MAX))),
    }
}

/// `RECIP_UINT`: 2^32 / src0, at most the largest integer; undefined for 0.
pub(super) fn recip_uint(s: &Operands) -> Effect {
    match s.unsigned(0) {
        0 => Value::Undefined.into(),
        divisor => reciprocal(((1 << 32) / divisor).min(i128::from(u32::MAX))),
    }
}
