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
use parallax_reference::eu::ExecutionType::{Doubleword, Word};

use super::super::g45;
use crate::{
    Rule,
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

pub(in super::super) const RULES: &[Rule] = &[
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
