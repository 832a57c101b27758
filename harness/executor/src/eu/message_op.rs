//! Messages that run as micro-ops, within blocks of data instructions: those that are answered whatever
//! registers and memory hold.

use parallax_isa::eu::State;

use super::{instruction::Instruction, mask::MaskRule, math_op::MathOp};

/// Such a message.
#[derive(Debug, Clone)]
pub(super) enum MessageOp {
    /// To Extended Math.
    Math(MathOp),
}

impl MessageOp {
    /// A send with what its channels are, if it is such a message.
    pub(super) fn of(send: &Instruction) -> Option<(Self, MaskRule)> {
        let math = MathOp::of(send)?;
        Some((Self::Math(math), math.mask(send)))
    }

    /// Does what the message does with these channels.
    #[inline]
    pub(super) fn answer(&self, state: &mut State, enabled: u16) {
        match self {
            Self::Math(math) => math.answer(state, enabled),
        }
    }
}
