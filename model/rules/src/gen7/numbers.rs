//! Float modes, denormals, functions, conversions (sections on floating-point modes and on conversions).

use parallax_isa::{
    device::Generation::{Gen7, Gen8, Gen75},
    eu::{
        DataType::{self, Df, F, Hf},
        Opcode::{
            Add, Cmp, Cmpn, F16to32, Lrp, Mac, Mad, Math, Mov, Mul, Rndd, Rnde, Rndu, Rndz, Sel,
        },
        instruction::MathFunction::{self, Fdiv, Inv, Log, Rsqt, Sqt},
    },
};
use parallax_reference::eu::ExecutionType::{self, Float};

use crate::{
    Rule,
    conversion::{INTEGERS, computes_with},
    element::Element,
    rule::rule,
    step::{Channel, Step},
};

/// A rule on a function of `math`.
const fn function(id: &str, when: fn(Step) -> bool) -> Rule {
    rule(id).of(&[Math]).when(when)
}

/// Whether a function of an operand of some kind is computed.
fn of(step: Step, functions: &[MathFunction], which: fn(Element) -> bool) -> bool {
    step.applies(functions) && step.any(|c| c.element(0).is_some_and(which))
}

/// The same in IEEE mode.
fn in_ieee(step: Step, functions: &[MathFunction], which: fn(Element) -> bool) -> bool {
    step.is_ieee() && of(step, functions, which)
}

fn is_negative_finite(element: Element) -> bool {
    element.is_normal() && element.is_negative()
}

/// Whether it computes with a denormal that counts as zero.
pub(crate) fn flushes_source(step: Step, data_type: DataType) -> bool {
    step.flushes_denormals(data_type) && computes_with_denormal(step, data_type)
}

/// Whether it computes with a denormal.
fn computes_with_denormal(step: Step, data_type: DataType) -> bool {
    step.reads_numbers() && step.any_of_sources(data_type, |e| e.is_denormal())
}

/// Whether a result too small for normal numbers becomes zero.
fn flushes_result(step: Step, data_type: DataType) -> bool {
    step.flushes_denormals(data_type)
        && step.destination().data_type == data_type
        && step.any(|c| c.is_rounded() && c.result().is_zero())
}

/// Whether denormals of a type, as sources or results, are kept or flushed.
pub(crate) fn shows_denormals(step: Step, data_type: DataType) -> bool {
    computes_with_denormal(step, data_type)
        || flushes_result(step, data_type)
        || computes_with(step, data_type, |e| e.is_denormal())
}

/// Whether the result lacks digits, as a float of single precision.
fn rounds(step: Step) -> bool {
    step.destination().data_type == F
        && step.is_ieee()
        && step.any(|c| c.is_rounded() && c.result().is_normal())
}

/// Whether the alternative mode gives a result in single precision that meets a condition.
fn alternative(step: Step, which: fn(Channel) -> bool) -> bool {
    step.is_alternative()
        && step.computes_in(Float)
        && step.destination().data_type == F
        && step.any(which)
}

/// Whether the largest number stands for one beyond the range.
fn is_cut_to_largest(step: Step) -> bool {
    alternative(step, |c| c.overflowed() && c.result().is_largest())
}

/// Whether a result would be infinite, a denormal or no number in IEEE mode.
fn avoids_special_result(step: Step) -> bool {
    alternative(step, |c| {
        c.overflowed()
            || c.is_rounded() && c.result().is_zero()
            || c.any(|e| e.is_infinite() || e.is_denormal())
    })
}

/// Whether a float becomes a float of another format.
fn converts_floats(step: Step) -> bool {
    let to = step.destination().data_type;
    to.is_float()
        && step
            .sources()
            .iter()
            .any(|source| source.data_type().is_float() && source.data_type() != to)
}

/// Whether a double becomes a single-precision float with fewer digits.
fn cuts_double(step: Step) -> bool {
    step.destination().data_type == F
        && step.any_of_sources(Df, |e| e.is_normal() && e.bits & 0x1FFF_FFFF != 0)
}

