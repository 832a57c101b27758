//! From an instruction to micro-ops: compressed instructions are split, regions become byte
//! offsets, and the functions for types and shapes are chosen.

use parallax_isa::eu::{
    DataType,
    register::{ArfKind, REGISTER_BYTES, RegisterFile},
};

use super::{
    compression::{first_half, second_half},
    condition::Condition,
    exception, fetch,
    flow_op::{FlowOp, INSTRUCTION_BYTES},
    instruction::{Compression, Context, Destination, Instruction, Origin, Source},
    lanes::Kind,
    mask::MaskRule,
    native::{AccumulatorUpdate, Fetch, Native, Operand},
    operation::{Data, Flow, Form, Names, Sizes},
    region::{architecture, resolve, target},
    result, write,
};

/// The native instructions a data instruction executes as, in order.
pub(super) fn lower(
    instruction: &Instruction,
    data: &Data,
    context: Context,
) -> Result<Box<[Native]>, String> {
    Ok(if instruction.compression == Compression::Compressed {
        let first = lower_native(&first_half(instruction), data, context)?;
        Box::new([first, lower_native(&second_half(instruction, context), data, context)?])
    } else {
        Box::new([lower_native(instruction, data, context)?])
    })
}

/// A control flow instruction, resolved.
pub(super) fn lower_flow(instruction: &Instruction, row: &Flow, context: Context) -> FlowOp {
    let slot = context.offset / INSTRUCTION_BYTES * INSTRUCTION_BYTES;
    let lanes = match row.all_channels {
        true => 16,
        false => usize::from(instruction.execution_size.min(16)),
    };
    let bytes = i32::from(instruction.last_dword as i16) * INSTRUCTION_BYTES as i32;
    let place = |origin| match origin {
        Origin::Direct { number, subregister } => (usize::from(number), usize::from(subregister)),
        Origin::Indirect { .. } => (0, 0),
    };
    let (_, destination) = place(instruction.destination.origin);
    let (number, source) = match instruction.sources[0] {
        Source::Register(region) => place(region.origin),
        Source::Immediate { .. } => (0, 0),
    };
    let mask = |byte: usize| (byte / 2) & 3;
    let stack = |byte: usize| (byte / 16) & 1;
    let (mask, stack) = match row.names {
        Names::Nothing => (0, 0),
        Names::MaskToStack => (mask(source), stack(destination)),
        Names::StackToMask => (mask(destination), stack(source)),
        Names::Stack => (0, stack(source)),
        Names::Notification => (number & 1, 0),
    };
    let mut operand = Operand::absent(context.offset);
    let scalar = &instruction.sources[1];
    let from = resolve(scalar, Kind::Integer, false, &mut operand);
    let upper_half = !row.all_channels && upper_half(instruction, context);
    let distance = match *scalar {
        Source::Immediate { data_type, bits } if data_type.size() == 4 && !data_type.is_float() => {
            Some(bits as i16)
        }
        _ => None,
    };
    FlowOp {
        run: row.run,
        code: instruction.operation.code,
        rule: mask_rule(instruction, lanes, upper_half),
        target: slot.wrapping_add_signed(bytes),
        pops: (instruction.last_dword >> 16 & 0xF) as u8,
        mask,
        stack,
        trigger: exception::has_mask_stack_exceptions(context.device).then_some(12),
        offset: context.offset,
        slot,
        operand,
        fetch: fetch::choose(from, scalar.data_type(), Kind::Integer, false),
        distance,
    }
}

/// The accumulator an instruction names, if it names one.
pub(super) fn explicit_accumulator(instruction: &Instruction) -> Option<u8> {
    let Destination { file, origin, .. } = instruction.destination;
    let sources = instruction.sources.iter().filter_map(|source| match source {
        Source::Register(region) => architecture(region.file, region.origin),
        Source::Immediate { .. } => None,
    });
    sources
        .chain(architecture(file, origin))
        .find(|(kind, _)| *kind == ArfKind::Accumulator)
        .map(|(_, number)| number & 1)
}

/// What the lanes of an instruction hold: its execution type, or raw bits.
pub(super) fn lane_kind(instruction: &Instruction, data: &Data) -> Kind {
    let sources = instruction.used_sources();
    let types = sources.iter().map(Source::data_type);
    let to = instruction.destination.data_type;
    let plain = sources.iter().all(Source::is_unmodified);
    let same = types.clone().all(|from| from == to);
    let raw = data.form.moves() && plain && same && !instruction.saturate;
    if raw && explicit_accumulator(instruction).is_none() {
        Kind::Raw
    } else if types.clone().any(DataType::is_float) {
        Kind::Float
    } else {
        Kind::Integer
    }
}

