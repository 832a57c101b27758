//! Messages that run as micro-ops, within blocks of data instructions: those that are answered whatever
//! registers and memory hold.

use parallax_isa::eu::State;

use super::{
    instruction::{Context, Instruction},
    mask::MaskRule,
    math_op::MathOp,
    octword_op::OctwordOp,
};
use crate::shared::Around;

/// Such a message.
#[derive(Debug, Clone)]
pub(super) enum MessageOp {
    /// To Extended Math.
    Math(MathOp),
    /// To the data port.
    Octwords(OctwordOp),
}

impl MessageOp {
    /// A send with what its channels are, if it is such a message.
    pub(super) fn of(
        send: &Instruction,
        context: Context,
        around: &Around,
    ) -> Option<(Self, MaskRule)> {
        if let Some(math) = MathOp::of(send) {
            return Some((Self::Math(math), math.mask(send)));
        }
        let octwords = OctwordOp::of(send, around)?;
        Some((Self::Octwords(octwords), OctwordOp::mask(send, context)))
    }

    /// Does what the message does with these channels.
    #[inline]
    pub(super) fn answer(&self, state: &mut State, enabled: u16) {
        match self {
            Self::Math(math) => math.answer(state, enabled),
            Self::Octwords(octwords) => octwords.answer(state, enabled),
        }
    }
}
