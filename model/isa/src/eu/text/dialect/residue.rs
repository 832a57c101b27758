//! What a tool puts into the bits of a machine word that no field uses.

use super::super::cursor::Target;
use crate::eu::{
    encode,
    fields::{Field, basic},
    generation::Generation,
    instruction::Instruction,
    opcode::Opcode::{self, *},
    operand::Source,
};

/// Bits in which branches and `sync` of IGA differ from those of Mesa, which is canonical here (table
/// `eu-canonical-fields`); hardware ignores them (E-eu-later-gens-19).
const IGA_TOGGLES: [(Generation, &[Opcode], u128); 11] = [
    (Generation::Gen9, &[If, Else, Break, Halt], 0x20_0000_0000),
    (Generation::Gen9, &[Endif], 0x0600_0000_2000_0e00_0000_0000),
    (Generation::Gen9, &[While], 0x0600_0000_0000_0e20_0000_0000),
    (Generation::Gen9, &[Join], 0x0e00_0000_2000_0e00_0000_0000),
    (Generation::Gen9, &[Goto, Ret], 0x2000_0000_0000_0000),
    (Generation::Gen9, &[Cont], 0x1400_0000_0000_0000),
    (Generation::Gen9, &[Brd, Brc], 0x3400_0020_0000_0000),
    (Generation::Gen9, &[Call], 0x45_0000_0000_0000_0000_0000),
    (Generation::Gen12, &[If, Else, Break, Cont, Halt], 0x1_0660_0000_0000),
    (Generation::Gen12, &[While], 0x1_0060_0000_0000),
    (Generation::Gen12, &[Sync], 0x1_0000_0000_0000),
];

/// The same of Mesa.
const MESA_TOGGLES: [(Generation, &[Opcode], u128); 5] = [
    (Generation::Gen4, &[Endif], 0x8d_0000_2000_0084_0000_0000),
    (Generation::Gen45, &[Endif], 0x8d_0000_2000_0084_0000_0000),
    (Generation::Gen4, &[Do], 0x8d_0000_008d_0000_2000_739c_0000_0000),
    (Generation::Gen45, &[Do], 0x8d_0000_008d_0000_2000_739c_0000_0000),
    // Its text is that of other assemblers, and only so has it a compact form.
    (Generation::Gen12, &[Sync], 0x1_0000_0000_0000),
];

/// The bits of a table for an instruction.
fn toggled(
    rows: &[(Generation, &[Opcode], u128)],
    target: Target,
    instruction: &Instruction,
) -> u128 {
    let mut rows = rows.iter().filter(|(generation, ..)| *generation == target.generation);
    let row = rows.find(|(_, opcodes, _)| opcodes.contains(&instruction.opcode));
    row.map_or(0, |(.., bits)| *bits)
}

/// The residue of an instruction that Mesa encodes.
pub(super) fn mesa(target: Target, instruction: &Instruction) -> u128 {
    toggled(&MESA_TOGGLES, target, instruction)
}

/// The residue of an instruction that IGA encodes.
pub(super) fn iga(target: Target, instruction: &Instruction) -> u128 {
    let plain = Instruction { residue: 0, ..*instruction };
    let Ok(word) = encode::word(target.device, &plain) else { return 0 };
    let set = |field: &Field| {
        let bits = field.position(target.generation).iter();
        bits.fold(0, |bits, run| bits | u128::from(run.largest()) << run.low) & word.bits
    };
    let wide =
        matches!(plain.sources[0], Source::Immediate { data_type, .. } if data_type.size() == 8);
    let has_one = plain.math.is_some_and(|function| function.sources() == 1);
    if has_one {
        // The second source of a function of one is left out.
        let macros = u128::from(target.generation == Generation::Gen9 && is_macro(&plain)) << 61;
        return word.bits >> 96 << 96
            | set(&basic::SRC1_DATA_TYPE)
            | set(&basic::SRC1_REG_FILE)
            | macros;
    }
    if is_macro(&plain) && target.generation == Generation::Gen9 {
        return 1 << 61;
    }
    if matches!(plain.sources[0], Source::Immediate { .. })
        && !wide
        && plain.branch.is_none()
        && target.generation == Generation::Gen9
    {
        return set(&basic::SRC1_DATA_TYPE);
    }
    toggled(&IGA_TOGGLES, target, &plain)
}

/// Whether an instruction is a function of the macros for division and square roots.
fn is_macro(instruction: &Instruction) -> bool {
    instruction.math.is_some_and(|function| matches!(function.name(), "invm" | "rsqtm"))
}
