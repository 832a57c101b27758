//! Instructions that write control and flag registers.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::ThreadControl,
    operand::{Destination, DestinationRegion, Source},
    register::ArfKind,
    state::control,
};

use super::{Later, registers::architecture, values};

impl Later<'_, '_> {
    /// Changes how floats are computed; the instruction behind it does not depend on that.
    pub(super) fn set_modes(&mut self) -> Instruction {
        let mut bits = values::modes(&mut self.random, self.device);
        if self.alternative {
            bits |= control::ALTERNATIVE_FLOAT_MODE;
        }
        self.pending.push_back(Instruction::bare(Opcode::Nop));
        Instruction {
            no_mask: true,
            thread_control: ThreadControl::Switch,
            destination: Destination {
                register: architecture(ArfKind::Control, 0, 0),
                data_type: DataType::Ud,
                region: DestinationRegion::Stride(1),
            },
            sources: [
                Source::Immediate { data_type: DataType::Ud, bits: bits.into() },
                Source::ABSENT,
                Source::ABSENT,
            ],
            ..Instruction::bare(Opcode::Mov)
        }
    }

    /// Gives a flag register, or half of one, other bits.
    pub(super) fn set_flags(&mut self) -> Instruction {
        let number = self.choices.byte() & 1;
        let whole = self.choices.sometimes(128);
        let bits = self.random.next() as u32;
        let (data_type, subregister, bits) = if whole {
            (DataType::Ud, 0, bits)
        } else {
            (DataType::Uw, 2 * (self.choices.byte() & 1), (bits & 0xFFFF) * 0x1_0001)
        };
        Instruction {
            no_mask: true,
            destination: Destination {
                register: architecture(ArfKind::Flag, number, subregister),
                data_type,
                region: DestinationRegion::Stride(1),
            },
            sources: [
                Source::Immediate { data_type, bits: bits.into() },
                Source::ABSENT,
                Source::ABSENT,
            ],
            ..Instruction::bare(Opcode::Mov)
        }
    }
}
