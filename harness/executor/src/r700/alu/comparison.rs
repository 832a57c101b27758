//! Comparisons: the larger and the smaller, `SET*` and `KILL*`.

use super::operation::{
    Operation,
    Role::{Kill, Plain},
    kernel, last, operations,
};
use crate::r700::number::{NAN, float, one_if};

operations! {
    MAX: OP2 3, Any, Float, Plain => |a, b| pick(a, b, float(a) >= float(b));
    MIN: OP2 4, Any, Float, Plain => |a, b| pick(a, b, float(a) < float(b));
    MAX_DX10: OP2 5, Any, Float, Plain => |a, b| pick_number(a, b, float(a) >= float(b));
    MIN_DX10: OP2 6, Any, Float, Plain => |a, b| pick_number(a, b, float(a) < float(b));
    SETE: OP2 8, Any, Float, Plain => |a, b| one_if(float(a) == float(b));
    SETGT: OP2 9, Any, Float, Plain => |a, b| one_if(float(a) > float(b));
    SETGE: OP2 10, Any, Float, Plain => |a, b| one_if(float(a) >= float(b));
    SETNE: OP2 11, Any, Float, Plain => |a, b| one_if(float(a) != float(b));
    SETE_DX10: OP2 12, Any, Integer, Plain => |a, b| truth(float(a) == float(b));
    SETGT_DX10: OP2 13, Any, Integer, Plain => |a, b| truth(float(a) > float(b));
    SETGE_DX10: OP2 14, Any, Integer, Plain => |a, b| truth(float(a) >= float(b));
    SETNE_DX10: OP2 15, Any, Integer, Plain => |a, b| truth(float(a) != float(b));
    SETE_INT: OP2 58, Any, Integer, Plain => |a, b| truth(a == b);
    SETGT_INT: OP2 59, Any, Integer, Plain => |a, b| truth(a.cast_signed() > b.cast_signed());
    SETGE_INT: OP2 60, Any, Integer, Plain => |a, b| truth(a.cast_signed() >= b.cast_signed());
    SETNE_INT: OP2 61, Any, Integer, Plain => |a, b| truth(a != b);
    SETGT_UINT: OP2 62, Any, Integer, Plain => |a, b| truth(a > b);
    SETGE_UINT: OP2 63, Any, Integer, Plain => |a, b| truth(a >= b);
    KILLE: OP2 44, Any, Float, Kill => |a, b| one_if(float(a) == float(b));
    KILLGT: OP2 45, Any, Float, Kill => |a, b| one_if(float(a) > float(b));
    KILLGE: OP2 46, Any, Float, Kill => |a, b| one_if(float(a) >= float(b));
    KILLNE: OP2 47, Any, Float, Kill => |a, b| one_if(float(a) != float(b));
    KILLGT_UINT: OP2 64, Any, Float, Kill => |a, b| one_if(a > b);
    KILLGE_UINT: OP2 65, Any, Float, Kill => |a, b| one_if(a >= b);
    KILLE_INT: OP2 70, Any, Float, Kill => |a, b| one_if(a == b);
    KILLGT_INT: OP2 71, Any, Float, Kill => |a, b| one_if(a.cast_signed() > b.cast_signed());
    KILLGE_INT: OP2 72, Any, Float, Kill => |a, b| one_if(a.cast_signed() >= b.cast_signed());
    KILLNE_INT: OP2 73, Any, Float, Kill => |a, b| one_if(a != b);
}

#[inline(always)]
fn truth(condition: bool) -> u32 {
    if condition { u32::MAX } else { 0 }
}

/// DX10 extremum: a NaN loses against a number.
#[inline(always)]
fn pick_number(a: u32, b: u32, first: bool) -> u32 {
    match (float(a).is_nan(), float(b).is_nan()) {
        (true, true) => NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            if first {
                a
            } else {
                b
            }
        }
    }
}

/// A picked operand keeps its bits (decision D-r700-float).
#[inline(always)]
pub(super) fn pick(a: u32, b: u32, first: bool) -> u32 {
    if first { a } else { b }
}
