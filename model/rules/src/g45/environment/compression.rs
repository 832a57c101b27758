//! Compressed instructions: what becomes of each operand in the second half (section 11.5).

use parallax_isa::eu::{
    Instruction,
    Opcode::{Line, Pln},
    operand::{Destination, DestinationRegion, Region, Register, Source},
    register::{ArfKind, RegisterFile},
};

use super::super::g45;
use crate::{
    Rule,
    step::{RegisterSource, Step},
};

/// The mark of a Compr4 destination in a message register number.
const COMPR4: u8 = 0x80;

/// Whether it is the second half of a compressed instruction that meets a condition.
fn second(step: Step, condition: impl Fn(&Instruction) -> bool) -> bool {
    step.is_second_of_compressed() && step.has_exact_result() && step.compressed_is(condition)
}

fn first(step: Step) -> bool {
    step.is_half() && !step.is_second_of_compressed() && step.has_exact_result()
}

fn any(_: &Instruction) -> bool {
    true
}

/// Whether a source of the second half meets a condition, and it matters which elements it has.
fn reads(step: Step, condition: impl Fn(RegisterSource) -> bool) -> bool {
    second(step, any) && step.any_region(condition)
}

/// Whether a source is one element for all channels.
fn has_scalar(step: Step) -> bool {
    second(step, any) && step.reads_scalar()
}

fn is_indirect(register: Register) -> bool {
    matches!(register, Register::Indirect { .. })
}

fn has_indirect_source(step: Step) -> bool {
    second(step, any) && step.any_register(|source| is_indirect(source.register))
}

fn is_packed_doubleword(destination: &Destination) -> bool {
    destination.data_type.size() == 4 && destination.region == DestinationRegion::Stride(1)
}

/// Whether a source is of packed words; bytes with a stride of two are laid out as such.
fn is_packed_word(source: RegisterSource) -> bool {
    match source.region {
        Region::Align1 { horizontal, .. } => usize::from(horizontal) * source.data_type.size() == 2,
        Region::Align16 { .. } => false,
    }
}

/// Whether a source of packed words goes on in the upper half of its register.
fn stays_in_register(step: Step, source: RegisterSource) -> bool {
    step.size() == 8
        && is_packed_doubleword(step.destination())
        && is_packed_word(source)
        && source.arf().is_none()
        && !is_indirect(source.register)
}

/// Whether a source goes on in the next register.
fn goes_on(step: Step, source: RegisterSource) -> bool {
    source.arf().is_none() && !is_indirect(source.register) && !stays_in_register(step, source)
}

fn has_packed_words(step: Step) -> bool {
    reads(step, |source| stays_in_register(step, source))
}

/// Whether the sources of the second half are in the registers after those of the first, or the same: of an odd
/// number; and where in the register they start.
fn names(step: Step, size: u8, is_odd: bool, is_at_start: fn(u8) -> bool) -> bool {
    let is_it = |source: &Source| {
        matches!(*source, Source::Register {
            register: Register::Direct { file: RegisterFile::Grf, number, subregister }, ..
        } if (number % 2 == 1) == is_odd && is_at_start(subregister))
    };
    step.size() == size
        && reads(step, |source| goes_on(step, source))
        && second(step, |whole| whole.sources[..step.sources().len()].iter().any(is_it))
}

/// Whether the destination is message registers, with Compr4 or without.
fn sends_to_messages(step: Step, with_four: bool) -> bool {
    second(step, |whole| {
        matches!(whole.destination.register, Register::Direct { file: RegisterFile::Mrf, number, .. }
            if (number & COMPR4 != 0) == with_four)
    })
}

fn writes_general(step: Step) -> bool {
    let register = step.destination().register;
    !is_indirect(register) && register.file() == RegisterFile::Grf && second(step, any)
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.exec.simd16")
        .when(|s| s.size() == 8 && s.destination().data_type.size() == 4 && second(s, any)),
    g45("g45.exec.simd16-scalar").when(|s| s.size() == 8 && has_scalar(s)),
    g45("g45.exec.simd8-split").when(|s| s.size() == 8 && second(s, any)),
    g45("g45.vec.compr-split").when(|s| second(s, any)),
    g45("g45.compr.split").when(|s| second(s, any)),
    g45("g45.compr.first").when(first),
    g45("g45.compr.second").when(|s| second(s, any)),
    g45("g45.compr.src-reg").when(|s| reads(s, |source| goes_on(s, source))),
    g45("g45.compr.src-acc").when(|s| {
        second(s, any) && s.registers().any(|source| source.arf() == Some(ArfKind::Accumulator))
    }),
    g45("g45.compr.src-indirect").when(has_indirect_source),
    g45("g45.compr.src-scalar").when(|s| has_scalar(s) || second(s, any) && s.has_any_immediate()),
    g45("g45.compr.src-word-subreg").when(has_packed_words),
    g45("g45.compr.dst-reg").when(writes_general),
    g45("g45.compr.dst-mrf").when(|s| sends_to_messages(s, false)),
    g45("g45.compr.dst-mrf-4").when(|s| sends_to_messages(s, true)),
    g45("g45.compr.dst-indirect").when(|s| is_indirect(s.destination().register) && second(s, any)),
    g45("g45.compr.mixed-program").when(|s| second(s, any)),
    g45("g45.compr.indirect-allowed").when(|s| {
        has_indirect_source(s) || is_indirect(s.destination().register) && second(s, any)
    }),
    g45("g45.vec.compr-fig19a").when(|s| names(s, 8, false, |byte| byte == 0)),
    g45("g45.vec.compr-fig19b").when(|s| names(s, 8, true, |_| true)),
    g45("g45.vec.compr-fig19c").when(|s| names(s, 8, false, |byte| byte != 0)),
    g45("g45.vec.compr-fig19d").when(|s| names(s, 16, false, |_| true)),
    g45("g45.vec.compr-fig19e").when(|s| names(s, 16, true, |_| true)),
    g45("g45.vec.compr-fig20").when(has_packed_words),
    g45("g45.vec.compr-fig21").when(has_scalar),
    g45("g45.vec.compr-fig22").when(has_indirect_source),
    g45("g45.dw0.comprctrl.compr").when(|s| second(s, any)),
    g45("g45.inst.line.dst-compressed").of(&[Line]).when(|s| second(s, any)),
    g45("g45.inst.pln.compressed").of(&[Pln]).when(|s| second(s, any)),
];
