//! Micro-ops: what a data instruction runs as.
//!
//! A micro-op is a vector kernel where one serves it (`kernel` says which do), or the general way:
//! one or two native instructions.

use parallax_isa::eu::State;

use super::{
    condition::Condition,
    description::Planned,
    kernel::element::{Element, KernelOperation},
    lanes::Lanes,
    mask::{MaskRule, Predicate, SimpleMask},
    message_op::MessageOp,
    modes,
    native::{AccumulatorUpdate, Native},
    result::Final,
};

/// How a source's channels map to elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Neighbouring elements.
    Packed,
    /// One element for all channels.
    Splat,
    /// An immediate.
    Constant,
    /// The channels of the accumulator.
    Accumulator,
}

/// A source of a kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) shape: Shape,
    pub(super) absolute: bool,
    pub(super) negate: bool,
    /// Which operand of the micro-op it is.
    pub(super) index: u8,
    /// First byte in the state.
    pub(super) offset: u16,
}

/// No source.
const ABSENT: View =
    View { shape: Shape::Constant, absolute: false, negate: false, index: 0, offset: 0 };

pub(super) type Kernel = fn(&MicroOp, &mut State);

/// A micro-op of a program: a kernel, or the general way for one or two native instructions.
///
/// What kernels look at while they run is one cache line; everything else is behind a pointer.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct MicroOp {
    /// What runs within a block of data instructions: `run`, or `run_unseen` where the
    /// accumulator it leaves is overwritten before anyone sees it.
    pub(super) run_in_block: Kernel,
    /// The same where all channels are active in the thread masks.
    pub(super) run_in_open_block: Kernel,
    pub(super) rest: Box<Rest>,
    /// The short way to what `Rest::mask` says, where there is one.
    pub(super) simple_mask: Option<SimpleMask>,
    pub(super) sources: [View; 2],
    /// First byte of the destination in the state.
    pub(super) target: u16,
    /// Eights of channels.
    pub(super) chunks: u8,
    pub(super) accumulator: u8,
    /// Which of the first eight accumulator channels are written.
    pub(super) accumulator_mask: u8,
    pub(super) accumulator_update: AccumulatorUpdate,
    /// The chunks are the halves of a compressed pair, each with its accumulator.
    pub(super) halves: bool,
    /// The destination is not null.
    pub(super) writes: bool,
    /// `cmpn`: a second source that is not a number decides.
    pub(super) second_nan_wins: bool,
    /// A channel may write outside the registers.
    pub(super) guarded: bool,
}

/// What a micro-op needs when it does not run a kernel, and to choose one.
#[derive(Clone)]
pub(super) struct Rest {
    pub(super) run: Kernel,
    /// What runs if nobody sees the accumulator that it leaves.
    pub(super) run_unseen: Kernel,
    /// What runs if besides all channels are active in the thread masks.
    pub(super) run_plain: Option<Kernel>,
    /// What its kernel does, if it has one.
    pub(super) served: Option<Served>,
    /// What code of it would be although no kernel serves it; what it leaves in accumulators is not told.
    pub(super) mixed: Option<Box<Planned>>,
    /// The message that it is, if it is one.
    pub(super) message: Option<MessageOp>,
    pub(super) mask: MaskRule,
    pub(super) condition: Condition,
    /// The accumulator, or a register that can hold up its updates, is an operand.
    pub(super) reads_accumulator: bool,
    /// The immediates, as elements.
    pub(super) immediates: [[u8; 64]; 2],
    pub(super) natives: Box<[Native]>,
}

/// What a kernel does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Served {
    pub(super) operation: KernelOperation,
    /// The elements it works on: raw floats are doublewords.
    pub(super) lanes: Element,
    pub(super) saturate: bool,
}

impl MicroOp {
    /// The general way.
    pub(super) fn general(&self, state: &mut State) {
        for half in &self.rest.natives {
            (half.run)(half, state);
        }
    }

    /// Runs it by itself.
    pub(super) fn run(&self, state: &mut State) {
        (self.rest.run)(self, state);
    }

    /// Eights of channels.
    #[inline]
    pub(super) fn chunks(&self) -> usize {
        usize::from(self.chunks)
    }

    /// Whether an enabled channel writes outside the registers. What the second half of a
    /// compressed instruction writes is decided by the flags that the first one leaves.
    pub(super) fn escapes(&self, state: &State) -> bool {
        match &*self.rest.natives {
            [first, second] if first.sets_predicate_of(second) => {
                first.escapes(state) || escapes_after(first, second, state)
            }
            natives => natives.iter().any(|half| half.escapes(state)),
        }
    }

    /// The enabled channels, and the predicate by channel.
    #[inline]
    pub(super) fn enabled(&self, state: &State) -> (u16, u16) {
        match &self.simple_mask {
            Some(mask) => mask.enabled(state),
            None => self.rest.mask.enabled(state),
        }
    }

    /// The predicate by channel, of an instruction with a simple mask.
    #[inline]
    pub(super) fn predicate(&self, state: &State) -> u16 {
        self.simple_mask.map_or(0xFFFF, |mask| mask.predicate(state))
    }

