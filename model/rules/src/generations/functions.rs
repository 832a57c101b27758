//! Functions and sums: `math`, three sources, conversions of half precision; execution types and source modifiers.

use parallax_isa::{
    device::Generation::{Gen8, Gen9, Gen12, Gen75},
    eu::{
        DataType::{self, Df, F, Hf, Ub, Ud, Uq, Uv, Uw, V, Vf},
        Opcode::{
            And, Asr, Csel, Dp4a, F16to32, F32to16, Frc, Line, Lrp, Mad, Math, Mov, Mul, Not, Or,
            Pln, Rndd, Rnde, Rndu, Rndz, Rol, Ror, Shl, Shr, Smov, Xor,
        },
        instruction::MathFunction::{
            self, Cos, Exp, Fdiv, Idiv, Inv, Iqot, Irem, Log, Pow, Rsqt, Sin, Sqt,
        },
        register::ArfKind,
    },
};
use parallax_reference::eu::ExecutionType::{Doubleword, Float, Quadword, Word};

use crate::{
    Rule,
    element::Element,
    rule::rule,
    step::{RegisterSource, Step},
};

const DIVISIONS: &[MathFunction] = &[Idiv, Iqot, Irem];
const UNSIGNED: [DataType; 4] = [Ub, Uw, Ud, Uq];

/// A rule on a function of `math`.
const fn function(id: &str, when: fn(Step) -> bool) -> Rule {
    rule(id).of(&[Math]).when(when)
}

/// Whether some functions write results, exact or not.
fn gives(step: Step, functions: &[MathFunction]) -> bool {
    step.applies(functions) && step.writes()
}

/// Whether two integers of some kinds are divided.
fn divides(step: Step, which: fn(Element, Element) -> bool) -> bool {
    step.applies(DIVISIONS) && step.any(|c| c.pair(which))
}

fn is_half_denormal(bits: u64) -> bool {
    bits & 0x7C00 == 0 && bits & 0x3FF != 0
}

/// The bytes that an element of a type takes in an execution channel.
fn width(data_type: DataType) -> usize {
    data_type.size().max(2)
}

fn computes_integers(step: Step) -> bool {
    step.computes_in(Word) || step.computes_in(Doubleword) || step.computes_in(Quadword)
}

/// Whether two sources of some types are read.
fn reads_pair(step: Step, which: fn(DataType, DataType) -> bool) -> bool {
    step.has_exact_result()
        && matches!(step.sources(), [a, b, ..] if which(a.data_type(), b.data_type()))
}

/// Whether a shift count has bits that are ignored, or one that counts for wide elements only.
fn counts_beyond(step: Step, bits: u32) -> bool {
    step.any(|c| c.element(1).is_some_and(|e| e.bits >> bits != 0))
}

fn shifts_quadwords(step: Step) -> bool {
    [step.0.source_type(0), step.destination().data_type].iter().any(|of| of.size() == 8)
}

/// Whether the sign of a source changes which is the most negative number of its type.
fn negates_least(source: RegisterSource, element: Element) -> bool {
    source.modifier.absolute != source.modifier.negate
        && source.data_type.is_signed_integer()
        && element.bits == 1 << (8 * source.data_type.size() - 1)
}

