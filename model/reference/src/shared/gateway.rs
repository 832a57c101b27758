//! The Message Gateway of G45 and its predecessors (G45 volume 4, chapter 7): threads write into each
//! other's registers.

use std::mem::offset_of;

use parallax_isa::{
    Acceptance,
    eu::{register::REGISTER_BYTES, state::GRF_COUNT},
    shared::{Environment, Memory, Request, Response, Unanswered, environment::Gateway},
};

use super::{Forwarded, OpenDoubleword, Reply, World, Written, undefined};

/// What an acknowledgement says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    Success = 0,
    SizeExceeded = 1,
    Closed = 2,
    KeyMismatched = 3,
    LimitExceeded = 4,
    Opcode = 5,
    InvalidSize = 6,
}

/// The code of the Message Gateway among shared functions.
const GATEWAY: u32 = 3;
/// Bits of an acknowledgement that say something.
const MEANT: u32 = 0x000F_0007;

/// The reply to a message, as soon as the case has surroundings.
pub(super) fn answer(request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
    let World { environment: Some(environment), memory, past, .. } = world else {
        return Err(Unanswered::NoSuchFunction("the gateway, without other threads"));
    };
    // Decision D-eu-gateway.
    let control = request.function_control;
    let is_acknowledged = control >> 14 & 1 == 1;
    if control & 0x3FFC != 0 || request.payload.len() != 1 {
        return undefined("a message to the gateway with reserved bits or of another length");
    }
    if usize::from(request.response_length) != usize::from(is_acknowledged) {
        return undefined("an acknowledgement that is not asked for, or not expected");
    }
    if is_acknowledged && request.is_last {
        return undefined("an acknowledgement to a thread that has ended");
    }
    let payload = &request.payload[0];
    let mut reply = Reply::default();
    let code = match control & 3 {
        // It closes the gateway, whatever the payload says.
        0 if request.is_last => Code::Success,
        0 => open(payload, &mut past.gateway)?,
        1 => {
            past.gateway = None;
            Code::Success
        }
        2 => {
            let notifies = control >> 15 & 1 == 1;
            let segment = Segment::of(payload)?;
            match segment {
                None => Code::InvalidSize,
                Some(segment) if segment.is_for(environment.thread) => {
                    forward_to_itself(&segment, payload, past.gateway, request, &mut reply)?
                }
                Some(segment) => {
                    forward(&segment, payload, environment, notifies, memory, &mut reply)?
                }
            }
        }
        _ => Code::Opcode,
    };
    if is_acknowledged {
        acknowledge(code, request, &mut reply);
    }
    Ok(reply)
}

/// Doubleword 0 of the reply: who answers and what came of it.
fn acknowledge(code: Code, request: &Request, reply: &mut Reply) {
    let mut bytes = [0; REGISTER_BYTES];
    bytes[..4].copy_from_slice(&(GATEWAY << 16 | code as u32).to_le_bytes());
    reply.registers.push(Response { bytes, enables: 1 });
    reply.perhaps_under = Some(request.channel_enables);
    let acceptance = Acceptance::Undefined;
    reply.open.push(OpenDoubleword { register: 0, doubleword: 0, mask: !MEANT, acceptance });
}

/// OpenGateway: the thread's own gateway lets others in from now on, to some of its registers.
fn open(payload: &[u8; REGISTER_BYTES], gateway: &mut Option<Gateway>) -> Result<Code, Unanswered> {
    let [range, key] = [5, 4].map(|n| doubleword(payload, n));
    if range & 0xF01F_F800 != 0 || key >> 16 != 0 {
        return undefined("a gateway opened with reserved bits");
    }
    let size = range >> 8 & 7;
    if size > 5 {
        return Ok(Code::SizeExceeded);
    }
    let (first_register, registers) = ((range >> 21 & 0x7F) as u8, 1 << size);
    if usize::from(first_register + registers) > GRF_COUNT {
        return undefined("a gateway beyond the last register");
    }
    *gateway = Some(Gateway { key: key as u16, first_register, registers });
    Ok(Code::Success)
}

/// What a forward is about.
#[derive(Debug, Clone, Copy)]
struct Segment {
    bytes: usize,
    /// Register and byte, from the beginning of the gateway on.
    register: usize,
    byte: usize,
    /// Execution unit and number of the recipient.
    recipient: (u8, u8),
    key: u16,
}

