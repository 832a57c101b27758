//! Integer arithmetic and logic.

use super::operation::{Operation, Role::Plain, kernel, last, operations};

operations! {
    AND_INT: OP2 48, Any, Integer, Plain => |a, b| a & b;
    OR_INT: OP2 49, Any, Integer, Plain => |a, b| a | b;
    XOR_INT: OP2 50, Any, Integer, Plain => |a, b| a ^ b;
    NOT_INT: OP2 51, Any, Integer, Plain => |a| !a;
    ADD_INT: OP2 52, Any, Integer, Plain => |a, b| a.wrapping_add(b);
    // The page prints src1 - src0, shipped chips compute src0 - src1 (E-r700-alu-65).
    SUB_INT: OP2 53, Any, Integer, Plain =>
        |a, b| b.wrapping_sub(a), silicon |a, b| a.wrapping_sub(b);
    MAX_INT: OP2 54, Any, Integer, Plain =>
        |a, b| a.cast_signed().max(b.cast_signed()).cast_unsigned();
    MIN_INT: OP2 55, Any, Integer, Plain =>
        |a, b| a.cast_signed().min(b.cast_signed()).cast_unsigned();
    MAX_UINT: OP2 56, Any, Integer, Plain => |a, b| a.max(b);
    MIN_UINT: OP2 57, Any, Integer, Plain => |a, b| a.min(b);
    ASHR_INT: OP2 112, Any, Integer, Plain =>
        |a, b| (a.cast_signed() >> b.min(31)).cast_unsigned(),
        silicon |a, b| (a.cast_signed() >> (b & 31)).cast_unsigned();
    LSHR_INT: OP2 113, Any, Integer, Plain =>
        |a, b| if b > 31 { 0 } else { a >> b }, silicon |a, b| a >> (b & 31);
    LSHL_INT: OP2 114, Any, Integer, Plain =>
        |a, b| if b > 31 { 0 } else { a << b }, silicon |a, b| a << (b & 31);
    MULLO_INT: OP2 115, Trans, Integer, Plain => |a, b| a.wrapping_mul(b);
    MULHI_INT: OP2 116, Trans, Integer, Plain =>
        |a, b| ((i64::from(a.cast_signed()) * i64::from(b.cast_signed())) >> 32) as u32;
    MULLO_UINT: OP2 117, Trans, Integer, Plain => |a, b| a.wrapping_mul(b);
    MULHI_UINT: OP2 118, Trans, Integer, Plain =>
        |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32;
    RECIP_INT: OP2 119, Trans, Integer, Plain =>
        |a| if a == 0 { 0 } else { reciprocal_fraction(a) };
    RECIP_UINT: OP2 120, Trans, Integer, Plain =>
        |a| if a == 0 { 0 } else { ((1_u64 << 32) / u64::from(a)).min(u64::from(u32::MAX)) as u32 };
}

/// 2^31 over a signed integer, as far as a signed integer goes.
fn reciprocal_fraction(bits: u32) -> u32 {
    let quotient = (1_i64 << 31) / i64::from(bits.cast_signed());
    quotient.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32
}