/// Whether a number that is no integer's becomes an integer.
fn to_integer(step: Step, which: fn(Channel, Element) -> bool) -> bool {
    INTEGERS.contains(&step.destination().data_type)
        && step.0.source_type(0).is_float()
        && step.any(|c| c.element(0).is_some_and(|e| which(c, e)))
}

/// Whether an integer that has some bits, apart from those that a fraction has room for, becomes a float.
fn from_integer(step: Step, fits: bool) -> bool {
    let digits = match step.destination().data_type {
        Hf => 11,
        Df => 53,
        F => 24,
        _ => return false,
    };
    step.any(|c| c.are(|[integer]| integer != 0 && (integer.unsigned_abs() >> digits == 0) == fits))
}

pub(super) const RULES: &[Rule] = &[
    rule("gen7.term.alt-input-inf").when(|s| {
        s.is_alternative() && s.computes_in(Float) && s.any_of_sources(F, |e| e.is_infinite())
    }),
    rule("gen7.term.alt-input-denorm").when(|s| s.is_alternative() && flushes_source(s, F)),
    rule("gen7.term.alt-output").when(avoids_special_result),
    rule("gen7.term.denorm")
        .when(|s| [F, Hf, Df].iter().any(|data_type| shows_denormals(s, *data_type))),
    rule("gen7.term.ieee-values").when(|s| s.is_ieee() && computes_with(s, F, |e| !e.is_normal())),
    rule("gen7.data.alt-no-specials").when(avoids_special_result),
    rule("gen7.data.f-denorm-flush")
        .when(|s| s.is_ieee() && (flushes_source(s, F) || flushes_result(s, F))),
    rule("gen7.mode.two-modes").when(avoids_special_result),
    rule("gen7.mode.per-thread").when(avoids_special_result),
    function("gen7.ieee.recip-inf", |s| in_ieee(s, &[Inv], Element::is_infinite)),
    function("gen7.ieee.inf-div-inf", |s| {
        s.is_ieee()
            && s.applies(&[Fdiv])
            && s.any(|c| c.pair(|a, b| a.is_infinite() && b.is_infinite()))
    }),
    function("gen7.ieee.inv-zero", |s| in_ieee(s, &[Inv], Element::is_zero)),
    function("gen7.ieee.rsq-zero", |s| in_ieee(s, &[Rsqt], Element::is_zero)),
    function("gen7.ieee.sqrt-minus-zero", |s| of(s, &[Sqt], |e| e.is_zero() && e.is_negative())),
    function("gen7.ieee.rsq-negative", |s| in_ieee(s, &[Rsqt], is_negative_finite)),
    function("gen7.ieee.sqrt-negative", |s| in_ieee(s, &[Sqt], is_negative_finite)),
    function("gen7.ieee.log-zero", |s| in_ieee(s, &[Log], Element::is_zero)),
    function("gen7.ieee.log-negative", |s| {
        in_ieee(s, &[Log], |e| e.is_negative() && (e.is_normal() || e.is_infinite()))
    }),
    rule("gen7.ieee.nan-propagates").when(|s| {
        let is_moved = matches!(s.instruction().opcode, Mov | Sel | Cmp | Cmpn);
        !is_moved
            && s.destination().data_type.is_float()
            && s.any(|c| c.result().is_nan() && c.any(Element::is_nan))
    }),
    rule("gen7.ieee.rtne-half-ulp").of(&[Add, Mul]).when(|s| s.rounds_by(&[0]) && rounds(s)),
    rule("gen7.ieee.rtne-all").when(|s| {
        !matches!(s.instruction().opcode, Rndd | Rnde | Rndu | Rndz)
            && s.rounds_by(&[0])
            && rounds(s)
    }),
    rule("gen7.ieee.rounding-mode").when(|s| s.rounds_by(&[1, 2, 3]) && rounds(s)),
    rule("gen7.ieee.f-flush-in").when(|s| s.is_ieee() && flushes_source(s, F)),
    rule("gen7.ieee.f-flush-out").when(|s| s.is_ieee() && flushes_result(s, F)),
    rule("gen7.ieee.df-denorm").when(|s| shows_denormals(s, Df)),
    rule("gen7.ieee.convert-no-flush")
        .of(&[Mov, Sel])
        .when(|s| converts_floats(s) && s.any(|c| c.any(Element::is_denormal))),
    rule("gen7.ieee.rawmov-no-flush").of(&[Mov]).when(|s| {
        crate::conversion::is_raw(s)
            && s.destination().data_type.is_float()
            && s.any(|c| c.any(Element::is_denormal))
    }),
    rule("gen7.ieee.hf-no-flush").of(&[Mov, F16to32]).when(|s| {
        let is_half = |bits: u64| bits & 0x7C00 == 0 && bits & 0x3FF != 0;
        s.destination().data_type == F
            && (s.any_of_sources(Hf, |e| e.is_denormal())
                || s.instruction().opcode == F16to32 && s.any(|c| c.any(|e| is_half(e.bits))))
    }),
    rule("gen7.ieee.fused-overflow").when(|s| s.any_open(|c| c.may_overflow())),
    rule("gen7.ieee.fused-vs-unfused").of(&[Mac]).when(|s| s.any_open(|_| true)),
    rule("gen7.alt.no-special-results").when(avoids_special_result),
    rule("gen7.alt.overflow-fmax").when(is_cut_to_largest),
    rule("gen7.alt.inf-flush").when(is_cut_to_largest),
    function("gen7.alt.math-abs", |s| {
        s.is_alternative() && of(s, &[Log, Rsqt, Sqt], is_negative_finite)
    }),
    rule("gen7.alt.no-new-nan").of(&[Add, Mul, Mac, Mad, Lrp, Math]).when(|s| {
        alternative(s, |c| c.any(Element::is_infinite))
            || s.is_alternative() && of(s, &[Log, Rsqt, Sqt], is_negative_finite)
    }),
    function("gen7.alt.rcp-zero", |s| s.is_alternative() && of(s, &[Inv, Rsqt], |e| e.vanishes())),
    rule("gen7.conv.f2i-zero-denorm-nan")
        .of(&[Mov])
        .when(|s| to_integer(s, |_, e| e.vanishes() || e.is_nan())),
    rule("gen7.conv.f2i-inf").of(&[Mov]).when(|s| to_integer(s, |_, e| e.is_infinite())),
    rule("gen7.conv.f2i-range")
        .of(&[Mov])
        .when(|s| to_integer(s, |c, e| c.overflowed() && e.is_finite())),
    rule("gen7.conv.i2f-exact").of(&[Mov]).when(|s| from_integer(s, true)),
    rule("gen7.conv.i2f-round").of(&[Mov]).when(|s| from_integer(s, false)),
    rule("gen7.conv.df2f-rtz").until(Gen7).of(&[Mov]).when(cuts_double),
    rule("gen7.conv.df2f-upper-dword").until(Gen7).of(&[Mov]).when(|s| {
        s.computes_in(ExecutionType::Double) && s.destination().data_type.size() == 4 && s.writes()
    }),
    rule("gen7.cr.df-denorm").when(|s| shows_denormals(s, Df)),
    rule("gen7.cr.rounding").when(|s| s.rounds_by(&[1, 2, 3]) && rounds(s)),
    rule("gen7.cr.fp-mode").when(avoids_special_result),
    rule("gen7.isa.cr.rounding").when(|s| s.rounds_by(&[1, 2, 3]) && rounds(s)),
    rule("gen7.isa.cr.rtne").when(|s| s.rounds_by(&[0]) && rounds(s)),
    rule("gen7.isa.cr.denorm32").until(Gen75).when(|s| s.is_ieee() && flushes_source(s, F)),
    rule("gen9.isa.type.hf-denorm").since(Gen8).when(|s| shows_denormals(s, Hf)),
    rule("gen9.isa.cr.denorm32")
        .since(Gen8)
        .when(|s| s.keeps_denormals(F) && computes_with_denormal(s, F)),
    rule("gen9.isa.cr.denorm16")
        .since(Gen8)
        .when(|s| s.keeps_denormals(Hf) && computes_with_denormal(s, Hf)),
    rule("gen7.isa.cr.denorm64").when(|s| shows_denormals(s, Df)),
    rule("gen7.isa.cr.alt").when(avoids_special_result),
    rule("gen9.isa.cr.rtne").since(Gen8).when(|s| s.rounds_by(&[0]) && rounds(s)),
];
