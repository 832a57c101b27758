//! From an instruction on elements to what it runs as: types, regions and functions are chosen.

use parallax_isa::eu::{DataType, register::RegisterFile};

use super::{
    arf::{self, Register},
    compute::Sizes,
    fields::Generation,
    instruction::{Instruction, Source},
    lanes::{Format, Kind},
    mask::MaskRule,
    math,
    native::{self, AccumulatorWrite, Contents, Op, Run},
    operand::{Operand, Use, common_format},
    operation::{Data, Form},
    result::Conversion,
    target::Target,
};
use crate::eu::{condition::Condition, instruction::Origin, mask::Predicate};

/// Lowers a data instruction; a sentence if nothing models it.
pub(super) fn lower(instruction: &Instruction, data: &Data) -> Result<Op, String> {
    let name = instruction.operation.name;
    check_channels(instruction)?;
    let form = data.form;
    let kind = lane_kind(instruction, form);
    let sizes = sizes(instruction);
    let compute = match (form, kind) {
        (Form::Math, _) => math::function(instruction.function, matches!(kind, Kind::Float(_))),
        (_, Kind::Float(format)) => data.float(format == Format::Double),
        (_, Kind::Integer | Kind::Raw) => data.integer(sizes),
    };
    let compute = compute.ok_or_else(|| match form {
        Form::Math => {
            format!("math function {} does not work on these operand types", instruction.function)
        }
        _ => format!("{name} does not work on these operand types"),
    })?;
    let doubled = is_doubled(instruction);
    let destination = &instruction.destination;
    let to = match form {
        Form::ToHalf => DataType::Hf,
        _ => destination.data_type,
    };
    let second = form == Form::Math && instruction.function == math::QUOTIENT_AND_REMAINDER;
    let count = usize::from(instruction.execution_size);
    let channels = enables(instruction);
    // Align16 has no words with gaps between them: the upper halves of doublewords become zero.
    let in_doublewords = form == Form::ToHalf && instruction.align16;
    let size = if in_doublewords { 4 } else { destination.data_type.size() };
    let target = Target::of(instruction, size, doubled);
    let conversion = Conversion::of(
        instruction.generation,
        kind,
        to,
        instruction.saturate,
        is_conversion(instruction, form),
    );
    let condition = match form {
        Form::Math => Condition::None,
        _ => instruction.condition,
    };
    let second_target = second.then(|| target.next_register());
    let run: Run = match form {
        Form::Compare { .. } => native::compare,
        Form::Select if instruction.condition == Condition::None => native::select_by_predicate,
        Form::Select => native::select_by_order,
        Form::SelectByThird => native::select_by_third,
        _ => native::elementwise,
    };
    Ok(Op {
        run,
        instruction: *instruction,
        mask: MaskRule::of(instruction, channels, selects_by_predicate(instruction, form)),
        count,
        condition,
        sources: sources(instruction, form, kind, data, doubled),
        source_count: match form {
            Form::Accumulate | Form::Plane => 3,
            _ => instruction.source_count.into(),
        },
        kind,
        compute,
        conversion,
        size,
        accumulator: accumulator(instruction, data, kind, &target, doubled),
        nearest: data.nearest,
        unsigned: !sizes.signed,
        second_nan_wins: matches!(form, Form::Compare { second_nan_wins: true } | Form::Select),
        moved: moved_sources(instruction, form),
        guarded: target.may_escape(channels, size)
            || second_target.as_ref().is_some_and(|target| target.may_escape(channels, size)),
        target,
        second_target,
    })
}

/// Groups of channels that masks or flags have no bits for end a run (D-eu-later-dispatch).
fn check_channels(instruction: &Instruction) -> Result<(), String> {
    let last = u32::from(instruction.first_channel) + u32::from(instruction.execution_size);
    let selects = matches!(instruction.operation.action, super::operation::Action::Data(ref data)
        if matches!(data.form, Form::Select | Form::SelectByThird | Form::Math));
    let uses_flags = instruction.predicate != Predicate::None
        || instruction.condition != Condition::None && !selects;
    if last > 32 {
        return Err("the group of channels goes beyond channel 31".into());
    }
    if uses_flags && instruction.flag & 1 == 1 && last > 16 {
        return Err("half a flag register has no bits for channels beyond 15".into());
    }
    Ok(())
}

/// Whether elements of DF take two channels each.
fn is_doubled(instruction: &Instruction) -> bool {
    let sources = instruction.used_sources().iter().map(Source::data_type);
    instruction.generation == Generation::Gen7
        && sources.chain([instruction.destination.data_type]).any(|of| of == DataType::Df)
}

