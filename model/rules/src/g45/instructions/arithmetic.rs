//! `add`, `avg`, `lzd`, `mac`, `mach`, `mul`.

use parallax_isa::eu::{
    DataType::{D, Ud},
    Opcode::{Add, Avg, Lzd, Mac, Mach, Mul},
    register::ArfKind,
};
use parallax_reference::eu::ExecutionType::{Float, Word};

use super::{
    super::{
        environment::floats::{
            has_one, has_one_zero, have_opposite_signs, in_alternative, in_ieee,
            is_infinity_times_zero, negates_unsigned, vanish,
        },
        g45,
    },
    shows_float_mode,
};
use crate::{
    Rule,
    comparison::{has_infinity, has_nan},
    element::Element,
    rule::Decides,
    step::Step,
};

const fn add(id: &str, when: fn(Step) -> bool) -> Rule {
    g45(id).of(&[Add]).when(when)
}

const fn mul(id: &str, when: fn(Step) -> bool) -> Rule {
    g45(id).of(&[Mul]).when(when)
}

fn are_normal(a: Element, b: Element) -> bool {
    a.is_normal() && b.is_normal()
}

fn has_largest(a: Element, b: Element) -> bool {
    a.is_largest() || b.is_largest()
}

/// An infinity of a sign.
fn has_infinity_of(negative: bool, a: Element, b: Element) -> bool {
    [a, b].iter().any(|e| e.is_infinite() && e.is_negative() == negative)
}

/// Whether an instruction adds to the instruction pointer.
fn is_jump(step: Step) -> bool {
    step.destination().register.arf() == Some(ArfKind::InstructionPointer)
}

/// Whether integers are multiplied of which both, or one, are doublewords.
fn multiplies_doublewords(step: Step, number: usize) -> bool {
    let types = [step.0.source_type(0), step.0.source_type(1)];
    types.iter().filter(|data_type| [D, Ud].contains(data_type)).count() == number
        && !types.iter().any(|data_type| data_type.is_float())
}

/// Whether a factor and the high half of src0 are not zero.
fn has_high_half([a, b]: [i128; 2]) -> bool {
    a & !0xFFFF != 0 && b != 0
}

