//! Operands: source modifiers, indirect regions, registers; comparisons and selections that depend on them.

use parallax_isa::{
    device::Generation::Gen7,
    eu::{
        DataType::{Df, Ud},
        Opcode::{And, Cmp, Cmpn, F16to32, F32to16, Mach, Mul, Sel},
        instruction::ConditionalModifier::{self, Equal, GreaterEqual, Less, NotEqual},
        operand::{Register, SourceModifier},
        register::ArfKind,
    },
};
use parallax_reference::eu::ExecutionType::Word;

use crate::{
    Rule,
    comparison::{are_zeros_of_both_signs, has_no_nan},
    element::Element,
    rule::{Decides, rule},
    step::Step,
};

const NEGATE: SourceModifier = SourceModifier { absolute: false, negate: true };
const ABSOLUTE: SourceModifier = SourceModifier { absolute: true, negate: false };
const BOTH: SourceModifier = SourceModifier { absolute: true, negate: true };

/// A rule on flags that `cmp` and `cmpn` set.
const fn flags(id: &str, when: fn(Step) -> bool) -> Rule {
    rule(id).of(&[Cmp, Cmpn]).when(when).decides_of(Decides::Flags)
}

/// A rule on `sel` with a condition.
const fn selection(id: &str, when: fn(Step) -> bool) -> Rule {
    rule(id).of(&[Sel]).when(when)
}

/// Whether two floats of some kinds are compared, by `cmp` or by `sel`.
fn compares(step: Step, which: fn(Element, Element) -> bool) -> bool {
    !step.has_condition(ConditionalModifier::None)
        && step
            .any(|c| c.pair(|a, b| a.data_type.is_float() && b.data_type.is_float() && which(a, b)))
}

/// Whether `sel` selects by a comparison.
pub(crate) fn selects_by_comparison(step: Step) -> bool {
    !step.has_condition(ConditionalModifier::None) && step.has_exact_result()
}

/// Whether it selects the smaller or greater one of two floats of some kinds.
fn takes_extreme(step: Step, which: fn(Element, Element) -> bool) -> bool {
    !step.has_condition(Equal) && !step.has_condition(NotEqual) && compares(step, which)
}

fn is_indirect(step: Step) -> bool {
    matches!(step.destination().register, Register::Indirect { .. }) && step.has_exact_result()
        || step.any_register(|source| source.is_indirect())
}

/// Whether doubles take two channels each.
fn pairs_channels(step: Step) -> bool {
    step.any_element(Df, |_| true)
}

/// Whether an instruction names one accumulator as source and another one as destination.
pub(crate) fn mixes_accumulators(step: Step) -> bool {
    let own = step.destination().register;
    step.names_accumulator()
        && step.registers().any(|source| {
            source.index == 0
                && source.arf() == Some(ArfKind::Accumulator)
                && source.register != own
        })
        && step.writes()
}

/// Whether the part of a control register that does not exist is written.
pub(crate) fn writes_fourth_control_register(step: Step) -> bool {
    let register = step.destination().register;
    register.arf() == Some(ArfKind::Control)
        && matches!(register, Register::Direct { subregister, .. } if subregister >= 12)
        && step.has_exact_result()
}

/// Whether the event of the timestamp register is read.
fn reads_event(step: Step) -> bool {
    step.any_register(|source| source.arf() == Some(ArfKind::Timestamp))
}

