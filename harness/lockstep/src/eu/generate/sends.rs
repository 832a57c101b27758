//! Messages to a shared function that answers, legal by construction.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{Compression, Descriptor, Message, Predicate},
    operand::{
        Destination, DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride,
    },
    register::{REGISTER_BYTES, RegisterFile},
};

use super::straight::Straight;
use crate::choices::Choices;

/// Message registers of a thread, and most registers of a reply.
const MESSAGE_REGISTERS: usize = 16;
const LONGEST_REPLY: usize = 8;
const EXTENDED_MATH: u32 = 1;

impl Straight<'_, '_> {
    /// A send with its implied move, channel enables and reply.
    pub(super) fn send(&mut self) -> Instruction {
        let wide = self.choices.sometimes(60);
        let execution_size = if wide { 16 } else { *self.choices.pick(&[8, 8, 8, 4, 2, 1]) };
        let data_type = *self.choices.pick(if wide {
            &[DataType::Uw, DataType::W]
        } else {
            &[DataType::F, DataType::D, DataType::Ud, DataType::Uw, DataType::W]
        });
        let (descriptor, message_length, response_length) = self.descriptor();
        // The last register a reply may fill is r127.
        let number = match self.choices.sometimes(48) {
            true => 128 - response_length.max(1),
            false => self.choices.below(128 - LONGEST_REPLY),
        } as u8;
        let subregister = self.subregister(execution_size, data_type);
        let destination = if response_length == 0 {
            Register::Direct { file: RegisterFile::Arf, number: 0, subregister }
        } else {
            let direct = Register::Direct { file: RegisterFile::Grf, number, subregister };
            let pointed_to = self
                .choices
                .sometimes(40)
                .then(|| self.pointed_to(response_length, subregister, data_type));
            pointed_to.flatten().unwrap_or(direct)
        };
        let predicate = match self.predicate(Opcode::Send, false) {
            // Groups of 16 flags belong to 16 channels.
            predicate if wide || execution_size == 8 => predicate,
            _ => Predicate::default(),
        };
        Instruction {
            execution_size,
            no_mask: self.choices.sometimes(60),
            compression: if execution_size == 8 && self.choices.sometimes(40) {
                Compression::SecHalf
            } else {
                Compression::None
            },
            predicate,
            flag_subregister: u8::from(self.choices.sometimes(80)),
            no_dd_clear: self.choices.sometimes(20),
            destination: Destination {
                register: destination,
                data_type,
                region: DestinationRegion::Stride(1),
            },
            sources: [
                self.payload_source(execution_size, data_type),
                Source::null(DataType::Ud),
                Source::ABSENT,
            ],
            message: Some(Message::of_registers(
                self.choices.below(MESSAGE_REGISTERS + 1 - message_length) as u8,
                descriptor,
                false,
            )),
            ..Instruction::bare(Opcode::Send)
        }
    }

    /// A descriptor with its message and response length: a constant, or `a0.0` where that holds
    /// one that makes sense.
    fn descriptor(&mut self) -> (Descriptor, usize, usize) {
        let lengths = |bits: u32| ((bits >> 20 & 0xF) as usize, (bits >> 16 & 0xF) as usize);
        if let [Some(low), Some(high), ..] = self.addresses {
            let (message, response) = lengths(u32::from(high) << 16 | u32::from(low));
            if message > 0 && response <= LONGEST_REPLY {
                return (Descriptor::Address, message, response);
            }
        }
        let target = self.choices.below(8) as u32;
        if target == EXTENDED_MATH {
            // It has messages of its own.
            let (bits, message, response) = self.math_descriptor();
            return (Descriptor::Immediate(bits), message, response);
        }
        let message_length = 1 + self.choices.below(MESSAGE_REGISTERS - 1);
        let response_length = self.choices.below(LONGEST_REPLY + 1);
        let lengths = (message_length << 20 | response_length << 16) as u32;
        let bits = target << 24 | lengths | self.choices.word() & 0xFFFF;
        (Descriptor::Immediate(bits), message_length, response_length)
    }

    /// Where in its register the destination region starts: anywhere it fits.
    fn subregister(&mut self, execution_size: u8, data_type: DataType) -> u8 {
        let size = data_type.size();
        let places = 32 / size - usize::from(execution_size).min(32 / size - 1);
        if usize::from(execution_size) * size > 16 {
            return 0;
        }
        // Aligned to the whole region, as regions of sources are.
        let bytes = usize::from(execution_size) * size;
        (self.choices.below(places) * size / bytes * bytes) as u8
    }

    /// A posted destination that an address register points to, if one points near some register.
    fn pointed_to(
        &mut self,
        response_length: usize,
        subregister: u8,
        data_type: DataType,
    ) -> Option<Register> {
        let address_subregister = self.choices.below(8) as u8;
        let address = i32::from(self.address(address_subregister)?);
        // Some are too near to the last register for all of the reply.
        let last = if self.choices.sometimes(16) { 127 } else { 128 - response_length as i32 };
        let number = (address / 32 + self.choices.below(20) as i32 - 10).clamp(0, last);
        let offset = 32 * number + i32::from(subregister) - address;
        self.indirect(address_subregister, offset, data_type.size() as u8)
    }

    /// The source of the implied move, or null.
    fn payload_source(&mut self, execution_size: u8, data_type: DataType) -> Source {
        // What the implied move does not reach of its register has no defined value, nor has the reply then.
        let is_whole = usize::from(execution_size) * data_type.size() == REGISTER_BYTES;
        if self.choices.sometimes(100) || !is_whole && !self.choices.sometimes(8) {
            return no_source(self.choices, data_type, execution_size);
        }
        let number = self.choices.below(126) as u8;
        let register = Register::Direct { file: RegisterFile::Grf, number, subregister: 0 };
        let region = if execution_size == 1 || self.choices.sometimes(40) {
            Region::SCALAR
        } else {
            let width = execution_size;
            Region::Align1 { vertical: VerticalStride::Elements(width), width, horizontal: 1 }
        };
        let modifier = SourceModifier {
            absolute: self.choices.sometimes(20),
            negate: self.choices.sometimes(20),
        };
        Source::Register { register, data_type, region, modifier }
    }
}

/// Null where the source of the implied move stands, with any region: nothing is moved.
pub(super) fn no_source(choices: &mut Choices, data_type: DataType, execution_size: u8) -> Source {
    let region = match execution_size {
        8.. if choices.sometimes(100) => Region::PACKED8,
        _ => Region::SCALAR,
    };
    Source::Register {
        register: Register::NULL,
        data_type,
        region,
        modifier: SourceModifier::default(),
    }
}
