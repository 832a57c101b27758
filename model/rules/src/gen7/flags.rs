//! Flags: which bits conditional modifiers write, and when; vectors of immediates.

use parallax_isa::{
    device::Generation::Gen8,
    eu::{
        DataType::{Uv, V, Vf},
        instruction::ConditionalModifier::{
            self, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Overflow, Unordered,
        },
    },
};

use crate::{
    Rule,
    rule::{Decides, rule},
    step::Step,
};

/// A rule on the flags that a conditional modifier sets.
const fn flags(id: &str, when: fn(Step) -> bool) -> Rule {
    rule(id).when(when).decides_of(Decides::Flags)
}

/// Whether the flags are set by a conditional modifier.
fn sets(step: Step, condition: ConditionalModifier) -> bool {
    step.has_condition(condition) && step.sets_flags()
}

/// Whether flags are read as a predicate and set.
fn reads_and_sets(step: Step) -> bool {
    step.is_predicated() && step.sets_flags()
}

/// Whether the flags of some channels only are set.
fn sets_some(step: Step) -> bool {
    step.sets_flags() && (step.is_masked() || step.is_selective())
}

/// Whether an element of a vector of restricted floats has an exponent.
fn has_exponent<const EXPONENT: u64>(step: Step) -> bool {
    step.any_of_sources(Vf, |e| !e.is_zero() && e.bits >> 23 & 0xFF == EXPONENT)
}

pub(super) const RULES: &[Rule] = &[
    flags("gen7.intro.flag-side-effect", |s| s.sets_flags()),
    rule("gen7.vec.uv-expand").when(|s| s.has_immediate(Uv) && s.has_several_results()),
    rule("gen7.vec.vf-zero").when(|s| s.any_of_sources(Vf, |e| e.is_zero())),
    rule("gen7.vec.vf-exp7").when(has_exponent::<131>),
    rule("gen7.vec.vf-exp6").when(has_exponent::<130>),
    rule("gen7.vec.vf-exp5").when(has_exponent::<129>),
    rule("gen7.vec.vf-exp4").when(has_exponent::<128>),
    rule("gen7.vec.vf-exp3").when(has_exponent::<127>),
    rule("gen7.vec.vf-exp2").when(has_exponent::<126>),
    rule("gen7.vec.vf-exp1").when(has_exponent::<125>),
    rule("gen7.vec.vf-exp0").when(has_exponent::<124>),
    rule("gen7.vec.vf-negative").when(|s| s.any_of_sources(Vf, |e| e.is_negative())),
    flags("gen7.flag.channel-map", |s| s.instruction().first_channel != 0 && s.sets_flags()),
    flags("gen7.flag.shared-select", reads_and_sets),
    flags("gen7.flag.last-writer", |s| s.sets_flags()),
    flags("gen7.flag.bit-write-enable", sets_some),
    flags("gen7.isa.flag.simd32", |s| {
        s.sets_flags() && u32::from(s.instruction().first_channel) + u32::from(s.size()) > 16
    }),
    flags("gen7.isa.flag.subreg1-16", |s| {
        s.instruction().flag_subregister & 1 == 1 && s.sets_flags()
    }),
    flags("gen7.isa.flag.same-reg", reads_and_sets),
    flags("gen7.isa.flag.write-mask", sets_some),
    flags("gen7.isa.cmod.z", |s| sets(s, Equal)),
    flags("gen7.isa.cmod.nz", |s| sets(s, NotEqual)),
    flags("gen7.isa.cmod.g", |s| sets(s, Greater)),
    flags("gen7.isa.cmod.ge", |s| sets(s, GreaterEqual)),
    flags("gen7.isa.cmod.l", |s| sets(s, Less)),
    flags("gen7.isa.cmod.le", |s| sets(s, LessEqual)),
    flags("gen7.isa.cmod.o", |s| sets(s, Overflow)),
    flags("gen7.isa.cmod.u", |s| sets(s, Unordered)),
    rule("gen7.isa.op.imm-packed").when(|s| {
        s.has_several_results() && [V, Uv, Vf].iter().any(|vector| s.has_immediate(*vector))
    }),
    rule("gen9.isa.op.simd32-mask").since(Gen8).when(|s| s.size() == 32 && s.uses_mask_bits()),
];
