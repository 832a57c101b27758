//! Predicate setters: a predicate, and a float result that some programs keep as a branch counter.

use super::{Effect, Operands, Value};
use crate::{
    number::Number,
    r700::number::{MAX_FLOAT, add, single},
};

/// A result with its predicate: execute or skip.
fn with(value: Value, execute: bool) -> Effect {
    Effect { predicate: Some(execute), ..value.into() }
}

/// What `PRED_SET*` gives: 0.0 and execute where the condition holds, else 1.0 and skip.
fn set(condition: bool) -> Effect {
    with(Value::Float(if condition { Number::ZERO } else { Number::ONE }), condition)
}

/// What `PRED_SET*_PUSH*` gives: 0.0 and execute where the condition holds for a pixel that is
/// not yet off (counter src0 is 0.0), else one more in the counter and skip.
fn push(condition: bool, counter: Number) -> Effect {
    if condition && counter.is_zero() {
        with(Value::Float(Number::ZERO), true)
    } else {
        with(Value::Float(add(counter, Number::ONE)), false)
    }
}

macro_rules! setters {
    ($($name:ident $mnemonic:literal $operand:ident $relation:tt;)*) => {
        $(
            #[doc = concat!("`", $mnemonic, "`: src0 ", stringify!($relation), " src1.")]
            pub(super) fn $name(s: &Operands) -> Effect {
                set(s.$operand(0) $relation s.$operand(1))
            }
        )*
    };
}

setters! {
    pred_sete "PRED_SETE" float ==;
    pred_setgt "PRED_SETGT" float >;
    pred_setge "PRED_SETGE" float >=;
    pred_setne "PRED_SETNE" float !=;
    pred_setgt_uint "PRED_SETGT_UINT" unsigned >;
    pred_setge_uint "PRED_SETGE_UINT" unsigned >=;
    pred_sete_int "PRED_SETE_INT" signed ==;
    pred_setgt_int "PRED_SETGT_INT" signed >;
    pred_setge_int "PRED_SETGE_INT" signed >=;
    pred_setne_int "PRED_SETNE_INT" signed !=;
}

macro_rules! pushes {
    ($($name:ident $mnemonic:literal $operand:ident $relation:tt $zero:expr;)*) => {
        $(
            #[doc = concat!("`", $mnemonic, "`: src1 ", stringify!($relation), " 0, counter src0.")]
            pub(super) fn $name(s: &Operands) -> Effect {
                push(s.$operand(1) $relation $zero, s.float(0))
            }
        )*
    };
}

pushes! {
    pred_sete_push "PRED_SETE_PUSH" float == Number::ZERO;
    pred_setgt_push "PRED_SETGT_PUSH" float > Number::ZERO;
    pred_setge_push "PRED_SETGE_PUSH" float >= Number::ZERO;
    pred_setne_push "PRED_SETNE_PUSH" float != Number::ZERO;
    pred_sete_push_int "PRED_SETE_PUSH_INT" signed == 0;
    pred_setgt_push_int "PRED_SETGT_PUSH_INT" signed > 0;
    pred_setge_push_int "PRED_SETGE_PUSH_INT" signed >= 0;
    pred_setne_push_int "PRED_SETNE_PUSH_INT" signed != 0;
    pred_setlt_push_int "PRED_SETLT_PUSH_INT" signed < 0;
    pred_setle_push_int "PRED_SETLE_PUSH_INT" signed <= 0;
}

/// `PRED_SET_INV`: exchanges the counters 1.0 and 0.0, keeps any other.
pub(super) fn pred_set_inv(s: &Operands) -> Effect {
    let counter = s.float(0);
    if counter == Number::ONE {
        with(Value::Float(Number::ZERO), true)
    } else if counter.is_zero() {
        with(Value::Float(Number::ONE), false)
    } else {
        with(Value::Copy(s.bits[0]), false)
    }
}

/// `PRED_SET_POP`: takes src1 off the counter src0, down to 0.0.
pub(super) fn pred_set_pop(s: &Operands) -> Effect {
    if s.float(0) <= s.float(1) {
        with(Value::Float(Number::ZERO), true)
    } else {
        with(Value::Float(add(s.float(0), -s.float(1))), false)
    }
}

/// `PRED_SET_CLR`: the largest counter.
pub(super) fn pred_set_clr(_: &Operands) -> Effect {
    with(Value::Float(single(MAX_FLOAT)), false)
}

/// `PRED_SET_RESTORE`: executes where the counter is 0.0, keeps it.
pub(super) fn pred_set_restore(s: &Operands) -> Effect {
    if s.float(0).is_zero() {
        with(Value::Float(Number::ZERO), true)
    } else {
        with(Value::Copy(s.bits[0]), false)
    }
}
