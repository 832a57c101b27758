//! Moves that copy bits (section 11.4.4).

use parallax_isa::eu::{
    DataType,
    Opcode::{self, Mov, Movi, Sel},
    operand::DestinationRegion,
};

use super::super::g45;
use crate::{Rule, conversion::is_raw, element::Element, step::Step};

const MOVES: &[Opcode] = &[Mov, Sel, Movi];

/// Whether floats of a kind are moved as they are.
fn copies(step: Step, which: impl Fn(Element) -> bool) -> bool {
    let is_float = step.destination().data_type == DataType::F;
    is_float && is_raw(step) && step.any(|c| which(c.result()))
}

/// Whether a float would be changed by arithmetic.
fn is_fragile(element: Element) -> bool {
    element.is_denormal() || element.is_nan()
}

/// The stride of a destination of bytes.
fn byte_stride(step: Step) -> Option<u8> {
    match (step.destination().data_type.size(), step.destination().region) {
        (1, DestinationRegion::Stride(stride)) => Some(stride),
        _ => None,
    }
}

/// Whether two neighbouring bytes of the destination share a channel.
fn is_packed(step: Step) -> bool {
    byte_stride(step) == Some(1) && step.size() > 1
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.float.ieee.raw-mov-preserves").of(MOVES).when(|s| copies(s, is_fragile)),
    g45("g45.float.alt.mov-not-special")
        .of(MOVES)
        .when(|s| s.is_alternative() && copies(s, |e| e.is_denormal() || e.is_infinite())),
    g45("g45.minmax.denorm-bits").of(&[Sel]).when(|s| copies(s, |e| e.is_denormal())),
    g45("g45.rawmove.def").of(MOVES).when(|s| is_raw(s) && s.has_exact_result()),
    g45("g45.rawmove.denorm").of(MOVES).when(|s| copies(s, |e| e.is_denormal())),
    g45("g45.rawmove.masked").of(MOVES).when(|s| is_raw(s) && (s.is_masked() || s.is_selective())),
    g45("g45.rawmove.byte").of(&[Mov]).when(|s| {
        is_raw(s) && byte_stride(s).is_some_and(|stride| stride > 1) && s.has_exact_result()
    }),
    g45("g45.rawmove.packed-byte").of(&[Mov, Sel]).when(|s| is_packed(s) && s.any_open(|_| true)),
    g45("g45.rawmove.packed-byte-uniform")
        .of(&[Mov])
        .when(|s| is_packed(s) && is_raw(s) && s.has_several_results()),
];
