//! Messages: `send`, `sendc`, `sends`, `sendsc`.

use parallax_isa::{
    eu::{
        State,
        register::{REGISTER_BYTES, RegisterFile},
        state::GRF_COUNT,
    },
    shared::{Request, Response, Unanswered},
};

use super::{
    arf, dependency,
    fields::Generation,
    instruction::{Instruction, MessageFields, Source},
    mask::{self, MaskRule},
    operation::{ALL, Action, GEN9, Operands, Operation},
};
use crate::{
    eu::instruction::Origin,
    shared::{self, Around, SharedFunction},
};

const fn send(code: u8, name: &'static str) -> Operation {
    Operation { code, name, generations: ALL, operands: Operands::Message, action: Action::Message }
}

const fn split(code: u8, name: &'static str) -> Operation {
    Operation { operands: Operands::SplitMessage, ..send(code, name) }.on(GEN9)
}

/// The operations.
pub(super) const ROWS: &[Operation] =
    &[send(0x31, "send"), send(0x32, "sendc"), split(0x33, "sends"), split(0x34, "sendsc")];

/// Codes of those that wait for other threads.
const CONDITIONAL: [u8; 2] = [0x32, 0x34];

/// The one whose messages can be the last ones and do something.
const RENDER_CACHE: u8 = 5;

/// What a message came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Answered,
    EndOfThread,
    /// A thread that this one depends on has to end first.
    Waits,
}

/// A message, resolved.
pub(super) struct Message {
    fields: MessageFields,
    rule: MaskRule,
    channels: u8,
    generation: Generation,
    payload: Place,
    reply: Reply,
    /// It waits for the threads that this one depends on.
    is_conditional: bool,
}

/// Where a payload is.
#[derive(Clone, Copy)]
enum Place {
    Register(usize),
    Addressed(u8, u16),
    Nowhere,
}

/// Where a reply goes.
#[derive(Clone, Copy)]
enum Reply {
    Register(Place),
    Null,
}

impl Message {
    /// Resolves a message.
    pub(super) fn new(instruction: &Instruction) -> Self {
        let place = |file, origin| match origin {
            Origin::Indirect { subregister, offset } => {
                Place::Addressed(subregister, offset.cast_unsigned())
            }
            Origin::Direct { number, .. } if file == RegisterFile::Grf => {
                Place::Register(number.into())
            }
            Origin::Direct { .. } => Place::Nowhere,
        };
        let destination = &instruction.destination;
        // Align16 leaves out channels of each group of four.
        let groups = u32::from(destination.channel_enable) * 0x1111_1111;
        let channels = groups & u32::MAX >> (32 - u32::from(instruction.execution_size));
        Self {
            fields: instruction.message,
            rule: MaskRule::of(instruction, channels, false),
            channels: instruction.execution_size,
            generation: instruction.generation,
            payload: match instruction.sources[0] {
                Source::Register(region) => place(region.file, region.origin),
                Source::Immediate { .. } => Place::Nowhere,
            },
            reply: match place(destination.file, destination.origin) {
                Place::Nowhere => Reply::Null,
                place => Reply::Register(place),
            },
            is_conditional: CONDITIONAL.contains(&instruction.operation.code)
                && instruction.generation <= Generation::Gen9,
        }
    }

    /// Sends it; a sentence if nothing says what comes of it. Nothing has changed then.
    pub(super) fn send(
        &self,
        state: &mut State,
        function: Option<SharedFunction>,
        around: &mut Around,
    ) -> Result<Sent, String> {
        if self.is_conditional && dependency::is_dependent(state) {
            return Ok(Sent::Waits);
        }
        let ends = self.fields.end_of_thread;
        if ends && !(self.fields.function == RENDER_CACHE && around.has_memory()) {
            return Ok(Sent::EndOfThread);
        }
        let target = SHARED_FUNCTIONS[usize::from(self.fields.function & 15)];
        let Some(function) = function else {
            return Err(Unanswered::NoSuchFunction(target).to_string());
        };
        let delivered = self.deliver(state, function, around).map_err(|why| match why {
            Unanswered::NoSuchFunction(_) => Unanswered::NoSuchFunction(target).to_string(),
            why => why.to_string(),
        });
        delivered.map(|()| if ends { Sent::EndOfThread } else { Sent::Answered })
    }

    fn register(&self, state: &State, place: Place) -> Option<usize> {
        match place {
            Place::Register(number) => Some(number),
            Place::Addressed(subregister, offset) => {
                let address = state.address[usize::from(subregister & 15)];
                Some(arf::indirect(self.generation, address, offset) / REGISTER_BYTES)
            }
            Place::Nowhere => None,
        }
    }

