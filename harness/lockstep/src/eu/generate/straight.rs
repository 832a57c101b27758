//! Straight-line code in the making: what its instructions choose from, and what is known about the
//! registers.

use parallax_isa::{
    Device,
    device::Feature,
    eu::{DataType, Opcode, State},
};

use super::{combinations::Combination, values};
use crate::{choices::Choices, random::SplitMix64};

/// Generates data instructions, keeping in mind what is known about the address register.
pub(in crate::eu) struct Straight<'c, 'b> {
    pub(in crate::eu) device: Device,
    pub(in crate::eu) choices: &'c mut Choices<'b>,
    pub(in crate::eu) random: SplitMix64,
    /// Address subregisters whose value is known.
    pub(in crate::eu) addresses: [Option<u16>; 8],
    /// Accumulators that logic wrote last: only logic may read them.
    pub(in crate::eu) logic_results: [bool; 2],
}

/// An instruction in the making: what its operands have to suit.
pub(in crate::eu) struct Draft {
    pub(in crate::eu) opcode: Opcode,
    pub(in crate::eu) types: Combination,
    pub(in crate::eu) execution_size: u8,
    pub(in crate::eu) compressed: bool,
    pub(in crate::eu) align16: bool,
}

impl Draft {
    /// Channels of a native instruction.
    pub(in crate::eu) fn channels(&self) -> u8 {
        if self.compressed { self.execution_size / 2 } else { self.execution_size }
    }

    /// Bytes of an element of the execution type.
    pub(in crate::eu) fn execution_bytes(&self) -> u8 {
        self.types.execution_type().size() as u8
    }
}

impl<'c, 'b> Straight<'c, 'b> {
    /// Starts a program on registers that are filled already; gives the address register useful
    /// contents.
    pub(in crate::eu) fn new(
        device: Device,
        choices: &'c mut Choices<'b>,
        mut random: SplitMix64,
        state: &mut State,
    ) -> Self {
        for address in &mut state.address {
            *address = (random.below(128) * 32 + random.below(8) * 4 * (random.next() & 1)) as u16;
        }
        let addresses = state.address.map(Some);
        Self { device, choices, random, addresses, logic_results: [false; 2] }
    }

    /// The bits of an immediate.
    pub(in crate::eu) fn immediate(&mut self, data_type: DataType) -> u32 {
        values::immediate(&mut self.random, data_type)
    }

    /// Whether the device can do something.
    pub(in crate::eu) fn has(&self, feature: Feature) -> bool {
        self.device.has(feature)
    }
}
