//! Which instructions code can be made of although no kernel serves them: their operands have several
//! types, or elements with gaps between them.

use std::mem::offset_of;

use parallax_isa::eu::{DataType, State};

use super::{
    fields::Generation,
    instruction::{Instruction, Source},
    lanes::{Format, Kind, lane_float},
    native::General,
    operation::{Data, Form},
    plan::{Plan, SimpleMask},
    work::{self, Float},
};
use crate::eu::{
    condition::Condition,
    description::{Channels, MOST_CHANNELS, Mixed, Part, Planned, Rounding, Values},
    kernel::element::KernelOperation,
};

/// What code of an instruction is, if it can be made, and which channels it works on.
pub(super) fn planned(
    instruction: &Instruction,
    data: &Data,
    general: &General,
) -> Option<(Planned, Plan)> {
    let channels = general.count;
    let whole = u32::MAX >> (32 - channels as u32);
    let is_fit = general.accumulator.is_none()
        && general.second_target.is_none()
        && !general.guarded
        && channels <= MOST_CHANNELS
        && general.mask.channels == whole;
    if !is_fit {
        return None;
    }
    let mask = SimpleMask::of(&general.mask)?;
    let operation = operation(instruction, data, general)?;
    let mut parts = (0..instruction.source_count.into())
        .map(|index| part(instruction, data, general, index))
        .collect::<Option<Vec<Part>>>()?;
    if operation == KernelOperation::MultiplyLowHalf {
        // It is the second source whose low half counts.
        parts.swap(0, 1);
    }
    let moves = operation == KernelOperation::Move;
    let result = instruction.destination.data_type;
    let is_raw = general.kind == Kind::Raw;
    let planned = Mixed {
        operation,
        is_float: match general.kind {
            Kind::Float(format) => (format != Format::Double).then_some(true)?,
            Kind::Integer => moves && result.is_float(),
            Kind::Raw => false,
        },
        rounding: Rounding::NearestEven,
        // Where F meets them they are converted, with their denormals.
        flushes_halves: general.kind == Kind::Float(Format::Half),
        sources: &parts,
        result: if is_raw { bits_of(result)? } else { result },
        target: match general.target.is_null() {
            true => None,
            false => Some(in_state(general.target.direct(channels, result.size())?)),
        },
        channels,
        halves: false,
        saturate: instruction.saturate,
        condition: general.condition,
        second_nan_wins: general.second_nan_wins,
        mask: Channels::from(&mask),
    };
    let needs = if instruction.no_mask { 0 } else { whole << instruction.first_channel };
    Some((planned.planned()?, Plan { mask, needs, ..Plan::empty() }))
}

/// What is done to lanes.
fn operation(instruction: &Instruction, data: &Data, general: &General) -> Option<KernelOperation> {
    use KernelOperation as K;
    let sources = instruction.used_sources();
    let name = instruction.operation.name;
    match (data.form, general.condition) {
        (Form::Compare { .. }, _) => return Some(K::Compare),
        (Form::Select, Condition::None) => return Some(K::Select),
        (Form::Select, Condition::Less | Condition::GreaterEqual) => return Some(K::SelectByOrder),
        (Form::Elementwise | Form::Move, Condition::None) => {}
        _ => return None,
    }
    if let Kind::Float(_) = general.kind {
        return Some(Float::named(name)?.operation());
    }
    Some(match name {
        "mov" => K::Move,
        "mul" => {
            let is_dword = sources.last().is_some_and(|source| source.data_type().size() == 4);
            let low_half = instruction.generation == Generation::Gen7 && is_dword;
            if low_half { K::MultiplyLowHalf } else { K::Multiply }
        }
        _ => work::integer(name)?,
    })
}

/// The unsigned integer as long as a type.
fn bits_of(data_type: DataType) -> Option<DataType> {
    Some(match data_type.size() {
        1 => DataType::Ub,
        2 => DataType::Uw,
        4 => DataType::Ud,
        _ => return None,
    })
}

fn part(instruction: &Instruction, data: &Data, general: &General, index: usize) -> Option<Part> {
    let source = &instruction.sources[index];
    let operand = &general.sources[index];
    let data_type = source.data_type();
    let (absolute, negate) = operand.modifiers();
    let values = match source {
        Source::Register(_) => {
            Values::Registers(in_state(operand.direct(general.count, data_type.size())?))
        }
        Source::Immediate { .. } => {
            let lanes = operand.constant_lanes();
            match general.kind {
                Kind::Float(_) => Values::Floats(std::array::from_fn(|n| lane_float(lanes[n]))),
                Kind::Integer | Kind::Raw => {
                    Values::Integers(std::array::from_fn(|n| lanes[n] as i64))
                }
            }
        }
    };
    let data_type = if general.kind == Kind::Raw { bits_of(data_type)? } else { data_type };
    let inverts = data.logic && instruction.generation >= Generation::Gen9;
    let keeps_width = operand.keeps_width();
    Some(Part { data_type, values, absolute, negate, inverts, keeps_width })
}

/// Bytes of the state for those of the general registers.
fn in_state(bytes: [u16; MOST_CHANNELS]) -> [u16; MOST_CHANNELS] {
    bytes.map(|byte| byte.wrapping_add(offset_of!(State, grf) as u16))
}
