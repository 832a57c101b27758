//! Types, immediates and conversions (sections on numeric data types and on conversions).

use parallax_isa::{
    device::Generation,
    eu::{
        DataType::{self, B, D, Df, F, Hf, Ub, Ud, Uv, Uw, V, Vf, W},
        Opcode::{Mov, Sel},
    },
};
use parallax_reference::eu::ExecutionType;

use crate::{
    Rule,
    conversion::{INTEGERS, SIGNED, UNSIGNED, computes_with, converts, resizes, shows_sign},
    rule::rule,
    step::Step,
};

/// Whether a float that is out of an integer type's range is converted to it.
fn clamps(step: Step, to: DataType) -> bool {
    converts(step, &[F, Df], &[to]) && step.any(|c| c.overflowed())
}

const fn clamping(id: &str, when: fn(Step) -> bool) -> Rule {
    rule(id).of(&[Mov]).when(when)
}

pub(super) const RULES: &[Rule] = &[
    rule("gen7.data.sizes").when(|s| {
        [Ub, Uw, Ud]
            .iter()
            .any(|data_type| s.reads_numbers() && s.any_of_sources(*data_type, |e| e.bits != 0))
    }),
    rule("gen7.data.int-twos-complement")
        .when(|s| [B, W, D].iter().any(|data_type| shows_sign(s, *data_type))),
    rule("gen7.data.f-layout").when(|s| computes_with(s, F, |e| e.shows_layout())),
    rule("gen7.data.f-range").when(|s| computes_with(s, F, |e| e.is_at_an_end_of_the_range())),
    rule("gen7.data.f-modes").when(|s| {
        s.computes_in(ExecutionType::Float)
            && s.any(|c| c.any(|e| e.data_type == F && (e.is_denormal() || e.is_nan())))
    }),
    rule("gen7.data.df-layout").when(|s| computes_with(s, Df, |e| e.shows_layout())),
    rule("gen7.data.df-range").when(|s| computes_with(s, Df, |e| e.is_at_an_end_of_the_range())),
    rule("gen7.data.df-ieee-only").when(|s| s.is_alternative() && s.any_element(Df, |_| true)),
    rule("gen7.data.df-denorm-control")
        .when(|s| s.reads_numbers() && s.any_of_sources(Df, |e| e.is_denormal())),
    rule("gen7.data.float-formats").when(|s| {
        computes_with(s, F, |e| e.shows_layout()) || computes_with(s, Df, |e| e.shows_layout())
    }),
    rule("gen7.data.sign-magnitude").when(|s| {
        let negates =
            s.registers().any(|source| source.modifier.negate && source.data_type.is_float());
        [F, Df, Hf].iter().any(|data_type| {
            s.any_element(*data_type, |e| {
                !e.is_nan() && (negates || e.is_zero() && e.is_negative())
            })
        })
    }),
    rule("gen7.data.v-layout").when(|s| s.has_immediate(V) && s.has_several_results()),
    rule("gen7.data.uv-layout").when(|s| s.has_immediate(Uv) && s.has_several_results()),
    rule("gen7.data.vf-layout").when(|s| s.has_immediate(Vf) && s.has_several_results()),
    rule("gen7.data.vf-range").when(|s| s.any_of_sources(Vf, |e| !e.is_zero())),
    rule("gen7.type.ub").when(|s| shows_sign(s, Ub)),
    rule("gen7.type.b").when(|s| shows_sign(s, B)),
    rule("gen7.type.uw").when(|s| shows_sign(s, Uw)),
    rule("gen7.type.w").when(|s| shows_sign(s, W)),
    rule("gen7.type.ud").when(|s| shows_sign(s, Ud)),
    rule("gen7.type.d").when(|s| shows_sign(s, D)),
    rule("gen7.type.f").when(|s| computes_with(s, F, |e| e.is_normal())),
    rule("gen7.type.df").when(|s| computes_with(s, Df, |e| e.is_normal())),
    rule("gen7.type.v").when(|s| s.any_of_sources(V, |e| e.is_negative())),
    rule("gen7.type.uv").when(|s| s.any_of_sources(Uv, |e| e.bits > 7)),
    rule("gen7.type.vf").when(|s| s.any_of_sources(Vf, |e| !e.is_zero())),
    rule("gen7.vec.v-expand").when(|s| s.any_of_sources(V, |e| e.is_negative())),
    rule("gen7.vec.vf-expand").when(|s| s.has_immediate(Vf) && s.has_several_results()),
    rule("gen7.vec.vf-fields").when(|s| s.any_of_sources(Vf, |e| e.has_a_fraction())),
    rule("gen7.vec.vf-no-specials")
        .when(|s| s.any_of_sources(Vf, |e| !e.is_zero() && e.bits >> 23 & 0xFF < 125)),
    rule("gen7.vec.vf-to-f-exponent").when(|s| s.any_of_sources(Vf, |e| !e.is_zero())),
    rule("gen7.vec.vf-to-f-fraction").when(|s| s.any_of_sources(Vf, |e| e.bits & 0x7F_FFFF != 0)),
    rule("gen7.imm.scalar-types").when(|s| {
        s.has_several_results()
            && [W, Uw, D, Ud, F].iter().any(|data_type| s.has_immediate(*data_type))
    }),
    rule("gen7.imm.size").when(|s| s.has_exact_result() && s.has_any_immediate()),
    rule("gen7.imm.vector-v")
        .when(|s| s.has_several_results() && (s.has_immediate(V) || s.has_immediate(Uv))),
    rule("gen7.imm.vector-vf").when(|s| s.has_several_results() && s.has_immediate(Vf)),
    // Conversions.
    rule("gen7.conv.f2i-truncate").of(&[Mov]).when(|s| {
        converts(s, &[F], INTEGERS) && s.any(|c| !c.overflowed() && c.any(|e| e.has_a_fraction()))
    }),
    clamping("gen7.conv.f2ud", |s| clamps(s, Ud)),
    clamping("gen7.conv.f2d", |s| clamps(s, D)),
    clamping("gen7.conv.f2uw", |s| clamps(s, Uw)),
    clamping("gen7.conv.f2w", |s| clamps(s, W)),
    clamping("gen7.conv.f2ub", |s| clamps(s, Ub)),
    clamping("gen7.conv.f2b", |s| clamps(s, B)),
    rule("gen7.conv.f2df-exact")
        .of(&[Mov])
        .when(|s| converts(s, &[F], &[Df]) && s.any(|c| c.any(|e| e.is_finite()))),
    rule("gen7.conv.df2f-overflow").of(&[Mov]).until(Generation::Gen75).when(|s| {
        converts(s, &[Df], &[F])
            && s.any(|c| c.any(|e| e.is_finite()) && c.result().bits & 0x7FFF_FFFF == 0x7F7F_FFFF)
    }),
    rule("gen7.conv.df2f-underflow").of(&[Mov]).until(Generation::Gen75).when(|s| {
        converts(s, &[Df], &[F])
            && s.any(|c| {
                c.any(|e| e.is_normal()) && (c.result().is_denormal() || c.result().is_zero())
            })
    }),
    rule("gen7.conv.df2f-denorm")
        .of(&[Mov])
        .until(Generation::Gen75)
        .when(|s| converts(s, &[Df], &[F]) && s.any(|c| c.any(|e| e.is_denormal()))),
    rule("gen7.conv.df2f-special").of(&[Mov]).until(Generation::Gen75).when(|s| {
        converts(s, &[Df], &[F])
            && s.any(|c| c.any(|e| e.is_zero() || e.is_infinite() || e.is_nan()))
    }),
    rule("gen7.conv.u-wider").of(&[Mov]).when(|s| {
        resizes(s, UNSIGNED, INTEGERS, std::cmp::Ordering::Greater)
            && s.any(|c| c.any(|e| e.shows_its_sign()))
    }),
    rule("gen7.conv.s2s-wider").of(&[Mov]).when(|s| {
        resizes(s, SIGNED, SIGNED, std::cmp::Ordering::Greater)
            && s.any(|c| c.any(|e| e.is_negative()))
    }),
    rule("gen7.conv.s2u-wider").of(&[Mov]).when(|s| {
        resizes(s, SIGNED, UNSIGNED, std::cmp::Ordering::Greater)
            && s.any(|c| c.any(|e| e.is_negative()))
    }),
    rule("gen7.conv.u2s-same").of(&[Mov]).when(|s| {
        resizes(s, UNSIGNED, SIGNED, std::cmp::Ordering::Equal)
            && s.any(|c| c.any(|e| e.shows_its_sign()))
    }),
    rule("gen7.conv.narrow").of(&[Mov, Sel]).when(|s| {
        resizes(s, INTEGERS, INTEGERS, std::cmp::Ordering::Less)
            && s.any(|c| {
                let size = 8 * c.result().data_type.size();
                c.element(0).is_some_and(|e| e.bits >> size != 0)
            })
    }),
];
