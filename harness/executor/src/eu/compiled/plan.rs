//! Which micro-ops of Gen4 are compiled, and what there is to know of them for it. Whatever is not clearly
//! one of these keeps its kernel.

use std::mem::offset_of;

use parallax_isa::eu::{State, register::REGISTER_BYTES};

use super::{
    Setting,
    description::{self, CHANNELS, Channels, Operand, Planned, Stored, comparison},
};
use crate::{
    eu::{
        condition::Condition,
        kernel::element::{Element, KernelOperation},
        math_op::MathOp,
        message_op::MessageOp,
        micro_op::{MicroOp, Shape, View},
        native::AccumulatorUpdate,
    },
    shared::Elementary,
};

/// How to compile a micro-op, if that can be done; `later` are those behind it in its block.
pub(super) fn plan(op: &MicroOp, later: &[MicroOp], setting: Setting) -> Option<Planned> {
    if let Some(MessageOp::Math(math)) = &op.rest.message {
        return extended_math(op, math);
    }
    if let Some(planned) = &op.rest.mixed {
        return mixed(op, planned, !setting.accumulator_disabled && !op.is_unseen(later));
    }
    let served = op.rest.served?;
    let mask = op.simple_mask?;
    let (operation, element) = (served.operation, served.lanes);
    let words = element.bytes() == 2;
    let chunks = if words { 1 } else { op.chunks() };
    let channels = if chunks == 2 { CHANNELS } else { op.rest.mask.channels.count_ones() as usize };
    let mut planned = Planned {
        operation,
        element,
        saturate: served.saturate,
        condition: op.rest.condition,
        second_nan_wins: op.second_nan_wins,
        mask: Channels::from(&mask),
        sources: [Operand::ABSENT; 3],
        source_count: match operation {
            KernelOperation::Move
            | KernelOperation::Not
            | KernelOperation::RoundDown
            | KernelOperation::Fraction => 1,
            _ => 2,
        },
        posted: None,
        target: op.target,
        result: Stored::as_lanes(element),
        flushes_halves: false,
        writes: op.writes,
        channels,
        chunks,
        is_last_first: false,
        accumulators: accumulators(op),
        updates_accumulator: !setting.accumulator_disabled && !op.is_unseen(later),
    };
    for index in 0..planned.source_count {
        planned.sources[index] = source(op, &planned, index)?;
    }
    if let description::Shape::Accumulator(_) = planned.sources[0].shape {
        // What shifts it is said already.
        (planned.operation, planned.source_count) = (KernelOperation::Move, 1);
    }
    let fits = match words {
        true => !op.halves,
        false => op.halves == (chunks == 2),
    };
    // The second half of a comparison reads what the first one wrote.
    let reads_what_it_writes = planned.compares() && op.sources.iter().any(is_flag);
    let is_served = fits
        && operation_fits(&planned)
        && (chunks == 1 || !reads_what_it_writes)
        && accumulator_fits(op, &planned)
        && planned.destination_fits();
    is_served.then_some(planned)
}

/// An operation whose operands differ, if code can be made of it and of what it leaves in accumulators.
fn mixed(op: &MicroOp, planned: &Planned, updates_accumulator: bool) -> Option<Planned> {
    use KernelOperation as K;
    let is_written = updates_accumulator && op.accumulator_update == AccumulatorUpdate::Implicit;
    let whole = planned.channels == CHANNELS;
    let is_float = planned.is_float() && matches!(planned.operation, K::Add | K::Multiply);
    let fits = !is_written || whole && is_float;
    fits.then(|| Planned {
        accumulators: accumulators(op),
        updates_accumulator: is_written,
        ..*planned
    })
}

/// First bytes of the accumulators that its chunks have.
fn accumulators(op: &MicroOp) -> [u16; 2] {
    [0, 1].map(|chunk| {
        let (register, channel) = op.accumulator_chunk(chunk);
        (offset_of!(State, accumulator) + 128 * register + 8 * channel) as u16
    })
}

/// A message to Extended Math, if the processor has an instruction for its function.
fn extended_math(op: &MicroOp, math: &MathOp) -> Option<Planned> {
    let (elementary, saturate) = math.function.elementary()?;
    let general =
        |register: u8| (offset_of!(State, grf) + REGISTER_BYTES * usize::from(register)) as u16;
    let message = offset_of!(State, mrf) + REGISTER_BYTES * usize::from(math.message_register);
    let payload = Operand {
        shape: description::Shape::Packed,
        offset: general(math.source),
        stored: Stored::as_lanes(Element::F),
        ..Operand::ABSENT
    };
    let mut planned = Planned {
        operation: match elementary {
            Elementary::Inverse => KernelOperation::Inverse,
            Elementary::SquareRoot => KernelOperation::SquareRoot,
        },
        element: Element::F,
        saturate,
        condition: Condition::None,
        second_nan_wins: false,
        mask: Channels::from(&op.simple_mask?),
        sources: [payload, Operand::ABSENT, Operand::ABSENT],
        source_count: 1,
        posted: Some(message as u16),
        target: general(math.reply),
        result: Stored::as_lanes(Element::F),
        flushes_halves: false,
        writes: true,
        channels: CHANNELS,
        chunks: math.messages.into(),
        is_last_first: false,
        accumulators: [0; 2],
        updates_accumulator: false,
    };
    planned.keeps_sources().then_some(planned)
}

