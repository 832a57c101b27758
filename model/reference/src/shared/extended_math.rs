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
use parallax_spec::{coverage, decision, rule};

use super::{OpenDoubleword, Reply, SharedFunction, World};
use message::{Channels, FloatFunction, Function, Message};

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
}

impl Computed {
    /// Nobody says what.
    const OPEN: Self = Self { bits: 0, acceptance: Some(Acceptance::Undefined) };

    const fn exactly(bits: u32) -> Self {
        Self { bits, acceptance: None }
    }

    const fn within(bits: u32, range: Range32) -> Self {
        if range.low == range.high {
            return Self::exactly(range.low);
        }
        Self { bits, acceptance: Some(Acceptance::Within32(range)) }
    }
}

impl ExtendedMath {
    /// That of devices before DevCTG.
    pub(crate) const GEN4: Self = Self { has_wide_messages: false };
    /// That of DevCTG and later.
    pub(crate) const GEN45: Self = Self { has_wide_messages: true };
}

impl SharedFunction for ExtendedMath {
    fn answer(&self, request: &Request, _: &mut World) -> Result<Reply, Unanswered> {
        if request.target != TARGET {
            return Err(Unanswered::NoSuchFunction("another than Extended Math"));
        }
        let message = Message::new(request, self.has_wide_messages)?;
        coverage::hit_all(message::RULES);
        rule!("g45.msg.header.math");
        if request.channel_enables != 0xFFFF {
            rule!("g45.msg.emask.use");
        }
        if request.channel_enables & 0xFF == 0 {
            rule!("g45.extmath.mode.vector-none");
        }
        let mut reply = Reply::default();
        match (message.channels, message.function) {
            (Channels::Sixteen, _) => {
                rule!("g45.extmath.payload.16ch");
                decision!("D-eu-extended-math");
                let enables = request.channel_enables.to_le_bytes();
                for (payload, enables) in request.payload.iter().zip(enables) {
                    message.answer_register(&mut reply, [payload, payload], enables, 0);
                }
            }
            (Channels::Eight, function) => {
                coverage::hit_all(message::EIGHT_CHANNELS);
                let first = &request.payload[0];
                let second = request.payload.get(1).unwrap_or(first);
                let enables = request.channel_enables as u8;
                for result in 0..function.results() {
                    message.answer_register(&mut reply, [first, second], enables, result);
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
    ) {
        let register = reply.registers.len();
        let mut bytes = [0; REGISTER_BYTES];
        for channel in (0..CHANNELS).filter(|channel| enables >> channel & 1 == 1) {
            let source = self.source_channel(channel, enables);
            let [first, second] = operands.map(|operand| doubleword(operand, source));
            let computed = self.compute([first, second], result);
            bytes[4 * channel..][..4].copy_from_slice(&computed.bits.to_le_bytes());
            if let Some(acceptance) = computed.acceptance {
                reply.open.push(OpenDoubleword::whole(register, channel, acceptance));
            }
        }
        reply.registers.push(Response { bytes, enables });
    }

    /// The channel whose operands a channel has.
    fn source_channel(&self, channel: usize, enables: u8) -> usize {
        if !self.is_scalar {
            rule!("g45.extmath.mode.vector");
            return channel;
        }
        let first = channel / 4 * 4;
        coverage::hit_all(message::SCALAR);
        if enables >> first & 1 == 0 {
            rule!("g45.extmath.mode.scalar-lead-disabled");
        }
        if enables & 0xF == 0 || enables >> 4 == 0 {
            rule!("g45.extmath.mode.scalar-group-off");
        }
        match self.function {
            Function::Float(FloatFunction::Power) => rule!("g45.extmath.mode.scalar-two-operand"),
            Function::Divide(_) => {
                rule!("g45.extmath.mode.scalar-two-operand");
                rule!("g45.extmath.intdiv.scalar");
            }
            Function::Float(FloatFunction::InverseRoot) => rule!("g45.extmath.rsq.op"),
            _ => {}
        }
        first
    }
}

fn doubleword(register: &[u8; REGISTER_BYTES], number: usize) -> u32 {
    let bytes = &register[4 * number..][..4];
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}
