//! A control flow instruction, resolved: what `flow` works on.

use parallax_isa::eu::State;

use super::{
    mask::MaskRule,
    native::{Fetch, Operand},
};

/// A `wait` found nothing to wait for, and stays where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stall;

/// What a control flow instruction does; the instruction pointer already names the next one.
pub(super) type Run = fn(&FlowOp, &mut State) -> Option<Stall>;

/// A control flow instruction.
#[derive(Clone)]
pub(super) struct FlowOp {
    pub(super) run: Run,
    /// The operation's code.
    pub(super) code: u8,
    pub(super) rule: MaskRule,
    /// Where the branch leads if it is taken.
    pub(super) target: u32,
    /// Levels popped off the if stack when the branch is taken.
    pub(super) pops: u8,
    /// The mask and the stack of a mask stack instruction, or the notification register.
    pub(super) mask: usize,
    pub(super) stack: usize,
    /// Depth beyond which a push is an overflow; `None` where the device does not notice.
    pub(super) trigger: Option<u16>,
    /// Byte offset of the instruction, and of its slot.
    pub(super) offset: u32,
    pub(super) slot: u32,
    /// The operand of `jmpi` and `pop`.
    pub(super) operand: Operand,
    pub(super) fetch: Fetch,
    /// The distance of a `jmpi` that has it as an immediate, in units of an instruction.
    pub(super) distance: Option<i16>,
}

/// Bytes a unit of a jump distance stands for, and what instruction addresses are multiples of.
pub(super) const INSTRUCTION_BYTES: u32 = 16;

impl FlowOp {
    /// Executes it; the instruction pointer already names the next instruction.
    #[inline]
    pub(super) fn run(&self, state: &mut State) -> Option<Stall> {
        (self.run)(self, state)
    }

    /// The channels it acts on.
    #[inline]
    pub(super) fn evaluate(&self, state: &State) -> u16 {
        self.rule.enabled(state).0
    }

    /// The scalar operand.
    #[inline]
    pub(super) fn value(&self, state: &State) -> i64 {
        let mut lanes = [0; 16];
        (self.fetch)(&self.operand, state, &mut lanes);
        lanes[0].cast_signed()
    }
}
