//! Float modes (section 10.3).

use parallax_isa::eu::{
    DataType::{F, Ud},
    Opcode::{Add, Asr, Cmp, Cmpn, Mul, Shl, Shr},
    register::ArfKind,
};

use parallax_reference::eu::ExecutionType::Float;

use super::super::g45;
use crate::{
    Rule,
    conversion::is_raw,
    element::Element,
    step::{Channel, Step},
};

/// Whether two floats that are added or multiplied in IEEE mode are of some kinds.
pub(in super::super) fn in_ieee(step: Step, which: fn(Element, Element) -> bool) -> bool {
    step.is_ieee() && step.any(|c| c.pair(|a, b| are_floats(a, b) && which(a, b)))
}

/// The same in ALT mode.
pub(in super::super) fn in_alternative(step: Step, which: fn(Element, Element) -> bool) -> bool {
    step.is_alternative() && step.any(|c| c.pair(|a, b| are_floats(a, b) && which(a, b)))
}

pub(in super::super) fn are_floats(a: Element, b: Element) -> bool {
    a.data_type.is_float() && b.data_type.is_float()
}

/// Both count as zero.
pub(in super::super) fn vanish(a: Element, b: Element) -> bool {
    a.vanishes() && b.vanishes()
}

pub(in super::super) fn have_opposite_signs(a: Element, b: Element) -> bool {
    a.is_negative() != b.is_negative()
}

/// Infinity times what counts as zero.
pub(in super::super) fn is_infinity_times_zero(a: Element, b: Element) -> bool {
    a.is_infinite() && b.vanishes() || a.vanishes() && b.is_infinite()
}

/// A normal float and what counts as zero.
pub(in super::super) fn has_one_zero(a: Element, b: Element) -> bool {
    a.is_normal() && b.vanishes() || a.vanishes() && b.is_normal()
}

/// One of both is a denormal, the other of some kind.
fn has_denormal(a: Element, b: Element, other: fn(Element) -> bool) -> bool {
    a.is_denormal() && other(b) || b.is_denormal() && other(a)
}

/// A normal float times 1 or -1.
pub(in super::super) fn has_one(a: Element, b: Element) -> bool {
    a.is_one() && b.is_normal() || b.is_one() && a.is_normal()
}

/// Whether a result in single precision, not clamped, meets a condition.
fn gives(step: Step, which: fn(Channel) -> bool) -> bool {
    step.destination().data_type == F && !step.instruction().saturate && step.any(which)
}

/// Whether a result is too large for single precision.
fn overflows(step: Step) -> bool {
    gives(step, |c| c.overflowed())
}

/// Whether the largest number there is stands for a larger one.
fn is_cut_to_largest(step: Step) -> bool {
    step.is_alternative() && gives(step, |c| c.overflowed() && c.result().is_largest())
}

/// Whether a NaN comes of a source that is one.
fn propagates_nan(step: Step) -> bool {
    step.is_ieee()
        && !is_raw(step)
        && gives(step, |c| c.result().is_nan() && c.any(Element::is_nan))
}

