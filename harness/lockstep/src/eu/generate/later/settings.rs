//! Instructions that write control and flag registers.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::ThreadControl,
    operand::{Destination, DestinationRegion, Region, Source, SourceModifier},
    register::ArfKind,
    state::control,
};

use super::{
    Later,
    registers::{architecture, grf},
    values,
};

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

    /// Reads the time, mostly to see whether the context was switched.
    pub(in crate::eu) fn read_timestamp(&mut self) -> Instruction {
        let sees_event = self.choices.sometimes(200);
        let part = if sees_event { 8 } else { 4 * (self.choices.byte() % 3) };
        let timestamp = Source::Register {
            register: architecture(ArfKind::Timestamp, 0, part),
            data_type: DataType::Ud,
            region: Region::SCALAR,
            modifier: SourceModifier::default(),
        };
        let one = Source::Immediate { data_type: DataType::Ud, bits: 1 };
        let (opcode, second) = match sees_event {
            true => (Opcode::And, one),
            false => (Opcode::Mov, Source::ABSENT),
        };
        Instruction {
            execution_size: *self.choices.pick(&[1, 1, 8]),
            no_mask: self.choices.sometimes(200),
            destination: Destination {
                register: grf(self.choices.byte() & 63, 0),
                data_type: DataType::Ud,
                region: DestinationRegion::Stride(1),
            },
            sources: [timestamp, second, Source::ABSENT],
            ..Instruction::bare(opcode)
        }
    }

    /// Reads which channels control flow leaves on (Gen8 and later), as compilers look for one that is.
    pub(in crate::eu) fn read_channel_enables(&mut self) -> Instruction {
        let scalar = |register| Source::Register {
            register,
            data_type: DataType::Ud,
            region: Region::SCALAR,
            modifier: SourceModifier::default(),
        };
        let enables = scalar(architecture(ArfKind::ChannelEnable, 0, 0));
        let mask = scalar(grf(self.choices.byte() & 63, 0));
        let opcode = *self.choices.pick(&[Opcode::Mov, Opcode::Fbl, Opcode::And]);
        let second = if opcode == Opcode::And { mask } else { Source::ABSENT };
        let execution_size = *self.choices.pick(&[1, 1, 8]);
        Instruction {
            execution_size,
            first_channel: 8 * (self.choices.byte() & 3),
            no_mask: true,
            destination: Destination {
                register: grf(self.choices.byte() & 63, 0),
                data_type: DataType::Ud,
                region: DestinationRegion::Stride(1),
            },
            sources: [enables, second, Source::ABSENT],
            ..Instruction::bare(opcode)
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
