//! Predicate setters: the result is 0.0 exactly where the predicate says execute, unless the row says
//! something else.

use super::operation::{
    Executes::{NotAbove, Zero, ZeroFromZero},
    Operation,
    Role::Predicate,
    kernel, last, operations,
};
use crate::r700::number::{MAX_FLOAT, ONE, float, flush, one_if, result};

operations! {
    PRED_SETGT_UINT: OP2 30, Any, Float, Predicate(Zero) => |a, b| one_if(a <= b);
    PRED_SETGE_UINT: OP2 31, Any, Float, Predicate(Zero) => |a, b| one_if(a < b);
    PRED_SETE: OP2 32, Any, Float, Predicate(Zero) => |a, b| one_if(float(a) != float(b));
    PRED_SETGT: OP2 33, Any, Float, Predicate(Zero) => |a, b| zero_if(float(a) > float(b));
    PRED_SETGE: OP2 34, Any, Float, Predicate(Zero) => |a, b| zero_if(float(a) >= float(b));
    PRED_SETNE: OP2 35, Any, Float, Predicate(Zero) => |a, b| one_if(float(a) == float(b));
    PRED_SET_INV: OP2 36, Any, Float, Predicate(Zero) =>
        |a| if float(a) == 1.0 { 0 } else if float(a) == 0.0 { ONE } else { flush(a) };
    PRED_SET_POP: OP2 37, Any, Float, Predicate(NotAbove) =>
        |a, b| if float(a) <= float(b) { 0 } else { result(float(a) - float(b)) };
    PRED_SET_CLR: OP2 38, Any, Float, Predicate(Zero) => | | MAX_FLOAT;
    PRED_SET_RESTORE: OP2 39, Any, Float, Predicate(Zero) =>
        |a| if float(a) == 0.0 { 0 } else { flush(a) };
    PRED_SETE_PUSH: OP2 40, Any, Float, Predicate(ZeroFromZero) =>
        |a, b| push(a, float(b) == 0.0);
    PRED_SETGT_PUSH: OP2 41, Any, Float, Predicate(ZeroFromZero) =>
        |a, b| push(a, float(b) > 0.0);
    PRED_SETGE_PUSH: OP2 42, Any, Float, Predicate(ZeroFromZero) =>
        |a, b| push(a, float(b) >= 0.0);
    PRED_SETNE_PUSH: OP2 43, Any, Float, Predicate(ZeroFromZero) =>
        |a, b| push(a, float(b) != 0.0);
    PRED_SETE_INT: OP2 66, Any, Float, Predicate(Zero) => |a, b| one_if(a != b);
    PRED_SETGT_INT: OP2 67, Any, Float, Predicate(Zero) =>
        |a, b| one_if(a.cast_signed() <= b.cast_signed());
    PRED_SETGE_INT: OP2 68, Any, Float, Predicate(Zero) =>
        |a, b| one_if(a.cast_signed() < b.cast_signed());
    PRED_SETNE_INT: OP2 69, Any, Float, Predicate(Zero) => |a, b| one_if(a == b);
    PRED_SETE_PUSH_INT: OP2 74, Any, Float, Predicate(ZeroFromZero) => |a, b| push(a, b == 0);
    PRED_SETGT_PUSH_INT: OP2 75, Any, Float, Predicate(ZeroFromZero) =>
        |a, b| push(a, b.cast_signed() > 0);
    PRED_SETGE_PUSH_INT: OP2 76, Any, Float, Predicate(ZeroFromZero) =>
        |a, b| push(a, b.cast_signed() >= 0);
    PRED_SETNE_PUSH_INT: OP2 77, Any, Float, Predicate(ZeroFromZero) => |a, b| push(a, b != 0);
    PRED_SETLT_PUSH_INT: OP2 78, Any, Float, Predicate(ZeroFromZero) =>
        |a, b| push(a, b.cast_signed() < 0);
    PRED_SETLE_PUSH_INT: OP2 79, Any, Float, Predicate(ZeroFromZero) =>
        |a, b| push(a, b.cast_signed() <= 0);
}

#[inline(always)]
fn zero_if(condition: bool) -> u32 {
    if condition { 0 } else { ONE }
}

/// The branch counter of PRED_SET*_PUSH: 0.0 where the branch is taken, else one level deeper.
#[inline(always)]
fn push(counter: u32, condition: bool) -> u32 {
    if condition && float(counter) == 0.0 { 0 } else { result(float(counter) + 1.0) }
}
