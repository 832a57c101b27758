//! Straight-line code in the making: what its instructions choose from, and what is known about the
//! registers.

use parallax_isa::{
    Device,
    device::Feature,
    eu::{DataType, Instruction, Opcode, State},
};

use super::{combinations::Combination, values};
use crate::{choices::Choices, random::SplitMix64};

/// The bits of an address subregister that address a register.
pub(in crate::eu) const ADDRESS_BITS: u16 = 0xFFF;

/// Generates data instructions, keeping in mind what is known about the address register.
pub(in crate::eu) struct Straight<'c, 'b> {
    pub(in crate::eu) device: Device,
    pub(in crate::eu) choices: &'c mut Choices<'b>,
    pub(in crate::eu) random: SplitMix64,
    /// Address subregisters whose value is known.
    pub(in crate::eu) addresses: [Option<u16>; 8],
    /// Operands lie in the first so many general registers, if that is said.
    pub(in crate::eu) window: Option<u8>,
    /// Accumulators that logic wrote last: only logic may read them.
    pub(in crate::eu) logic_results: [bool; 2],
    /// What comes after the instruction that gave its accumulator a value.
    pub(in crate::eu) pending: Option<Instruction>,
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
        for (subregister, address) in state.address[..8].iter_mut().enumerate() {
            *address = (random.below(128) * 32 + random.below(8) * 4 * (random.next() & 1)) as u16;
            let corner = random.next();
            if corner & 7 == 0 {
                // Not even.
                *address |= 1 + (corner >> 8) as u16 % 3;
            }
            // The first two have all sixteen bits, the lower twelve of which are an address.
            if subregister < 2 && corner >> 16 & 3 == 0 {
                *address |= (corner >> 24) as u16 & !ADDRESS_BITS;
            }
        }
        let addresses = std::array::from_fn(|n| Some(state.address[n]));
        Self {
            device,
            choices,
            random,
            addresses,
            window: None,
            logic_results: [false; 2],
            pending: None,
        }
    }

    /// A piece of the case begins.
    pub(in crate::eu) fn piece(&mut self) {
        if let Some(random) = self.choices.piece() {
            self.random = random;
        }
    }

    /// The bits of an immediate.
    pub(in crate::eu) fn immediate(&mut self, data_type: DataType) -> u32 {
        values::immediate(&mut self.random, data_type)
    }

    /// The address that a subregister holds, if that is known.
    pub(in crate::eu) fn address(&self, subregister: u8) -> Option<u16> {
        self.addresses[usize::from(subregister)].map(|address| address & ADDRESS_BITS)
    }

    /// Whether the device can do something.
    pub(in crate::eu) fn has(&self, feature: Feature) -> bool {
        self.device.has(feature)
    }
}
