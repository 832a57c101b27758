//! Fields, operands that exist, groups of channels, immediates.

use super::{
    super::super::{
        encode,
        instruction::ConditionalModifier,
        opcode::{Format, Opcode},
        operand::{Register, VerticalStride},
        register::{ArfKind, RegisterFile},
        types::DataType,
    },
    Check, SourceFacts, checks,
};

checks! {
    Both Instruction ["leg.enc.opcode-unknown", "gen7.isa.cf.iff-removed", "gen7.isa.cf.fork-case",
        "gen7.isa.cmod.csel-none", "gen9.isa.op.f32to16-gone", "gen9.isa.op.dim-gone"]
        about |f| f.opcode == Opcode::Illegal,
        holds |f| f.instruction.undefined_opcode().is_none(),
        "the opcode is no operation of this device and raises the illegal opcode exception; write \
         illegal without a number where that is meant";
    Gen12 Instruction ["leg.enc.opcode-unknown", "gen12.isa.enc.old-mov", "gen12.isa.cf.wait-gone",
        "gen12.isa.op.removed"]
        about |f| f.opcode == Opcode::Illegal,
        holds |f| f.instruction.undefined_opcode().is_none(),
        "the opcode is no operation of this device and raises the illegal opcode exception; write \
         illegal without a number where that is meant";
    All Instruction ["leg.enc.native-bit7"]
        about |f| f.opcode != Opcode::Illegal,
        holds |f| f.instruction.residue >> 7 & 1 == 0,
        "bit 7 must be zero";
    Gen7 Instruction ["gen7.isa.stream.expand-no3src"]
        about |f| f.instruction.compact && f.is_ternary(),
        holds |_| false,
        "instructions with three sources have no compact form on this device; use the 128-bit form";
    All Instruction ["gen7.isa.stream.unmapped"]
        about |f| f.instruction.compact && !(f.is_ternary() && f.is_gen7()),
        holds |f| encode::encode(f.device, f.instruction).is_ok(),
        "the instruction has no compact form; use the 128-bit form";
    All Instruction ["gen7.null.single-source"]
        about |f| f.format == Format::Unary && f.source(0).is_some_and(|s| !s.is_immediate()),
        holds |f| f.instruction.residue >> 96 == 0,
        "an instruction with one source has null as src1";
    Both Instruction ["leg.inst.nop"]
        about |f| f.is_any(&[Opcode::Nop, Opcode::Nenop]),
        holds |f| f.instruction.residue >> 8 == 0,
        "nop has no other field than DebugCtrl; clear the others";
    Gen12 Instruction ["leg.inst.nop"]
        about |f| f.opcode == Opcode::Nop,
        holds |f| f.instruction.residue >> 16 == 0,
        "nop has no other field than SWSB and DebugCtrl; clear the others";
    Gen12 Instruction ["leg.enc.chan-off"]
        about |f| f.format != Format::Nothing,
        holds |f| usize::from(f.instruction.first_channel) % f.channels.max(1) == 0,
        "the channel offset must be a multiple of the execution size";
    Gen12 Instruction ["leg.enc.3src-a1-exec-type"]
        about |f| f.is_ternary(),
        holds |f| {
            let mut kinds = f.types().map(DataType::is_float);
            let first = kinds.next();
            kinds.all(|kind| Some(kind) == first)
        },
        "the operands of three sources are all integers or all floats";
    Gen12 Source ["leg.enc.3src-imm"]
        about |f, s| f.is_ternary() && s.is_immediate(),
        holds |_, s| s.index != 1 && s.data_type.size() == 2,
        "of three sources the first and the third can be immediates, of 16 bits";
    Gen12 Source ["leg.enc.3src-a1-indirect"]
        about |f, _| f.is_ternary(),
        holds |_, s| !s.is_indirect(),
        "instructions with three sources name their registers; use a mov";
    Gen12 Destination ["leg.enc.3src-a1-indirect"]
        about |f, _| f.is_ternary(),
        holds |_, d| !d.is_indirect(),
        "instructions with three sources name their registers; use a mov";
    Gen12 Destination ["leg.enc.3src-dst-subreg"]
        about |f, _| f.is_ternary(),
        holds |_, d| d.subregister() % 8 == 0,
        "the destination of three sources must start at a multiple of 8 bytes";
    Gen12 Destination ["leg.enc.3src-dst-stride"]
        about |f, _| f.is_ternary(),
        holds |_, d| matches!(d.stride(), 1 | 2),
        "the destination of three sources has stride 1 or 2";
    All Source ["leg.enc.mrf", "gen7.isa.op.mrf-gone"]
        about |_, s| !s.is_immediate(),
        holds |_, s| s.register().is_some_and(|r| r.file() != RegisterFile::Mrf),
        "there are no message registers; payloads are in general registers";
    All Destination ["leg.enc.mrf", "gen7.isa.op.mrf-gone"]
        about |_, _| true,
        holds |_, d| d.register.file() != RegisterFile::Mrf,
        "there are no message registers; payloads are in general registers";
    All Source ["leg.enc.imm-last-source", "gen7.intro.immediate-last-source"]
        about |f, s| s.is_immediate() && !f.is_ternary(),
        holds |f, s| f.source(s.index + 1).is_none(),
        "only the last source may be an immediate; exchange the sources or use a mov";
    FromGen9 Source ["leg.enc.imm-64bit-one-source"]
        about |f, s| f.is_data() && s.is_immediate() && s.data_type.size() == 8,
        holds |f, _| f.opcode == Opcode::Mov,
        "only mov has room for an immediate of 64 bits";
    Gen7 Source ["gen7.imm.df"]
        about |_, s| s.is_immediate(),
        holds |_, s| s.data_type.size() < 8,
        "there are no immediates of 64 bits";
    All Source ["leg.enc.imm16-replicated"]
        about |_, s| s.is_immediate()
            && matches!(s.data_type, DataType::W | DataType::Uw | DataType::Hf),
        holds |_, s| s.immediate().is_some_and(|bits| bits & 0xFFFF == bits >> 16 & 0xFFFF),
        "an immediate of 16 bits must stand in both halves of its field";
    All Source ["gen7.vec.v-imm-only", "gen7.vec.uv-imm-only", "gen7.vec.vf-imm-only"]
        about |_, s| !s.is_immediate(),
        holds |_, s| !is_vector(s.data_type),
        "vector types exist for immediates only";
    All Destination ["gen7.vec.v-imm-only", "gen7.vec.uv-imm-only", "gen7.vec.vf-imm-only"]
        about |_, _| true,
        holds |_, d| !is_vector(d.data_type),
        "vector types exist for immediates only";
    All Source ["leg.enc.arf-src1"]
        about |f, s| f.is_data() && s.index == 1 && s.arf().is_some(),
        holds |_, s| s.is_accumulator() || s.is_null(),
        "src1 is no architecture register other than an accumulator; exchange the sources or use a mov";
    Gen7 Source ["gen7.acc.explicit-src0-only", "gen7.intro.arf-src0-dst-only", "gen7.arf.dst-or-src0"]
        about |f, s| f.is_data() && s.index > 0,
        holds |_, s| !s.is_accumulator(),
        "an accumulator can only be src0; exchange the sources";
    All Source ["leg.enc.src-null"]
        about |f, _| f.is_data() && !f.is_ternary(),
        holds |_, s| !s.is_null(),
        "the operation reads this source, which cannot be null";
    All Source ["leg.enc.grf-number"]
        about |f, s| f.is_data() && s.is_general() && !s.is_indirect(),
        holds |_, s| s.number() * 32 + s.end() <= 128 * 32,
        "the region reaches beyond r127; start at a lower register";
    All Destination ["leg.enc.grf-number"]
        about |f, d| f.is_data() && d.is_placed(),
        holds |_, d| d.number() * 32 + d.end() <= 128 * 32,
        "the region reaches beyond r127; start at a lower register";
    Gen7 Source ["leg.enc.a0-count"]
        about |_, s| s.is_indirect(),
        holds |_, s| s.register().is_some_and(|r| address_subregister(r) < 8),
        "the address register has the words a0.0 to a0.7";
    Gen7 Destination ["leg.enc.a0-count"]
        about |_, d| d.is_indirect(),
        holds |_, d| address_subregister(d.register) < 8,
        "the address register has the words a0.0 to a0.7";
    FromGen9 Source ["leg.enc.a0-count-gen8"]
        about |_, s| s.is_indirect(),
        holds |_, s| s.register().is_some_and(|r| address_subregister(r) < 16),
        "the address register has the words a0.0 to a0.15";
    FromGen9 Destination ["leg.enc.a0-count-gen8"]
        about |_, d| d.is_indirect(),
        holds |_, d| address_subregister(d.register) < 16,
        "the address register has the words a0.0 to a0.15";
    All Source ["gen7.a0.explicit-types", "gen7.arf.no-cross"]
        about |_, s| s.arf() == Some(ArfKind::Address),
        holds |f, s| s.end() <= if f.is_gen7() { 16 } else { 32 },
        "the region reaches beyond the end of the address register";
    All Source ["gen7.arf.no-cross"]
        about |_, s| s.arf().is_some_and(|kind| kind != ArfKind::Address),
        holds |_, s| s.end() <= 32,
        "a region of an architecture register stays in it; use smaller strides or fewer channels";
    Both Source ["leg.enc.align16-subreg", "gen7.simd4x2.source-align"]
        about |f, s| f.is_align16() && !f.is_ternary() && !s.is_immediate(),
        holds |_, s| s.register().is_some_and(starts_at_oword),
        "an Align16 operand must start at a multiple of 16 bytes";
    Both Destination ["leg.enc.align16-subreg"]
        about |f, _| f.is_align16() && !f.is_ternary(),
        holds |_, d| starts_at_oword(d.register),
        "an Align16 operand must start at a multiple of 16 bytes";
    Gen7 Source ["leg.enc.align16-vstride"]
        about |_, s| s.align16_vertical().is_some(),
        holds |_, s| has_vertical(s, &[0, 4]),
        "the vertical stride of an Align16 source is 0 or 4";
    Gen9 Source ["leg.enc.align16-vstride-hsw"]
        about |_, s| s.align16_vertical().is_some(),
        holds |_, s| has_vertical(s, &[0, 2, 4]),
        "the vertical stride of an Align16 source is 0, 2 or 4";
    Both Source ["gen7.intro.swizzle-align16-only"]
        about |f, s| f.is_data() && !s.is_immediate(),
        holds |f, s| f.is_align16() == s.row().is_none(),
        "swizzles belong to Align16, full regions to Align1";
    All Destination ["leg.enc.dst-hstride-zero"]
        about |f, _| f.is_data() && !f.is_align16(),
        holds |_, d| d.stride() > 0,
        "the stride of a destination cannot be 0";
    Both Instruction ["leg.enc.3src-align1", "gen7.isa.bit.align16", "gen9.isa.op.no-align1-3src",
        "leg.inst.bfi2-align", "leg.inst.csel-align"]
        about |f| f.is_ternary(),
        holds |f| f.is_align16(),
        "instructions with three sources must be Align16";
    Both Source ["leg.enc.3src-operands"]
        about |f, _| f.is_ternary(),
        holds |_, s| s.is_general() && !s.is_indirect(),
        "instructions with three sources read direct general registers only; use a mov";
    Both Destination ["leg.enc.3src-operands"]
        about |f, _| f.is_ternary(),
        holds |_, d| d.is_placed(),
        "instructions with three sources write direct general registers only; use a mov";
    Gen9 Source ["leg.enc.3src-rep-64bit"]
        about |f, s| f.is_ternary() && s.data_type.size() == 8,
        holds |_, s| s.align16_vertical() != Some(VerticalStride::Elements(0)),
        "a source of 64 bits cannot be replicated by RepCtrl; use a swizzle";
    Both Instruction ["leg.enc.nib-ctrl"]
        about |f| f.instruction.first_channel % 8 == 4,
        holds |f| f.channels <= if f.pairs { 8 } else { 4 },
        "only instructions of four channels start in the middle of eight";
    Gen7 Instruction ["leg.enc.qtr-exec-size"]
        about |f| f.channels >= 8,
        holds |f| usize::from(f.instruction.first_channel) % f.channels == 0
            || f.pairs && f.channels == 8 && f.instruction.first_channel % 4 == 0,
        "the first channel must be a multiple of the execution size";
    All Instruction ["talk.mask.example-oob"]
        about |f| f.format != Format::Nothing,
        holds |f| usize::from(f.instruction.first_channel) + f.channels <= 32,
        "the channels reach beyond the 32 of the execution mask";
    All Instruction ["leg.enc.simd32-types", "talk.mask.example-simd32"]
        about |f| f.is_data() && f.channels == 32 && !f.pairs,
        holds |f| !f.has_type(|of| of.size() > 2),
        "32 channels are for bytes and words; split it into (16|M0) and (16|M16)";
    Gen7 Instruction ["leg.enc.simd32-mask"]
        about |f| f.is_data() && f.channels == 32,
        holds |f| !f.is_predicated(),
        "an instruction of 32 channels cannot be predicated on this device; split it";
    Gen7 Instruction ["leg.enc.simd32-cmod"]
        about |f| f.is_data() && f.channels == 32,
        holds |f| !f.has_condition(),
        "an instruction of 32 channels has no conditional modifier on this device; split it";
    All Instruction ["leg.enc.exec-bytes"]
        about |f| f.is_data() && !f.is_ternary() && (f.channels < 32 || f.pairs),
        holds |f| f.sources().all(|s| s.is_scalar() || s.is_null() || f.channels * s.unit() <= 64)
            && f.destination.as_ref().is_none_or(|d| d.is_null() || f.channels * d.unit() <= 64),
        "the channels take more than 64 bytes; lower the execution size";
    All Instruction ["gen7.isa.cmod.r-removed"]
        about |f| f.has_condition(),
        holds |f| f.instruction.condition != ConditionalModifier::RoundIncrement,
        "the condition .r does not exist on this device; rounding instructions take one step";
}

pub(super) fn is_vector(of: DataType) -> bool {
    matches!(of, DataType::V | DataType::Uv | DataType::Vf)
}

fn address_subregister(register: Register) -> u8 {
    match register {
        Register::Indirect { address_subregister, .. } => address_subregister,
        Register::Direct { .. } => 0,
    }
}

fn starts_at_oword(register: Register) -> bool {
    match register {
        Register::Direct { subregister, .. } => subregister % 16 == 0,
        Register::Indirect { offset, .. } => offset % 16 == 0,
    }
}

fn has_vertical(source: &SourceFacts, allowed: &[u8]) -> bool {
    let is_allowed =
        |stride: &u8| source.align16_vertical() == Some(VerticalStride::Elements(*stride));
    allowed.iter().any(is_allowed)
}
