//! Messages to shared functions as far as an immediate descriptor says what they are (chapters 4, 5, 7
//! and 8 of volume 4). What headers, payloads and states say is seen when the message is sent.

use super::{
    super::{instruction::Descriptor, opcode::Opcode},
    Facts,
};

pub(super) mod data_port;
pub(super) mod gateway;
pub(super) mod sampler;
pub(super) mod urb;

/// The immediate descriptor of a message.
#[derive(Debug, Clone, Copy)]
struct Described {
    bits: u32,
    is_last: bool,
}

impl Described {
    /// The descriptor of a message to one of these functions.
    fn to(f: &Facts, functions: &[u32]) -> Option<Self> {
        if f.opcode != Opcode::Send {
            return None;
        }
        let message = f.instruction.message?;
        let Descriptor::Immediate(bits) = message.descriptor else { return None };
        let described = Self { bits, is_last: message.end_of_thread };
        functions.contains(&described.field(24, 4)).then_some(described)
    }

    const fn field(self, low: u32, width: u32) -> u32 {
        self.bits >> low & ((1 << width) - 1)
    }

    const fn bit(self, place: u32) -> bool {
        self.field(place, 1) == 1
    }

    /// Registers of the message.
    const fn length(self) -> u32 {
        self.field(20, 4)
    }

    /// Registers of the reply.
    const fn reply(self) -> u32 {
        self.field(16, 4)
    }

    /// Whether there is a reply, of a length that there may be.
    const fn is_answered(self) -> bool {
        self.reply() > 0 && self.reply() <= 8
    }
}
