//! Messages to a shared function that answers: payload in general registers, on Gen9 also in two
//! parts.

use parallax_isa::{
    device::Generation,
    eu::{
        DataType, Instruction, Opcode,
        instruction::{Descriptor, ExtendedDescriptor, Message, Predicate, PredicateControl},
        operand::{Destination, DestinationRegion, Region, Register, Source, SourceModifier},
        register::ArfKind,
    },
};

use super::{
    Later,
    registers::{architecture, grf},
};

/// Most registers of a message, and of a reply.
const LONGEST_MESSAGE: usize = 15;
const LONGEST_REPLY: usize = 8;
/// The shared function of the URB.
const URB: u8 = 6;

fn payload(register: Register) -> Source {
    Source::Register {
        register,
        data_type: DataType::Ud,
        region: Region::PACKED8,
        modifier: SourceModifier::default(),
    }
}

impl Later<'_, '_> {
    pub(super) fn message(&mut self) -> Instruction {
        let split = self.is_gen12() || !self.is_gen7() && self.choices.sometimes(110);
        let length = 1 + self.choices.below(LONGEST_MESSAGE);
        let further = if split { self.choices.below(LONGEST_MESSAGE + 1 - length) } else { 0 };
        let reply = self.choices.below(LONGEST_REPLY + 1);
        let channels = *self.choices.pick(&[8, 16, 8, 16, 4, 1]);
        // The parts of a payload do not overlap; a reply does not end in the last register, as some payloads do.
        let first = match self.choices.sometimes(30) {
            true if further == 0 => 128 - length,
            _ => self.choices.below(64 - LONGEST_MESSAGE),
        };
        // Some end with the last register.
        let second =
            if self.choices.sometimes(30) { 128 - further } else { 64 + self.choices.below(48) };
        let target = self.choices.below(127 - LONGEST_REPLY);
        let shared_function = self.choices.byte() & 0xF;
        let control = match self.choices.word() & 0x7_FFFF {
            // With a header, and an operation that all generations have.
            control if shared_function == URB => 1 << 19 | control & !0xF | control & 3,
            control => control,
        };
        let descriptor = (length << 25 | reply << 20) as u32 | control;
        let upper = match self.generation {
            Generation::Gen7 => 0,
            _ if self.choices.sometimes(128) => u32::from(self.random.next() as u16) << 16,
            _ => 0,
        };
        let extended = upper | if split { (further << 6) as u32 } else { 0 };
        let opcode = match (split && !self.is_gen12(), self.choices.sometimes(40)) {
            (false, false) => Opcode::Send,
            (false, true) => Opcode::Sendc,
            (true, false) => Opcode::Sends,
            (true, true) => Opcode::Sendsc,
        };
        let last = match (split, further) {
            (false, _) => Source::ABSENT,
            (true, 0) => payload(Register::NULL),
            (true, _) => payload(grf(second as u8, 0)),
        };
        let predicate = match self.choices.byte() {
            0..=60 => Predicate {
                control: PredicateControl::Sequential,
                inverse: self.choices.sometimes(80),
            },
            _ => Predicate::default(),
        };
        let first_channel = self.group(channels);
        let mut loads = Vec::new();
        let descriptor = if self.choices.sometimes(50) {
            loads.push(self.load_doubleword(0, descriptor));
            Descriptor::Address
        } else {
            Descriptor::Immediate(descriptor)
        };
        let extended = if split && self.choices.sometimes(50) {
            let number = 1 + self.choices.below(7) as u8;
            loads.push(self.load_doubleword(number, extended));
            ExtendedDescriptor::Address(number)
        } else {
            ExtendedDescriptor::Immediate(extended)
        };
        let is_sends = matches!(opcode, Opcode::Sends | Opcode::Sendsc);
        let payload_at = if is_sends {
            self.named_or_pointed_to(first, 64 - LONGEST_MESSAGE, is_sends)
        } else {
            grf(first as u8, 0)
        };
        let reply_to = match reply {
            0 => Register::NULL,
            _ if self.is_gen12() => grf(target as u8, 0),
            _ => self.named_or_pointed_to(target, 127 - LONGEST_REPLY, is_sends),
        };
        let message = Instruction {
            execution_size: channels,
            no_mask: self.choices.sometimes(60),
            first_channel,
            predicate,
            flag_register: self.choices.byte() & 1,
            destination: Destination {
                register: reply_to,
                data_type: DataType::Ud,
                region: DestinationRegion::Stride(1),
            },
            sources: [payload(payload_at), last, Source::ABSENT],
            message: Some(Message {
                current_destination: 0,
                descriptor,
                shared_function,
                extended,
                fusion_control: false,
                end_of_thread: false,
            }),
            ..Instruction::bare(opcode)
        };
        self.pending.extend(loads);
        self.pending.push_back(message);
        self.pending.pop_front().unwrap_or(message)
    }

    /// A register by its number, or below another one where an address says.
    fn named_or_pointed_to(&mut self, number: usize, end: usize, in_sixteenths: bool) -> Register {
        let pointed_to = match self.choices.sometimes(100) {
            true => self.pointed_to(end, in_sixteenths),
            false => None,
        };
        pointed_to.unwrap_or_else(|| grf(number as u8, 0))
    }

    /// `mov (1) a0.n:ud bits`: a descriptor, which points nowhere as an address.
    pub(super) fn load_doubleword(&mut self, number: u8, bits: u32) -> Instruction {
        self.addresses[usize::from(2 * number)..][..2].fill(None);
        Instruction {
            no_mask: true,
            destination: Destination {
                register: architecture(ArfKind::Address, 0, 4 * number),
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
}
