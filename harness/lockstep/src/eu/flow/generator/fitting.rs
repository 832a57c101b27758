//! Which instructions of the straight-line generator fit into a tree.

use parallax_isa::eu::{
    Instruction, Opcode,
    instruction::ConditionalModifier,
    operand::{Register, Source},
    register::{ArfKind, RegisterFile},
};

use super::Limits;
use crate::eu::flow::{has_mask_stacks, tree::Registers};

/// Whether an instruction's result is exact, mostly, and leaves alone what keeps a long program going:
/// loop counters and what is computed of addresses.
pub(super) fn is_exact(instruction: &Instruction, registers: Registers) -> bool {
    use Opcode::{
        Add, And, Asr, Avg, Cmp, Frc, Lzd, Mov, Mul, Not, Or, Rndd, Rnde, Rndu, Rndz, Sel, Shl,
        Shr, Xor,
    };
    let exact = [
        Mov, Sel, Not, And, Or, Xor, Shr, Shl, Asr, Cmp, Add, Mul, Avg, Lzd, Frc, Rndu, Rndd, Rnde,
        Rndz,
    ];
    let is_plain = |register: Register| match register {
        Register::Direct { file, .. } => {
            file != RegisterFile::Arf || register.arf() == Some(ArfKind::Null)
        }
        Register::Indirect { .. } => false,
    };
    let destination = instruction.destination.register;
    let keeps_counters = match destination {
        Register::Direct { file: RegisterFile::Grf, number, .. } => {
            !registers.keeps_going().contains(&number)
        }
        _ => true,
    };
    let sources = instruction.sources.iter().all(|source| match source {
        Source::Register { register, .. } => is_plain(*register),
        Source::Immediate { .. } => true,
    });
    exact.contains(&instruction.opcode) && is_plain(destination) && keeps_counters && sources
}

/// Whether an instruction of Gen7 or later is exact, on numbers of at most 32 bits, and leaves
/// accumulators alone.
pub(in crate::eu::flow) fn is_simple(instruction: &Instruction, registers: Registers) -> bool {
    let sources = instruction.sources.iter().map(Source::data_type);
    let mut types = sources.chain([instruction.destination.data_type]);
    let is_small = types.all(|data_type| data_type.size() <= 4);
    is_small && !instruction.accumulator_write && is_exact(instruction, registers)
}

/// Whether an instruction leaves alone what the tree depends on. Addresses are left alone always:
/// what the straight-line generator knows about them must hold on every way through the program.
pub(super) fn is_harmless(instruction: &Instruction, limits: Limits) -> bool {
    let (register, registers) = (instruction.destination.register, Registers::of(limits.device));
    if register.arf() == Some(ArfKind::Address) {
        return false;
    }
    let has_stacks = has_mask_stacks(limits.device);
    if !has_stacks && !is_simple(instruction, registers) {
        return false;
    }
    let keeps_registers = match register {
        Register::Direct { file: RegisterFile::Grf, number, .. } => {
            number >= registers.behind || number + 1 < registers.first
        }
        Register::Direct { file: RegisterFile::Arf, .. } => {
            matches!(register.arf(), Some(ArfKind::Null | ArfKind::Accumulator))
        }
        Register::Direct { .. } => true,
        Register::Indirect { .. } => false,
    };
    let sets_flags = instruction.condition != ConditionalModifier::None;
    let keeps_flags = !sets_flags
        || instruction.execution_size <= 16
            && match has_stacks {
                true => !limits.flags.contains(&instruction.flag_subregister),
                // Channels from 16 on have their flags in the other half.
                false => limits.flags.iter().all(|flag| flag / 2 != instruction.flag_register),
            };
    !limits.scalar || keeps_registers && keeps_flags
}
