//! Extended Math (chapter 6): functions of floats, and divisions of integers.

mod cells;

use Function::{Cosine, Divide, Exponential, Inverse, InverseRoot, Logarithm, Power, Root, Sine};
pub(crate) use cells::CELLS;
use parallax_isa::device::Generation::Gen45;

use super::of_gen4;
use crate::{
    Rule,
    extended_math::{Function, Math},
    message::Message,
    rule,
};

/// The code of the target.
const TARGET: &[u8] = &[1];
/// All functions.
const ALL: &[Function] = &Function::ALL;
/// Those of floats.
const FLOATS: &[Function] =
    &[Inverse, Logarithm, Exponential, Root, InverseRoot, Sine, Cosine, Power];
/// Sine and cosine of one operand.
const SINE_AND_COSINE: u32 = 8;
/// A division with two results.
const QUOTIENT_AND_REMAINDER: u32 = 0xB;

/// A rule of the results of some functions.
const fn math(id: &str, of: &'static [Function], when: fn(Math) -> bool) -> Rule {
    of_gen4(rule::math(id, of, when))
}

/// A rule of whole messages.
const fn message(id: &str, when: fn(Message) -> bool) -> Rule {
    of_gen4(rule::message(id, TARGET, when))
}

/// Whether a message has eight channels.
fn has_eight_channels(message: Message) -> bool {
    let has_two_operands = matches!(message.control(3, 0), 0xA..=0xD);
    message.request.payload.len() == if has_two_operands { 2 } else { 1 }
}

/// Whether a message of eight channels is in scalar mode and one of its groups is off.
fn has_a_group_off(message: Message) -> bool {
    let groups = [message.enables() & 0xF, message.enables() >> 4];
    message.control(7, 7) == 1 && groups.contains(&0)
}

fn is_sine_and_cosine(step: Math) -> bool {
    step.code() == SINE_AND_COSINE
}

