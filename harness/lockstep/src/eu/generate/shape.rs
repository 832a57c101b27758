//! What straight-line programs of an engine's instructions are like.

use parallax_isa::{
    Device,
    eu::{Instruction, encode::encode, legality},
};

use super::LONGEST;
use crate::choices::Choices;

/// Instructions that are drawn for one that is accepted.
pub(super) const MOST_DRAWN: usize = 256;
/// So many of 256 are not of the operations, but of all that there is: messages, `math`, loads of address registers.
pub(super) const OTHERS: u8 = 24;

/// What an engine has.
pub(in crate::eu) struct Has<'h> {
    /// Whether it has an instruction.
    pub(in crate::eu) accepts: &'h dyn Fn(&Instruction) -> bool,
    /// Whether it has the compact form of machine code.
    pub(in crate::eu) may_compact: bool,
}

/// The shape of programs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Instructions: so many, and fewer than so many.
    pub(super) length: (usize, usize),
    /// Operands lie in the first so many general registers, if that is said.
    pub(super) window: Option<u8>,
    /// Whether an instruction may be in a program.
    pub(super) has: fn(&Instruction) -> bool,
    /// Lets an operand of an instruction lie where one of those in front of it has one.
    pub(super) redirect: fn(&mut Choices, &[Instruction], &mut Instruction),
}

impl Shape {
    /// Programs of all instructions on all registers.
    pub(super) const ANY: Self =
        Self { length: (8, LONGEST), window: None, has: |_| true, redirect: |_, _, _| () };

    /// The number of instructions of a program.
    pub(super) fn count(self, choices: &mut Choices) -> usize {
        let (least, end) = self.length;
        least + choices.below(end - least)
    }

    /// An instruction behind others, with an operand where one of them has one if the engine has that.
    pub(super) fn placed(
        self,
        device: Device,
        choices: &mut Choices,
        others: &[Instruction],
        instruction: Instruction,
        engine: &Has,
    ) -> Instruction {
        let mut redirected = instruction;
        (self.redirect)(choices, others, &mut redirected);
        let is_kept = redirected != instruction
            && (engine.accepts)(&redirected)
            && legality::is_legal(device, &redirected)
            && encode(device, &redirected).is_ok();
        if is_kept { redirected } else { instruction }
    }
}
