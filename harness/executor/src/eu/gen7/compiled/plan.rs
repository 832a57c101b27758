//! Which instructions code can be made of, and what there is to know of them for it.

use std::mem::offset_of;

use parallax_isa::eu::{DataType, State};

use crate::eu::{
    condition::Condition,
    description::{LaneOperation, MOST_CHANNELS, Mixed, Part, Planned, Rounding, Values},
    gen7::{
        fields::Generation,
        instruction::Source,
        lanes::{Format, Kind, lane_float},
        native::Op,
        operation::{Action, Data, Form},
    },
};

/// How to compile a micro-op, if that can be done.
pub(in crate::eu::gen7) fn plan(op: &Op) -> Option<Planned> {
    let instruction = &op.instruction;
    let Action::Data(data) = &instruction.operation.action else { return None };
    let channels = op.count;
    let is_fit = op.accumulator.is_none()
        && op.second_target.is_none()
        && !op.guarded
        && channels <= MOST_CHANNELS
        && op.mask.channels == u32::MAX >> (32 - channels as u32);
    if !is_fit {
        return None;
    }
    let mask = op.mask.described()?;
    let operation = operation(op, data)?;
    // What a selection moves bit for bit may be of any type.
    let is_raw =
        op.kind == Kind::Raw || operation == LaneOperation::Select && op.moved == [true; 2];
    let mut parts = (0..op.source_count)
        .map(|index| part(op, data, is_raw, index))
        .collect::<Option<Vec<Part>>>()?;
    if operation == LaneOperation::MultiplyLowHalf {
        // It is the second source whose low half counts.
        parts.swap(0, 1);
    }
    let moves = operation == LaneOperation::Move;
    let result = instruction.destination.data_type;
    Mixed {
        operation,
        is_float: match op.kind {
            _ if is_raw => false,
            Kind::Float(format) => (format != Format::Double).then_some(true)?,
            Kind::Integer | Kind::Raw => moves && result.is_float(),
        },
        rounding: Rounding::NearestEven,
        // Where F meets them they are converted, with their denormals.
        flushes_halves: op.kind == Kind::Float(Format::Half),
        sources: &parts,
        result: if is_raw { bits_of(result)? } else { result },
        target: match op.target.is_null() {
            true => None,
            false => Some(in_state(op.target.direct(channels, result.size())?)),
        },
        channels,
        halves: false,
        saturate: instruction.saturate,
        condition: op.condition,
        second_nan_wins: op.second_nan_wins,
        mask,
    }
    .planned()
}

/// What is done to lanes.
fn operation(op: &Op, data: &Data) -> Option<LaneOperation> {
    use LaneOperation as L;
    match (data.form, op.condition) {
        (Form::Compare { .. }, _) => return Some(L::Compare),
        (Form::Select, Condition::None) => return Some(L::Select),
        (Form::Select, _) => return selects_by_order(op).then_some(L::SelectByOrder),
        (Form::Elementwise | Form::Move, Condition::None) => {}
        _ => return None,
    }
    let instruction = &op.instruction;
    Some(match (instruction.operation.name, op.kind) {
        ("mov", _) => L::Move,
        ("add", _) => L::Add,
        ("mul", Kind::Float(_)) => L::Multiply,
        ("mad", Kind::Float(_)) => L::AddProduct,
        ("rndu", Kind::Float(_)) => L::RoundUp,
        ("rndd", Kind::Float(_)) => L::RoundDown,
        ("rnde", Kind::Float(_)) => L::RoundEven,
        ("rndz", Kind::Float(_)) => L::RoundTowardZero,
        ("frc", Kind::Float(_)) => L::Fraction,
        (_, Kind::Float(_)) => return None,
        ("mul", _) => {
            let last = instruction.used_sources().last();
            let is_dword = last.is_some_and(|source| source.data_type().size() == 4);
            let low_half = instruction.generation == Generation::Gen7 && is_dword;
            if low_half { L::MultiplyLowHalf } else { L::Multiply }
        }
        ("and", _) => L::And,
        ("or", _) => L::Or,
        ("xor", _) => L::Xor,
        ("not", _) => L::Not,
        ("shl", _) => L::ShiftLeft,
        ("shr", _) => L::ShiftRight,
        ("asr", _) => L::ShiftArithmetic,
        ("avg", _) => L::Average,
        _ => return None,
    })
}

/// Whether code can select by the order of sources: of floats only those that are moved bit for bit.
fn selects_by_order(op: &Op) -> bool {
    use Condition::{Greater, GreaterEqual, Less, LessEqual};
    let is_float = matches!(op.kind, Kind::Float(_));
    matches!(op.condition, Greater | GreaterEqual | Less | LessEqual)
        && (!is_float || op.kind == Kind::Float(Format::Single) && op.moved == [true; 2])
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

fn part(op: &Op, data: &Data, is_raw: bool, index: usize) -> Option<Part> {
    let instruction = &op.instruction;
    let source = &instruction.sources[index];
    let operand = &op.sources[index];
    let data_type = source.data_type();
    let (absolute, negate) = operand.modifiers();
    let words = instruction.used_sources().iter().all(|source| source.data_type().size() <= 2);
    let values = match source {
        Source::Register(_) => {
            Values::Registers(in_state(operand.direct(op.count, data_type.size())?))
        }
        Source::Immediate { .. } if is_raw => {
            Values::Integers(std::array::from_fn(|n| operand.constant_bits(n).cast_signed()))
        }
        Source::Immediate { .. } => {
            let lanes = operand.constant_lanes();
            match op.kind {
                Kind::Float(_) => Values::Floats(std::array::from_fn(|n| lane_float(lanes[n]))),
                Kind::Integer | Kind::Raw => {
                    Values::Integers(std::array::from_fn(|n| lanes[n] as i64))
                }
            }
        }
    };
    let data_type = match data_type {
        of if is_raw => bits_of(of)?,
        // Zeros come from above into words, if nothing longer is among the sources.
        DataType::W if instruction.operation.name == "shr" && !absolute && !negate && words => {
            DataType::Uw
        }
        of => of,
    };
    let inverts = data.logic && instruction.generation >= Generation::Gen9;
    let keeps_width = operand.keeps_width();
    Some(Part { data_type, values, absolute, negate, inverts, keeps_width })
}

/// Bytes of the state for those of the general registers.
fn in_state(bytes: [u16; MOST_CHANNELS]) -> [u16; MOST_CHANNELS] {
    bytes.map(|byte| byte.wrapping_add(offset_of!(State, grf) as u16))
}