pub(super) const RULES: &[Rule] = &[
    message("g45.msg.header.math", |_| true).unconditional(),
    message("g45.msg.emask.use", |m| m.enables() != 0xFF),
    math("g45.extmath.general.stateless", ALL, |_| true).unconditional(),
    message("g45.extmath.general.no-header", |_| true).unconditional(),
    message("g45.extmath.general.max8", |m| {
        has_eight_channels(m) && m.request.channel_enables >> 8 != u16::from(m.enables())
    }),
    message("g45.extmath.desc.bits19-16", |_| true).unconditional(),
    message("g45.extmath.desc.snapshot", |m| m.control(8, 8) == 1),
    math("g45.extmath.desc.source-structure", ALL, |s| s.differs_from_lead()),
    math("g45.extmath.desc.saturate", FLOATS, |s| s.path.is_clamped),
    math("g45.extmath.desc.saturate-sincos", &[Sine, Cosine], |s| {
        is_sine_and_cosine(s) && s.path.is_clamped
    }),
    math("g45.extmath.desc.precision", FLOATS, |s| {
        s.is_partial() && s.is_alternative() && s.path.is_computed
    }),
    math("g45.extmath.desc.precision-ieee", FLOATS, |s| {
        s.is_partial() && !s.is_alternative() && s.path.is_computed
    }),
    math("g45.extmath.desc.precision-int", &[Divide], |s| s.is_partial()),
    math(
        "g45.extmath.desc.precision-partial-functions",
        &[Inverse, Root, InverseRoot, Sine, Cosine, Power],
        |s| s.is_partial() && s.is_alternative() && s.path.is_computed,
    ),
    math("g45.extmath.desc.integer-type", &[Divide], |s| {
        (s.operands[0] | s.operands[1]) >> 31 == 1
    }),
    math("g45.extmath.desc.function", ALL, |_| true).unconditional(),
    math("g45.extmath.desc.base2", &[Logarithm, Exponential], |s| s.path.is_computed),
    math("g45.extmath.desc.radians", &[Sine, Cosine], |s| s.path.is_computed),
    math("g45.extmath.desc.fpmode", FLOATS, |s| {
        s.is_alternative() && (s.gives_largest() || s.drops_sign())
    }),
    math("g45.extmath.mode.vector", ALL, |s| !s.is_scalar() && s.differs_from_lead()),
    message("g45.extmath.mode.vector-none", |m| m.enables() == 0 && m.control(7, 7) == 0),
    math("g45.extmath.mode.scalar", ALL, |s| s.is_scalar() && s.differs_from_lead()),
    math("g45.extmath.mode.scalar-lead-disabled", ALL, |s| {
        s.is_scalar() && !s.is_enabled(s.lead())
    }),
    message("g45.extmath.mode.scalar-group-off", has_a_group_off),
    math("g45.extmath.mode.scalar-two-operand", &[Power, Divide], |s| {
        s.is_scalar() && s.differs_from_lead()
    }),
    message("g45.extmath.payload.lengths", has_eight_channels),
    math("g45.extmath.payload.order", ALL, |s| !s.is_scalar() && s.differs_from(0)),
    math("g45.extmath.payload.pow", &[Power], |s| s.operands[0] != s.operands[1]),
    math("g45.extmath.payload.intdiv", &[Divide], |s| s.operands[0] != s.operands[1]),
    math("g45.extmath.payload.types", ALL, |_| true).unconditional(),
    message("g45.extmath.payload.16ch", |m| !has_eight_channels(m)).since(Gen45),
    message("g45.extmath.wb.lengths", has_eight_channels),
    message("g45.extmath.wb.intdiv-single", |m| matches!(m.control(3, 0), 0xC | 0xD)),
    message("g45.extmath.wb.enables", |m| has_eight_channels(m) && m.enables() != 0xFF),
    math("g45.extmath.wb.layout", ALL, |s| !s.is_scalar() && s.differs_from(0)),
    math("g45.extmath.wb.types", ALL, |_| true).unconditional(),
    math("g45.extmath.ref.operands", ALL, |_| true).unconditional(),
    math("g45.extmath.ref.denorm-in", FLOATS, |s| s.any_operand(|o| o.is_denormal())),
    math("g45.extmath.ref.denorm-out", FLOATS, |s| s.path.is_tiny),
    math("g45.extmath.ref.nan", FLOATS, |s| !s.saturates() && s.any_operand(|o| o.is_nan())),
    math("g45.extmath.ref.alt-inf-result", FLOATS, |s| s.is_alternative() && s.gives_largest()),
    math("g45.extmath.ref.alt-abs", &[Logarithm, Root, InverseRoot], |s| s.drops_sign()),
    math("g45.extmath.ref.ulp", &[Inverse, Root, InverseRoot], |s| s.path.is_computed),
    math("g45.extmath.inv.op", &[Inverse], |s| s.path.is_computed),
    math("g45.extmath.inv.precision", &[Inverse], |s| s.path.is_computed),
    math("g45.extmath.inv.underflow", &[Inverse], |s| {
        s.path.is_computed && s.magnitude() > 0x7E80_0000
    }),
    math("g45.extmath.inv.finite", &[Inverse], |s| s.path.is_computed),
    math("g45.extmath.log.op", &[Logarithm], |s| s.path.is_computed),
    math("g45.extmath.log.precision-full", &[Logarithm], |s| s.path.is_computed && s.is_full()),
    math("g45.extmath.log.precision-partial", &[Logarithm], |s| s.path.is_computed && !s.is_full()),
    math("g45.extmath.log.alt-abs", &[Logarithm], |s| s.drops_sign()),
    math("g45.extmath.log.alt-neg-sign", &[Logarithm], |s| s.drops_sign()),
    math("g45.extmath.log.one", &[Logarithm], |s| {
        s.path.is_computed && s.magnitude() == 0x3F80_0000
    }),
    math("g45.extmath.exp.op", &[Exponential], |s| s.path.is_computed),
    math("g45.extmath.exp.precision-full", &[Exponential], |s| s.path.is_computed && s.is_full()),
    math("g45.extmath.exp.precision-partial", &[Exponential], |s| {
        s.path.is_computed && !s.is_full()
    }),
    math("g45.extmath.exp.overflow", &[Exponential], |s| {
        s.path.is_computed && !s.operand(0).is_negative() && s.magnitude() >= 0x4300_0000
    }),
    math("g45.extmath.exp.underflow", &[Exponential], |s| {
        s.path.is_computed && s.operand(0).is_negative() && s.magnitude() > 0x42FC_0000
    }),
    math("g45.extmath.exp.neg", &[Exponential], |s| {
        s.path.is_computed && s.operand(0).is_negative()
    }),
    math("g45.extmath.sqrt.op", &[Root], |s| s.path.is_computed),
    math("g45.extmath.sqrt.precision", &[Root], |s| s.path.is_computed),
    math("g45.extmath.sqrt.alt-abs", &[Root], |s| s.drops_sign()),
    math("g45.extmath.rsq.op", &[InverseRoot], |s| s.path.is_computed),
    math("g45.extmath.rsq.precision", &[InverseRoot], |s| s.path.is_computed),
    math("g45.extmath.rsq.alt-abs", &[InverseRoot], |s| s.drops_sign()),
    math("g45.extmath.pow.op", &[Power], |s| s.path.is_computed),
    math("g45.extmath.pow.src1-channel", &[Power], |s| s.second_differs_from_lead()),
    math("g45.extmath.pow.precision", &[Power], |s| s.path.is_computed),
    math("g45.extmath.pow.overflow", &[Power], |s| s.path.is_tiny || s.path.overflows),
    math("g45.extmath.sin.op", &[Sine], |s| s.path.is_computed),
    math("g45.extmath.sin.precision", &[Sine], is_in_range),
    math("g45.extmath.sin.outside", &[Sine], |s| s.path.is_computed && !is_in_range(s)),
    math("g45.extmath.sin.range", &[Sine], |s| s.path.is_computed),
    math("g45.extmath.cos.op", &[Cosine], |s| s.path.is_computed),
    math("g45.extmath.cos.precision", &[Cosine], is_in_range),
    math("g45.extmath.cos.outside", &[Cosine], |s| s.path.is_computed && !is_in_range(s)),
    math("g45.extmath.cos.range", &[Cosine], |s| s.path.is_computed),
    math("g45.extmath.cos.zero", &[Cosine], |s| s.operand(0).vanishes()),
    math("g45.extmath.sincos.op", &[Sine, Cosine], |s| is_sine_and_cosine(s) && s.path.is_computed),
    math("g45.extmath.sincos.precision", &[Sine, Cosine], |s| {
        is_sine_and_cosine(s) && s.path.is_computed
    }),
    math("g45.extmath.sincos.specials", &[Sine, Cosine], |s| {
        is_sine_and_cosine(s) && !s.path.is_computed
    }),
    math("g45.extmath.intdiv.op", &[Divide], |s| s.code() == QUOTIENT_AND_REMAINDER),
    math("g45.extmath.intdiv.trunc", &[Divide], |s| s.divides(|n, d| d != 0 && n % d != 0)),
    math("g45.extmath.intdiv.rem-sign", &[Divide], |s| {
        s.is_remainder() && s.divides(|n, d| d != 0 && n % d != 0)
    }),
    math("g45.extmath.intdiv.quo-sign", &[Divide], |s| {
        !s.is_remainder() && s.divides(|n, d| d != 0 && n / d != 0)
    }),
    math("g45.extmath.intdiv.zero-numerator", &[Divide], |s| s.divides(|n, d| d != 0 && n == 0)),
    math("g45.extmath.intdiv.sdiv-zero-pos", &[Divide], |s| {
        s.is_signed() && s.divides(|n, d| d == 0 && n > 0)
    }),
    math("g45.extmath.intdiv.sdiv-zero-neg", &[Divide], |s| {
        s.is_signed() && s.divides(|n, d| d == 0 && n < 0)
    }),
    math("g45.extmath.intdiv.sdiv-zero-zero", &[Divide], |s| {
        s.is_signed() && s.divides(|n, d| d == 0 && n == 0)
    }),
    math("g45.extmath.intdiv.udiv-zero", &[Divide], |s| !s.is_signed() && s.divides(|_, d| d == 0)),
    math("g45.extmath.intdiv.min-by-minus1", &[Divide], |s| {
        s.is_signed() && s.divides(|n, d| n == i32::MIN.into() && d == -1)
    }),
    math("g45.extmath.intdiv.exact", &[Divide], |s| s.acceptance.is_none()).unconditional(),
    math("g45.extmath.intdiv.scalar", &[Divide], |s| s.is_scalar() && s.differs_from_lead()),
];