/// Execution size and channel enables.
fn enables(instruction: &Instruction) -> u32 {
    let destination = &instruction.destination;
    let enables = u32::from(destination.channel_enable);
    let pairs = destination.data_type.size() == 8 && instruction.generation >= Generation::Gen9;
    let groups = if pairs {
        // The enables are of dwords.
        ((enables & 1) | (enables >> 1 & 2)) * 0x5555_5555
    } else {
        enables * 0x1111_1111
    };
    let scattered = match instruction.operation.action {
        super::operation::Action::Data(ref data) if data.form == Form::MoveScattered => {
            match instruction.sources[1] {
                Source::Immediate { bits, .. } => bits as u32,
                Source::Register(_) => 0,
            }
        }
        _ => u32::MAX,
    };
    groups & scattered & u32::MAX >> (32 - u32::from(instruction.execution_size))
}

/// Whether the predicate chooses between sources.
fn selects_by_predicate(instruction: &Instruction, form: Form) -> bool {
    form == Form::Select && instruction.condition == Condition::None
}

/// What the lanes of an instruction hold: its execution type, or raw bits.
fn lane_kind(instruction: &Instruction, form: Form) -> Kind {
    let to = instruction.destination.data_type;
    let sources = instruction.used_sources();
    match form {
        Form::ToHalf => return Kind::Float(Format::Single),
        Form::FromHalf => return Kind::Float(Format::Single),
        Form::MoveScattered => return Kind::Raw,
        _ => {}
    }
    let plain = sources.iter().all(Source::is_unmodified) && !instruction.saturate;
    let same = sources.iter().all(|source| same_bits(source.data_type(), to));
    let uses_accumulator = names_accumulator(instruction) || instruction.accumulator_control;
    let accumulators = uses_accumulator && !to.is_float();
    if form.moves() && plain && same && !accumulators {
        return Kind::Raw;
    }
    let types = sources.iter().map(Source::data_type);
    match common_format(types) {
        // F and HF meet.
        Some(Format::Half) if to == DataType::F => Kind::Float(Format::Single),
        Some(format) => Kind::Float(format),
        None => Kind::Integer,
    }
}

/// Whether types differ in signedness at most.
fn same_bits(a: DataType, b: DataType) -> bool {
    a.size() == b.size() && Format::of(a) == Format::of(b)
}

/// Whether an operand is an accumulator.
fn names_accumulator(instruction: &Instruction) -> bool {
    let generation = instruction.generation;
    let is_accumulator = |file, origin| match origin {
        Origin::Direct { number, .. } if file == RegisterFile::Arf => {
            arf::register(generation, number) == Register::Accumulator
        }
        _ => false,
    };
    let destination = &instruction.destination;
    is_accumulator(destination.file, destination.origin)
        || instruction.used_sources().iter().any(|source| match source {
            Source::Register(region) => is_accumulator(region.file, region.origin),
            Source::Immediate { .. } => false,
        })
}

/// Whether a float format becomes another by a move: denormals are kept then.
fn is_conversion(instruction: &Instruction, form: Form) -> bool {
    let to = Format::of(instruction.destination.data_type);
    let from = |source: &Source| Format::of(source.data_type());
    match form {
        Form::ToHalf | Form::FromHalf => true,
        Form::Move | Form::MoveFields | Form::Select | Form::SelectByThird => {
            let mut formats = instruction.used_sources().iter().filter_map(from);
            to.is_some() && formats.any(|from| Some(from) != to)
        }
        _ => false,
    }
}

/// The sources of a selection that are moved bit for bit (D-eu-sel-mixed).
fn moved_sources(instruction: &Instruction, form: Form) -> [bool; 2] {
    if !matches!(form, Form::Select | Form::SelectByThird) || instruction.saturate {
        return [false; 2];
    }
    let [a, b, _] = &instruction.sources;
    [a, b].map(|source| {
        source.is_unmodified()
            && source.data_type() == instruction.destination.data_type
            && (source.data_type().is_float() || !names_accumulator(instruction))
    })
}