pub(super) const RULES: &[Rule] = &[
    rule("gen7.intro.srcmod-none")
        .when(|s| s.any_register(|source| source.modifier == SourceModifier::default())),
    rule("gen7.intro.srcmod-neg").when(|s| s.modifies(|source| source.modifier == NEGATE)),
    rule("gen7.intro.srcmod-abs").when(|s| s.modifies(|source| source.modifier == ABSOLUTE)),
    rule("gen7.intro.srcmod-negabs").when(|s| s.modifies(|source| source.modifier == BOTH)),
    rule("gen7.intro.srcmod-after-conversion").when(|s| s.modifies(|source| s.converts(source))),
    rule("gen7.term.indirect").when(is_indirect),
    rule("gen7.arfsum.address").when(is_indirect),
    rule("gen7.gen.ivb-df").when(|s| s.is_alternative() && pairs_channels(s)),
    rule("gen7.gen.ivb-df-doubling").until(Gen7).when(pairs_channels),
    rule("gen7.gen.ivb-df-channel-pair").until(Gen7).when(pairs_channels),
    rule("gen7.gen.ivb-f16").of(&[F32to16, F16to32]).unconditional(),
    rule("gen7.ieee.cmp-normal-scope")
        .when(|s| {
            !s.has_condition(ConditionalModifier::None)
                && s.any(|c| c.sets_flag() && c.any(Element::is_nan))
        })
        .decides_of(Decides::Flags),
    flags("gen7.ieee.cmpn-src1-nan", |s| compares(s, |_, b| b.is_nan())).of(&[Cmpn]),
    flags("gen7.ieee.cmpn-src0-nan", |s| compares(s, |a, b| a.is_nan() && !b.is_nan())).of(&[Cmpn]),
    flags("gen7.cmp.class-cell", |s| compares(s, has_no_nan)),
    flags("gen7.cmp.denorm-cell", |s| compares(s, |a, b| a.is_denormal() || b.is_denormal())),
    selection("gen7.minmax.one-nan", |s| takes_extreme(s, |a, b| a.is_nan() != b.is_nan())),
    selection("gen7.minmax.two-nan", |s| takes_extreme(s, |a, b| a.is_nan() && b.is_nan())),
    selection("gen7.minmax.conditional-select", |s| {
        (s.has_condition(Less) || s.has_condition(GreaterEqual)) && s.has_exact_result()
    }),
    selection("gen7.minmax.no-flag", selects_by_comparison).decides_of(Decides::KeptFlags),
    flags("gen7.minmax.cmpn-last-column", |s| {
        !s.has_condition(NotEqual) && compares(s, |_, b| b.is_nan())
    })
    .of(&[Cmpn]),
    selection("gen7.minmax.zero-order", |s| takes_extreme(s, are_zeros_of_both_signs)),
    rule("gen7.grf.addressing").when(is_indirect),
    rule("gen7.acc.mixed-illegal").when(mixes_accumulators),
    rule("gen7.acc.ud-negate").of(&[Mul, Mach]).when(|s| {
        s.registers().any(|source| source.data_type == Ud && source.modifier.negate)
            && s.any_open(|_| true)
    }),
    rule("gen7.acc.word-modular")
        .when(|s| s.computes_in(Word) && !s.instruction().saturate && s.any(|c| c.wraps())),
    selection("gen7.flag.sel-none", |_| true).decides_of(Decides::KeptFlags).unconditional(),
    rule("gen7.cr.sub3-write").when(writes_fourth_control_register),
    rule("gen7.tm.shape").of(&[And]).when(reads_event),
    rule("gen7.tm.event").of(&[And]).when(reads_event),
    flags("gen7.isa.cmod.cmp", |s| s.sets_flags()).unconditional(),
    rule("gen7.isa.cmod.cmp-dst")
        .of(&[Cmp, Cmpn])
        .when(|s| !s.destination().register.is_null() && s.has_exact_result()),
    flags("gen7.isa.cmod.cmp-dst-null", |s| s.destination().register.is_null() && s.sets_flags()),
    rule("gen7.isa.cmod.cmp-dst-type").of(&[Cmp, Cmpn]).when(|s| {
        !s.destination().register.is_null()
            && s.destination().data_type.is_float()
            && s.has_exact_result()
    }),
    selection("gen7.isa.cmod.sel-cmod", |s| {
        (s.has_condition(Less) || s.has_condition(GreaterEqual)) && s.has_exact_result()
    }),
    selection("gen7.isa.cmod.sel-cmod-all", selects_by_comparison),
    selection("gen7.isa.cmod.sel-cmod-eq", |s| compares(s, are_zeros_of_both_signs)),
    rule("gen7.isa.op.indirect").when(is_indirect),
    rule("gen7.isa.op.ivb-df").until(Gen7).when(pairs_channels),
];
