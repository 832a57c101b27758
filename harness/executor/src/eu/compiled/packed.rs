//! Instructions of Gen4 on neighbouring elements (also of a compressed pair, whose halves are neighbours),
//! scalars and immediates of one type, with any mask that is a flag bit for each channel.

use std::mem::offset_of;

use parallax_isa::eu::{
    State,
    register::{ArfKind, REGISTER_BYTES, RegisterFile},
};

use super::{
    accumulators::accumulators,
    description::{CHANNELS, Element, LaneOperation, Operand, Planned, Shape, Stored, comparison},
};
use crate::eu::{
    arf,
    condition::Condition,
    instruction::{Compression, Instruction, Layout, Origin, Region, Source},
    lanes::{Kind, Lanes},
    lower,
    native::{AccumulatorUpdate, Native},
    operation::{Candidate, Form},
};

/// What an instruction does if all its registers are of one type.
struct Uniform {
    operation: LaneOperation,
    /// The type of every register operand.
    data: Element,
    /// Raw floats are moved as the dwords they are.
    lanes: Element,
}

/// How to compile an instruction, if that can be done.
pub(super) fn planned(
    instruction: &Instruction,
    natives: &[Native],
    updates_accumulator: bool,
) -> Option<Planned> {
    use LaneOperation as L;
    let Uniform { operation, data, lanes: element } = uniform(instruction)?;
    let words = element.bytes() == 2;
    let channels = usize::from(instruction.execution_size);
    let halves = natives.len() == 2;
    let chunks = if halves { 2 } else { 1 };
    // A half of a compressed pair is a chunk.
    let fits = match (halves, words) {
        (true, _) => !words && channels == 2 * CHANNELS,
        (false, true) => channels <= 2 * CHANNELS,
        (false, false) => channels <= CHANNELS,
    };
    let compares = operation == L::Compare;
    if !fits
        || instruction.align16
        || instruction.compression == Compression::SecHalf && channels > CHANNELS
        || !compares && instruction.condition != Condition::None
        || natives[0].accumulator_update == AccumulatorUpdate::Explicit
    {
        return None;
    }
    let target = target(instruction, data, halves)?;
    let mut planned = Planned {
        operation,
        element,
        saturate: instruction.saturate,
        condition: instruction.condition,
        second_nan_wins: instruction.data()?.form == Form::Compare { second_nan_wins: true },
        mask: natives[0].mask.described()?,
        sources: [Operand::ABSENT; 3],
        source_count: instruction.used_sources().len(),
        posted: None,
        target: target.unwrap_or_default(),
        result: Stored::as_lanes(element),
        flushes_halves: false,
        writes: target.is_some(),
        channels: channels / chunks,
        chunks,
        is_last_first: false,
        accumulators: accumulators(natives),
        updates_accumulator,
    };
    for (index, source) in instruction.used_sources().iter().enumerate() {
        let constants = [0, 1].map(|source: usize| &natives[0].sources[source].constant);
        let operand = match source {
            Source::Immediate { .. } => immediate(&planned, constants[index])?,
            Source::Register(region) => {
                let count = matches!(instruction.sources[1], Source::Immediate { .. });
                let count = count.then_some(constants[1]);
                register(&planned, region, data, index, count)?
            }
        };
        if !planned.source_lies_in_registers(&operand) {
            return None;
        }
        planned.sources[index] = operand;
    }
    if let Shape::Accumulator(_) = planned.sources[0].shape {
        // What shifts it is said already.
        (planned.operation, planned.source_count) = (L::Move, 1);
    }
    // The second half of a comparison reads what the first one wrote.
    let reads_what_it_writes = planned.compares() && reads_flags(&planned);
    let is_served = operation_fits(&planned)
        && (chunks == 1 || !reads_what_it_writes)
        && accumulator_fits(&planned, natives)
        && planned.destination_fits();
    is_served.then_some(planned)
}

fn uniform(instruction: &Instruction) -> Option<Uniform> {
    let data = instruction.data()?;
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
    let operation = data.compiled(&candidate)?;
    let lanes = if raw && float { Element::Ud } else { element };
    Some(Uniform { operation, data: element, lanes })
}

