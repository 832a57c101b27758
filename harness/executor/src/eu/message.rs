//! Messages (G45 volume 4, section 14.2.41 and table 14-28).

use parallax_isa::{
    eu::{
        State,
        register::{REGISTER_BYTES, RegisterFile},
        state::{GRF_COUNT, MRF_COUNT},
    },
    shared::{Request, Response, Unanswered},
};

use super::{
    arf,
    compression::message_fault,
    instruction::{Compression, Context, Instruction, Origin, Source},
    lower,
    mask::MaskRule,
    micro_op::MicroOp,
    modes,
    operation::{ALL, Action, Operands, Operation},
};
use crate::shared::{self, Around, SharedFunction};

/// The operation.
pub(super) const ROWS: &[Operation] = &[Operation {
    code: 0x31,
    name: "send",
    devices: ALL,
    operands: Operands::Message,
    action: Action::Message,
}];

/// Where the reply goes.
#[derive(Clone, Copy)]
enum Reply {
    Nowhere,
    Register(usize),
    /// Where an address register points to, so many bytes on.
    Addressed {
        subregister: u8,
        offset: u16,
    },
    /// Something that has no defined effect: what.
    Undefined(&'static str),
}

/// A send, resolved.
#[derive(Clone)]
pub(super) struct Message {
    end_of_thread: bool,
    /// The descriptor; `None`: it is in `a0.0`.
    descriptor: Option<u32>,
    first_register: usize,
    channels: u8,
    reply: Reply,
    rule: MaskRule,
    /// Bytes of an element of the destination, and those from one to the next.
    element: usize,
    step: usize,
    /// For each channel the bit it has in the channel enables; zero where it has none. Of a destination that
    /// an address register points to, as if it were where a register begins.
    enables: [u16; 16],
    /// All of those.
    all_enables: u16,
    /// Why its channel enables have no defined value, if so.
    refused: Option<&'static str>,
}

/// What a message needs on its way.
struct Envelope {
    descriptor: u32,
    first_reply: usize,
    /// How far from where its register begins the destination does, beyond what `enables` says.
    begin: usize,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Answered,
    /// It was the thread's last.
    EndOfThread,
}

/// Why a message cannot be delivered.
type Undeliverable = String;

impl Message {
    /// One message: a whole send, or a half of one that is split.
    pub(super) fn new(send: &Instruction, context: Context) -> Self {
        let descriptor = match send.sources[1] {
            Source::Immediate { bits, .. } => Some(bits),
            Source::Register(_) => None,
        };
        let destination = send.destination;
        let (reply, start) = match (destination.file, destination.origin) {
            (RegisterFile::Grf, Origin::Direct { number, subregister }) => {
                (Reply::Register(number.into()), subregister)
            }
            (RegisterFile::Arf, Origin::Direct { number, subregister }) if number >> 4 == 0 => {
                (Reply::Nowhere, subregister)
            }
            (RegisterFile::Grf, Origin::Indirect { subregister, offset }) => {
                (Reply::Addressed { subregister, offset: offset.cast_unsigned() }, 0)
            }
            _ => (Reply::Undefined("a destination that is neither null nor general"), 0),
        };
        let size = destination.data_type.size();
        let step = usize::from(destination.stride) * size;
        let channels = usize::from(send.execution_size.min(16));
        let mut enables = [0; 16];
        let mut refused = None;
        for (channel, enable) in enables.iter_mut().enumerate().take(channels) {
            let byte = usize::from(start) + channel * step;
            if byte + size > REGISTER_BYTES {
                refused = Some("a destination that crosses registers");
                break;
            }
            *enable = 1 << (byte / size.max(2));
        }
        if size == 1 {
            refused = Some("a destination of bytes");
        }
        if send.compression == Compression::Compressed {
            refused = message_fault(send);
        }
        Self {
            end_of_thread: send.last_dword >> 31 == 1,
            descriptor,
            first_register: send.message_register.into(),
            channels: send.execution_size,
            reply,
            rule: lower::mask_rule(send, channels, lower::upper_half(send, context)),
            all_enables: enables.iter().fold(0, |all, enable| all | enable),
            element: size,
            step,
            enables,
            refused,
        }
    }

