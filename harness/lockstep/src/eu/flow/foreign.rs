//! Where the choices of a program come from, and the instructions that its tree knows nothing about.

use parallax_isa::eu::{DataType, Instruction};

use crate::eu::generate::{later::Later, straight::Straight};

/// Makes instructions for the places between branches.
pub(super) trait Foreign {
    /// See [`Choices`](crate::choices::Choices).
    fn byte(&mut self) -> u8;
    fn sometimes(&mut self, times: u8) -> bool;
    fn below(&mut self, bound: usize) -> usize;
    fn is_empty(&self) -> bool;
    fn piece(&mut self);

    /// The bits of an immediate.
    fn immediate(&mut self, data_type: DataType) -> u32;

    /// An instruction, if the next one fits.
    fn instruction(&mut self, fits: &dyn Fn(&Instruction) -> bool) -> Option<Instruction>;
}

macro_rules! choices {
    () => {
        fn byte(&mut self) -> u8 {
            self.choices.byte()
        }

        fn sometimes(&mut self, times: u8) -> bool {
            self.choices.sometimes(times)
        }

        fn below(&mut self, bound: usize) -> usize {
            self.choices.below(bound)
        }

        fn is_empty(&self) -> bool {
            self.choices.is_empty()
        }

        fn piece(&mut self) {
            Self::piece(self);
        }
    };
}

impl Foreign for Straight<'_, '_> {
    choices!();

    fn immediate(&mut self, data_type: DataType) -> u32 {
        Straight::immediate(self, data_type)
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

impl Foreign for Later<'_, '_> {
    choices!();

    fn immediate(&mut self, data_type: DataType) -> u32 {
        crate::eu::generate::values::immediate(&mut self.random, data_type)
    }

    fn instruction(&mut self, fits: &dyn Fn(&Instruction) -> bool) -> Option<Instruction> {
        Some(self.alone()).filter(fits)
    }
}
