//! Devices, the compact form, fields, operands that exist, and bits without a meaning.

use std::iter;

use super::{prelude::*, region::has_vertical, restriction::On};
use crate::eu::{encode, fields::Field};

checks! {
    Instruction UpToGen45 ["g45.inst.movi.device", "g45.opcode.movi-device", "g45.exc.undefined-opcode"]
        holds |f| f.instruction.undefined_opcode() != Some(MOVI),
        "this device has no movi; gather with one mov for each element";
    Instruction UpToGen45 ["g45.inst.pln.device", "g45.opcode.pln-device", "g45.exc.undefined-opcode"]
        holds |f| f.instruction.undefined_opcode() != Some(PLN),
        "this device has no pln; use line and mac";
    Instruction UpToGen45 ["g45.opcode.nenop-device", "g45.exc.undefined-opcode"]
        holds |f| f.instruction.undefined_opcode() != Some(NENOP),
        "this device has no nenop; use nop";
    Instruction UpToGen45 ["g45.opcode.reserved", "g45.exc.undefined-opcode"] of [Illegal]
        holds |f| matches!(f.instruction.undefined_opcode(), None | Some(MOVI | PLN | NENOP)),
        "the opcode is no operation of this device and raises the illegal opcode exception; write \
         illegal without a number where that is meant";
    Instruction Gen4 ["g45.dw0.maskctrlex"]
        about |f| f.format != Format::Nothing,
        holds |f| !f.instruction.mask_control_ex && f.instruction.residue >> 28 & 1 == 0,
        "bit 28 must be zero on this device; clear MaskCtrlEx";
    Instruction Gen45 ["g45.dw0.maskctrl.reserved"]
        about |f| f.format != Format::Nothing,
        holds |f| !f.instruction.mask_control_ex,
        "MaskCtrlEx set is a reserved mask control; clear it";
    Instruction UpToGen45 ["g45.dw0.bit7"] says "bit 7 is reserved for longer opcodes and must be zero"
        | FromGen7 ["leg.enc.native-bit7"] says "bit 7 must be zero"
        about |f| f.opcode != Opcode::Illegal,
        holds |f| f.instruction.residue >> 7 & 1 == 0;
    Instruction UpToGen45 ["g45.format.reserved-mbz", "g45.gen.reserved-write", "g45.sys.reserved.write"]
        about |f| f.format != Format::Nothing,
        holds |f| f.instruction.residue & reserved_bits(f) == 0,
        "reserved bits of the instruction word are set; they must be zero";
    Instruction UpToGen45 ["g45.nonpresent.null", "g45.null.absent-src"]
        holds absent_operands_are_null,
        "an operand that the instruction does not have must be encoded as null";
    Instruction UpToGen45 ["g45.nonpresent.single-src"]
        about is_single_immediate,
        holds |f| !f.has_residue(&[&fields::basic::SRC1_DATA_TYPE, &fields::basic::SRC1_REG_FILE]),
        "with an immediate src0, src1 must be encoded as null of the type of src0";
    Instruction Gen7 ["gen7.isa.stream.expand-no3src"]
        about |f| f.is_ternary(),
        holds |f| !f.instruction.compact,
        "instructions with three sources have no compact form on this device; use the 128-bit form";
    Instruction FromGen7 ["gen7.null.single-source"]
        about |f| f.format == Format::Unary && f.source(0).is_some_and(|s| !s.is_immediate()),
        holds |f| f.instruction.residue >> 96 == 0,
        "an instruction with one source has null as src1";
    Instruction Gen7To9 ["leg.inst.nop"] of [Nop, Nenop]
        holds |f| f.instruction.residue >> 8 == 0 && is_bare(f.instruction),
        "nop has no other field than DebugCtrl; clear the others";
    Instruction Gen12 ["leg.inst.nop"] of [Nop]
        holds |f| f.instruction.residue >> 16 == 0 && is_bare(f.instruction),
        "nop has no other field than SWSB and DebugCtrl; clear the others";
    Instruction Gen12 ["leg.enc.chan-off", "dg1.chanoff.divides", "talk.mask.alignment"]
        about |f| f.format != Format::Nothing,
        holds |f| usize::from(f.instruction.first_channel) % f.channels.max(1) == 0,
        "the channel offset must be a multiple of the execution size";
    Source Gen12 ["leg.enc.3src-imm"]
        about |f, s| f.is_ternary() && s.is_immediate(),
        holds |_, s| s.index != 1 && s.data_type.size() == 2,
        "of three sources the first and the third can be immediates, of 16 bits";
    Operand FromGen7 ["leg.enc.mrf", "gen7.isa.op.mrf-gone"]
        holds |_, o| !o.is_in(RegisterFile::Mrf),
        "there are no message registers; payloads are in general registers";
    Source FromGen7 ["leg.enc.imm-last-source", "gen7.intro.immediate-last-source"]
        about |f, s| s.is_immediate() && !f.is_ternary(),
        holds |f, s| f.source(s.index + 1).is_none(),
        "only the last source may be an immediate; exchange the sources or use a mov";
    Source FromGen9 ["leg.enc.imm-64bit-one-source"]
        about |f, s| f.is_data() && s.is_immediate() && s.data_type.size() == 8,
        holds |f, _| f.opcode == Opcode::Mov,
        "only mov has room for an immediate of 64 bits";
    Source FromGen7 ["leg.enc.imm16-replicated"]
        about |_, s| s.is_immediate()
            && matches!(s.data_type, DataType::W | DataType::Uw | DataType::Hf),
        holds |_, s| s.immediate().is_some_and(|bits| bits & 0xFFFF == bits >> 16 & 0xFFFF),
        "an immediate of 16 bits must stand in both halves of its field";
    Source FromGen7 ["leg.enc.arf-src1", "gen7.intro.arf-src0-dst-only", "gen7.arf.dst-or-src0"]
        about |f, s| f.is_data() && s.index == 1 && s.arf().is_some(),
        holds |_, s| s.is_accumulator() || s.is_null(),
        "src1 is no architecture register other than an accumulator; exchange the sources or use a mov";
    Source Gen7 ["gen7.acc.explicit-src0-only", "gen7.intro.arf-src0-dst-only", "gen7.arf.dst-or-src0"]
        about |f, s| f.is_data() && s.index > 0,
        holds |_, s| !s.is_accumulator(),
        "an accumulator can only be src0; exchange the sources";
    Source FromGen7 ["leg.enc.src-null"]
        about |f, _| f.is_data() && !f.is_ternary(),
        holds |_, s| !s.is_null(),
        "the operation reads this source, which cannot be null";
    Operand FromGen7 ["leg.enc.grf-number"]
        about |f, o| f.is_data() && o.is_general_direct(),
        holds |_, o| o.number() * REGISTER_BYTES + o.end() <= 128 * REGISTER_BYTES,
        "the region reaches beyond r127; start at a lower register";
    Source FromGen7 ["gen7.a0.explicit-types", "gen7.arf.no-cross"]
        about |_, s| s.is_arf(ArfKind::Address),
        holds |f, s| s.end() <= if f.is_gen7() { 16 } else { 32 },
        "the region reaches beyond the end of the address register";
    Source FromGen7 ["gen7.arf.no-cross"]
        about |_, s| s.arf().is_some_and(|kind| kind != ArfKind::Address),
        holds |_, s| s.end() <= 32,
        "a region of an architecture register stays in it; use smaller strides or fewer channels";
    Source Gen7 ["leg.enc.align16-vstride"]
        about |_, s| s.align16().is_some(),
        holds |_, s| has_vertical(s, &[0, 4]),
        "the vertical stride of an Align16 source is 0 or 4";
    Source Gen9 ["leg.enc.align16-vstride-hsw"]
        about |_, s| s.align16().is_some(),
        holds |_, s| has_vertical(s, &[0, 2, 4]),
        "the vertical stride of an Align16 source is 0, 2 or 4";
    Destination FromGen7 ["leg.enc.dst-hstride-zero", "dg1.horzstride.dst0"]
        about |f, _| f.is_data() && !f.is_align16(),
        holds |_, d| d.stride() > 0,
        "the stride of a destination cannot be 0";
    Instruction Gen7To9 ["leg.enc.3src-align1", "gen7.isa.bit.align16", "gen9.isa.op.no-align1-3src",
        "leg.inst.bfi2-align", "leg.inst.csel-align"]
        about |f| f.is_ternary(),
        holds |f| f.is_align16(),
        "instructions with three sources must be Align16";
    Source Gen9 ["leg.enc.3src-rep-64bit"]
        about |f, s| f.is_ternary() && s.data_type.size() == 8,
        holds |_, s| !has_vertical(s, &[0]),
        "a source of 64 bits cannot be replicated by RepCtrl; use a swizzle";
    Instruction Gen7To9 ["leg.enc.nib-ctrl"]
        about |f| f.instruction.first_channel % 8 == 4,
        holds |f| f.channels <= if f.pairs { 8 } else { 4 },
        "only instructions of four channels start in the middle of eight";
    Instruction Gen7 ["leg.enc.qtr-exec-size"]
        about |f| f.channels >= 8,
        holds |f| usize::from(f.instruction.first_channel) % f.channels == 0
            || f.pairs && f.channels == 8 && f.instruction.first_channel % 4 == 0,
        "the first channel must be a multiple of the execution size";
    Instruction FromGen7 ["talk.mask.example-oob"]
        about |f| f.format != Format::Nothing,
        holds |f| usize::from(f.instruction.first_channel) + f.channels <= 32,
        "the channels reach beyond the 32 of the execution mask";
    Instruction FromGen7 ["leg.enc.simd32-types", "talk.mask.example-simd32", "dg1.execsize.max-type"]
        about |f| f.is_data() && f.channels == 32 && !f.pairs,
        holds |f| !f.has_type(|of| of.size() > 2),
        "32 channels are for bytes and words; split it into (16|M0) and (16|M16)";
    Instruction Gen7To9 ["leg.enc.align16-dst-stride"]
        about |f| f.is_align16() && f.is_data() && !f.is_ternary() && !f.is_macro(),
        holds |f| f.instruction.residue >> 61 & 3 == 0,
        "the stride field of an Align16 destination (bits 62:61) must be 1";
    Source FromGen7 ["leg.inst.logic-imm-mods"]
        about |f, s| f.is_logic() && s.is_immediate() && s.index == 0,
        holds |f, s| has_no_modifier_bits(f, s),
        "an immediate takes no source modifiers; clear the bits of src0";
    Instruction Gen7 ["leg.enc.simd32-mask"]
        about |f| f.is_data() && f.channels == 32,
        holds |f| !f.is_predicated(),
        "an instruction of 32 channels cannot be predicated on this device; split it";
    Instruction Gen7 ["leg.enc.simd32-cmod"]
        about |f| f.is_data() && f.channels == 32,
        holds |f| !f.has_condition(),
        "an instruction of 32 channels has no conditional modifier on this device; split it";
    Instruction FromGen7 ["leg.enc.exec-bytes"]
        about |f| f.is_data() && !f.is_ternary() && (f.channels < 32 || f.pairs),
        holds |f| {
            let is_long = |o: &dyn Operand| !o.is_null() && f.channels * o.unit() > 2 * REGISTER_BYTES;
            !f.reads(|s| !s.is_immediate() && !s.is_scalar() && is_long(s)) && !f.writes(|d| is_long(d))
        },
        "the channels take more than 64 bytes; lower the execution size";
    Instruction FromGen7 ["gen7.isa.cmod.r-removed"]
        about |f| f.has_condition(),
        holds |f| f.instruction.condition != ConditionalModifier::RoundIncrement,
        "the condition .r does not exist on this device; rounding instructions take one step";
}

