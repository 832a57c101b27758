//! `and`, `asr`, `not`, `or`, `shl`, `shr`, `xor`.

use parallax_isa::eu::Opcode::{self, And, Asr, Not, Or, Shl, Shr, Xor};
use parallax_reference::eu::ExecutionType::{Doubleword, Word};

use super::super::g45;
use crate::{Rule, step::Step};

/// That source modifiers are numeric.
const fn modifiers(id: &str, opcode: &'static [Opcode]) -> Rule {
    g45(id).of(opcode).when(|s| s.modifies_sources())
}

/// Whether words are shifted by as many bits as they have, or more, and that is not the same as nothing.
fn shifts_out_of_words(step: Step) -> bool {
    step.computes_in(Word) && step.any(|c| c.are(|[a, count]| a != 0 && count & 0x1F >= 16))
}

/// Whether an unsigned integer with its highest bit set is shifted to the right.
fn shifts_high_bit(step: Step) -> bool {
    step.any(|c| {
        c.are(|[a, count]| a > 0 && count & 0x1F != 0)
            && c.element(0).is_some_and(|e| e.shows_its_sign())
    })
}

pub(in super::super) const RULES: &[Rule] = &[
    modifiers("g45.inst.and.modifiers", &[And]),
    g45("g45.inst.asr.count-5bit")
        .of(&[Asr, Shl, Shr])
        .when(|s| s.any(|c| c.are(|[a, count]| a != 0 && count & !0x1F != 0))),
    g45("g45.inst.asr.word33").of(&[Asr]).when(shifts_out_of_words),
    g45("g45.inst.asr.unsigned").of(&[Asr]).when(shifts_high_bit),
    g45("g45.inst.asr.minus-one")
        .of(&[Asr])
        .when(|s| s.any(|c| c.are(|[a, count]| a == -1 && count & 0x1F != 0))),
    modifiers("g45.inst.not.modifiers", &[Not]),
    modifiers("g45.inst.or.modifiers", &[Or]),
    g45("g45.inst.shl.types-differ").of(&[Shl]).when(|s| {
        s.0.source_type(0) != s.destination().data_type && s.any(|c| c.are(|[a, _]| a != 0))
    }),
    g45("g45.inst.shl.word33")
        .of(&[Shl])
        .when(|s| s.destination().data_type.size() == 4 && shifts_out_of_words(s)),
    g45("g45.inst.shl.sat-word").of(&[Shl]).when(|s| s.computes_in(Word) && s.clamps()),
    g45("g45.inst.shl.sat-dword")
        .of(&[Shl])
        .when(|s| s.computes_in(Doubleword) && s.instruction().saturate && s.any_open(|_| true)),
    g45("g45.inst.shr.equals-asr").of(&[Shr]).when(shifts_high_bit),
    g45("g45.inst.shr.word33").of(&[Shr]).when(shifts_out_of_words),
    modifiers("g45.inst.xor.modifiers", &[Xor]),
    g45("g45.inst.asr.examples").of(&[Asr]).when(|s| {
        // A shift that drops ones of a negative number is the floor of the quotient.
        s.any(|c| c.are(|[a, count]| a < 0 && a & ((1 << (count & 0x1F)) - 1) != 0))
    }),
];
