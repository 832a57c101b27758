//! Micro-ops: what data instructions, and messages that are answered whatever registers hold, run as.

use parallax_isa::eu::State;

use super::{
    instruction::Instruction,
    mask::MaskRule,
    message_op::MessageOp,
    native::{AccumulatorUpdate, Native},
};

/// A micro-op of a program.
#[derive(Clone)]
pub(super) struct MicroOp {
    /// What it was made of, which machine code is made of.
    pub(super) instruction: Instruction,
    pub(super) work: Work,
    /// A channel may write outside the registers.
    pub(super) guarded: bool,
}

/// What a micro-op does.
#[derive(Clone)]
pub(super) enum Work {
    /// A native instruction, or two for the halves of a compressed one.
    Natives(Box<[Native]>),
    /// A message to the channels that a rule enables.
    Message(MessageOp, MaskRule),
}

impl MicroOp {
    /// The micro-op of a data instruction and the native instructions it is.
    pub(super) fn of_data(instruction: &Instruction, natives: Box<[Native]>) -> Self {
        Self {
            instruction: *instruction,
            guarded: natives.iter().any(Native::may_escape),
            work: Work::Natives(natives),
        }
    }

    /// The micro-op of a message.
    pub(super) fn of_message(send: &Instruction, message: MessageOp, mask: MaskRule) -> Self {
        Self { instruction: *send, guarded: false, work: Work::Message(message, mask) }
    }

    pub(super) fn run(&self, state: &mut State) {
        match &self.work {
            Work::Natives(natives) => natives.iter().for_each(|half| (half.run)(half, state)),
            Work::Message(message, mask) => {
                let (enabled, _) = mask.enabled(state);
                message.answer(state, enabled);
            }
        }
    }

    /// Whether an enabled channel writes outside the registers. What the second half of a
    /// compressed instruction writes is decided by the flags that the first one leaves.
    pub(super) fn escapes(&self, state: &State) -> bool {
        match &self.work {
            Work::Natives(natives) => match &**natives {
                [first, second] if first.sets_predicate_of(second) => {
                    first.escapes(state) || escapes_after(first, second, state)
                }
                natives => natives.iter().any(|half| half.escapes(state)),
            },
            Work::Message(..) => false,
        }
    }

    /// Whether anyone sees the accumulator it leaves, by what comes after it in its block.
    pub(super) fn is_seen(&self, later: &[Self]) -> bool {
        let Work::Natives(natives) = &self.work else { return false };
        match natives[0].accumulator_update {
            AccumulatorUpdate::Never => false,
            AccumulatorUpdate::Explicit => true,
            AccumulatorUpdate::Implicit => {
                let fate = later.iter().find_map(|later| later.sees_accumulator_of(natives));
                fate.unwrap_or(true)
            }
        }
    }

    /// Whether it sees the accumulator that earlier instructions left, or overwrites all of it; `None` if that
    /// is for a later one to say.
    fn sees_accumulator_of(&self, earlier: &[Native]) -> Option<bool> {
        let Work::Natives(natives) = &self.work else { return None };
        if natives.iter().any(|native| native.reads_accumulator) {
            return Some(true);
        }
        let (first, left) = (&natives[0], &earlier[0]);
        let overwrites = first.accumulator_update == AccumulatorUpdate::Implicit
            && (natives.len(), first.accumulator) == (earlier.len(), left.accumulator)
            && first.lanes >= left.lanes;
        overwrites.then_some(false)
    }
}

/// Whether an instruction writes outside the registers once another one has run. A function of its own:
/// room for a state is made page by page.
#[cold]
#[inline(never)]
fn escapes_after(first: &Native, second: &Native, state: &State) -> bool {
    let mut after = *state;
    (first.run)(first, &mut after);
    second.escapes(&after)
}
