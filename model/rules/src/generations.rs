//! What the generations from Gen7 to Gen12 add to the execution unit, from the catalogue of later generations.

mod compute;
mod data_cache;
mod flow;
mod functions;
mod messages;
mod pixel_shader;
mod render_target;
mod sampler;
mod typed_surface;
mod words;

use parallax_isa::{
    device::Generation::{Gen8, Gen12},
    eu::{
        DataType::{self, D, Df, F, Hf, Q, Ud, Uq},
        Opcode::{
            self, Add, And, Asr, Bfe, Bfi1, Bfi2, Bfrev, Cbit, Csel, Fbh, Fbl, Lrp, Lzd, Mac, Mad,
            Madm, Math, Mov, Movi, Mul, Not, Or, Rndd, Rnde, Rndu, Rndz, Xor,
        },
        instruction::ConditionalModifier,
        operand::{DestinationRegion, Source},
        register::ArfKind,
    },
};
use parallax_reference::eu::ExecutionType;

pub(crate) use words::{count_words, has_ternary_stride};

use crate::{
    Rule,
    bits::{self, low_five},
    rule::{Decides, rule},
    step::Step,
};

const TERNARY: &[Opcode] = &[Mad, Madm, Lrp, Bfe, Bfi2, Csel];
const QUADWORDS: [DataType; 2] = [Q, Uq];

/// Whether a conversion of one source is from a type to another.
fn converts(step: Step, from: impl Fn(DataType) -> bool, to: impl Fn(DataType) -> bool) -> bool {
    from(step.0.source_type(0)) && to(step.destination().data_type)
}

fn is_integer(data_type: DataType) -> bool {
    !data_type.is_float()
}

/// Whether an element that has the first half of a double is cut off in converting it to a float.
fn rounds(step: Step) -> bool {
    step.any(|c| c.element(0).is_some_and(|e| e.is_normal() && e.bits & 0x1FFF_FFFF != 0))
}

fn is_fractional(step: Step) -> bool {
    step.any(|c| c.element(0).is_some_and(|e| e.has_a_fraction()))
}

pub(crate) const RULES: &[&[Rule]] = &[
    words::RULES,
    flow::RULES,
    DATA,
    functions::RULES,
    messages::RULES,
    data_cache::RULES,
    sampler::RULES[0],
    sampler::RULES[1],
    sampler::RULES[2],
    sampler::RULES[3],
    render_target::RULES,
    typed_surface::RULES,
    pixel_shader::RULES,
];

pub(crate) const COMPUTE: &[&[Rule]] = compute::RULES;