fn lower_native(
    instruction: &Instruction,
    data: &Data,
    context: Context,
) -> Result<Native, String> {
    let kind = lane_kind(instruction, data);
    let lanes = usize::from(instruction.execution_size.min(16));
    let words = instruction.used_sources().iter().all(|source| source.data_type().size() <= 2);
    let destination = &instruction.destination;
    let to_accumulator = is_accumulator(destination.file, destination.origin);
    let dwords = instruction.used_sources().iter().all(|source| source.data_type().size() == 4);
    let compute = match kind {
        Kind::Float => data.float,
        Kind::Integer | Kind::Raw => data.integer(Sizes { dwords, words }),
    };
    let name = instruction.operation.name;
    let compute = compute.ok_or_else(|| format!("{name} does not work on these operand types"))?;
    let second = instruction.compression == Compression::SecHalf;
    let explicit = explicit_accumulator(instruction);
    let implicit = u8::from(second && (lanes <= 8 || !context.early()));
    let accumulator = explicit.unwrap_or(implicit);
    let (target, place) = target(destination);
    let (sources, fetch) = sources(instruction, data.form, kind, accumulator, context);
    Ok(Native {
        run: match (data.form, moved_source(instruction, data.form)) {
            (_, Some(0)) => Native::select_first_moved,
            (_, Some(_)) => Native::select_second_moved,
            (Form::Compare { .. }, None) => Native::compare,
            (Form::Move, None) if kind == Kind::Raw && instruction.condition == Condition::None => {
                Native::move_bits
            }
            _ => Native::elementwise,
        },
        mask: mask_rule(instruction, lanes, upper_half(instruction, context)),
        lanes,
        condition: instruction.condition,
        fetch,
        compute,
        finish: if data.high_halves {
            result::choose_high_halves(destination.data_type)
        } else {
            result::choose(kind, destination.data_type, instruction.saturate)
        },
        write: write::choose(place, destination.data_type.size()),
        accumulator_update: if to_accumulator {
            AccumulatorUpdate::Explicit
        } else if data.updates_accumulator {
            AccumulatorUpdate::Implicit
        } else {
            AccumulatorUpdate::Never
        },
        accumulator,
        accumulator_words: kind != Kind::Float
            && if to_accumulator { destination.data_type.size() <= 2 } else { words },
        reads_accumulator: explicit.is_some()
            || data.form == Form::Accumulate
            || place == write::Place::Architecture,
        target,
        sources,
    })
}

/// Whether an instruction uses the upper half of flags and masks.
pub(super) fn upper_half(instruction: &Instruction, context: Context) -> bool {
    instruction.compression == Compression::SecHalf
        && (instruction.execution_size <= 8 || context.early())
}

/// The rule by which an instruction's channels are enabled.
pub(super) fn mask_rule(instruction: &Instruction, lanes: usize, upper_half: bool) -> MaskRule {
    let enables = u16::from(instruction.destination.channel_enable) * 0x1111;
    MaskRule {
        no_mask: instruction.no_mask,
        upper_half,
        select: instruction.data().is_some_and(|data| data.form == Form::Select),
        predicate: instruction.predicate,
        inverse: instruction.predicate_inverse,
        flag: instruction.flag,
        channels: enables & ((1_u32 << lanes) - 1) as u16,
    }
}

/// The operands and the functions that read them; the third is the implied one.
fn sources(
    instruction: &Instruction,
    form: Form,
    kind: Kind,
    accumulator: u8,
    context: Context,
) -> ([Operand; 3], [Fetch; 3]) {
    let absent = Operand::absent(context.offset);
    let mut operands = [absent.clone(), absent.clone(), absent];
    let mut fetch = [fetch::choose(fetch::Place::Nowhere, DataType::Ud, kind, false); 3];
    let Destination { file, origin, .. } = instruction.destination;
    for (index, source) in instruction.used_sources().iter().enumerate() {
        // A source's own value goes into an accumulator although the instruction as a whole is not
        // a raw move.
        let exact = form == Form::Move && is_accumulator(file, origin) && source.is_unmodified();
        let kind = if moved_source(instruction, form) == Some(index) { Kind::Raw } else { kind };
        let place = resolve(source, kind, exact, &mut operands[index]);
        fetch[index] = fetch::choose(place, source.data_type(), kind, exact);
    }
    match form {
        Form::Accumulate => {
            operands[2].number = accumulator;
            let place = fetch::Place::Architecture(ArfKind::Accumulator);
            fetch[2] = fetch::choose(place, DataType::F, kind, false);
        }
        Form::Line => operands[0].plane(&[0, 12]),
        Form::Plane => {
            operands[0].plane(&[0, 4, 12]);
            operands[2] = operands[1].clone();
            // Offsets from an address wrap: they may be negative.
            for byte in &mut operands[2].offsets {
                *byte = byte.wrapping_add(REGISTER_BYTES as u16);
            }
            fetch[2] = fetch[1];
        }
        Form::MoveFields => {
            operands[0].fields(&instruction.destination);
            let from = instruction.sources[0].data_type();
            fetch[0] = fetch::choose(fetch::Place::Fields, from, kind, false);
        }
        Form::Elementwise | Form::Move | Form::Select | Form::Compare { .. } => {}
    }
    (operands, fetch)
}

fn is_accumulator(file: RegisterFile, origin: Origin) -> bool {
    architecture(file, origin).is_some_and(|(kind, _)| kind == ArfKind::Accumulator)
}

/// The source of a selection that is moved bit for bit because it has the destination's type and no
/// modifier, while the other one is changed on its way (decision D-eu-sel-mixed). An accumulator
/// channel has more digits than a register: it is never moved.
fn moved_source(instruction: &Instruction, form: Form) -> Option<usize> {
    if form != Form::Select || instruction.saturate {
        return None;
    }
    let destination = &instruction.destination;
    if is_accumulator(destination.file, destination.origin) {
        return None;
    }
    let moved = |source: &Source| {
        let in_register = match source {
            Source::Register(region) => !is_accumulator(region.file, region.origin),
            Source::Immediate { .. } => true,
        };
        in_register && source.is_unmodified() && source.data_type() == destination.data_type
    };
    match instruction.sources.each_ref().map(moved) {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    }
}