/// The first byte of the destination in the state, if it is not null.
fn target(instruction: &Instruction, element: Element, halves: bool) -> Option<Option<u16>> {
    let destination = &instruction.destination;
    let compares = matches!(instruction.data()?.form, Form::Compare { .. });
    let Origin::Direct { number, subregister } = destination.origin else { return None };
    let (base, limit) = match destination.file {
        // Of a null destination nothing matters to operations that write no flags.
        RegisterFile::Arf => {
            return (number >> 4 == 0 && (compares || !instruction.saturate)).then_some(None);
        }
        RegisterFile::Mrf => (offset_of!(State, mrf), 16 * REGISTER_BYTES),
        RegisterFile::Grf => (offset_of!(State, grf), 128 * REGISTER_BYTES),
    };
    let bytes = usize::from(instruction.execution_size) * element.bytes();
    let start = usize::from(number & 0x7F) * REGISTER_BYTES + usize::from(subregister);
    let fits = !compares
        && destination.stride == 1
        && Element::of(destination.data_type) == Some(element)
        && number < 0x80
        && start + bytes <= limit
        && (!halves || is_pair(number, subregister));
    fits.then(|| Some((base + start) as u16))
}

/// Whether the second half of a pair, which begins at the odd register, is next to the first one.
fn is_pair(number: u8, subregister: u8) -> bool {
    number.is_multiple_of(2) && subregister == 0
}

/// A source in registers, if code can read it; the lanes of the second source are given if it is an immediate.
fn register(
    planned: &Planned,
    region: &Region,
    element: Element,
    index: usize,
    count: Option<&Lanes>,
) -> Option<Operand> {
    use LaneOperation as L;
    let Region { file, absolute, negate, .. } = *region;
    let Origin::Direct { number, subregister } = region.origin else { return None };
    let Layout::Rows { vertical: Some(vertical), width, horizontal } = region.layout else {
        return None;
    };
    let modified = absolute || negate;
    let low_bits = matches!(planned.operation, L::Move | L::Add | L::Select);
    if Element::of(region.data_type) != Some(element)
        || modified && !planned.is_float() && !low_bits
    {
        return None;
    }
    let is_one = (vertical, width, horizontal) == (0, 1, 0);
    let operand = Operand { absolute, negate, ..Operand::ABSENT };
    if file == RegisterFile::Arf {
        let shape = match arf::kind(number)? {
            ArfKind::Flag if is_one && usize::from(subregister) + element.bytes() <= 4 => {
                Shape::Flags(8 * subregister)
            }
            ArfKind::Accumulator => {
                let whole = subregister == 0 && horizontal == 1 && vertical == width;
                let fits = whole && !modified && index == 0;
                Shape::Accumulator(fits.then(|| accumulator(planned, count))??)
            }
            _ => return None,
        };
        return Some(Operand { shape, ..operand });
    }
    if file != RegisterFile::Grf {
        return None;
    }
    let halves = planned.chunks == 2;
    let all = planned.channels * planned.chunks;
    let one_row = usize::from(width) * planned.chunks >= all;
    let start = usize::from(number) * REGISTER_BYTES + usize::from(subregister);
    let (shape, stored, bytes) = if is_one {
        (Shape::Splat, Stored::in_all_lanes(planned.element), element.bytes())
    } else if horizontal == 1
        && (one_row || vertical == width)
        && (!halves || is_pair(number, subregister))
    {
        (Shape::Packed, Stored::as_lanes(planned.element), all * element.bytes())
    } else {
        return None;
    };
    let offset = (offset_of!(State, grf) + start) as u16;
    (start + bytes <= 128 * REGISTER_BYTES).then_some(Operand { shape, stored, offset, ..operand })
}

/// How far the accumulator is shifted as a source, if the low words of what it holds are all that counts.
fn accumulator(planned: &Planned, counts: Option<&Lanes>) -> Option<u8> {
    use LaneOperation as L;
    let whole = planned.has_words() && planned.channels == planned.width();
    let count = match planned.operation {
        L::Move => 0,
        L::ShiftArithmetic | L::ShiftRight => {
            let counts = &counts?[..planned.channels];
            let is_one = counts.iter().all(|count| *count == counts[0]);
            let count = (counts[0] & 31) as u8;
            // Above its 33 bits a channel is a copy of its sign, or none.
            let same = planned.operation == L::ShiftArithmetic || count <= 17;
            (is_one && same).then_some(count)?
        }
        _ => return None,
    };
    whole.then_some(count)
}