const DATA: &[Rule] = &[
    // Gen7.
    rule("gen7.isa.op.align16-swizzle").when(|s| {
        s.any_region(|source| source.align16().is_some_and(|(swizzle, _)| swizzle != [0, 1, 2, 3]))
    }),
    rule("gen7.isa.op.align16-simd4x2").when(|s| {
        s.size() == 8
            && s.any_in_second_group()
            && s.any_region(|source| source.align16().is_some_and(|(_, repeats)| !repeats))
    }),
    rule("gen7.isa.op.3src-a16").of(TERNARY).when(|s| {
        s.is_align16()
            && s.any_region(|source| {
                source.align16().is_some_and(|(swizzle, _)| swizzle != [0, 1, 2, 3])
            })
    }),
    rule("gen7.isa.op.3src-type").of(TERNARY).unconditional(),
    rule("gen7.isa.op.3src-vstride").of(TERNARY).when(|s| {
        s.is_align16() && s.size() > 4 && s.any_region(|source| source.align16().is_some())
    }),
    rule("gen7.isa.op.3src-modifiers").of(&[Mad, Lrp]).when(|s| {
        let is_modified =
            |modifier| modifier != parallax_isa::eu::operand::SourceModifier::default();
        s.any_register(|source| is_modified(source.modifier))
            && s.registers().any(|source| !is_modified(source.modifier))
    }),
    rule("gen7.isa.op.indirect-vxh")
        .when(|s| s.any_region(|source| source.row_addresses().is_some())),
    rule("gen7.isa.op.ivb-df-mov")
        .of(&[Mov])
        .when(|s| converts(s, |from| from == F, |to| to == Df) && s.varies(0)),
    rule("gen7.isa.flag.3src-selector").of(TERNARY).when(|s| {
        s.is_selective()
            && (s.instruction().flag_register, s.instruction().flag_subregister) != (0, 0)
    }),
    rule("gen7.isa.bit.bfe").of(&[Bfe]).when(|s| {
        s.any(|c| {
            c.are(|[width, offset, source]| {
                low_five(width) != 0 && source as u32 >> low_five(offset) != 0
            })
        })
    }),
    rule("gen7.isa.bit.bfe-upper-bits").of(&[Bfe]).when(|s| {
        s.any(|c| c.are(|[width, offset, source]| (width | offset) as u32 > 31 && source != 0))
    }),
    rule("gen7.isa.bit.bfi1")
        .of(&[Bfi1])
        .when(|s| s.any(|c| c.are(|[width, _]| low_five(width) != 0))),
    rule("gen7.isa.bit.bfi1-w0").of(&[Bfi1]).when(|s| {
        s.any(|c| {
            c.are(|[width, offset]| {
                low_five(width) == 0 || (low_five(width), low_five(offset)) == (31, 1)
            })
        })
    }),
    rule("gen7.isa.bit.bfi2")
        .of(&[Bfi2])
        .when(|s| s.any(|c| c.are(|[mask, field, _]| mask != 0 && field != 0))),
    rule("gen7.isa.bit.bfi2-m0").of(&[Bfi2]).when(bits::inserts_nothing),
    rule("gen7.isa.bit.bfrev").of(&[Bfrev]).when(bits::reverses),
    rule("gen7.isa.bit.cbit").of(&[Cbit]).when(bits::counts_several),
    rule("gen7.isa.bit.fbh-ud").of(&[Fbh]).when(|s| s.any_of_sources(Ud, |e| e.bits >> 31 == 0)),
    rule("gen7.isa.bit.fbh-d")
        .of(&[Fbh])
        .when(|s| s.any_of_sources(D, |e| e.is_negative() || e.is_zero())),
    rule("gen7.isa.bit.fbl").of(&[Fbl]).when(bits::searches_upwards),
    rule("gen7.isa.bit.lzd").of(&[Lzd]).when(bits::searches_zero),
    rule("gen7.isa.misc.movi").of(&[Movi]).when(|s| s.varies(0)),
    rule("gen7.isa.misc.movi-oob").of(&[Movi]).when(|s| s.varies(0)),
    rule("gen7.isa.conv.f-to-int")
        .of(&[Mov])
        .when(|s| converts(s, |from| [F, Df].contains(&from), is_integer) && is_fractional(s)),
    rule("gen7.isa.conv.df-f")
        .of(&[Mov])
        .when(|s| converts(s, |from| from == Df, |to| to == F) && rounds(s)),
    rule("gen7.isa.cf.add-ip")
        .of(&[Add])
        .when(|s| s.destination().register.arf() == Some(ArfKind::InstructionPointer))
        .decides_of(Decides::NextInstruction),
    // Gen8 and Gen9.
    rule("gen9.isa.reg.grf").when(|s| s.any_register(|source| source.is_general_above(63))),
    rule("gen9.isa.op.ternary-dim").of(TERNARY).when(|s| {
        s.has_several_results()
            && s.registers().any(|source| source.align16().is_some_and(|(_, repeats)| repeats))
    }),
    rule("gen9.isa.op.simd16-3src").of(TERNARY).when(|s| s.size() == 16 && s.any_in_upper_half()),
    rule("gen9.isa.op.logic-not")
        .since(Gen8)
        .of(&[And, Or, Xor, Not])
        .when(|s| s.any_register(|source| source.modifier.negate)),
    rule("gen9.isa.op.math-hf").since(Gen8).of(&[Math]).when(|s| s.any_element(Hf, |_| true)),
    rule("gen9.isa.op.math-imm").since(Gen8).of(&[Math]).when(|s| {
        s.has_exact_result() && matches!(s.sources().get(1), Some(Source::Immediate { .. }))
    }),
    rule("gen9.isa.type.q").since(Gen8).when(|s| {
        QUADWORDS.iter().any(|data_type| s.any_element(*data_type, |e| e.bits >> 32 != 0))
    }),
    rule("gen9.isa.type.q-mix").since(Gen8).when(|s| {
        s.computes_in(ExecutionType::Quadword)
            && s.has_exact_result()
            && s.sources().iter().any(|source| source.data_type().size() < 8)
    }),
    rule("gen9.isa.type.asr-q")
        .since(Gen8)
        .of(&[Asr])
        .when(|s| s.any_of_sources(Q, |e| e.is_negative())),
    rule("gen9.isa.type.sat-q").since(Gen8).when(|s| {
        s.instruction().saturate
            && QUADWORDS.contains(&s.destination().data_type)
            && s.any(|c| c.overflowed())
    }),
    rule("gen9.isa.type.df")
        .since(Gen8)
        .when(|s| s.computes_in(ExecutionType::Double) && s.any_element(Df, |e| e.is_normal())),
    rule("gen9.isa.type.hf")
        .since(Gen8)
        .when(|s| s.computes_in(ExecutionType::Half) && s.any_element(Hf, |e| e.is_normal())),
    rule("gen9.isa.type.hf-exec").since(Gen8).of(&[Add, Mul, Mac, Mad]).when(|s| {
        s.computes_in(ExecutionType::Half)
            && s.any(|c| c.result().is_normal() && c.result().bits & 1 == 1)
    }),
    rule("gen9.isa.type.hf-mixed")
        .since(Gen8)
        .when(|s| s.computes_in(ExecutionType::Float) && s.any_of_sources(Hf, |e| e.is_normal())),
    rule("gen9.isa.conv.mov-hf-f").since(Gen8).of(&[Mov]).when(|s| {
        converts(s, |from| from == F, |to| to == Hf) && s.any(|c| c.any(|e| e.is_normal()))
    }),
    rule("gen9.isa.conv.mov-f-hf").since(Gen8).of(&[Mov]).when(|s| {
        converts(s, |from| from == Hf, |to| to == F) && s.any(|c| c.any(|e| e.is_finite()))
    }),
    rule("gen9.isa.conv.df-f-round")
        .since(Gen8)
        .of(&[Mov])
        .when(|s| converts(s, |from| from == Df, |to| to == F) && rounds(s)),
    rule("gen9.isa.conv.mov-hf-int").since(Gen8).of(&[Mov]).when(|s| {
        (converts(s, |from| from == Hf, is_integer) || converts(s, is_integer, |to| to == Hf))
            && s.any(|c| c.any(|e| !e.is_zero()))
    }),
    rule("gen9.isa.conv.mov-q-f").since(Gen8).of(&[Mov]).when(|s| {
        let is_quadword = |data_type| QUADWORDS.contains(&data_type);
        (converts(s, DataType::is_float, is_quadword)
            || converts(s, is_quadword, DataType::is_float))
            && s.any(|c| c.any(|e| !e.is_zero()))
    }),
    rule("gen9.isa.conv.odd-words").since(Gen8).when(|s| {
        s.destination().data_type.size() == 2
            && s.has_exact_result()
            && matches!(s.destination().region, DestinationRegion::Stride(stride) if stride > 1)
    }),
    rule("gen9.isa.exec.nonraw-mov").since(Gen8).of(&[Mov]).when(|s| {
        let is_modified = s.registers().any(|source| source.modifier != Default::default());
        converts(s, DataType::is_float, DataType::is_float)
            && s.0.source_type(0) == s.destination().data_type
            && (is_modified || s.instruction().saturate)
            && s.any(|c| c.any(|e| e.is_denormal() || e.is_normal()))
    }),
    rule("gen9.isa.exec.cmod-after-sat")
        .when(|s| {
            s.instruction().saturate
                && !s.has_condition(ConditionalModifier::None)
                && s.sets_flags()
                && s.any(|c| c.overflowed())
        })
        .decides_of(Decides::Flags),
    rule("gen9.isa.cr.rounding-scope")
        .of(&[Rndd, Rnde, Rndu, Rndz])
        .when(|s| s.any(|c| c.any(|e| e.has_a_fraction()))),
    // Gen12.
    rule("gen12.isa.op.mad-acc").since(Gen12).of(&[Mad]).when(|s| {
        s.has_exact_result()
            && s.registers()
                .any(|source| source.index == 0 && source.arf() == Some(ArfKind::Accumulator))
    }),
    rule("gen12.isa.op.movi").since(Gen12).of(&[Movi]).when(|s| s.varies(0)),
    rule("gen12.isa.op.math-hf").since(Gen12).of(&[Math]).when(|s| s.any_of_sources(Hf, |_| true)),
    rule("gen12.isa.mask.chanoff")
        .since(Gen12)
        .when(|s| s.instruction().first_channel != 0 && (s.is_masked() || s.is_selective())),
    rule("gen12.isa.cr.alt")
        .since(Gen12)
        .when(|s| s.is_alternative() && s.computes_in(ExecutionType::Half) && s.has_exact_result()),
];
