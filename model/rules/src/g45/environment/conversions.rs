//! Types, execution types, conversions and saturation (sections 10.2, 10.4, 11.4.3 and 13.2).

use std::cmp::Ordering::{Equal, Greater, Less};

use parallax_isa::eu::{
    DataType::{B, D, F, Ub, Ud, Uw, Vf, W},
    Opcode::{Mov, Sel},
};
use parallax_reference::eu::ExecutionType::{Float, Word};

use super::super::g45;
use crate::{
    Rule,
    conversion::{
        INTEGERS, SIGNED, UNSIGNED, computes_with, converts, is_raw, resizes, shows_sign,
    },
    element::Element,
    step::Step,
};

/// A conversion that a move makes.
const fn conversion(id: &str, when: fn(Step) -> bool) -> Rule {
    g45(id).of(&[Mov]).when(when)
}

/// Whether floats of a kind are moved to an integer type.
fn truncates(step: Step, which: fn(Element) -> bool) -> bool {
    converts(step, &[F], INTEGERS) && step.any(|c| c.element(0).is_some_and(which))
}

/// Whether finite floats of a sign are moved to an integer type whose range they are out of.
fn leaves_range(step: Step, negative: bool) -> bool {
    converts(step, &[F], INTEGERS)
        && step.any(|c| {
            let is_it = |e: Element| e.is_normal() && e.is_negative() == negative;
            c.overflowed() && c.element(0).is_some_and(is_it)
        })
}

/// Whether integers of a magnitude become floats: as sources, or as a result.
fn becomes_float(step: Step, which: fn(u128) -> bool) -> bool {
    (step.computes_in(Float) || step.destination().data_type == F)
        && step.any(|c| c.any(|e| e.integer().is_some_and(|n| which(n.unsigned_abs()))))
}

/// Whether a magnitude has more bits than a single-precision float.
fn is_long(magnitude: u128) -> bool {
    magnitude != 0 && u128::BITS - magnitude.leading_zeros() - magnitude.trailing_zeros() > 24
}

/// Whether a moved integer meets a condition, saturated or not.
fn moves_integer(step: Step, saturate: bool, which: fn(Element) -> bool) -> bool {
    step.instruction().saturate == saturate && step.any(|c| c.element(0).is_some_and(which))
}

/// Whether integers are moved to a smaller type that does not have them all.
fn narrows(step: Step, saturate: bool) -> bool {
    step.instruction().saturate == saturate
        && resizes(step, INTEGERS, INTEGERS, Less)
        && step.any(|c| c.overflowed())
}

/// Whether numbers of sources show what channels compute in.
fn computes(step: Step) -> bool {
    step.has_exact_result() && step.reads_numbers()
}