    fn deliver(
        &self,
        state: &mut State,
        function: SharedFunction,
        around: &mut Around,
    ) -> Result<(), Unanswered> {
        let wrong = |what: &str| Err(Unanswered::Undefined(format!("send with {what}")));
        let [low, high] = [0, 1].map(|n| u32::from(state.address[n]));
        let descriptor = self.fields.descriptor.unwrap_or(low | high << 16);
        let length = (descriptor >> 25 & 0xF) as usize;
        let response_length = (descriptor >> 20 & 0x1F) as usize;
        let Some(first) = self.register(state, self.payload) else {
            return wrong("a payload that is not in general registers");
        };
        if length == 0 || first + length > GRF_COUNT {
            return wrong("a payload that is not in general registers");
        }
        let mut payload = state.grf[first..first + length].to_vec();
        if let Some((second, second_length)) = self.second(state) {
            let (second, end) = (usize::from(second), usize::from(second) + second_length);
            if end > GRF_COUNT {
                return wrong("a payload that is not in general registers");
            }
            payload.extend_from_slice(&state.grf[second..end]);
        }
        let first_reply = match self.reply {
            Reply::Register(place) => self.register(state, place),
            Reply::Null => None,
        };
        // Without a reply it does not matter where the destination is.
        let first_reply = match first_reply {
            _ if response_length == 0 => 0,
            None => return wrong("a reply that goes nowhere"),
            Some(first) if first + response_length > GRF_COUNT => {
                return wrong("a reply beyond the last register");
            }
            Some(first) => first,
        };
        let active = mask::active(self.generation, state);
        let (enabled, _) = self.rule.enabled(state, active);
        // Of eight channels or fewer every register of the reply is for the same channels.
        let enabled = if self.channels <= 8 { enabled | enabled << 8 } else { enabled };
        let request = Request {
            target: self.fields.function,
            function_control: descriptor & 0x7_FFFF,
            format_control: match self.generation {
                Generation::Gen7 => 0,
                _ => (descriptor >> 29 & 3) as u8,
            },
            extended_descriptor: self.extended_descriptor(state),
            has_header: descriptor >> 19 & 1 == 1,
            payload: &payload,
            channel_enables: self.channel_enables(enabled),
            channels: self.channels,
            response_length: response_length as u8,
            alternative_float_mode: state.control[0] & 1 != 0,
            is_last: self.fields.end_of_thread,
        };
        let mut reply = shared::Reply::default();
        (around.is_notified, around.words) = (false, None);
        function(&request, &mut state.memory, around, &mut reply)?;
        if around.is_notified {
            state.notification_count[0] = (state.notification_count[0] + 1) & 0xFFFF;
        }
        if response_length > reply.len() {
            return wrong("a reply of too many registers");
        }
        let registers = state.grf[first_reply..].iter_mut();
        for (register, response) in registers.zip(&reply[..response_length]) {
            match around.words {
                Some(words) => write_words(register, response, words),
                None => write_back(register, response),
            }
        }
        Ok(())
    }

    /// The enables that travel with the message: of eight channels or fewer, those of each register of
    /// a reply are the same (D-eu-later-messages).
    fn channel_enables(&self, enabled: u32) -> u16 {
        let low = enabled as u16;
        if self.channels <= 8 { low & 0xFF | low << 8 } else { low }
    }

    /// The extended descriptor.
    fn extended_descriptor(&self, state: &State) -> u32 {
        let Some(doubleword) = self.fields.extended_in else { return self.fields.extended };
        let [low, high] = [0, 1].map(|n| state.address[usize::from(2 * doubleword + n) & 15]);
        u32::from(low) | u32::from(high) << 16
    }

    /// The second part of the payload: its first register and how many there are.
    fn second(&self, state: &State) -> Option<(u8, usize)> {
        let (register, length) = self.fields.second?;
        let length = match self.fields.extended_in {
            Some(doubleword) => {
                let low = state.address[usize::from(2 * doubleword) & 15];
                let length = low >> 6 & 0x1F;
                // Gen12 has a bit more of it.
                usize::from(if self.generation < Generation::Gen12 { length & 0xF } else { length })
            }
            None => length.into(),
        };
        Some((register, length))
    }
}

/// Writes the enabled doublewords of a register.
fn write_back(register: &mut [u8; REGISTER_BYTES], response: &Response) {
    let doublewords = register.as_chunks_mut::<4>().0.iter_mut();
    for (n, (old, new)) in doublewords.zip(response.bytes.as_chunks::<4>().0).enumerate() {
        if response.enables >> n & 1 == 1 {
            *old = *new;
        }
    }
}

/// Writes the enabled words of a register.
fn write_words(register: &mut [u8; REGISTER_BYTES], response: &Response, enables: u16) {
    let words = register.as_chunks_mut::<2>().0.iter_mut();
    for (n, (old, new)) in words.zip(response.bytes.as_chunks::<2>().0).enumerate() {
        if enables >> n & 1 == 1 {
            *old = *new;
        }
    }
}

/// Names of shared functions (table eu-sfid-by-gen).
const SHARED_FUNCTIONS: [&str; 16] = [
    "null",
    "1",
    "sampler",
    "message gateway",
    "data port 4",
    "render cache data port",
    "URB",
    "thread spawner",
    "video motion estimation",
    "data port 9",
    "data cache data port 0",
    "pixel interpolator",
    "12",
    "13",
    "14",
    "15",
];