fn sizes(instruction: &Instruction) -> Sizes {
    let sources = instruction.used_sources();
    let widest = sources.iter().map(|source| source.data_type().size()).max().unwrap_or(4);
    let unsigned = |of: DataType| {
        matches!(of, DataType::Ub | DataType::Uw | DataType::Ud | DataType::Uq | DataType::Uv)
    };
    Sizes {
        generation: instruction.generation,
        bits: match widest {
            1 | 2 => 16,
            4 => 32,
            _ => 64,
        },
        first_bits: sources.first().map_or(32, |source| 8 * source.data_type().size()),
        long_count: instruction.destination.data_type.size() == 8
            || sources.first().is_some_and(|source| source.data_type().size() == 8),
        accumulator: names_accumulator(instruction),
        accumulator_control: instruction.accumulator_control,
        last_is_dword: sources.last().is_some_and(|source| source.data_type().size() == 4),
        signed: sources.first().is_some_and(|source| !unsigned(source.data_type())),
        factors_signed: [1, 2]
            .map(|index| sources.get(index).is_some_and(|source| !unsigned(source.data_type()))),
    }
}

/// The operands; the third may be implied.
fn sources(
    instruction: &Instruction,
    form: Form,
    kind: Kind,
    data: &Data,
    doubled: bool,
) -> [Operand; 3] {
    let absent = Operand::absent(instruction.generation);
    let mut operands = [absent.clone(), absent.clone(), absent];
    let conversion = is_conversion(instruction, form);
    let widest = instruction.used_sources().iter().map(|source| source.data_type().size()).max();
    for (index, source) in instruction.used_sources().iter().enumerate() {
        let format = Format::of(source.data_type());
        // What is not of the execution type is converted.
        let foreign = format.is_some() && Kind::Float(format.unwrap_or(Format::Single)) != kind;
        let how = Use {
            kind,
            // A source of f32to16 is one of arithmetic: its denormals are zeros.
            exact: conversion && form != Form::ToHalf || foreign,
            inverts: data.logic && instruction.generation >= Generation::Gen9,
            is_widest: widest == Some(source.data_type().size()),
            doubled,
        };
        operands[index] = Operand::of(instruction, source, how);
        if form == Form::FromHalf {
            operands[index].take_halves();
        }
    }
    match form {
        Form::Accumulate => {
            operands[2] = Operand::accumulator(
                instruction,
                accumulator_type(instruction, kind),
                kind,
                doubled,
            );
        }
        Form::Line => operands[0].plane(&[0, 12]),
        Form::Plane => {
            operands[0].plane(&[0, 4, 12]);
            operands[2] = operands[1].clone();
            operands[1].every_other_register(false);
            operands[2].every_other_register(true);
        }
        Form::MoveFields => operands[0].fields(&instruction.destination),
        _ => {}
    }
    operands
}

/// The type of the accumulator that an instruction uses without naming it.
fn accumulator_type(instruction: &Instruction, kind: Kind) -> DataType {
    let words = instruction.used_sources().iter().all(|source| source.data_type().size() <= 2);
    match kind {
        Kind::Float(Format::Half) => DataType::Hf,
        Kind::Float(Format::Single) => DataType::F,
        Kind::Float(Format::Double) => DataType::Df,
        Kind::Integer | Kind::Raw if words => DataType::W,
        Kind::Integer | Kind::Raw => DataType::D,
    }
}

/// What becomes of the accumulator: it is the destination, or gets the result besides.
fn accumulator(
    instruction: &Instruction,
    data: &Data,
    kind: Kind,
    target: &Target,
    doubled: bool,
) -> Option<AccumulatorWrite> {
    let to = instruction.destination.data_type;
    if let Some(number) = target.accumulator {
        let lanes = !instruction.saturate && !matches!(data.form, Form::Compare { .. });
        return Some(AccumulatorWrite {
            contents: if lanes && kind == Kind::Integer && !to.is_float() {
                Contents::Lanes
            } else {
                Contents::Elements
            },
            implicit: false,
            data_type: to,
            number,
            doubled,
        });
    }
    if !instruction.accumulator_control || data.form == Form::Math {
        return None;
    }
    let data_type = match kind {
        Kind::Raw => to,
        _ => accumulator_type(instruction, kind),
    };
    // The upper accumulator is for the second and fourth quarter of F.
    let upper = data_type == DataType::F && instruction.first_channel & 8 != 0;
    Some(AccumulatorWrite {
        contents: match data.form {
            _ if data.own_accumulator => Contents::Second,
            Form::Compare { .. } => Contents::Elements,
            _ if kind == Kind::Integer => Contents::Lanes,
            _ => Contents::Elements,
        },
        implicit: true,
        data_type,
        number: u8::from(upper),
        doubled,
    })
}
