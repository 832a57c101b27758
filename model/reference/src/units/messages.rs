//! Shared functions as the host and fixed functions see them: registers of errors (sections 2.4 and 3.4),
//! entries of the URB (section 5.4), counters of streamed vertices, the scoreboard of pixels.

use parallax_isa::{
    Device,
    units::{Answer, Entry, Fault, Message, Target, address},
};

use super::{registers::Registers, snapshot};

/// What the shared functions keep.
#[derive(Debug, Clone, Default)]
pub(super) struct Functions {
    /// The last message in error of each unit of Extended Math.
    math: [Option<Error>; 3],
    /// The last one of the sampler.
    sampler: Option<Error>,
    /// The first one of the data port, and how many there were.
    data_port: Option<Error>,
    pub(super) data_port_errors: u32,
    /// The register of a URB write that was trapped.
    trapped: Option<[u32; 8]>,
    streamed: [u32; 3],
    scoreboard: u16,
}

/// A message in error.
#[derive(Debug, Clone)]
struct Error {
    message: Message,
    code: u32,
}

/// Sets bits by number.
fn bits(bits: &[(u32, bool)]) -> u32 {
    bits.iter().filter(|(_, is_set)| *is_set).map(|(bit, _)| 1 << bit).sum()
}

impl Functions {
    /// A message is arbitrated and taken, or refused.
    pub(super) fn message(&mut self, message: &Message) -> Answer {
        let is_too_long = message.length > message.room;
        let arbitrated = if is_too_long { 1 } else { message.length };
        let code = match message.target {
            Target::Math(_) => math_code(message, is_too_long),
            Target::Sampler => sampler_code(message, is_too_long),
            Target::DataPort => data_port_code(message, is_too_long),
        };
        if code != 0 {
            let error = Error { message: message.clone(), code };
            match message.target {
                Target::Math(unit) => self.math[usize::from(unit)] = Some(error),
                Target::Sampler => self.sampler = Some(error),
                Target::DataPort => {
                    self.data_port.get_or_insert(error);
                    self.data_port_errors += 1;
                }
            }
        }
        Answer::Message { arbitrated, sent: message.length, is_answered: code == 0 }
    }

    pub(super) fn math_error(&self, registers: &Registers) -> Answer {
        let unit = registers.field(address::MATH_CTL, 17, 16) as usize;
        let Some(Some(Error { message, code })) = self.math.get(unit) else { return Answer::Open };
        if registers.field(address::MATH_CTL, 15, 8) != 0 {
            return Answer::Open;
        }
        Answer::Word(
            u32::from(message.unit) << 24
                | u32::from(message.thread) << 20
                | u32::from(message.execution_unit) << 16
                | u32::from(message.response) << 12
                | u32::from(message.length) << 8
                | u32::from(message.opcode) << 4
                | code,
        )
    }

    pub(super) fn sampler_error(&self, registers: &Registers) -> Answer {
        let Some(error) = &self.sampler else { return Answer::Open };
        // Codes are numbers: nothing says what two errors at once are.
        if error.code == 3 {
            return Answer::Open;
        }
        match registers.field(address::SAMPLER_CTL, 15, 8) {
            0 => Answer::Word(sender(&error.message) | error.code),
            1 => Answer::Word(error.message.header[0]),
            2 => Answer::Word(error.message.header[1]),
            _ => Answer::Open,
        }
    }

    pub(super) fn data_port_error(&self, registers: &Registers) -> Answer {
        let Some(error) = &self.data_port else { return Answer::Open };
        match registers.field(address::DP_CTL, 15, 8) {
            0 => Answer::Word(sender(&error.message) | error.code),
            // In the other order than the sampler's.
            1 => Answer::Word(error.message.header[1]),
            2 => Answer::Word(error.message.header[0]),
            _ => Answer::Open,
        }
    }