/// Whether digits of a result are cut off.
fn rounds(step: Step) -> bool {
    gives(step, |c| c.is_rounded() && c.result().is_normal())
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.gen.term.fltmax").when(is_cut_to_largest),
    g45("g45.sys.units.flt-max").when(is_cut_to_largest),
    g45("g45.float.ieee.inf-minus-inf").of(&[Add]).when(|s| {
        in_ieee(s, |a, b| a.is_infinite() && b.is_infinite() && have_opposite_signs(a, b))
    }),
    g45("g45.float.ieee.zero-times-inf").of(&[Mul]).when(|s| in_ieee(s, is_infinity_times_zero)),
    g45("g45.float.ieee.denorm-times-inf")
        .of(&[Mul])
        .when(|s| in_ieee(s, |a, b| has_denormal(a, b, Element::is_infinite))),
    g45("g45.float.ieee.mul-one-flushes")
        .of(&[Mul])
        .when(|s| in_ieee(s, |a, b| has_denormal(a, b, Element::is_one))),
    g45("g45.float.ieee.mul-one-identity").of(&[Mul]).when(|s| in_ieee(s, has_one)),
    g45("g45.float.ieee.add-zero-identity").of(&[Add]).when(|s| in_ieee(s, has_one_zero)),
    g45("g45.float.ieee.negzero-plus-zero")
        .of(&[Add])
        .when(|s| in_ieee(s, |a, b| vanish(a, b) && have_opposite_signs(a, b))),
    g45("g45.float.ieee.add-negzero").of(&[Add]).when(|s| {
        in_ieee(s, |a, b| b.is_zero() && b.is_negative() && (a.vanishes() || a.is_normal()))
    }),
    g45("g45.float.ieee.nan-propagate").when(propagates_nan),
    g45("g45.float.ieee.nan-payload").when(propagates_nan),
    g45("g45.float.ieee.rtz").when(rounds),
    g45("g45.float.ieee.error-bound").when(rounds),
    g45("g45.float.ieee.overflow").when(|s| s.is_ieee() && overflows(s)),
    g45("g45.float.ieee.no-traps").when(overflows),
    g45("g45.exc.fpu").when(overflows),
    g45("g45.float.ieee.denorm-in").when(|s| !is_raw(s) && s.any(|c| c.any(Element::is_denormal))),
    g45("g45.float.ieee.denorm-out").when(|s| gives(s, |c| c.is_rounded() && c.result().is_zero())),
    g45("g45.float.mode-select").when(is_cut_to_largest),
    g45("g45.float.mode-per-thread").when(is_cut_to_largest),
    g45("g45.cr.fpmode").when(is_cut_to_largest),
    g45("g45.float.ieee.fused-range").when(|s| s.any_open(|c| c.may_overflow())),
    g45("g45.float.ieee.acc-precision").when(|s| s.computes_in(Float) && s.any_open(|_| true)),
    g45("g45.float.alt.no-special-inputs").when(|s| {
        s.is_alternative()
            && s.computes_in(Float)
            && s.any_open(|c| c.reads_any(|e| e.is_infinite() || e.is_nan()))
    }),
    g45("g45.float.alt.inf-flush").when(is_cut_to_largest),
    g45("g45.float.alt.no-special-results").when(|s| {
        s.is_alternative() && s.destination().data_type.is_float() && s.any(|c| c.overflowed())
    }),
    g45("g45.float.alt.only-listed-differences")
        .of(&[Add, Mul])
        .when(|s| in_alternative(s, |a, b| a.is_denormal() || b.is_denormal())),
    g45("g45.acc.shift-source")
        .of(&[Shr, Shl, Asr])
        .when(|s| s.reads_accumulator(0) && s.has_exact_result()),
    g45("g45.acc.word-product").of(&[Mul]).when(|s| {
        s.any(|c| c.are(|[a, b]| i16::try_from(a * b).is_err() && (a.abs() | b.abs()) >> 16 == 0))
    }),
    g45("g45.acc.ud-negate-overflow").of(&[Mul]).when(negates_unsigned),
    g45("g45.vec.mad-flush").of(&[Add]).when(|s| {
        s.destination().register.arf() == Some(ArfKind::Accumulator)
            && s.any(|c| c.pair(|_, b| b.data_type.is_float() && b.is_zero() && b.is_negative()))
    }),
    g45("g45.vec.mixed-sign").of(&[Add, Cmp, Cmpn]).when(|s| {
        use parallax_isa::eu::DataType::{D, Ud};
        [[D, Ud], [Ud, D]].contains(&[s.0.source_type(0), s.0.source_type(1)])
            && s.any(|c| c.pair(|a, b| a.shows_its_sign() || b.shows_its_sign()))
    }),
];

/// Whether an unsigned doubleword is negated: its product has a bit too much.
pub(in super::super) fn negates_unsigned(step: Step) -> bool {
    step.any_open(|_| true)
        && step.registers().any(|source| source.data_type == Ud && source.modifier.negate)
}
