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
        // Both halves of a pair of 32 channels may write the first accumulator.
        let overwritten = |left: &Native| {
            natives.iter().any(|native| {
                native.accumulator_update == AccumulatorUpdate::Implicit
                    && native.accumulator == left.accumulator
                    && native.lanes >= left.lanes
            })
        };
        earlier.iter().all(overwritten).then_some(false)
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

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, Model,
        eu::{Case, State, text},
    };
    use rstest::rstest;

    use crate::eu::Executor;

    /// Halves of 16 channels leave what is in acc1 on devices that write acc0 twice (rule `g45.compr.acc32-bw`).
    #[rstest]
    #[case(
        "mul (16) r10<1>:d r2<8;8,1>:d r4<8;8,1>:d {Compr}",
        "mul (32) r20<1>:uw r2<0;1,0>:uw 3:uw {Compr}"
    )]
    #[case(
        "mul (16) r10<1>:f r2<8;8,1>:f r4<8;8,1>:f {Compr}",
        "add (32) r20<1>:w r4<0;1,0>:b r6<0;1,0>:w {Compr}"
    )]
    #[case(
        "mul (16) r10<1>:f r2<8;8,1>:f r4<8;8,1>:f {Compr}",
        "mul (8) r20<1>:f r2<8;8,1>:f r4<8;8,1>:f"
    )]
    #[case(
        "mul (8) r10<1>:f r2<8;8,1>:f r4<8;8,1>:f",
        "mul (16) r20<1>:f r2<8;8,1>:f r6<8;8,1>:f {Compr}"
    )]
    fn accumulators_are_left_as_the_interpreter_leaves_them(
        #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45)] device: Device,
        #[case] first: &str,
        #[case] second: &str,
    ) {
        let program =
            text::parse(device, &format!("{first}\n{second}")).expect("it assembles").program;
        let mut state = Box::new(State::new());
        for (index, byte) in state.grf.as_flattened_mut().iter_mut().enumerate() {
            *byte = (index % 64) as u8;
        }
        let case = Case::new(device, program.bytes().to_vec(), state, 4);
        let engines = [Executor::new(), Executor::compiling_at_once()];
        let [interpreted, compiled] = engines.map(|mut executor| {
            executor.load(&case).expect("it loads");
            (executor.run(), executor.state().accumulator)
        });
        assert_eq!(interpreted, compiled);
    }
}
