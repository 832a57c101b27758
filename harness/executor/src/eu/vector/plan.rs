//! What kernels compute, and on which elements.

use parallax_isa::eu::{DataType, Opcode};

use crate::eu::{
    decode::{Instruction, Source},
    finish::Kind,
    lower,
};

/// What a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::eu) enum Operation {
    Move,
    Select,
    Not,
    And,
    Or,
    Xor,
    ShiftRight,
    ShiftLeft,
    ShiftArithmetic,
    Compare,
    Add,
    Multiply,
    MultiplyLowHalf,
    MultiplyAdd,
    Average,
    RoundDown,
    Fraction,
}

/// The type of the elements a kernel works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::eu) enum Element {
    Ud,
    D,
    Uw,
    W,
    F,
}

pub(super) fn element_bytes(element: Element) -> usize {
    match element {
        Element::Uw | Element::W => 2,
        Element::Ud | Element::D | Element::F => 4,
    }
}

pub(super) fn data_element(data_type: DataType) -> Option<Element> {
    Some(match data_type {
        DataType::Ud => Element::Ud,
        DataType::D => Element::D,
        DataType::Uw => Element::Uw,
        DataType::W => Element::W,
        DataType::F => Element::F,
        _ => return None,
    })
}

/// What an instruction is to a kernel.
pub(super) struct Plan {
    pub(super) operation: Operation,
    /// The type of every register operand.
    pub(super) data: Element,
    /// The type the kernel works on: raw floats are moved as the dwords they are.
    pub(super) lanes: Element,
}

/// What a kernel would have to do for an instruction, if one can.
pub(super) fn plan(instruction: &Instruction) -> Option<Plan> {
    let sources = &instruction.sources[..lower::used_sources(instruction.opcode)];
    let from_register = sources.iter().find_map(|source| match source {
        Source::Register(region) => data_element(region.data_type),
        Source::Immediate { .. } => None,
    });
    let data = from_register.or_else(|| data_element(instruction.destination.data_type))?;
    let kind = lower::lane_kind(instruction);
    let (float, raw) = (data == Element::F, kind == Kind::Raw);
    let dwords = element_bytes(data) == 4;
    // The lanes of an immediate are of the execution type, which must be the registers' own.
    let same_execution = sources.iter().all(|source| match source {
        Source::Immediate { data_type, .. } => {
            float || !data_type.is_float() && (dwords || data_type.size() == 2)
        }
        Source::Register(_) => true,
    });
    if !same_execution || float && !raw && kind != Kind::Float {
        return None;
    }
    let operation = match instruction.opcode {
        Opcode::Mov => Operation::Move,
        Opcode::Sel if raw || !float => Operation::Select,
        Opcode::Not => Operation::Not,
        Opcode::And => Operation::And,
        Opcode::Or => Operation::Or,
        Opcode::Xor => Operation::Xor,
        // A negative source, which the manual forbids, is shifted as a number of 33 bits.
        Opcode::Shr if instruction.saturate && matches!(data, Element::D | Element::W) => {
            return None;
        }
        Opcode::Shr => Operation::ShiftRight,
        Opcode::Shl => Operation::ShiftLeft,
        Opcode::Asr => Operation::ShiftArithmetic,
        Opcode::Cmp | Opcode::Cmpn => Operation::Compare,
        Opcode::Add => Operation::Add,
        Opcode::Mul if dwords && !float => Operation::MultiplyLowHalf,
        Opcode::Mul => Operation::Multiply,
        Opcode::Mac if float || !dwords => Operation::MultiplyAdd,
        // The sum of two 64-bit accumulator channels needs one bit more.
        Opcode::Avg if dwords && lower::explicit_accumulator(instruction).is_some() => return None,
        Opcode::Avg => Operation::Average,
        Opcode::Rndd => Operation::RoundDown,
        Opcode::Frc => Operation::Fraction,
        _ => return None,
    };
    Some(Plan { operation, data, lanes: if raw && float { Element::Ud } else { data } })
}
