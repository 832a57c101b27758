//! Barriers of a group of one thread: the message to the gateway, and the wait for what it brings.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{Descriptor, ExtendedDescriptor, Predicate, SyncFunction},
    operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
    register::ArfKind,
};

use super::{
    Later,
    data_cache::{Draft, packed, unmasked},
    registers::{architecture, grf},
};

impl Later<'_, '_> {
    /// A barrier, and the wait behind it.
    pub(super) fn barrier(&mut self) -> Instruction {
        let first = self.choices.below(60) as u8;
        let threads = match self.choices.byte() {
            0..=2 => self.choices.word(),
            // How many threads: one, as many as there are.
            3..=90 if self.is_gen12() => 1 << 15 | 1 << 8,
            3..=90 => 1 << 15 | 1 << 9,
            _ => self.choices.word() & 0x7F00_0000,
        };
        self.pending.push_back(self.move_to(grf(first, 8), 1, threads));
        let returned = usize::from(self.choices.sometimes(60));
        let notified = self.choices.below(2) as u32;
        let control = 4 | (returned as u32) << 14 | notified << 15;
        let mut send = self.send_of(
            first,
            &Draft { port: 3, control, has_header: false, sent: 1, returned, ..Draft::OF_A_BLOCK },
        );
        // The payload is one register, whatever else the instruction could send.
        if let Some(message) = &mut send.message {
            message.descriptor = Descriptor::Immediate(1 << 25 | (returned as u32) << 20 | control);
            message.extended = ExtendedDescriptor::Immediate(0);
        }
        if matches!(send.opcode, Opcode::Sends | Opcode::Sendsc) || self.is_gen12() {
            send.sources[1] = packed(Register::NULL);
        }
        send.destination.register = match returned {
            0 => Register::NULL,
            _ => grf(self.choices.below(120) as u8, 0),
        };
        if self.choices.sometimes(220) {
            (send.no_mask, send.predicate) = (true, Predicate::default());
        }
        self.pending.push_back(send);
        // Only a thread that is let go for certain waits.
        if send.no_mask && send.predicate == Predicate::default() {
            self.pending.push_back(self.wait());
        }
        self.pending.pop_front().unwrap_or(send)
    }

    /// Takes a notification of the first count.
    fn wait(&self) -> Instruction {
        if self.is_gen12() {
            return Instruction {
                sync: Some(SyncFunction::Barrier),
                sources: [Source::null(DataType::Ub), Source::ABSENT, Source::ABSENT],
                ..Instruction::bare(Opcode::Sync)
            };
        }
        let register = architecture(ArfKind::Notification, 0, 0);
        let source = Source::Register {
            register,
            data_type: DataType::Ud,
            region: Region::SCALAR,
            modifier: SourceModifier::default(),
        };
        let to =
            Destination { register, data_type: DataType::Ud, region: DestinationRegion::Stride(1) };
        unmasked(Opcode::Wait, 1, to, [source, Source::ABSENT, Source::ABSENT])
    }
}
