//! The Message Gateway of G45 and its predecessors (G45 volume 4, chapter 7): threads write into each
//! other's registers.

use std::mem::offset_of;

use parallax_isa::{
    Acceptance,
    eu::register::REGISTER_BYTES,
    shared::{
        Environment, Memory, Request, Response, Unanswered, environment::Gateway,
        memory::OTHER_THREAD_REGISTERS,
    },
};
use parallax_spec::{RuleId, coverage, decision, rule, rule_id};

use super::{OpenDoubleword, Reply, World, Written, undefined};

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

impl Code {
    /// What an acknowledgement with it shows.
    const fn rules(self) -> &'static [RuleId] {
        match self {
            Self::Success => &[rule_id!("g45.gateway.fwd.err.success")],
            Self::SizeExceeded => &[rule_id!("g45.gateway.open.payload.size-error")],
            Self::Closed => {
                &[rule_id!("g45.gateway.state.initial"), rule_id!("g45.gateway.fwd.err.closed")]
            }
            Self::KeyMismatched => &[rule_id!("g45.gateway.fwd.err.key")],
            Self::LimitExceeded => &[rule_id!("g45.gateway.fwd.err.limit")],
            Self::Opcode => &[
                rule_id!("g45.gateway.desc.subfunc-reserved"),
                rule_id!("g45.gateway.fwd.err.opcode"),
            ],
            Self::InvalidSize => &[
                rule_id!("g45.gateway.fwd.payload.length-bad"),
                rule_id!("g45.gateway.fwd.err.size"),
            ],
        }
    }
}

/// The code of the Message Gateway among shared functions.
const GATEWAY: u32 = 3;
/// Bits of an acknowledgement that say something.
const MEANT: u32 = 0x000F_0007;

/// The reply to a message, as soon as the case has surroundings.
pub(super) fn answer(request: &Request, world: &mut World) -> Result<Reply, Unanswered> {
    let Some(environment) = world.environment else {
        return Err(Unanswered::NoSuchFunction("the gateway, without other threads"));
    };
    decision!("D-eu-gateway");
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
    coverage::hit_all(COMMON);
    let code = match control & 3 {
        // It closes the gateway, whatever the payload says.
        0 if request.is_last => Code::Success,
        0 => open(payload)?,
        1 => Code::Success,
        2 => {
            let notifies = control >> 15 & 1 == 1;
            let segment = Segment::of(payload)?;
            match segment {
                None => Code::InvalidSize,
                Some(segment) => {
                    forward(&segment, payload, environment, notifies, world.memory, &mut reply)?
                }
            }
        }
        _ => Code::Opcode,
    };
    if is_acknowledged {
        acknowledge(code, request, &mut reply);
        // What an acknowledgement says shows nowhere else.
        coverage::hit_all([OPEN, CLOSE, FORWARD, RESERVED][(control & 3) as usize]);
        if code != Code::Success || control & 3 == 2 {
            coverage::hit_all(code.rules());
        }
        if control & 3 < 2 && control >> 15 == 1 {
            rule!("g45.gateway.desc.notify-other");
        }
    } else if code != Code::Success && control & 3 == 2 {
        rule!("g45.gateway.fwd.err.noack");
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

/// OpenGateway: what comes of it shows in the acknowledgement only, as no other thread sends.
fn open(payload: &[u8; REGISTER_BYTES]) -> Result<Code, Unanswered> {
    let [range, key] = [5, 4].map(|n| doubleword(payload, n));
    if range & 0xF01F_F800 != 0 || key >> 16 != 0 {
        return undefined("a gateway opened with reserved bits");
    }
    let size = range >> 8 & 7;
    if size > 5 {
        return Ok(Code::SizeExceeded);
    }
    if (range >> 21 & 0x7F) + (1 << size) > OTHER_THREAD_REGISTERS as u32 {
        return undefined("a gateway beyond the last register");
    }
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
    if segment.recipient == (environment.thread >> 4, environment.thread & 3) {
        return undefined("a forward to the thread itself");
    }
    let other = environment.other_thread;
    let other = other.filter(|other| (other.execution_unit, other.thread) == segment.recipient);
    let Some(Gateway { key, first_register, registers }) = other.and_then(|other| other.gateway)
    else {
        return Ok(Code::Closed);
    };
    if key != segment.key {
        return Ok(Code::KeyMismatched);
    }
    if segment.register >= registers.into() {
        return Ok(Code::LimitExceeded);
    }
    let register = usize::from(first_register) + segment.register;
    let Some(written) = memory.other_thread.get_mut(register) else {
        return undefined("a gateway beyond the last register");
    };
    if segment.bytes == 1 && payload[..4] != [payload[0]; 4] {
        return undefined("a forward of a byte with unequal copies");
    }
    coverage::hit_all(if segment.bytes == 1 { FORWARD_BYTE } else { FORWARD_DWORDS });
    coverage::hit_all(FORWARDED);
    let range = segment.byte..segment.byte + segment.bytes;
    written[range.clone()].copy_from_slice(&payload[..segment.bytes]);
    let start = offset_of!(Memory, other_thread) + REGISTER_BYTES * register;
    let range = start + range.start..start + range.end;
    reply.written.push(Written::exact(range));
    if notifies {
        rule!("g45.gateway.desc.notify");
        rule!("g45.gateway.fwd.notify");
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

const COMMON: &[RuleId] = &[
    rule_id!("g45.msg.header.gateway"),
    rule_id!("g45.gateway.messages"),
    rule_id!("g45.gateway.desc.subfunc"),
    rule_id!("g45.gateway.desc.ackreq"),
    rule_id!("g45.gateway.desc.bits19-17"),
];
const OPEN: &[RuleId] = &[
    rule_id!("g45.gateway.open.ack"),
    rule_id!("g45.gateway.open.wb.layout"),
    rule_id!("g45.gateway.open.wb.codes"),
    rule_id!("g45.gateway.open.payload.debug"),
    rule_id!("g45.gateway.open.payload.dispatch"),
    rule_id!("g45.gateway.open.payload.ignored"),
];
const CLOSE: &[RuleId] = &[
    rule_id!("g45.gateway.close.ack"),
    rule_id!("g45.gateway.close.payload"),
    rule_id!("g45.gateway.close.codes"),
];
const FORWARD: &[RuleId] =
    &[rule_id!("g45.gateway.fwd.ack"), rule_id!("g45.gateway.fwd.wb.layout")];
const RESERVED: &[RuleId] = &[];
const FORWARDED: &[RuleId] = &[
    rule_id!("g45.gateway.state"),
    rule_id!("g45.gateway.fwd.operation"),
    rule_id!("g45.gateway.fwd.payload.recipient"),
    rule_id!("g45.gateway.fwd.payload.key"),
    rule_id!("g45.gateway.fwd.payload.debug"),
    rule_id!("g45.gateway.fwd.payload.dispatch"),
    rule_id!("g45.gateway.fwd.payload.offset"),
    rule_id!("g45.gateway.fwd.payload.length"),
    rule_id!("g45.gateway.fwd.write.dest"),
    rule_id!("g45.gateway.fwd.write.enables"),
];
const FORWARD_BYTE: &[RuleId] = &[rule_id!("g45.gateway.fwd.payload.data-byte")];
const FORWARD_DWORDS: &[RuleId] = &[rule_id!("g45.gateway.fwd.payload.data-dword")];
