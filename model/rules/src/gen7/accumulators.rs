//! Accumulators.

use parallax_isa::{
    device::Generation::{Gen8, Gen75},
    eu::Opcode::{self, Add, Avg, Line, Mac, Mach, Mul, Pln, Sad2, Sada2},
};
use parallax_reference::eu::ExecutionType::{Double, Doubleword, Float, Half, Word};

use crate::{
    Rule,
    rule::{
        Decides::{self, KeptAccumulator},
        rule,
    },
    step::Step,
};

/// Those that write an accumulator always where Gen4 executes them.
const UPDATING: &[Opcode] = &[Add, Mul, Avg, Mac, Mach, Sad2, Sada2, Line, Pln];

/// A rule on what an accumulator gets.
const fn accumulator(id: &str, when: fn(Step) -> bool) -> Rule {
    rule(id).when(when).decides_of(Decides::Accumulator)
}

/// Whether AccWrCtrl sends a result to an accumulator.
fn copies(step: Step) -> bool {
    step.instruction().accumulator_write && step.updates_accumulator_too()
}

/// Whether `cr0` keeps it from that.
fn is_disabled(step: Step) -> bool {
    step.instruction().accumulator_write
        && step.control_disables_accumulator()
        && step.lets_accumulators_be()
}

pub(super) const RULES: &[Rule] = &[
    accumulator("gen7.intro.accwr-side-effect", copies),
    accumulator("gen7.arfsum.acc-implicit", copies),
    accumulator("gen7.acc.shape", |s| s.updates_accumulator_from(4)),
    accumulator("gen7.acc.two", |s| s.computes_in(Float) && s.updates_accumulator_from(8)),
    accumulator("gen7.acc.implicit-accwrctrl", copies),
    accumulator("gen7.acc.implicit-acc0-acc1", |s| {
        copies(s) && s.computes_in(Float) && s.updates_accumulator_from(8)
    }),
    accumulator("gen7.acc.dword-8-channels", |s| {
        s.computes_in(Doubleword) && s.updates_accumulator_from(4)
    }),
    accumulator("gen7.acc.dword-product", |s| s.computes_in(Doubleword) && s.updates_accumulator())
        .of(&[Mul]),
    accumulator("gen7.acc.word-33bits", |s| s.computes_in(Word) && s.updates_accumulator()),
    accumulator("gen7.acc.prec-df", |s| s.computes_in(Double) && s.updates_accumulator()),
    accumulator("gen7.acc.prec-f", |s| s.computes_in(Float) && s.updates_accumulator()),
    accumulator("gen7.acc.prec-d", |s| s.computes_in(Doubleword) && s.updates_accumulator()),
    accumulator("gen7.acc.prec-w", |s| s.computes_in(Word) && s.updates_accumulator()),
    rule("gen7.cr.acc-disable").when(is_disabled).decides_of(KeptAccumulator),
    accumulator("gen7.isa.acc.accwren", copies),
    accumulator("gen7.isa.acc.int-acc1", |s| s.computes_in(Doubleword) && s.updates_accumulator()),
    accumulator("gen7.isa.acc.hsw-quarter", |s| {
        s.instruction().first_channel >= 8
            && (s.computes_in(Word) || s.computes_in(Doubleword))
            && s.updates_accumulator_too()
    })
    .since(Gen75),
    rule("gen7.isa.acc.gen4-always")
        .of(UPDATING)
        .when(|s| !s.instruction().accumulator_write && s.lets_accumulators_be())
        .decides_of(KeptAccumulator),
    accumulator("gen9.isa.op.acc-two", |s| {
        (s.computes_in(Half) || s.computes_in(Word)) && s.updates_accumulator_from(8)
    })
    .since(Gen8),
];