    /// Makes the implied move, delivers the message and writes the reply. If that cannot be, nothing
    /// has happened.
    // Long and seldom: inlined it would cost the steps of all other instructions.
    #[inline(never)]
    pub(super) fn send(
        &self,
        state: &mut State,
        implied_move: Option<&MicroOp>,
        function: Option<SharedFunction>,
        around: &mut Around,
        reply: &mut shared::Reply,
    ) -> Result<Sent, Undeliverable> {
        let delivery = match function {
            _ if self.end_of_thread && !self.is_last_taken(state, around) => None,
            None => return Err(self.no_such_function(state)),
            Some(function) => Some((self.check(state)?, function)),
        };
        let kept = state.mrf[self.first_register];
        if let Some(op) = implied_move {
            let (_, begin) = self.posted(state)?;
            op.run(state);
            // Of the bytes beside what it moves nothing is known.
            state.mrf[self.first_register].rotate_right(begin);
        }
        let Some((envelope, function)) = delivery else { return Ok(Sent::EndOfThread) };
        match self.deliver(state, envelope, function, around, reply) {
            Ok(()) if self.end_of_thread => Ok(Sent::EndOfThread),
            Err(Unanswered::NoSuchFunction(_)) if self.end_of_thread => Ok(Sent::EndOfThread),
            Ok(()) => Ok(Sent::Answered),
            Err(why) => {
                state.mrf[self.first_register] = kept;
                Err(match why {
                    Unanswered::NoSuchFunction(_) => self.no_such_function(state),
                    why => why.to_string(),
                })
            }
        }
    }

    /// Whether a last message goes to something that shows what it did: gateway, data port, URB.
    fn is_last_taken(&self, state: &State, around: &Around) -> bool {
        around.has_memory() && matches!(self.descriptor(state) >> 24 & 0xF, 3..=6)
    }

    fn no_such_function(&self, state: &State) -> Undeliverable {
        let target = SHARED_FUNCTIONS[(self.descriptor(state) >> 24 & 0xF) as usize];
        Unanswered::NoSuchFunction(target).to_string()
    }

    fn descriptor(&self, state: &State) -> u32 {
        let [low, high, ..] = state.address.map(u32::from);
        self.descriptor.unwrap_or(low | high << 16)
    }

    /// Where the reply goes as things stand, and how far from where its register begins the region does that
    /// `enables` and the implied move were made for.
    fn posted(&self, state: &State) -> Result<(Reply, usize), Undeliverable> {
        let Reply::Addressed { subregister, offset } = self.reply else {
            return Ok((self.reply, 0));
        };
        let address = state.address.get(usize::from(subregister));
        let byte = address.map_or(usize::MAX, |address| arf::indirect(*address, offset));
        let (register, begin) = (byte / REGISTER_BYTES, byte % REGISTER_BYTES);
        let last = usize::from(self.channels.clamp(1, 16)) - 1;
        if register >= GRF_COUNT || !byte.is_multiple_of(self.element) {
            return Err("send with a destination that points to no register".to_owned());
        }
        if begin + last * self.step + self.element > REGISTER_BYTES {
            return Err("send with a destination that crosses registers".to_owned());
        }
        Ok((Reply::Register(register), begin))
    }

    /// Whether the message can be delivered as things stand, and how.
    fn check(&self, state: &State) -> Result<Envelope, Undeliverable> {
        let descriptor = self.descriptor(state);
        let message_length = (descriptor >> 20 & 0xF) as usize;
        let response_length = (descriptor >> 16 & 0xF) as usize;
        let wrong = |what: &str| Err(format!("send with {what}"));
        if let Some(what) = self.refused {
            return wrong(what);
        }
        if message_length == 0 || self.first_register + message_length > MRF_COUNT {
            return wrong("a message that is not in the message registers");
        }
        let (reply, begin) = self.posted(state)?;
        let envelope = |first_reply| Ok(Envelope { descriptor, first_reply, begin });
        match reply {
            Reply::Undefined(what) => wrong(what),
            Reply::Addressed { .. } => wrong("a destination that points to no register"),
            Reply::Nowhere if response_length == 0 => envelope(0),
            Reply::Nowhere => wrong("a reply that goes nowhere"),
            Reply::Register(_) if !(1..=8).contains(&response_length) => {
                wrong("a reply of no or too many registers")
            }
            Reply::Register(first) if first + response_length > GRF_COUNT => {
                wrong("a reply beyond the last register")
            }
            Reply::Register(first) => envelope(first),
        }
    }

