//! What the checks of whole programs share: where findings go, and which instructions change masks.

use parallax_spec::RuleId;

use super::{
    super::{instruction::Instruction, opcode::Opcode, program::Placed},
    Finding, Violation,
};

/// What was found in a program.
pub(super) struct Findings<'a> {
    pub(super) placed: &'a [Placed],
    pub(super) found: Vec<Finding>,
}

impl<'a> Findings<'a> {
    /// Nothing yet.
    pub(super) const fn of(placed: &'a [Placed]) -> Self {
        Self { placed, found: Vec::new() }
    }

    pub(super) fn push(&mut self, index: usize, violation: Violation) {
        self.found.push(Finding { index, offset: self.placed[index].offset, violation });
    }

    /// Reports a rule where it does not hold.
    pub(super) fn judge(&mut self, index: usize, rule: RuleId, holds: bool, message: &str) {
        if !holds {
            self.push(index, Violation::naming(rule, Vec::new(), message.to_owned()));
        }
    }

    pub(super) fn instructions(&self) -> impl Iterator<Item = (usize, &'a Instruction)> + use<'a> {
        self.placed.iter().map(|place| &place.instruction).enumerate()
    }
}

pub(super) fn changes_masks(opcode: Opcode) -> bool {
    use Opcode::*;
    [If, Iff, Else, Endif, Do, While, Break, Cont, Halt, Msave, Mrest].contains(&opcode)
}
