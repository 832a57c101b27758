//! Moves, conditional moves and the address register.

use parallax_isa::r700::Profile;

use super::{Effect, Operands, Value};
use crate::{
    number::{Number, Rounding},
    r700::number::add,
};

/// `MOV`: src0.
pub(super) fn mov(s: &Operands) -> Effect {
    Value::Copy(s.bits[0]).into()
}

/// `NOP`: nothing; the unit's previous result is undefined afterwards.
pub(super) fn nop(_: &Operands) -> Effect {
    Value::Undefined.into()
}

/// src1 where the condition holds, else src2.
fn select(s: &Operands, condition: bool) -> Effect {
    Value::Copy(s.bits[if condition { 1 } else { 2 }]).into()
}

macro_rules! conditional_moves {
    ($($name:ident $mnemonic:literal $operand:ident $relation:tt $zero:expr;)*) => {
        $(
            #[doc = concat!("`", $mnemonic, "`: src1 where src0 ", stringify!($relation), " 0, else src2.")]
            pub(super) fn $name(s: &Operands) -> Effect {
                select(s, s.$operand(0) $relation $zero)
            }
        )*
    };
}

conditional_moves! {
    cnde "CNDE" float == Number::ZERO;
    cndgt "CNDGT" float > Number::ZERO;
    cndge "CNDGE" float >= Number::ZERO;
    cnde_int "CNDE_INT" signed == 0;
    cndgt_int "CNDGT_INT" signed > 0;
    cndge_int "CNDGE_INT" signed >= 0;
}

/// Lowest index the address register holds.
const LOWEST: i16 = -256;
/// Highest index the address register holds.
const HIGHEST: i16 = 255;

/// A write of the address register; the value for a register is undefined.
fn address(index: i16) -> Effect {
    Effect { index: Some(index), ..Value::Undefined.into() }
}

/// What is above the range becomes the lowest index as printed; hardware clamps it.
fn too_high(profile: Profile) -> i16 {
    match profile {
        Profile::Manual => LOWEST,
        Profile::Silicon => HIGHEST,
    }
}

/// An integral number as an index.
fn index(value: Number, profile: Profile) -> Effect {
    if value > Number::integer(HIGHEST.into()) {
        return address(too_high(profile));
    }
    match value.finite() {
        Some(number) => {
            let index = number.to_integer(Rounding::TowardZero).max(LOWEST.into());
            address(index as i16)
        }
        None => address(LOWEST),
    }
}

/// `MOVA`: FLOOR(src0 + 0.5) into an element of the address register.
pub(super) fn mova(s: &Operands) -> Effect {
    let half = Number::ONE.scaled(-1);
    index(add(s.float(0), half).floor(), s.profile)
}

/// `MOVA_FLOOR`: FLOOR(src0) into an element of the address register.
pub(super) fn mova_floor(s: &Operands) -> Effect {
    index(s.float(0).floor(), s.profile)
}

/// `MOVA_INT`: src0, an integer, into an element of the address register.
pub(super) fn mova_int(s: &Operands) -> Effect {
    let value = s.signed(0);
    if value < i128::from(LOWEST) {
        address(LOWEST)
    } else if value > i128::from(HIGHEST) {
        address(too_high(s.profile))
    } else {
        address(value as i16)
    }
}