    /// The channel enables of some channels, most often all.
    fn channel_enables(&self, enabled: u16) -> u16 {
        if enabled == u16::MAX {
            return self.all_enables;
        }
        self.enables.iter().enumerate().fold(0, |mask, (channel, enable)| {
            if enabled >> channel & 1 == 1 { mask | enable } else { mask }
        })
    }

    /// Delivers the message and writes the reply.
    fn deliver(
        &self,
        state: &mut State,
        Envelope { descriptor, first_reply, begin }: Envelope,
        function: SharedFunction,
        around: &mut Around,
        reply: &mut shared::Reply,
    ) -> Result<(), Unanswered> {
        let (enabled, _) = self.rule.enabled(state);
        let channel_enables = self.channel_enables(enabled) << (begin / self.element.max(2));
        let message_length = (descriptor >> 20 & 0xF) as usize;
        let response_length = (descriptor >> 16 & 0xF) as u8;
        let payload = self.first_register..self.first_register + message_length;
        let request = Request {
            target: (descriptor >> 24 & 0xF) as u8,
            function_control: descriptor & 0xFFFF,
            format_control: 0,
            extended_descriptor: 0,
            has_header: false,
            payload: &state.mrf[payload],
            channel_enables,
            channels: self.channels,
            response_length,
            alternative_float_mode: modes::alternative(state),
            is_last: self.end_of_thread,
        };
        // Bytes of the last one do no harm, and clearing them all would take as long as many an answer.
        reply.iter_mut().for_each(|response| response.enables = 0);
        function(&request, &mut state.memory, around, reply)?;
        if let Some(arrival) = around.take_arrival() {
            arrival.arrive(state.grf.as_flattened_mut(), &mut state.notification[0]);
        }
        let registers = state.grf[first_reply..].iter_mut();
        for (register, response) in registers.zip(&reply[..response_length.into()]) {
            write_back(register, response);
        }
        Ok(())
    }
}

/// Writes the enabled doublewords of a register.
fn write_back(register: &mut [u8; REGISTER_BYTES], response: &Response) {
    if response.enables == 0xFF {
        *register = response.bytes;
        return;
    }
    let doublewords = register.as_chunks_mut::<4>().0.iter_mut();
    for (n, (old, new)) in doublewords.zip(response.bytes.as_chunks::<4>().0).enumerate() {
        if response.enables >> n & 1 == 1 {
            *old = *new;
        }
    }
}

/// Names of shared functions by target function id (Table 14-28).
const SHARED_FUNCTIONS: [&str; 16] = [
    "null",
    "extended math",
    "sampler",
    "message gateway",
    "data port read",
    "data port write",
    "URB",
    "thread spawner",
    "8",
    "9",
    "10",
    "11",
    "12",
    "13",
    "14",
    "15",
];

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, Model, Outcome, Step,
        eu::{Case, text},
    };

    use super::*;
    use crate::eu::Executor;

    const WHY: &str = "a surface that is not there";

    #[test]
    fn a_message_without_a_reply_has_no_effect() {
        let line = "send (8) r10<1>:ud m1 r2<8;8,1>:ud 0x01110000";
        let program = text::parse(Device::G45, line).expect("it assembles").program;
        let mut state = Box::new(State::new());
        state.grf[2] = [7; REGISTER_BYTES];
        let case = Case::new(Device::G45, program.bytes().to_vec(), state.clone(), 4);
        let mut executor = Executor::new();
        executor.load(&case).expect("it loads");
        executor.shared_function = Some(|_, _, _, _| Err(Unanswered::Undefined(WHY.to_owned())));
        assert_eq!(executor.step(), Step::Finished(Outcome::Undefined(WHY.to_owned())));
        assert!(*executor.state() == *state, "the implied move is taken back");
    }
}