fn operation_fits(planned: &Planned) -> bool {
    use KernelOperation as K;
    let words = planned.has_words();
    let known = if planned.is_float() {
        match planned.operation {
            K::Move | K::Add | K::Multiply | K::MultiplyAdd | K::RoundDown | K::Fraction => true,
            K::Compare => comparison(planned.condition).is_some(),
            _ => false,
        }
    } else {
        match planned.operation {
            K::Move | K::Select | K::Not | K::And | K::Or | K::Xor | K::Add | K::Average => true,
            // A word is shifted as a channel of 33 bits, by the same count in all channels.
            K::ShiftRight if planned.element == Element::W => false,
            K::ShiftRight | K::ShiftLeft | K::ShiftArithmetic if words => planned.count().is_some(),
            K::ShiftRight | K::ShiftLeft | K::ShiftArithmetic => true,
            K::MultiplyLowHalf => !words,
            K::Multiply => true,
            K::MultiplyAdd => words,
            K::Compare => comparison(planned.condition).is_some(),
            _ => false,
        }
    };
    known && (planned.is_float() || !planned.saturate)
}

/// Accumulators are written by sums and products whose 64 bits are made of the same sources.
fn accumulator_fits(op: &MicroOp, planned: &Planned) -> bool {
    use KernelOperation as K;
    let words = planned.has_words();
    let whole = planned.channels == planned.width();
    let flags = op.sources[..planned.source_count].iter().any(is_flag);
    if planned.operation == K::MultiplyAdd {
        return whole && !flags;
    }
    !planned.updates_accumulator
        || whole
            && match planned.operation {
                K::Add => planned.is_float() || adds_exactly(op, planned),
                K::Multiply => planned.is_float() || words && !flags,
                _ => false,
            }
}

/// Whether the sources of an integer sum are their elements, negated at most.
fn adds_exactly(op: &MicroOp, planned: &Planned) -> bool {
    op.sources[..planned.source_count].iter().all(|view| {
        let is_element = |lane: usize| {
            let value = op.constant(view)[lane].cast_signed();
            match planned.element {
                Element::Uw | Element::W => true,
                Element::Ud => u32::try_from(value).is_ok(),
                _ => i32::try_from(value).is_ok(),
            }
        };
        let is_kept = !view.absolute && !is_flag(view);
        is_kept && (view.shape != Shape::Constant || (0..CHANNELS).all(is_element))
    })
}

/// A source, if code can read it.
fn source(op: &MicroOp, planned: &Planned, index: usize) -> Option<Operand> {
    use KernelOperation as K;
    let view = &op.sources[index];
    let low_bits = matches!(planned.operation, K::Move | K::Add | K::Select);
    let modified = view.absolute || view.negate;
    if modified && !planned.is_float() && !low_bits {
        return None;
    }
    let mut operand = Operand {
        shape: match view.shape {
            Shape::Packed => description::Shape::Packed,
            Shape::Splat if is_flag(view) => {
                let byte = usize::from(view.offset) - offset_of!(State, flag);
                description::Shape::Flags(8 * byte as u8)
            }
            Shape::Splat => description::Shape::Splat,
            Shape::Constant => description::Shape::Constant,
            Shape::Accumulator => accumulator(op, planned)?,
        },
        absolute: view.absolute,
        negate: view.negate,
        inverts: false,
        keeps_width: false,
        offset: view.offset,
        stored: match view.shape {
            Shape::Splat => Stored::in_all_lanes(planned.element),
            _ => Stored::as_lanes(planned.element),
        },
        elements: [0; 16],
    };
    if view.shape == Shape::Constant {
        for (channel, element) in operand.elements.iter_mut().enumerate() {
            *element = constant(op, planned, view, channel % planned.width())?;
        }
    }
    planned.source_lies_in_registers(&operand).then_some(operand)
}

/// Whether a source is a flag register.
fn is_flag(view: &View) -> bool {
    let flags = offset_of!(State, flag)..offset_of!(State, flag) + 4;
    view.shape == Shape::Splat && flags.contains(&usize::from(view.offset))
}

/// The accumulator as a source, if the low words of what it holds are all that counts.
fn accumulator(op: &MicroOp, planned: &Planned) -> Option<description::Shape> {
    use KernelOperation as K;
    let count = match planned.operation {
        K::Move => 0,
        K::ShiftArithmetic | K::ShiftRight => {
            let view = &op.sources[1];
            let counts = &op.constant(view)[..planned.channels];
            let is_one = view.shape == Shape::Constant && counts.iter().all(|c| *c == counts[0]);
            let count = (counts[0] & 31) as u8;
            // Above its 33 bits a channel is a copy of its sign, or none.
            let same = planned.operation == K::ShiftArithmetic || count <= 17;
            (is_one && same).then_some(count)?
        }
        _ => return None,
    };
    let whole = planned.has_words() && planned.channels == planned.width();
    whole.then_some(description::Shape::Accumulator(count))
}

/// A lane of an immediate as an element, if it is one.
fn constant(op: &MicroOp, planned: &Planned, view: &View, lane: usize) -> Option<u32> {
    use KernelOperation as K;
    let bits = op.constant(view)[lane];
    let value = bits.cast_signed();
    let low_bits =
        !matches!(planned.operation, K::Compare | K::ShiftRight | K::ShiftArithmetic | K::Average);
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