    /// A write to the URB: what the entry's owner sees, and what is trapped.
    pub(super) fn urb_write(
        &mut self,
        registers: &mut Registers,
        descriptor: u32,
        payload: &[[u32; 8]],
        feeds_primitives: bool,
    ) -> Answer {
        let header = payload[0];
        let is_flagged = header[7] >> 31 == 1;
        if snapshot::compare(registers, address::URB_CTL, is_flagged) {
            let phase = registers.field(address::URB_CTL, 19, 16) as usize;
            self.trapped = payload.get(phase).copied();
        }
        if descriptor >> 15 & 1 == 0 {
            return Answer::Entry(None);
        }
        let is_used = descriptor >> 14 & 1 == 1;
        let primitive = feeds_primitives.then(|| {
            let word = header[2];
            ((word >> 2 & 0b1_1111) as u8, word >> 1 & 1 == 1, word & 1 == 1)
        });
        Answer::Entry(Some(Entry { is_used, primitive }))
    }

    /// A doubleword of the register that was trapped.
    pub(super) fn urb_data(&self, registers: &Registers) -> Answer {
        let select = registers.field(address::URB_CTL, 15, 8);
        let Some(trapped) = self.trapped else { return Answer::Open };
        if !(8..16).contains(&select) {
            return Answer::Open;
        }
        Answer::Word(trapped[select as usize - 8])
    }

    /// Counters of streamed vertices, which [DevCTG] has.
    pub(super) fn streamed_vertex(&mut self, device: Device, descriptor: u32) -> Answer {
        if matches!(device, Device::Ctg | Device::G45) {
            for (counter, bit) in self.streamed.iter_mut().zip([10, 9, 8]) {
                *counter += descriptor >> bit & 1;
            }
        }
        Answer::Streamed(self.streamed)
    }

    pub(super) fn dispatched(&mut self, mask: u16) {
        self.scoreboard |= mask;
    }

    /// A render target write, which lets go of pixels on the scoreboard if it is the last for them.
    pub(super) fn target_write(&mut self, descriptor: u32, header: u32) -> Answer {
        let dispatched = (header >> 16) as u16;
        let pixels = match descriptor >> 8 & 0b111 {
            0b000 | 0b001 => dispatched,
            0b010 | 0b100 => dispatched & 0x00FF,
            0b011 => dispatched & 0xFF00,
            _ => return Answer::Refused,
        };
        if descriptor >> 11 & 1 == 1 {
            self.scoreboard &= !pixels;
        }
        Answer::Word(self.scoreboard.into())
    }
}

/// Who has sent a message, as sampler and data port say it.
fn sender(message: &Message) -> u32 {
    u32::from(message.unit) << 24
        | u32::from(message.thread) << 21
        | u32::from(message.execution_unit) << 16
}

fn math_code(message: &Message, is_too_long: bool) -> u32 {
    let operands = match message.opcode {
        // INV, LOG, EXP, SQRT, RSQ, SIN, COS, SINCOS.
        0x1..=0x8 => Some(1),
        // POW, INT DIV and its two halves.
        0xA..=0xD => Some(2),
        _ => None,
    };
    bits(&[
        (0, operands.is_some_and(|operands| operands != message.length)),
        (1, operands.is_none()),
        (2, message.ends_thread),
        (3, is_too_long),
    ])
}

fn sampler_code(message: &Message, is_too_long: bool) -> u32 {
    bits(&[(0, is_too_long || message.length != message.due), (1, message.ends_thread)])
}

fn data_port_code(message: &Message, is_too_long: bool) -> u32 {
    let found = |fault: Fault| message.faults.contains(&fault);
    bits(&[
        (13, found(Fault::ReturnLength)),
        (12, found(Fault::SurfaceFormat)),
        (10, found(Fault::StatelessBoundary)),
        (9, found(Fault::StatelessMode)),
        (8, found(Fault::MessageLength)),
        (7, found(Fault::AddressAlignment)),
        (6, found(Fault::BlockSize)),
        (5, found(Fault::SurfaceType)),
        (4, found(Fault::TargetCache)),
        (3, is_too_long),
        (2, found(Fault::FunctionId)),
        (1, message.ends_thread),
        (0, message.length != message.due),
    ])
}

/// The render cache and a pixel: of one that is trapped every channel may get the same colour, whose most
/// significant bits are the channel's.
pub(super) fn pixel(registers: &Registers, header: u32, colour: [u32; 4], bits: u8) -> Answer {
    if !registers.is_enabled(address::RC_CTL, 2) || header >> 31 == 0 {
        return Answer::Colour(colour);
    }
    Answer::Colour([registers.get(address::RC_DEF_CLR) >> (32 - u32::from(bits)); 4])
}