/// An immediate, if its lanes are elements.
fn immediate(planned: &Planned, lanes: &Lanes) -> Option<Operand> {
    let mut operand = Operand { stored: Stored::as_lanes(planned.element), ..Operand::ABSENT };
    for (channel, element) in operand.elements.iter_mut().enumerate() {
        *element = constant(planned, lanes[channel % planned.width()])?;
    }
    Some(operand)
}

/// A lane of an immediate as an element, if it is one.
fn constant(planned: &Planned, bits: u64) -> Option<u32> {
    use LaneOperation as L;
    let value = bits.cast_signed();
    let low_bits =
        !matches!(planned.operation, L::Compare | L::ShiftRight | L::ShiftArithmetic | L::Average);
    match planned.element {
        Element::F => {
            let float = f64::from_bits(bits) as f32;
            let same = f64::from(float).to_bits() == bits && !float.is_subnormal();
            (same && !float.is_nan()).then_some(float.to_bits())
        }
        _ if low_bits => Some(value as u32),
        Element::Ud => u32::try_from(value).ok(),
        Element::D => i32::try_from(value).ok().map(i32::cast_unsigned),
        Element::Uw => u16::try_from(value).ok().map(u32::from),
        Element::W => i16::try_from(value).ok().map(|value| u32::from(value.cast_unsigned())),
    }
}

fn operation_fits(planned: &Planned) -> bool {
    use LaneOperation as L;
    let words = planned.has_words();
    let known = if planned.is_float() {
        match planned.operation {
            L::Move | L::Add | L::Multiply | L::MultiplyAdd | L::RoundDown | L::Fraction => true,
            L::Compare => comparison(planned.condition).is_some(),
            _ => false,
        }
    } else {
        match planned.operation {
            L::Move | L::Select | L::Not | L::And | L::Or | L::Xor | L::Add | L::Average => true,
            // A word is shifted as a channel of 33 bits, by the same count in all channels.
            L::ShiftRight if planned.element == Element::W => false,
            L::ShiftRight | L::ShiftLeft | L::ShiftArithmetic if words => planned.count().is_some(),
            L::ShiftRight | L::ShiftLeft | L::ShiftArithmetic => true,
            L::MultiplyLowHalf => !words,
            L::Multiply => true,
            L::MultiplyAdd => words,
            L::Compare => comparison(planned.condition).is_some(),
            _ => false,
        }
    };
    known && (planned.is_float() || !planned.saturate)
}

/// Whether a source is a flag register.
fn reads_flags(planned: &Planned) -> bool {
    let sources = &planned.sources[..planned.source_count];
    sources.iter().any(|operand| matches!(operand.shape, Shape::Flags(_)))
}

/// Accumulators are written by sums and products whose 64 bits are made of the same sources.
fn accumulator_fits(planned: &Planned, natives: &[Native]) -> bool {
    use LaneOperation as L;
    let words = planned.has_words();
    let whole = planned.channels == planned.width();
    if planned.operation == L::MultiplyAdd {
        return whole && !reads_flags(planned);
    }
    !planned.updates_accumulator
        || whole
            && match planned.operation {
                L::Add => planned.is_float() || adds_exactly(planned, natives),
                L::Multiply => planned.is_float() || words && !reads_flags(planned),
                L::Average => !reads_flags(planned),
                _ => false,
            }
}

/// Whether the sources of an integer sum are their elements, negated at most.
fn adds_exactly(planned: &Planned, natives: &[Native]) -> bool {
    let sources = planned.sources[..planned.source_count].iter().enumerate();
    sources.into_iter().all(|(index, operand)| {
        let is_element = |lane: usize| {
            let value = natives[0].sources[index].constant[lane].cast_signed();
            match planned.element {
                Element::Uw | Element::W => true,
                Element::Ud => u32::try_from(value).is_ok(),
                _ => i32::try_from(value).is_ok(),
            }
        };
        let is_constant = operand.shape == Shape::Constant;
        !operand.absolute && (!is_constant || (0..CHANNELS).all(is_element))
    }) && !reads_flags(planned)
}