/// Opcodes that only some devices have.
const MOVI: u8 = 0x03;
const PLN: u8 = 0x5A;
const NENOP: u8 = 0x7D;

/// Bits that no format gives a meaning, as far as this instruction is concerned. (Bits 7 and 28
/// have rules of their own.)
fn reserved_bits(f: &Facts) -> u128 {
    let run = |high: u32, low: u32| (u128::MAX >> (127 - high + low)) << low;
    let mut reserved = 1 << 29 | 1 << 47 | run(95, 90);
    let has_immediate = f.instruction.message.is_some()
        || f.instruction.sources.iter().any(|source| matches!(source, Source::Immediate { .. }));
    if !has_immediate {
        reserved |= run(127, 121);
    }
    if f.is_align16() {
        let operands = [f.destination.is_some(), f.source(0).is_some(), f.source(1).is_some()];
        // The stride of an Align16 destination is 1 or, as printed, 0: what differs from 1 in
        // its upper bit is neither.
        let gaps = [1 << 62, 1 << 84, if has_immediate { 0 } else { 1 << 116 }];
        let gaps = operands.into_iter().zip(gaps).filter(|(has, _)| *has);
        reserved |= gaps.map(|(_, gap)| gap).sum::<u128>();
    }
    reserved
}

/// A one-source instruction whose source is an immediate.
fn is_single_immediate(f: &Facts) -> bool {
    f.format == Format::Unary && f.reads(SourceFacts::is_immediate)
}

