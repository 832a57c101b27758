//! Moves, conditional moves and the address register.

use parallax_isa::r700::case::Profile;

use super::operation::{
    Delivers, MoveAddress, OP2, Operation, Role, Role::Plain, Units, Work, kernel, last, operations,
};
use crate::r700::{
    number::{float, flush},
    simd::Lanes,
};

operations! {
    MOV: OP2 25, Any, Float, Plain => |a| a;
    CNDE: OP3 24, Any, Float, Plain => |a, b, c| if float(a) == 0.0 { b } else { c };
    CNDGT: OP3 25, Any, Float, Plain => |a, b, c| if float(a) > 0.0 { b } else { c };
    CNDGE: OP3 26, Any, Float, Plain => |a, b, c| if float(a) >= 0.0 { b } else { c };
    // What these move is a float where their clamp is set: they have no other use for it.
    CNDE_INT: OP3 28, Any, Float, Plain => |a, b, c| if a == 0 { b } else { c };
    CNDGT_INT: OP3 29, Any, Float, Plain => |a, b, c| if a.cast_signed() > 0 { b } else { c };
    CNDGE_INT: OP3 30, Any, Float, Plain => |a, b, c| if a.cast_signed() >= 0 { b } else { c };
}

/// The operations of this file that deliver nothing in their slot.
pub(super) static WITHOUT_RESULT: &[Operation] = &[
    row("MOVA", 21, Units::Vector, 1, Work::MoveAddress(MoveAddress::Nearest)),
    row("MOVA_FLOOR", 22, Units::Vector, 1, Work::MoveAddress(MoveAddress::Floor)),
    row("MOVA_INT", 24, Units::Vector, 1, Work::MoveAddress(MoveAddress::Integer)),
    row("NOP", 26, Units::Any, 0, Work::Nop),
    row("MOVA_GPR_INT", 96, Units::Vector, 1, Work::Undefined),
];

const fn row(name: &'static str, code: u16, units: Units, sources: usize, work: Work) -> Operation {
    let (delivers, role) = (Delivers::Integer, Role::Plain);
    Operation { name, code: OP2 + code, units, sources, delivers, role, work }
}

/// The results of MOVA*: nine bits, what does not fit as the manual's code has it.
pub(in crate::r700) fn move_address(
    kind: MoveAddress,
    source: &Lanes,
    profile: Profile,
) -> [i16; 64] {
    let too_large = match profile {
        Profile::Manual => -256,
        Profile::Silicon => 255,
    };
    source.map(|bits| {
        let value = f64::from(f32::from_bits(flush(bits)));
        let value = match kind {
            MoveAddress::Nearest => f64::from((value as f32 + 0.5).floor()),
            MoveAddress::Floor => value.floor(),
            MoveAddress::Integer => f64::from(bits.cast_signed()),
        };
        if value > 255.0 {
            too_large
        } else if value >= -256.0 {
            value as i16
        } else {
            -256
        }
    })
}