pub(super) const RULES: &[Rule] = &[
    // Gen7.
    rule("gen7.isa.op.hsw-df").since(Gen75).when(|s| s.any_of_sources(Df, |_| true)),
    rule("gen7.isa.mad.mad").of(&[Mad]).unconditional(),
    rule("gen7.isa.mad.df").of(&[Mad]).when(|s| s.any_element(Df, |_| true)),
    rule("gen7.isa.mad.lrp").of(&[Lrp]).unconditional(),
    rule("gen7.isa.mad.mods")
        .of(&[Mad, Lrp])
        .when(|s| s.is_selective() || s.sets_flags() || s.clamps() || s.modifies_sources()),
    function("gen7.isa.math.function", |s| s.writes()).unconditional(),
    function("gen7.isa.math.nsrc", |s| s.sources().len() == 2 && s.writes()),
    function("gen7.isa.math.fc-inv", |s| gives(s, &[Inv])),
    function("gen7.isa.math.fc-log", |s| gives(s, &[Log])),
    function("gen7.isa.math.fc-exp", |s| gives(s, &[Exp])),
    function("gen7.isa.math.fc-sqt", |s| gives(s, &[Sqt])),
    function("gen7.isa.math.fc-rsqt", |s| gives(s, &[Rsqt])),
    function("gen7.isa.math.fc-sin", |s| gives(s, &[Sin])),
    function("gen7.isa.math.fc-cos", |s| gives(s, &[Cos])),
    function("gen7.isa.math.fc-fdiv", |s| gives(s, &[Fdiv])),
    function("gen7.isa.math.fc-pow", |s| gives(s, &[Pow])),
    function("gen7.isa.math.idiv", |s| gives(s, &[Idiv])),
    function("gen7.isa.math.iqot", |s| gives(s, &[Iqot])),
    function("gen7.isa.math.irem", |s| gives(s, &[Irem])),
    function("gen7.isa.math.idiv-zero", |s| divides(s, |_, b| b.bits == 0)),
    function("gen7.isa.math.idiv-signed", |s| {
        divides(s, |a, b| a.shows_its_sign() || b.shows_its_sign())
    }),
    function("gen7.isa.math.sat", |s| s.clamps()),
    function("gen7.isa.math.gen45-message", |s| s.writes()).unconditional(),
    function("gen7.isa.math.denorm", |s| {
        s.flushes_denormals(F) && s.any_of_sources(F, |e| e.is_denormal())
    }),
    rule("gen7.isa.conv.f32to16").of(&[F32to16]).unconditional(),
    rule("gen7.isa.conv.f32to16-high-a1")
        .of(&[F32to16])
        .when(|s| !s.is_align16() && s.has_exact_result()),
    rule("gen7.isa.conv.f32to16-high-a16")
        .of(&[F32to16])
        .when(|s| s.is_align16() && s.has_exact_result()),
    rule("gen7.isa.conv.f32to16-denorm")
        .of(&[F32to16])
        .when(|s| s.any(|c| c.any(Element::is_denormal) || is_half_denormal(c.result().bits))),
    rule("gen7.isa.conv.f32to16-over")
        .of(&[F32to16])
        .when(|s| s.any(|c| c.result().bits & 0x7C00 == 0x7C00)),
    rule("gen7.isa.conv.f16to32").of(&[F16to32]).unconditional(),
    rule("gen7.isa.misc.rnd")
        .of(&[Rndd, Rnde, Rndu, Rndz])
        .when(|s| s.any(|c| c.any(|e| e.has_a_fraction()))),
    rule("gen7.isa.misc.frc").of(&[Frc]).unconditional(),
    rule("gen7.isa.misc.pln").until(Gen9).of(&[Pln]).unconditional(),
    rule("gen7.isa.misc.logic-neg")
        .until(Gen75)
        .of(&[And, Or, Xor, Not])
        .when(|s| s.modifies(|source| source.modifier.negate)),
    rule("gen7.isa.misc.shift-count")
        .of(&[Shl, Shr, Asr])
        .when(|s| !shifts_quadwords(s) && counts_beyond(s, 5)),
    // Gen8 and Gen9.
    rule("gen9.isa.type.shift64")
        .since(Gen8)
        .of(&[Shl, Shr, Asr])
        .when(|s| shifts_quadwords(s) && counts_beyond(s, 5)),
    rule("gen9.isa.op.csel").since(Gen8).until(Gen9).of(&[Csel]).unconditional(),
    rule("gen9.isa.op.csel-nan")
        .since(Gen8)
        .until(Gen9)
        .of(&[Csel])
        .when(|s| s.any(|c| c.element(2).is_some_and(Element::is_nan))),
    rule("gen9.isa.op.csel-sat").since(Gen8).until(Gen9).of(&[Csel]).when(|s| s.clamps()),
    rule("gen9.isa.op.smov").since(Gen8).of(&[Smov]).unconditional(),
    rule("gen9.isa.op.align16-df")
        .since(Gen8)
        .when(|s| s.is_align16() && s.any_element(Df, |_| true)),
    rule("gen9.isa.op.pln").since(Gen8).until(Gen9).of(&[Pln, Line]).unconditional(),
    // Gen12.
    rule("gen12.isa.op.rol").since(Gen12).of(&[Rol]).unconditional(),
    rule("gen12.isa.op.ror").since(Gen12).of(&[Ror]).unconditional(),
    rule("gen12.isa.op.dp4a").since(Gen12).of(&[Dp4a]).unconditional(),
    rule("gen12.isa.op.mad-int")
        .since(Gen12)
        .of(&[Mad])
        .when(|s| computes_integers(s) && s.has_exact_result()),
    rule("gen12.isa.op.csel").since(Gen12).of(&[Csel]).unconditional(),
    rule("gen12.isa.op.csel-unsigned")
        .since(Gen12)
        .of(&[Csel])
        .when(|s| s.has_exact_result() && UNSIGNED.contains(&s.0.source_type(2))),
    rule("gen12.isa.op.mul-dword").since(Gen12).of(&[Mul]).when(|s| {
        s.sources().iter().all(|source| source.data_type().size() == 4)
            && s.computes_in(Doubleword)
            && s.any_open(|_| true)
    }),
    rule("gen12.isa.op.acc-word").since(Gen12).when(|s| {
        let reads = s.registers().any(|source| source.arf() == Some(ArfKind::Accumulator));
        s.computes_in(Word)
            && (reads || s.names_accumulator() || s.instruction().accumulator_write)
            && s.any_written(|c| c.overflowed())
    }),
    // Execution types and source modifiers.
    rule("gen9.isa.exec.single").since(Gen8).when(|s| {
        matches!(s.sources(), [source] if source.data_type() != s.destination().data_type)
            && s.has_exact_result()
    }),
    rule("gen9.isa.exec.widest-int")
        .since(Gen8)
        .when(|s| computes_integers(s) && reads_pair(s, |a, b| width(a) != width(b))),
    rule("gen9.isa.exec.mixed-float").since(Gen8).when(|s| {
        let is_half = |data_type: DataType| data_type == Hf;
        let to = s.destination().data_type;
        let mut types = s.sources().iter().map(|source| source.data_type());
        s.computes_in(Float) && s.has_exact_result() && (is_half(to) || types.any(is_half))
    }),
    rule("gen9.isa.exec.dst-free").since(Gen8).when(|s| {
        let to = s.destination().data_type;
        let is_other = |of: DataType| width(of) != width(to) || of.is_float() != to.is_float();
        s.has_exact_result() && s.sources().iter().all(|source| is_other(source.data_type()))
    }),
    rule("gen9.isa.exec.vector-imm").since(Gen8).when(|s| {
        s.has_exact_result() && [V, Uv, Vf].iter().any(|vector| s.has_immediate(*vector))
    }),
    rule("gen9.isa.exec.signed").since(Gen8).when(|s| {
        computes_integers(s)
            && reads_pair(s, |a, b| a.is_signed_integer() != b.is_signed_integer())
            && s.any(|c| c.pair(|a, b| a.shows_its_sign() || b.shows_its_sign()))
    }),
    rule("gen9.isa.exec.raw-mov").since(Gen8).of(&[Mov]).when(|s| {
        crate::conversion::is_raw(s)
            && s.destination().data_type.is_float()
            && s.any(|c| c.any(|e| e.is_denormal() || e.is_nan()))
    }),
    rule("gen9.isa.exec.srcmod-order")
        .since(Gen8)
        .when(|s| s.modifies(|source| source.modifier.absolute && source.modifier.negate)),
    rule("gen9.isa.exec.srcmod-int").when(|s| {
        computes_integers(s)
            && s.registers().any(|source| {
                !s.converts(source)
                    && s.any(|c| {
                        c.unmodified(source.index).is_some_and(|e| negates_least(source, e))
                    })
            })
    }),
    rule("gen9.isa.exec.srcmod-int-wide").when(|s| {
        computes_integers(s)
            && s.registers().any(|source| {
                s.converts(source)
                    && s.any_written(|c| {
                        c.unmodified(source.index).is_some_and(|e| negates_least(source, e))
                    })
            })
    }),
    rule("gen9.isa.exec.srcmod-unsigned").since(Gen8).when(|s| {
        computes_integers(s)
            && s.modifies(|source| source.modifier.negate && UNSIGNED.contains(&source.data_type))
    }),
];
