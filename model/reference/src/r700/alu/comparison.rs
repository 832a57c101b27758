//! Comparisons: the larger and the smaller, `SET*` and `KILL*`.

use super::{Effect, Operands, Value};
use crate::{number::Number, r700::number::nan};

/// `MAX`: src0 where src0 >= src1, else src1; with a NaN that is src1.
pub(super) fn max(s: &Operands) -> Effect {
    let first = s.float(0) >= s.float(1);
    Value::Copy(s.bits[if first { 0 } else { 1 }]).into()
}

/// `MIN`: src0 where src0 < src1, else src1; with a NaN that is src1.
pub(super) fn min(s: &Operands) -> Effect {
    let first = s.float(0) < s.float(1);
    Value::Copy(s.bits[if first { 0 } else { 1 }]).into()
}

/// The rule of Direct3D 10: of a NaN and a number, the number.
fn dx10(s: &Operands, plain: fn(&Operands) -> Effect) -> Effect {
    match (s.float(0).is_nan(), s.float(1).is_nan()) {
        (true, true) => Value::Float(nan()).into(),
        (true, false) => Value::Copy(s.bits[1]).into(),
        (false, true) => Value::Copy(s.bits[0]).into(),
        (false, false) => plain(s),
    }
}

/// `MAX_DX10`: as `MAX`, with the NaN rule of Direct3D 10.
pub(super) fn max_dx10(s: &Operands) -> Effect {
    dx10(s, max)
}

/// `MIN_DX10`: as `MIN`, with the NaN rule of Direct3D 10.
pub(super) fn min_dx10(s: &Operands) -> Effect {
    dx10(s, min)
}

/// What `SET*` gives: 1.0 or 0.0.
fn set(condition: bool) -> Effect {
    Value::Float(if condition { Number::ONE } else { Number::ZERO }).into()
}

/// What `SET*_DX10` and `SET*_INT` give: all bits or none.
fn set_bits(condition: bool) -> Effect {
    Value::Bits(if condition { u32::MAX } else { 0 }).into()
}

/// What `KILL*` does: the pixel goes where the condition holds.
fn kill(condition: bool) -> Effect {
    Effect { kill: condition, ..set(condition) }
}

macro_rules! comparisons {
    ($($name:ident $mnemonic:literal $effect:ident $operand:ident $relation:tt;)*) => {
        $(
            #[doc = concat!("`", $mnemonic, "`: src0 ", stringify!($relation), " src1.")]
            pub(super) fn $name(s: &Operands) -> Effect {
                $effect(s.$operand(0) $relation s.$operand(1))
            }
        )*
    };
}

comparisons! {
    sete "SETE" set float ==;
    setgt "SETGT" set float >;
    setge "SETGE" set float >=;
    setne "SETNE" set float !=;
    sete_dx10 "SETE_DX10" set_bits float ==;
    setgt_dx10 "SETGT_DX10" set_bits float >;
    setge_dx10 "SETGE_DX10" set_bits float >=;
    setne_dx10 "SETNE_DX10" set_bits float !=;
    sete_int "SETE_INT" set_bits signed ==;
    setgt_int "SETGT_INT" set_bits signed >;
    setge_int "SETGE_INT" set_bits signed >=;
    setne_int "SETNE_INT" set_bits signed !=;
    setgt_uint "SETGT_UINT" set_bits unsigned >;
    setge_uint "SETGE_UINT" set_bits unsigned >=;
    kille "KILLE" kill float ==;
    killgt "KILLGT" kill float >;
    killge "KILLGE" kill float >=;
    killne "KILLNE" kill float !=;
    killgt_uint "KILLGT_UINT" kill unsigned >;
    killge_uint "KILLGE_UINT" kill unsigned >=;
    kille_int "KILLE_INT" kill signed ==;
    killgt_int "KILLGT_INT" kill signed >;
    killge_int "KILLGE_INT" kill signed >=;
    killne_int "KILLNE_INT" kill signed !=;
}
