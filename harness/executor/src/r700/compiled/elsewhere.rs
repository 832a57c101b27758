//! Where no machine code is made: other processors, other systems.

use std::convert::Infallible;

use parallax_isa::r700::State;

use super::Room;
use crate::r700::{ready::ReadyGroup, surroundings::Surroundings};

/// No code at all.
pub(super) struct Code(Infallible);

impl Code {
    pub(super) fn run(&self, _: &Surroundings, _: &mut Room, _: &mut State) {
        match self.0 {}
    }

    pub(super) fn bytes(&self) -> usize {
        match self.0 {}
    }
}

/// None.
pub(super) fn block(_: &[ReadyGroup], _: &Surroundings) -> Option<(usize, Code)> {
    None
}
