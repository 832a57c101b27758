//! Arithmetic: sums, products, carries, saturation.

use parallax_isa::{
    device::Generation::{Gen8, Gen9, Gen12, Gen75},
    eu::{
        DataType::{self, D, Q, Ud, Uq},
        Opcode::{Add, Addc, Avg, Lzd, Mac, Mach, Mul, Subb},
    },
};
use parallax_reference::eu::ExecutionType::{Doubleword, Word};

use crate::{
    Rule,
    element::Element,
    rule::{Decides, rule},
    step::Step,
};

const DOUBLEWORDS: [DataType; 2] = [D, Ud];

/// Whether two floats of some channel meet a condition.
fn has_floats(step: Step, condition: fn(Element, Element) -> bool) -> bool {
    step.any(|c| c.pair(|a, b| a.data_type.is_float() && condition(a, b)))
}

fn has_opposite_signs(a: Element, b: Element) -> bool {
    a.is_negative() != b.is_negative()
}

/// Whether both sources are doublewords, or only the first one is.
fn are_doublewords(step: Step, both: bool) -> bool {
    let [first, second] = [0, 1].map(|source| DOUBLEWORDS.contains(&step.0.source_type(source)));
    step.computes_in(Doubleword) && first && second == both
}

/// Whether a source of two doublewords has more than its low half.
fn is_cut(step: Step) -> bool {
    are_doublewords(step, true) && step.any(|c| c.element(1).is_some_and(|e| e.bits >> 16 != 0))
}

/// Whether a product of doublewords goes on to accumulators.
fn keeps_product(step: Step) -> bool {
    step.computes_in(Doubleword) && step.updates_accumulator()
}

fn writes(step: Step, types: &[DataType]) -> bool {
    types.contains(&step.destination().data_type) && step.has_exact_result()
}

/// Whether results of a kind are clamped.
fn clamps(step: Step, is_float: bool) -> bool {
    step.destination().data_type.is_float() == is_float && step.clamps()
}