fn absent_operands_are_null(f: &Facts) -> bool {
    // Decision D-eu-absent-operands.
    let Ok(word) = encode::word(f.device, f.instruction) else { return true };
    let word = Word { bits: word.bits ^ f.instruction.residue, ..word };
    // Register file and number of each operand.
    let all: [(&Field, &Field); 3] = [
        (&fields::basic::DST_REG_FILE, &fields::basic::DST_REG_NUM),
        (&fields::basic::SRC0_REG_FILE, &fields::basic::SRC0_REG_NUM),
        (&fields::basic::SRC1_REG_FILE, &fields::basic::SRC1_REG_NUM),
    ];
    let absent = match f.format {
        Format::Controls => &all[..],
        Format::ExitCode => &all[..2],
        Format::Unary if !is_single_immediate(f) => &all[2..],
        _ => &[],
    };
    absent.iter().all(|(file, number)| !word.is_set(file) && word.get(number) >> 4 == 0)
}

/// Whether an instruction says nothing but its opcode, a breakpoint and what it waits for.
fn is_bare(instruction: &Instruction) -> bool {
    let Instruction { breakpoint, scoreboard, compact, residue, compact_residue, .. } =
        *instruction;
    let bare = Instruction::bare(instruction.opcode);
    *instruction
        == Instruction { breakpoint, scoreboard, compact, residue, compact_residue, ..bare }
}

