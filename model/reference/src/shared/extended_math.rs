//! Extended Math of G45 and its predecessors (G45 volume 4, chapter 6): functions of floats, with
//! the accuracy that each has, and divisions of integers.

mod message;
mod special;
mod value;

use parallax_isa::{
    Acceptance, Range32,
    eu::register::REGISTER_BYTES,
    shared::{Request, Response, Unanswered},
};

use super::{
    OpenDoubleword, Reply, SharedFunction, World,
    record::{MathPath, MathStep},
};
use crate::eu::Observed;
use message::{Channels, Message};

/// The Extended Math function of a generation.
#[derive(Debug)]
pub(crate) struct ExtendedMath {
    /// Messages may have 16 channels.
    has_wide_messages: bool,
}

/// The code of the target.
const TARGET: u8 = 1;

/// Channels of a register.
const CHANNELS: usize = 8;

/// What a channel of a result comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Computed {
    bits: u32,
    /// What else is accepted.
    acceptance: Option<Acceptance>,
    /// How it came about, for observers.
    path: MathPath,
}

impl Computed {
    /// Nobody says what.
    const OPEN: Self = Self::accepting(0, Acceptance::Undefined);

    const fn exactly(bits: u32) -> Self {
        Self { acceptance: None, ..Self::accepting(bits, Acceptance::Undefined) }
    }

    const fn accepting(bits: u32, acceptance: Acceptance) -> Self {
        let path =
            MathPath { is_computed: false, is_clamped: false, is_tiny: false, overflows: false };
        Self { bits, acceptance: Some(acceptance), path }
    }

    const fn within(bits: u32, range: Range32) -> Self {
        if range.low == range.high {
            return Self::exactly(range.low);
        }
        Self::accepting(bits, Acceptance::Within32(range))
    }
}

impl ExtendedMath {
    /// That of devices before DevCTG.
    pub(crate) const GEN4: Self = Self { has_wide_messages: false };
    /// That of DevCTG and later.
    pub(crate) const GEN45: Self = Self { has_wide_messages: true };
}

impl SharedFunction for ExtendedMath {
    fn answer(&self, request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
        if request.target != TARGET {
            return Err(Unanswered::NoSuchFunction("another than Extended Math"));
        }
        let message = Message::new(request, self.has_wide_messages)?;
        let lend = |which, channel, operands, Computed { bits, acceptance, path }| {
            world.lender.lend(|device| {
                Observed::Math(MathStep {
                    device,
                    request,
                    which,
                    channel,
                    operands,
                    result: bits,
                    acceptance,
                    path,
                })
            });
        };
        let mut reply = Reply::default();
        match (message.channels, message.function) {
            (Channels::Sixteen, _) => {
                let enables = request.channel_enables.to_le_bytes();
                for (number, payload) in request.payload.iter().enumerate() {
                    let operands = [payload, payload];
                    let lend = |channel, operands, computed| {
                        lend(0, CHANNELS * number + channel, operands, computed);
                    };
                    message.answer_register(&mut reply, operands, enables[number], 0, lend);
                }
            }
            (Channels::Eight, function) => {
                let first = &request.payload[0];
                let second = request.payload.get(1).unwrap_or(first);
                let enables = request.channel_enables as u8;
                for result in 0..function.results() {
                    let operands = [first, second];
                    let lend = |channel, operands, computed| {
                        lend(result, channel, operands, computed);
                    };
                    message.answer_register(&mut reply, operands, enables, result, lend);
                }
            }
        }
        Ok(reply)
    }
}

impl Message {
    /// Appends a register to a reply: a result of the function by channel, where that is enabled.
    fn answer_register(
        &self,
        reply: &mut Reply,
        operands: [&[u8; REGISTER_BYTES]; 2],
        enables: u8,
        result: usize,
        lend: impl Fn(usize, [u32; 2], Computed),
    ) {
        let register = reply.registers.len();
        let mut bytes = [0; REGISTER_BYTES];
        for channel in (0..CHANNELS).filter(|channel| enables >> channel & 1 == 1) {
            // The first channel of a group of four may have the operands of all of them.
            let source = if self.is_scalar { channel / 4 * 4 } else { channel };
            let operands = operands.map(|operand| doubleword(operand, source));
            let computed = self.compute(operands, result);
            lend(channel, operands, computed);
            bytes[4 * channel..][..4].copy_from_slice(&computed.bits.to_le_bytes());
            if let Some(acceptance) = computed.acceptance {
                reply.open.push(OpenDoubleword::whole(register, channel, acceptance));
            }
        }
        reply.registers.push(Response { bytes, enables });
    }
}

fn doubleword(register: &[u8; REGISTER_BYTES], number: usize) -> u32 {
    let bytes = &register[4 * number..][..4];
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}
