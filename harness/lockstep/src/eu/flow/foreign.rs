//! Where the choices of a program come from, and the instructions that its tree knows nothing about.

use parallax_isa::{
    Device,
    eu::{Instruction, State},
};

use super::has_mask_stacks;
use crate::{
    choices::Choices,
    eu::generate::{later::Later, straight::Straight},
    random::SplitMix64,
};

/// Makes instructions for the places between branches.
pub(super) trait Foreign<'b> {
    fn choices(&mut self) -> &mut Choices<'b>;

    fn random(&mut self) -> &mut SplitMix64;

    /// An instruction, if the next one fits.
    fn instruction(&mut self, fits: &dyn Fn(&Instruction) -> bool) -> Option<Instruction>;

    /// A piece of the case begins.
    fn piece(&mut self) {
        if let Some(random) = self.choices().piece() {
            *self.random() = random;
        }
    }
}

/// Instructions of a device. Before Gen7 they count on what is in the address register from the start.
pub(super) fn of<'c, 'b>(
    device: Device,
    choices: &'c mut Choices<'b>,
    random: SplitMix64,
    state: &mut State,
) -> Box<dyn Foreign<'b> + 'c> {
    match has_mask_stacks(device) {
        true => Box::new(Straight::new(device, choices, random, state)),
        false => Box::new(Later::new(device, choices, random, state)),
    }
}

impl<'b> Foreign<'b> for Straight<'_, 'b> {
    fn choices(&mut self) -> &mut Choices<'b> {
        self.choices
    }

    fn random(&mut self) -> &mut SplitMix64 {
        &mut self.random
    }

    fn instruction(&mut self, fits: &dyn Fn(&Instruction) -> bool) -> Option<Instruction> {
        let (addresses, results) = (self.addresses, self.logic_results);
        let instruction = Straight::instruction(self);
        if fits(&instruction) {
            return Some(instruction);
        }
        self.addresses = addresses;
        self.logic_results = results;
        None
    }
}

impl<'b> Foreign<'b> for Later<'_, 'b> {
    fn choices(&mut self) -> &mut Choices<'b> {
        self.choices
    }

    fn random(&mut self) -> &mut SplitMix64 {
        &mut self.random
    }

    fn instruction(&mut self, fits: &dyn Fn(&Instruction) -> bool) -> Option<Instruction> {
        Some(self.alone()).filter(fits)
    }
}