impl Segment {
    /// `None`: it is too long.
    fn of(payload: &[u8; REGISTER_BYTES]) -> Result<Option<Self>, Unanswered> {
        let [place, recipient] = [5, 4].map(|n| doubleword(payload, n));
        if place & 0xF000_F800 != 0 {
            return undefined("a forward with reserved bits");
        }
        let bytes = match place >> 8 & 7 {
            0 => 1,
            2 => 4,
            3 => 8,
            4 => 16,
            1 => return undefined("a forward of reserved length"),
            _ => return Ok(None),
        };
        let byte = (place >> 16 & 0x1F) as usize;
        if !byte.is_multiple_of(bytes) {
            return undefined("a forward that is not aligned to its length");
        }
        Ok(Some(Self {
            bytes,
            register: (place >> 21 & 0x7F) as usize,
            byte,
            recipient: ((recipient >> 24 & 0xF) as u8, (recipient >> 16 & 3) as u8),
            key: recipient as u16,
        }))
    }

    /// Whether it is for a thread: execution unit and number, four bits each.
    fn is_for(&self, thread: u8) -> bool {
        self.recipient == (thread >> 4, thread & 3)
    }

    /// The general register of the recipient, if its gateway lets the segment in.
    fn register_behind(&self, gateway: Option<Gateway>) -> Result<usize, Code> {
        let Some(Gateway { key, first_register, registers }) = gateway else {
            return Err(Code::Closed);
        };
        if key != self.key {
            return Err(Code::KeyMismatched);
        }
        if self.register >= registers.into() {
            return Err(Code::LimitExceeded);
        }
        Ok(usize::from(first_register) + self.register)
    }

    /// Refuses a byte that does not come in four copies.
    fn check_copies(&self, payload: &[u8; REGISTER_BYTES]) -> Result<(), Unanswered> {
        if self.bytes == 1 && payload[..4] != [payload[0]; 4] {
            return undefined("a forward of a byte with unequal copies");
        }
        Ok(())
    }
}

/// ForwardMsg to the thread itself, through its own gateway: as it is acknowledged, the register is
/// written before anything else happens.
fn forward_to_itself(
    segment: &Segment,
    payload: &[u8; REGISTER_BYTES],
    own: Option<Gateway>,
    request: &Request,
    reply: &mut Reply,
) -> Result<Code, Unanswered> {
    if request.function_control >> 14 & 1 == 0 {
        return undefined("a forward to the thread itself without an acknowledgement");
    }
    let register = match segment.register_behind(own) {
        Ok(register) => register,
        Err(code) => return Ok(code),
    };
    segment.check_copies(payload)?;
    let (byte, bytes, data) = (segment.byte, segment.bytes, *payload);
    let notifies = request.function_control >> 15 & 1 == 1;
    reply.forwarded = Some(Forwarded { register, byte, data, bytes, notifies });
    Ok(Code::Success)
}

/// ForwardMsg: writes a segment into a register of the recipient, if its gateway lets it in.
fn forward(
    segment: &Segment,
    payload: &[u8; REGISTER_BYTES],
    environment: &Environment,
    notifies: bool,
    memory: &mut Memory,
    reply: &mut Reply,
) -> Result<Code, Unanswered> {
    let other = environment.other_thread;
    let other = other.filter(|other| (other.execution_unit, other.thread) == segment.recipient);
    let register = match segment.register_behind(other.and_then(|other| other.gateway)) {
        Ok(register) => register,
        Err(code) => return Ok(code),
    };
    let Some(written) = memory.other_thread.get_mut(register) else {
        return undefined("a gateway beyond the last register");
    };
    segment.check_copies(payload)?;
    let range = segment.byte..segment.byte + segment.bytes;
    written[range.clone()].copy_from_slice(&payload[..segment.bytes]);
    let start = offset_of!(Memory, other_thread) + REGISTER_BYTES * register;
    let range = start + range.start..start + range.end;
    reply.written.push(Written::exact(range));
    if notifies {
        let count = u64::from_le_bytes(memory.other_notification).wrapping_add(1);
        memory.other_notification = count.to_le_bytes();
        let start = offset_of!(Memory, other_notification);
        reply.written.push(Written::exact(start..start + 8));
    }
    Ok(Code::Success)
}

fn doubleword(register: &[u8; REGISTER_BYTES], number: usize) -> u32 {
    let bytes = &register[4 * number..][..4];
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}
