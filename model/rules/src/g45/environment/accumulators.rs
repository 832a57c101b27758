//! Accumulators (section 11.3.4.5, and opcode groups of section 13.3).

use parallax_isa::{
    device::Generation::Gen4,
    eu::{
        Opcode::{
            self, Add, And, Asr, Avg, Cmp, Cmpn, Dp2, Dp3, Dp4, Dph, Frc, Line, Lzd, Mac, Mach,
            Mov, Movi, Mul, Not, Or, Pln, Rndd, Rnde, Rndu, Rndz, Sad2, Sada2, Sel, Shl, Shr, Xor,
        },
        instruction::Compression,
    },
};
use parallax_reference::eu::ExecutionType::{Doubleword, Float, Word};

use super::super::g45;
use crate::{
    Rule,
    gen7::mixes_accumulators,
    rule::Decides::{self, KeptAccumulator},
    step::Step,
};

const MOVES: &[Opcode] = &[Mov, Movi, Sel, Not, And, Or, Xor, Shr, Shl, Asr, Cmp, Cmpn];
const PARALLEL: &[Opcode] = &[Add, Mul, Avg, Mac, Mach];
const VECTOR: &[Opcode] = &[Sad2, Sada2, Line, Pln];
const UPDATING: &[Opcode] = &[Add, Mul, Avg, Mac, Mach, Sad2, Sada2, Line, Pln];
const POISONING: &[Opcode] = &[Dp2, Dp3, Dp4, Dph, Frc, Lzd, Rndd, Rnde, Rndu, Rndz];

/// A rule on what an accumulator gets.
const fn accumulator(id: &str, when: fn(Step) -> bool) -> Rule {
    g45(id).when(when).decides_of(Decides::Accumulator)
}

/// Whether `cr0` keeps an accumulator from being written besides the destination.
fn is_disabled(step: Step) -> bool {
    step.control_disables_accumulator() && step.lets_accumulators_be()
}

fn is_second_half(step: Step) -> bool {
    step.instruction().compression == Compression::SecHalf
}

/// Whether an explicit operand is an accumulator.
fn names_any(step: Step) -> bool {
    step.has_exact_result()
        && (step.names_accumulator() || (0..2).any(|source| step.reads_accumulator(source)))
}

/// Whether it reads an accumulator, named or not.
fn reads_any(step: Step) -> bool {
    matches!(step.instruction().opcode, Mac | Mach | Sada2)
        || (0..2).any(|source| step.reads_accumulator(source))
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.acc.properties").when(names_any),
    g45("g45.acc.encoding").when(names_any),
    accumulator("g45.acc.precision-f", |s| {
        s.computes_in(Float) && s.updates_accumulator() && s.any_written(|c| c.is_rounded())
    })
    .of(&[Mac, Dp2, Dp3, Dp4, Dph, Line, Pln]),
    g45("g45.acc.cross-illegal").when(mixes_accumulators),
    g45("g45.acc.word-overflow").when(|s| s.computes_in(Word) && s.any_written(|c| c.wraps())),
    g45("g45.acc.word-modular")
        .when(|s| s.computes_in(Word) && !s.instruction().saturate && s.any(|c| c.wraps())),
    g45("g45.compr.src-implicit-acc")
        .of(&[Mac, Mach, Sada2])
        .when(|s| is_second_half(s) && s.has_exact_result()),
    g45("g45.acc.disable-reads")
        .when(|s| s.control_disables_accumulator() && reads_any(s) && s.has_exact_result()),
    g45("g45.operand.acc-wide")
        .when(|s| s.has_exact_result() && (0..2).any(|source| s.reads_accumulator(source))),
    accumulator("g45.acc.elements", |s| s.updates_accumulator_from(4)),
    accumulator("g45.acc.precision-d", |s| s.computes_in(Doubleword) && s.updates_accumulator()),
    accumulator("g45.acc.precision-w", |s| s.computes_in(Word) && s.updates_accumulator()),
    accumulator("g45.acc.implicit-default", |s| s.updates_accumulator_too()),
    accumulator("g45.acc.explicit-no-sechalf", |s| {
        is_second_half(s) && s.names_accumulator() && s.updates_accumulator()
    }),
    accumulator("g45.acc.no-mask", |s| {
        s.updates_accumulator() && (s.is_masked() || s.is_selective())
    }),
    accumulator("g45.acc.update-condition", |s| s.updates_accumulator()),
    accumulator("g45.acc.update-list", |s| s.updates_accumulator_too()),
    g45("g45.acc.disable").of(UPDATING).when(is_disabled).decides_of(KeptAccumulator),
    g45("g45.acc.word-wrap").when(|s| s.computes_in(Word) && reads_accumulator(s)),
    g45("g45.cr.accdis").of(UPDATING).when(is_disabled).decides_of(KeptAccumulator),
    accumulator("g45.compr.dst-acc", |s| {
        is_second_half(s) && s.is_half() && s.updates_accumulator()
    }),
    accumulator("g45.compr.acc32-bw", |s| {
        is_second_half(s) && s.size() == 16 && s.updates_accumulator_too()
    })
    .until(Gen4),
    accumulator("g45.opcode.acc-undefined-after", |s| s.poisons_accumulator()).of(POISONING),
    g45("g45.opcode.group.move")
        .of(MOVES)
        .when(|s| s.lets_accumulators_be())
        .decides_of(KeptAccumulator),
    accumulator("g45.opcode.group.parallel", |s| s.updates_accumulator_too()).of(PARALLEL),
    accumulator("g45.opcode.group.vector", |s| s.updates_accumulator_too()).of(VECTOR),
];

fn reads_accumulator(step: Step) -> bool {
    (0..step.sources().len()).any(|source| step.reads_accumulator(source))
        && step.has_exact_result()
}
