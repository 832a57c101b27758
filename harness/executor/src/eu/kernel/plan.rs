//! What a kernel would have to do for an instruction.

use super::element::{Element, KernelOperation};
use crate::eu::{
    instruction::{Instruction, Source},
    lanes::Kind,
    lower,
    operation::{Candidate, Data},
};

/// What an instruction is to a kernel.
pub(super) struct Plan {
    pub(super) operation: KernelOperation,
    /// The type of every register operand.
    pub(super) data: Element,
    /// The type the kernel works on: raw floats are moved as the dwords they are.
    pub(super) lanes: Element,
}

/// What a kernel would have to do for an instruction, if one can.
pub(super) fn plan(instruction: &Instruction, data: &Data) -> Option<Plan> {
    let sources = instruction.used_sources();
    let from_register = sources.iter().find_map(|source| match source {
        Source::Register(region) => Element::of(region.data_type),
        Source::Immediate { .. } => None,
    });
    let element = from_register.or_else(|| Element::of(instruction.destination.data_type))?;
    let kind = lower::lane_kind(instruction, data);
    let (float, raw) = (element == Element::F, kind == Kind::Raw);
    let dwords = element.bytes() == 4;
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
    let candidate = Candidate {
        data: element,
        raw,
        saturate: instruction.saturate,
        has_immediate_word: sources.iter().any(|source| {
            matches!(source, Source::Immediate { .. }) && source.data_type().size() == 2
        }),
        names_accumulator: lower::explicit_accumulator(instruction).is_some(),
    };
    let operation = data.kernel(&candidate)?;
    let lanes = if raw && float { Element::Ud } else { element };
    Some(Plan { operation, data: element, lanes })
}
