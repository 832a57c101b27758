//! Devices, the compact form, and bits without a meaning (sections 11.6, 13.2, 13.3).

use super::{
    super::{
        encode,
        fields::{self, Field, Word},
        opcode::{Format, Opcode},
        operand::Source,
    },
    Check, Facts, checks,
};

checks! {
    Instruction ["g45.inst.movi.device", "g45.opcode.movi-device", "g45.exc.undefined-opcode"]
        about |f| f.instruction.undefined_opcode() == Some(MOVI),
        holds |_| false,
        "this device has no movi; gather with one mov for each element";
    Instruction ["g45.inst.pln.device", "g45.opcode.pln-device", "g45.exc.undefined-opcode"]
        about |f| f.instruction.undefined_opcode() == Some(PLN),
        holds |_| false,
        "this device has no pln; use line and mac";
    Instruction ["g45.opcode.nenop-device", "g45.exc.undefined-opcode"]
        about |f| f.instruction.undefined_opcode() == Some(NENOP),
        holds |_| false,
        "this device has no nenop; use nop";
    Instruction ["g45.opcode.reserved", "g45.exc.undefined-opcode"]
        about |f| f.opcode == Opcode::Illegal,
        holds |f| matches!(f.instruction.undefined_opcode(), None | Some(MOVI | PLN | NENOP)),
        "the opcode is no operation of this device and raises the illegal opcode exception; write \
         illegal without a number where that is meant";
    Instruction ["g45.dw0.maskctrlex"]
        about |f| f.is_bw_or_cl() && f.opcode.format() != Format::Nothing,
        holds |f| !f.instruction.mask_control_ex && f.instruction.residue >> 28 & 1 == 0,
        "bit 28 must be zero on this device; clear MaskCtrlEx";
    Instruction ["g45.dw0.maskctrl.reserved"]
        about |f| !f.is_bw_or_cl() && f.opcode.format() != Format::Nothing,
        holds |f| !f.instruction.mask_control_ex,
        "MaskCtrlEx set is a reserved mask control; clear it";
    Instruction ["g45.dw0.bit7"]
        about |f| f.opcode != Opcode::Illegal,
        holds |f| f.instruction.residue >> 7 & 1 == 0,
        "bit 7 is reserved for longer opcodes and must be zero";
    Instruction ["g45.format.reserved-mbz", "g45.gen.reserved-write", "g45.sys.reserved.write"]
        about |f| f.opcode.format() != Format::Nothing,
        holds |f| f.instruction.residue & reserved_bits(f) == 0,
        "reserved bits of the instruction word are set; they must be zero";
    Instruction ["g45.nonpresent.null", "g45.null.absent-src"]
        about |f| !absent(f).is_empty(),
        holds |f| absent_operands_are_null(f),
        "an operand that the instruction does not have must be encoded as null";
    Instruction ["g45.nonpresent.single-src"]
        about |f| is_single_immediate(f),
        holds |f| f.instruction.residue & (bits(f, &fields::basic::SRC1_DATA_TYPE) | bits(f, &fields::basic::SRC1_REG_FILE)) == 0,
        "with an immediate src0, src1 must be encoded as null of the type of src0";
}

/// Opcodes that only some devices have.
const MOVI: u8 = 0x03;
const PLN: u8 = 0x5A;
const NENOP: u8 = 0x7D;

/// The bits of a field.
fn bits(f: &Facts, field: &Field) -> u128 {
    let mut word = Word { bits: 0, generation: f.generation };
    word.put(field, u32::MAX);
    word.bits
}

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
        reserved |= operands
            .into_iter()
            .zip(gaps)
            .filter(|(has, _)| *has)
            .map(|(_, gap)| gap)
            .sum::<u128>();
    }
    reserved
}

/// A one-source instruction whose source is an immediate.
fn is_single_immediate(f: &Facts) -> bool {
    f.opcode.format() == Format::Unary
        && matches!(f.instruction.sources[0], Source::Immediate { .. })
}

/// Register file and number of an operand that the instruction does not have.
type Absent = (&'static Field, &'static Field);

fn absent(f: &Facts) -> &'static [Absent] {
    static ALL: [Absent; 3] = [
        (&fields::basic::DST_REG_FILE, &fields::basic::DST_REG_NUM),
        (&fields::basic::SRC0_REG_FILE, &fields::basic::SRC0_REG_NUM),
        (&fields::basic::SRC1_REG_FILE, &fields::basic::SRC1_REG_NUM),
    ];
    match f.opcode.format() {
        Format::Controls => &ALL,
        Format::ExitCode => &ALL[..2],
        Format::Unary if !is_single_immediate(f) => &ALL[2..],
        _ => &[],
    }
}

fn absent_operands_are_null(f: &Facts) -> bool {
    // Decision D-eu-absent-operands.
    let Ok(word) = encode::word(f.device, f.instruction) else { return true };
    let word = Word { bits: word.bits ^ f.instruction.residue, ..word };
    absent(f).iter().all(|(file, number)| !word.is_set(file) && word.get(number) >> 4 == 0)
}