/// Whether the operand of a sine or cosine is within 100 pi of zero.
fn is_in_range(step: Math) -> bool {
    step.path.is_computed && step.magnitude() <= 0x439D_1463
}

/// What the chapter on float modes says of the functions (section 10.3).
pub(super) const FLOAT_MODES: &[Rule] = &[
    math("g45.float.ieee.recip-inf", &[Inverse], |s| in_ieee(s) && s.operand(0).is_infinite()),
    math("g45.float.ieee.inv-zero", &[Inverse], |s| in_ieee(s) && s.operand(0).vanishes()),
    math("g45.float.ieee.rsq-zero", &[InverseRoot], |s| in_ieee(s) && s.operand(0).vanishes()),
    math("g45.float.ieee.rsq-negative", &[InverseRoot], |s| in_ieee(s) && s.has_negative()),
    math("g45.float.ieee.sqrt-negzero", &[Root], |s| {
        in_ieee(s) && s.operand(0).vanishes() && s.operand(0).is_negative()
    }),
    math("g45.float.ieee.sqrt-negative", &[Root], |s| in_ieee(s) && s.has_negative()),
    math("g45.float.ieee.log-zero", &[Logarithm], |s| in_ieee(s) && s.operand(0).vanishes()),
    math("g45.float.ieee.log-negative", &[Logarithm], |s| {
        in_ieee(s) && (s.has_negative() || s.operand(0).is_infinite() && s.operand(0).is_negative())
    }),
    math("g45.float.alt.abs-log", &[Logarithm], |s| s.drops_sign()),
    math("g45.float.alt.abs-rsq", &[InverseRoot], |s| s.drops_sign()),
    math("g45.float.alt.abs-sqrt", &[Root], |s| s.drops_sign()),
    math("g45.float.alt.rcp-zero", &[Inverse, InverseRoot], |s| {
        s.is_alternative() && s.operand(0).vanishes()
    }),
];

fn in_ieee(step: Math) -> bool {
    !step.is_alternative()
}