pub(super) const RULES: &[Rule] = &[
    rule("gen7.intro.type-pipeline").when(|s| {
        let to = s.destination().data_type;
        s.has_exact_result() && s.sources().iter().any(|source| source.data_type() != to)
    }),
    rule("gen7.intro.sat-float").when(|s| clamps(s, true)),
    rule("gen7.intro.sat-int").when(|s| clamps(s, false)),
    rule("gen7.gen.ivb-addc-subb").of(&[Addc, Subb]).unconditional(),
    rule("gen7.gen.ivb-mul-16bit").until(Gen75).of(&[Mul]).when(is_cut),
    rule("gen7.ieee.inf-minus-inf").of(&[Add]).when(|s| {
        has_floats(s, |a, b| a.is_infinite() && b.is_infinite() && has_opposite_signs(a, b))
    }),
    rule("gen7.ieee.zero-times-inf").of(&[Mul]).when(|s| {
        has_floats(s, |a, b| a.is_infinite() && b.is_zero() || a.is_zero() && b.is_infinite())
    }),
    rule("gen7.ieee.nan-in-nan-out")
        .of(&[Add, Mul])
        .when(|s| has_floats(s, |a, b| a.is_nan() || b.is_nan())),
    rule("gen7.ieee.mul-one")
        .of(&[Mul])
        .when(|s| has_floats(s, |a, b| (a.is_one() || b.is_one()) && !a.is_nan() && !b.is_nan())),
    rule("gen7.ieee.add-zero")
        .of(&[Add])
        .when(|s| has_floats(s, |a, b| a.is_zero() != b.is_zero() && !a.is_nan() && !b.is_nan())),
    rule("gen7.ieee.minus-zero-plus-zero")
        .of(&[Add])
        .when(|s| has_floats(s, |a, b| a.is_zero() && b.is_zero() && has_opposite_signs(a, b))),
    rule("gen7.isa.acc.mac").of(&[Mac]).unconditional(),
    rule("gen7.isa.acc.carry-width")
        .until(Gen75)
        .of(&[Mul])
        .when(keeps_product)
        .decides_of(Decides::Accumulator),
    rule("gen7.isa.mul.word").of(&[Mul]).when(|s| s.computes_in(Word) && s.has_exact_result()),
    rule("gen7.isa.mul.dword-low16").until(Gen75).of(&[Mul]).when(is_cut),
    rule("gen7.isa.mul.dword-word")
        .of(&[Mul])
        .when(|s| are_doublewords(s, false) && s.has_exact_result()),
    rule("gen7.isa.mul.mach").of(&[Mach]).unconditional(),
    rule("gen7.isa.mul.mach-sequence")
        .of(&[Mach])
        .when(|s| s.updates_accumulator())
        .decides_of(Decides::Accumulator),
    rule("gen7.isa.mul.mach-null")
        .of(&[Mach])
        .when(|s| s.destination().register.is_null() && s.updates_accumulator())
        .decides_of(Decides::Accumulator),
    rule("gen7.isa.mul.mach-signs")
        .of(&[Mach])
        .when(|s| s.any(|c| c.pair(|a, b| a.bits | b.bits >= 1 << 31))),
    rule("gen7.isa.mul.srcmod")
        .until(Gen75)
        .of(&[Mul, Mach])
        .when(|s| s.computes_in(Doubleword) && s.modifies_sources()),
    rule("gen7.isa.bit.addc").of(&[Addc]).unconditional(),
    rule("gen7.isa.bit.subb").of(&[Subb]).unconditional(),
    rule("gen7.isa.bit.addc-masked")
        .of(&[Addc, Subb])
        .when(|s| s.updates_accumulator() && (s.is_masked() || s.is_selective()))
        .decides_of(Decides::Accumulator),
    rule("gen7.isa.misc.avg").of(&[Avg]).when(|s| s.any(|c| c.are(|[a, b]| (a + b) & 1 == 1))),
    rule("gen9.isa.type.q-mul").since(Gen8).of(&[Mul]).when(|s| writes(s, &[Q, Uq])),
    rule("gen9.isa.type.d-mul")
        .since(Gen8)
        .until(Gen9)
        .of(&[Mul])
        .when(|s| are_doublewords(s, true) && writes(s, &DOUBLEWORDS)),
    rule("gen9.isa.type.mulh").since(Gen8).until(Gen9).of(&[Mach]).unconditional(),
    rule("gen9.isa.type.mach-gen9").since(Gen8).until(Gen9).of(&[Mach]).unconditional(),
    rule("gen9.isa.type.mach-macl")
        .since(Gen12)
        .of(&[Mach])
        .when(|s| !s.instruction().accumulator_write && s.has_exact_result()),
    rule("gen9.isa.type.mul-int-types")
        .since(Gen8)
        .of(&[Mul])
        .when(|s| s.has_exact_result() && (s.computes_in(Word) || s.computes_in(Doubleword))),
    rule("gen9.isa.exec.sat-float").since(Gen8).when(|s| clamps(s, true)),
    rule("gen9.isa.exec.sat-int").since(Gen8).when(|s| clamps(s, false)),
    rule("gen12.isa.op.lzd")
        .since(Gen12)
        .of(&[Lzd])
        .when(|s| s.0.source_type(0).size() < 4 && s.has_exact_result()),
    rule("gen12.isa.op.mul-dw-w")
        .since(Gen12)
        .of(&[Mul])
        .when(|s| are_doublewords(s, false) && s.has_exact_result()),
    rule("gen12.isa.op.macl")
        .since(Gen12)
        .of(&[Mach])
        .when(|s| !s.instruction().accumulator_write && s.has_exact_result()),
    rule("gen12.isa.op.mach")
        .since(Gen12)
        .of(&[Mach])
        .when(|s| s.instruction().accumulator_write && s.has_exact_result()),
];
