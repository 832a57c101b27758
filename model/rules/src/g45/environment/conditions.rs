//! Conditional flags (sections 11.3.4.6 and 11.8).

use parallax_isa::eu::{
    Opcode::{Cmp, Cmpn, Rndd, Rnde, Rndu, Rndz},
    instruction::ConditionalModifier::{
        self, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Overflow, RoundIncrement,
        Unordered,
    },
};

use super::super::g45;
use crate::{
    Rule,
    comparison::{differ_beyond_their_type, has_nan},
    rule::Decides,
    step::{Channel, Step},
};

const fn flags(id: &str, when: fn(Step) -> bool) -> Rule {
    g45(id).when(when).decides_of(Decides::Flags)
}

const fn compared(id: &str, when: fn(Step) -> bool) -> Rule {
    flags(id, when).of(&[Cmp, Cmpn])
}

/// Whether a result is tested for a condition, in a channel where it is of some kind.
fn tests(step: Step, conditions: &[ConditionalModifier], which: fn(Channel) -> bool) -> bool {
    conditions.contains(&step.instruction().condition)
        && step.tests_its_result()
        && step.any(|c| c.sets_flag() && which(c))
}

fn any(_: Channel) -> bool {
    true
}

const SIGNS: &[ConditionalModifier] = &[Greater, GreaterEqual, Less, LessEqual];
const ORDERS: &[ConditionalModifier] = &[Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual];
const OVERFLOWS: &[ConditionalModifier] = &[Overflow, RoundIncrement];
const ALL: &[ConditionalModifier] =
    &[Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual, RoundIncrement, Overflow, Unordered];

/// Whether some channels keep their flags.
fn keeps_some(step: Step) -> bool {
    step.sets_flags() && (step.is_masked() || step.is_selective())
}

/// Whether the destination is null, and what else the instruction writes.
fn has_only_side_effects(step: Step) -> bool {
    step.destination().register.is_null() && step.sets_flags()
}

fn has_no_condition(step: Step) -> bool {
    step.has_condition(ConditionalModifier::None) && step.has_exact_result()
}

pub(in super::super) const RULES: &[Rule] = &[
    flags("g45.flag.properties", |s| s.sets_flags()),
    flags("g45.flag.shared-field", |s| s.sets_flags() && s.is_selective()),
    flags("g45.flag.read-pred", |s| s.sets_flags() && s.is_selective()),
    flags("g45.flag.per-bit-we", keeps_some),
    flags("g45.flag.latest", |s| s.sets_flags()),
    flags("g45.dw2.flagsubreg", |s| {
        s.sets_flags() && s.is_selective() && s.instruction().flag_subregister & 1 == 1
    }),
    g45("g45.null.write").when(|s| s.destination().register.is_null() && s.has_exact_result()),
    flags("g45.null.dst-effects", has_only_side_effects),
    flags("g45.inst.dst-null-flags", has_only_side_effects),
    flags("g45.pg.null.alu", has_only_side_effects),
    g45("g45.cond.no-modifier").when(has_no_condition).decides_of(Decides::KeptFlags),
    g45("g45.field.condmod.none").when(has_no_condition).decides_of(Decides::KeptFlags),
    flags("g45.field.condmod.codes", |s| s.sets_flags()),
    flags("g45.dw0.condmod.after-sat", |s| tests(s, ORDERS, |c| c.overflowed())),
    flags("g45.exc.dst-overflow", |s| tests(s, &[Overflow], |c| c.overflowed())),
    flags("g45.conv.condition", |s| tests(s, ALL, any)),
    flags("g45.cond.exec-channels", |s| s.sets_flags() && (s.size() < 16 || keeps_some(s))),
    flags("g45.cond.two-sets", |s| {
        tests(s, ORDERS, |c| c.overflowed())
            || matches!(s.instruction().opcode, Cmp | Cmpn)
                && s.any(|c| c.sets_flag() && c.pair(differ_beyond_their_type))
    }),
    flags("g45.cond.post-equals-cmp", |s| tests(s, ORDERS, any)),
    compared("g45.cond.pre-sign", |s| {
        SIGNS.contains(&s.instruction().condition)
            && s.any(|c| c.sets_flag() && c.pair(|a, b| a.bits != b.bits))
    }),
    compared("g45.cond.pre-zero", |s| {
        s.any(|c| c.sets_flag() && c.pair(|a, b| a.bits == b.bits || a.vanishes() && b.vanishes()))
    }),
    compared("g45.cond.ns", |s| s.any(|c| c.sets_flag() && c.pair(has_nan))),
    compared("g45.inst.cmp.pre-signals", |s| {
        s.any(|c| c.sets_flag() && c.pair(differ_beyond_their_type))
    }),
    flags("g45.cond.post-sign", |s| tests(s, SIGNS, |c| c.result().is_negative())),
    flags("g45.cond.post-zero", |s| tests(s, ORDERS, |c| c.result().vanishes())),
    flags("g45.cond.of", |s| tests(s, OVERFLOWS, |c| c.overflowed())),
    flags("g45.cond.inc", |s| tests(s, &[RoundIncrement], any)).of(&[Rndd, Rnde, Rndu, Rndz]),
    flags("g45.cond.nc", |s| tests(s, ALL, |c| c.result().is_nan())),
    flags("g45.cond.arith-modifiers", |s| tests(s, ALL, any)),
    flags("g45.cond.e", |s| tests(s, &[Equal], any)),
    flags("g45.cond.ne", |s| tests(s, &[NotEqual], any)),
    flags("g45.cond.g", |s| tests(s, &[Greater], any)),
    flags("g45.cond.ge", |s| tests(s, &[GreaterEqual], any)),
    flags("g45.cond.l", |s| tests(s, &[Less], any)),
    flags("g45.cond.le", |s| tests(s, &[LessEqual], any)),
    flags("g45.cond.r", |s| tests(s, &[RoundIncrement], any)),
    flags("g45.cond.o", |s| tests(s, &[Overflow], any)),
    flags("g45.cond.u", |s| tests(s, &[Unordered], any)),
];