/// Whether the modifier bits of an immediate, which mean nothing, are zero.
fn has_no_modifier_bits(f: &Facts, source: &SourceFacts) -> bool {
    let fields = &fields::SOURCES[source.index];
    [fields.absolute, fields.negate].iter().all(|field| {
        let position = field.position(f.generation);
        position.is_empty() || f.instruction.residue >> position[0].low & 1 == 0
    })
}

/// Restrictions that take opcodes away which other generations have.
macro_rules! removed {
    ($($on:ident $id:literal [$($code:literal)+];)*) => {
        static REMOVED: &[(On, RuleId, &[u8])] = &[$((On::$on, rule_id!($id), &[$($code),+])),*];
    };
}

removed! {
    // do, push and pop of Gen4; the codes of iff, msave and mrest are those of brc, call and ret.
    Gen7 "gen7.isa.cf.iff-removed" [0x26 0x2E 0x2F];
    Gen7 "gen7.isa.cf.fork-case" [0x26 0x2E];
    Gen7 "gen7.isa.cmod.csel-none" [0x12];
    Gen9 "gen9.isa.op.f32to16-gone" [0x13 0x14];
    Gen12 "gen12.isa.enc.old-mov" [
        0x02 0x03 0x04 0x05 0x06 0x07 0x08 0x09 0x0A 0x0B 0x0C 0x0D 0x0E 0x0F 0x10 0x11 0x12 0x13
        0x14 0x15 0x16 0x17 0x18 0x19 0x1A 0x7E
    ];
    Gen12 "gen12.isa.cf.wait-gone" [0x30];
    // smov, wait, sends, sendsc, sad2, sada2, dp4, dph, dp3, dp2, line, pln, lrp, madm.
    Gen12 "gen12.isa.op.removed" [0x0A 0x30 0x33 0x34 0x50 0x51 0x54 0x55 0x56 0x57 0x59 0x5A 0x5C 0x5D];
}

/// The rules that this module enforces besides those of its checks.
pub(super) fn rules() -> impl Iterator<Item = RuleId> {
    iter::once(rule_id!("leg.enc.opcode-unknown")).chain(REMOVED.iter().map(|row| row.1))
}

/// An opcode that is no operation of the device.
pub(super) fn check_opcode(f: &Facts, violations: &mut Vec<Violation>) {
    if f.generation < Generation::Gen7 || f.opcode != Opcode::Illegal {
        return;
    }
    let Some(code) = f.instruction.undefined_opcode() else { return };
    let removed =
        REMOVED.iter().filter(|(on, _, codes)| on.includes(f.generation) && codes.contains(&code));
    violations.push(Violation::naming(
        rule_id!("leg.enc.opcode-unknown"),
        removed.map(|row| row.1).collect(),
        "the opcode is no operation of this device and raises the illegal opcode exception; write \
         illegal without a number where that is meant"
            .to_owned(),
    ));
}