    #[inline]
    pub(super) fn updates_accumulator(&self, state: &State) -> bool {
        self.accumulator_update == AccumulatorUpdate::Implicit
            && !modes::accumulator_disabled(state)
    }

    /// The accumulator and its first channel for a chunk.
    #[inline]
    pub(super) fn accumulator_chunk(&self, chunk: usize) -> (usize, usize) {
        let register = usize::from(self.accumulator);
        if self.halves { ((register + chunk) & 1, 0) } else { (register & 1, 8 * (chunk & 1)) }
    }

    pub(super) fn constant(&self, view: &View) -> &Lanes {
        &self.rest.natives[0].sources[usize::from(view.index)].constant
    }

    pub(super) fn update_flags(&self, state: &mut State, enabled: u16, signals: &Final) {
        self.rest.mask.update_flags(state, enabled, self.rest.condition, signals);
    }

    #[inline]
    pub(super) fn set_flags(&self, state: &mut State, enabled: u16, truth: u16) {
        match &self.simple_mask {
            Some(mask) => mask.set_flags(state, enabled, truth),
            None => self.rest.mask.set_flags(state, enabled, truth),
        }
    }

    /// Chooses how it runs in a block, by what comes after it there.
    pub(super) fn settle(&mut self, later: &[Self]) {
        let unseen = self.is_unseen(later);
        let Rest { run, run_unseen, run_plain, .. } = *self.rest;
        self.run_in_block = if unseen { run_unseen } else { run };
        self.run_in_open_block = run_plain.filter(|_| unseen).unwrap_or(self.run_in_block);
    }

    /// Whether nobody sees the accumulator it leaves, by what comes after it in its block.
    pub(super) fn is_unseen(&self, later: &[Self]) -> bool {
        match self.accumulator_update {
            AccumulatorUpdate::Never => true,
            AccumulatorUpdate::Explicit => false,
            AccumulatorUpdate::Implicit => {
                self.chunks > 0
                    && later.iter().find_map(|later| self.accumulator_fate(later)) == Some(true)
            }
        }
    }

    /// Whether a later micro-op of the block overwrites the accumulator it leaves; `None` if that
    /// is for an even later one to say.
    fn accumulator_fate(&self, later: &Self) -> Option<bool> {
        if later.rest.reads_accumulator {
            return Some(false);
        }
        let overwrites = later.chunks > 0
            && later.accumulator_update == AccumulatorUpdate::Implicit
            && later.accumulator_mask >= self.accumulator_mask
            && (later.halves, later.chunks, later.accumulator)
                == (self.halves, self.chunks, self.accumulator);
        overwrites.then_some(true)
    }

    /// An immediate as elements.
    pub(super) fn narrow_constant(&self, index: usize) -> &[u8; 64] {
        &self.rest.immediates[index]
    }

    /// The micro-op of a message, if its mask is a simple one.
    pub(super) fn of_message(message: MessageOp, mask: MaskRule) -> Option<Self> {
        let simple_mask = Some(mask.simple()?);
        let is_open = mask.predicate == Predicate::None;
        Some(Self {
            run_in_block: Self::answer,
            run_in_open_block: Self::answer,
            simple_mask,
            sources: [ABSENT; 2],
            target: 0,
            chunks: 0,
            accumulator: 0,
            accumulator_mask: 0,
            accumulator_update: AccumulatorUpdate::Never,
            halves: false,
            writes: true,
            second_nan_wins: false,
            guarded: false,
            rest: Box::new(Rest {
                run: Self::answer,
                run_unseen: Self::answer,
                run_plain: is_open.then_some(Self::answer_all),
                served: None,
                mixed: None,
                message: Some(message),
                mask,
                condition: Condition::None,
                reads_accumulator: false,
                immediates: [[0; 64]; 2],
                natives: Box::default(),
            }),
        })
    }

    /// Does what a message does.
    fn answer(&self, state: &mut State) {
        let (enabled, _) = self.enabled(state);
        if let Some(message) = &self.rest.message {
            message.answer(state, enabled);
        }
    }

    /// The same where all channels are enabled.
    fn answer_all(&self, state: &mut State) {
        if let Some(message) = &self.rest.message {
            message.answer(state, self.rest.mask.channels);
        }
    }

    /// The micro-op of native instructions, run the general way.
    pub(super) fn without_kernel(natives: Box<[Native]>) -> Self {
        let first = &natives[0];
        Self {
            run_in_block: Self::general,
            run_in_open_block: Self::general,
            simple_mask: None,
            sources: [ABSENT; 2],
            target: 0,
            chunks: 0,
            accumulator: first.accumulator,
            accumulator_mask: 0xFF,
            accumulator_update: first.accumulator_update,
            halves: natives.len() == 2,
            writes: false,
            second_nan_wins: false,
            guarded: natives.iter().any(Native::may_escape),
            rest: Box::new(Rest {
                run: Self::general,
                run_unseen: Self::general,
                run_plain: None,
                served: None,
                mixed: None,
                message: None,
                mask: first.mask,
                condition: first.condition,
                reads_accumulator: natives.iter().any(Native::reads_accumulator),
                immediates: [[0; 64]; 2],
                natives,
            }),
        }
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