/// Whether two sources are of different types.
fn mixes_types(step: Step) -> bool {
    matches!(step.sources(), [a, b] if a.data_type() != b.data_type())
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.gen.term.ud-range")
        .when(|s| [B, Ub, W, Uw, D, Ud].iter().any(|data_type| shows_sign(s, *data_type))),
    g45("g45.dt.ub").when(|s| shows_sign(s, Ub)),
    g45("g45.dt.b").when(|s| shows_sign(s, B)),
    g45("g45.dt.uw").when(|s| shows_sign(s, Uw)),
    g45("g45.dt.w").when(|s| shows_sign(s, W)),
    g45("g45.dt.ud").when(|s| shows_sign(s, Ud)),
    g45("g45.dt.d").when(|s| shows_sign(s, D)),
    g45("g45.dt.f-format").when(|s| computes_with(s, F, |e| e.shows_layout())),
    // Conversions.
    conversion("g45.conv.f2i.trunc", |s| {
        converts(s, &[F], INTEGERS) && s.any(|c| !c.overflowed() && c.any(|e| e.has_a_fraction()))
    }),
    conversion("g45.conv.f2i.zero", |s| truncates(s, Element::vanishes)),
    conversion("g45.conv.f2i.nan", |s| truncates(s, Element::is_nan)),
    conversion("g45.conv.f2i.posinf", |s| truncates(s, |e| e.is_infinite() && !e.is_negative())),
    conversion("g45.conv.f2i.neginf", |s| truncates(s, |e| e.is_infinite() && e.is_negative())),
    conversion("g45.conv.f2i.above", |s| leaves_range(s, false)),
    conversion("g45.conv.f2i.below", |s| leaves_range(s, true)),
    conversion("g45.conv.f2i.sat-neutral", |s| {
        !s.instruction().saturate && (leaves_range(s, false) || leaves_range(s, true))
    }),
    conversion("g45.conv.i2i.zext", |s| {
        resizes(s, UNSIGNED, INTEGERS, Greater) && s.any(|c| c.any(Element::shows_its_sign))
    }),
    conversion("g45.conv.i2i.u2s-same-wrap", |s| {
        resizes(s, UNSIGNED, SIGNED, Equal) && moves_integer(s, false, Element::shows_its_sign)
    }),
    conversion("g45.conv.i2i.u2s-same-sat", |s| {
        resizes(s, UNSIGNED, SIGNED, Equal) && moves_integer(s, true, Element::shows_its_sign)
    }),
    conversion("g45.conv.i2i.s2u-same", |s| {
        resizes(s, SIGNED, UNSIGNED, Equal) && s.any(|c| c.any(Element::is_negative))
    }),
    conversion("g45.conv.i2i.sext", |s| {
        resizes(s, SIGNED, SIGNED, Greater) && s.any(|c| c.any(Element::is_negative))
    }),
    conversion("g45.conv.i2i.s2u-wide", |s| {
        resizes(s, SIGNED, UNSIGNED, Greater) && moves_integer(s, false, Element::is_negative)
    }),
    conversion("g45.conv.i2i.s2u-wide-sat", |s| {
        resizes(s, SIGNED, UNSIGNED, Greater) && moves_integer(s, true, Element::is_negative)
    }),
    conversion("g45.conv.i2i.narrow", |s| narrows(s, false)),
    conversion("g45.conv.i2i.narrow-sat", |s| narrows(s, true)),
    g45("g45.conv.i2f.exact").when(|s| becomes_float(s, |n| (1..=1 << 24).contains(&n))),
    g45("g45.conv.i2f.trunc").when(|s| becomes_float(s, is_long)),
    g45("g45.conv.i2f.zero").when(|s| becomes_float(s, |n| n == 0)),
    g45("g45.conv.i2f.sat").of(&[Mov, Sel]).when(|s| {
        s.instruction().saturate && s.destination().data_type == F && becomes_float(s, |n| n > 1)
    }),
    g45("g45.conv.dest-after-exec").when(|s| s.changes_kind() || s.any(|c| c.overflowed())),
    // What channels compute in.
    g45("g45.exectype.single").when(|s| !mixes_types(s) && computes(s)),
    g45("g45.exectype.mixed").when(|s| mixes_types(s) && computes(s)),
    g45("g45.exectype.dest-independent").when(|s| s.changes_kind()),
    g45("g45.exectype.convert-one-source")
        .when(|s| s.computes_in(Float) && mixes_types(s) && becomes_float(s, |n| n != 0)),
    g45("g45.exectype.signed").when(|s| {
        s.reads_numbers() && UNSIGNED.iter().any(|t| s.any_of_sources(*t, Element::shows_its_sign))
    }),
    g45("g45.exectype.byte-channel").when(|s| {
        s.computes_in(Word)
            && s.reads_numbers()
            && [B, Ub].iter().any(|data_type| s.any_of_sources(*data_type, |_| true))
    }),
    g45("g45.exectype.vf").when(|s| s.any_of_sources(Vf, |e| !e.is_zero())),
    conversion("g45.vec.f2i", |s| {
        truncates(s, |e| e.vanishes() || e.is_nan() || e.is_infinite())
            || leaves_range(s, false)
            || leaves_range(s, true)
    }),
    g45("g45.vec.i2f").when(|s| becomes_float(s, is_long)),
    // Saturation.
    g45("g45.dw0.saturate.on").when(|s| s.clamps()),
    g45("g45.dw0.saturate.float").when(|s| s.destination().data_type == F && s.clamps()),
    g45("g45.dw0.saturate.int").when(|s| s.destination().data_type != F && s.clamps()),
    g45("g45.dw0.saturate.off-int").when(|s| {
        !s.instruction().saturate
            && !s.sources().iter().any(|source| source.data_type().is_float())
            && !s.destination().data_type.is_float()
            && s.any(|c| c.overflowed())
    }),
    g45("g45.dw0.saturate.order").when(|s| !is_raw(s) && s.clamps()),
    g45("g45.dw0.saturate.neg-zero").when(|s| {
        s.instruction().saturate
            && s.destination().data_type == F
            && s.any(|c| c.result().is_zero())
    }),
];
