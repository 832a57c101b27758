//! Which micro-ops of Gen4 are compiled, and what there is to know of them for it: those whose operands are
//! neighbours, scalars and immediates of one type (`packed`), many of those whose operands have several types
//! (`mixed`), and messages to Extended Math for which the processor has an instruction.

use std::mem::offset_of;

use parallax_isa::eu::{State, register::REGISTER_BYTES};

use super::{
    Setting,
    description::{CHANNELS, Channels, Element, LaneOperation, Operand, Planned, Shape, Stored},
    mixed, packed,
};
use crate::{
    eu::{
        condition::Condition,
        math_op::MathOp,
        message_op::MessageOp,
        micro_op::{MicroOp, Work},
    },
    shared::Elementary,
};

/// How to compile a micro-op, if that can be done; `later` are those behind it in its block.
pub(super) fn plan(op: &MicroOp, later: &[MicroOp], setting: Setting) -> Option<Planned> {
    match &op.work {
        Work::Natives(natives) => {
            let updates_accumulator = !setting.accumulator_disabled && op.is_seen(later);
            let instruction = &op.instruction;
            packed::planned(instruction, natives, updates_accumulator)
                .or_else(|| mixed::planned(instruction, natives, updates_accumulator))
        }
        Work::Message(MessageOp::Math(math), mask) => extended_math(math, mask.described()?),
        Work::Message(..) => None,
    }
}

/// A message to Extended Math, if the processor has an instruction for its function.
fn extended_math(math: &MathOp, mask: Channels) -> Option<Planned> {
    let (elementary, saturate) = math.function.elementary()?;
    let general =
        |register: u8| (offset_of!(State, grf) + REGISTER_BYTES * usize::from(register)) as u16;
    let message = offset_of!(State, mrf) + REGISTER_BYTES * usize::from(math.message_register);
    let payload = Operand {
        shape: Shape::Packed,
        offset: general(math.source),
        stored: Stored::as_lanes(Element::F),
        ..Operand::ABSENT
    };
    let mut planned = Planned {
        operation: match elementary {
            Elementary::Inverse => LaneOperation::Inverse,
            Elementary::SquareRoot => LaneOperation::SquareRoot,
        },
        element: Element::F,
        saturate,
        condition: Condition::None,
        second_nan_wins: false,
        mask,
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