pub(in super::super) const RULES: &[Rule] = &[
    add("g45.inst.add.ieee.neg-inf-row", |s| in_ieee(s, |a, b| has_infinity_of(true, a, b))),
    add("g45.inst.add.ieee.pos-inf-row", |s| in_ieee(s, |a, b| has_infinity_of(false, a, b))),
    add("g45.inst.add.ieee.nan", |s| in_ieee(s, has_nan)),
    add("g45.inst.add.ieee.finite-plus-zero", |s| in_ieee(s, has_one_zero)),
    add("g45.inst.add.ieee.zero-zero", |s| in_ieee(s, vanish)),
    add("g45.inst.add.ieee.neg-neg", |s| {
        in_ieee(s, |a, b| are_normal(a, b) && a.is_negative() && b.is_negative())
    }),
    add("g45.inst.add.ieee.pos-pos", |s| {
        in_ieee(s, |a, b| are_normal(a, b) && !a.is_negative() && !b.is_negative())
    }),
    add("g45.inst.add.ieee.mixed-sign", |s| {
        in_ieee(s, |a, b| are_normal(a, b) && have_opposite_signs(a, b))
    }),
    add("g45.inst.add.alt.fmax-rows", |s| in_alternative(s, has_largest)),
    add("g45.inst.add.alt.fmax-mixed", |s| {
        in_alternative(s, |a, b| has_largest(a, b) && are_normal(a, b) && have_opposite_signs(a, b))
    }),
    add("g45.inst.add.alt.zero-zero", |s| in_alternative(s, vanish)),
    add("g45.inst.add.alt.finite", |s| {
        in_alternative(s, |a, b| are_normal(a, b) && !has_largest(a, b))
    }),
    add("g45.inst.add.implicit-acc", |s| s.updates_accumulator() && !s.names_accumulator())
        .decides_of(Decides::Accumulator),
    g45("g45.inst.avg.examples")
        .of(&[Avg])
        .when(|s| s.any(|c| c.are(|[a, b]| (a + b) & 1 == 1 || (a + b).abs() >> 31 != 0))),
    g45("g45.inst.lzd.abs-min").of(&[Lzd]).when(|s| {
        let is_least = |e: Element| e.data_type == D && e.bits == 0x8000_0000;
        s.registers().any(|source| source.modifier.absolute) && s.any(|c| c.any(is_least))
    }),
    g45("g45.inst.mac.acc-chain")
        .of(&[Mac])
        .when(|s| s.updates_accumulator())
        .decides_of(Decides::Accumulator),
    g45("g45.inst.mac.float-fused")
        .of(&[Mac])
        .when(|s| s.computes_in(Float) && s.has_exact_result()),
    g45("g45.inst.mach.sign")
        .of(&[Mach])
        .when(|s| s.any(|c| c.pair(|a, b| a.shows_its_sign() || b.shows_its_sign()))),
    g45("g45.inst.mach.mul-sequence").of(&[Mach]).when(|s| s.any(|c| c.are(has_high_half))),
    mul("g45.inst.mul.dword-low16", |s| {
        multiplies_doublewords(s, 2) && s.any(|c| c.are(has_high_half))
    }),
    mul("g45.inst.mul.negated-ud", negates_unsigned),
    mul("g45.inst.mul.word-by-dword", |s| {
        multiplies_doublewords(s, 1) && s.any(|c| c.are(has_high_half))
    }),
    mul("g45.inst.mul.float-int-mix", |s| {
        s.computes_in(Float)
            && s.has_exact_result()
            && s.sources().iter().any(|source| !source.data_type().is_float())
    }),
    mul("g45.inst.mul.ieee.nan", |s| in_ieee(s, has_nan)),
    mul("g45.inst.mul.ieee.inf-zero", |s| in_ieee(s, is_infinity_times_zero)),
    mul("g45.inst.mul.ieee.inf-finite", |s| {
        in_ieee(s, |a, b| has_infinity(a, b) && !is_infinity_times_zero(a, b))
    }),
    mul("g45.inst.mul.ieee.zero", |s| in_ieee(s, |a, b| has_one_zero(a, b) || vanish(a, b))),
    mul("g45.inst.mul.ieee.one", |s| in_ieee(s, has_one)),
    mul("g45.inst.mul.ieee.overflow", |s| {
        s.is_ieee() && s.computes_in(Float) && s.any(|c| c.overflowed() && c.result().is_infinite())
    }),
    mul("g45.inst.mul.ieee.sign", |s| {
        in_ieee(s, |a, b| {
            !has_nan(a, b) && !is_infinity_times_zero(a, b) && (a.is_negative() || b.is_negative())
        })
    }),
    mul("g45.inst.mul.alt.zero", |s| in_alternative(s, |a, b| has_one_zero(a, b) || vanish(a, b))),
    mul("g45.inst.mul.alt.one", |s| in_alternative(s, has_one)),
    mul("g45.inst.mul.alt.fmax", |s| {
        in_alternative(s, |a, b| has_largest(a, b) && are_normal(a, b) && !has_one(a, b))
    }),
    mul("g45.inst.mul.alt.overflow", |s| {
        s.is_alternative() && s.computes_in(Float) && s.any(|c| c.overflowed())
    }),
    mul("g45.inst.mul.word-acc", |s| s.computes_in(Word) && s.updates_accumulator())
        .decides_of(Decides::Accumulator),
    mul("g45.inst.mul.signed-low-half", |s| {
        multiplies_doublewords(s, 2) && s.any(|c| c.are(|[a, b]| a & 0x8000 != 0 && b != 0))
    }),
    g45("g45.inst.mul.full-product").of(&[Mach]).when(|s| s.any(|c| c.are(has_high_half))),
    // The manual's programs.
    g45("g45.pg.ip.relative").of(&[Add]).when(is_jump).decides_of(Decides::NextInstruction),
    g45("g45.pg.ip.align")
        .of(&[Add])
        .when(|s| is_jump(s) && s.any(|c| c.are(|[_, bytes]| bytes & 0xF != 0)))
        .decides_of(Decides::NextInstruction),
    g45("g45.inst.add.ip-relative").of(&[Add]).when(is_jump).decides_of(Decides::NextInstruction),
    g45("g45.sysroutine.priority-lzd").of(&[Lzd]).when(|s| s.any_of_sources(Ud, |e| e.bits != 0)),
    g45("g45.pg.line.dph").of(&[Mac]).when(|s| s.computes_in(Float) && s.has_exact_result()),
    g45("g45.inst.mach.acc-disable")
        .of(&[Mach])
        .when(|s| s.control_disables_accumulator() && s.has_exact_result()),
    add("g45.inst.add.float-mode", shows_float_mode),
    mul("g45.inst.mul.float-mode", shows_float_mode),
];
