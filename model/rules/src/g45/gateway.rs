//! The Message Gateway (chapter 7): threads write into each other's registers.

use super::of_gen4;
use crate::{Rule, message::Message, rule, rule::Decides};

/// The code of the target.
const TARGET: &[u8] = &[3];

// Subfunctions.
const OPEN: u32 = 0;
const CLOSE: u32 = 1;
const FORWARD: u32 = 2;

// What an acknowledgement says.
const SUCCESS: u32 = 0;
const SIZE_EXCEEDED: u32 = 1;
const CLOSED: u32 = 2;
const KEY_MISMATCHED: u32 = 3;
const LIMIT_EXCEEDED: u32 = 4;
const OPCODE: u32 = 5;
const INVALID_SIZE: u32 = 6;

/// A rule of messages.
const fn gateway(id: &str, when: fn(Message) -> bool) -> Rule {
    of_gen4(rule::message(id, TARGET, when))
}

/// A rule of what messages leave in the registers of another thread.
const fn store(id: &str, when: fn(Message) -> bool) -> Rule {
    gateway(id, when).decides_of(Decides::Stored)
}

fn is_acknowledged(message: Message) -> bool {
    message.control(14, 14) == 1
}

/// Whether a subfunction is acknowledged.
fn acknowledges(message: Message, subfunction: u32) -> bool {
    is_acknowledged(message) && message.control(1, 0) == subfunction
}

/// Whether it is acknowledged with a code.
fn returns(message: Message, subfunction: u32, code: u32) -> bool {
    let has_code = || message.reply.first().is_some_and(|reply| reply.bytes[0] & 7 == code as u8);
    acknowledges(message, subfunction) && has_code()
}

fn notifies(message: Message) -> bool {
    message.control(15, 15) == 1
}

/// Whether a segment is written, into a register of whichever thread.
fn forwards(message: Message) -> bool {
    message.control(1, 0) == FORWARD && (message.stores || message.forwards)
}

/// Whether a segment is for the thread itself.
fn is_for_itself(message: Message) -> bool {
    let recipient = message.payload(4);
    let place = (recipient >> 24 & 0xF) << 4 | recipient >> 16 & 3;
    message.environment.is_some_and(|around| u32::from(around.thread & 0xF3) == place)
}

pub(super) const RULES: &[Rule] = &[
    gateway("g45.msg.header.gateway", |_| true).unconditional(),
    gateway("g45.msg.order.same-target", |m| m.forwards),
    gateway("g45.gateway.messages", |_| true).unconditional(),
    gateway("g45.gateway.state", forwards),
    gateway("g45.gateway.state.initial", |m| returns(m, FORWARD, CLOSED)),
    gateway("g45.gateway.desc.bits19-17", is_acknowledged),
    store("g45.gateway.desc.notify", |m| m.stores && notifies(m)),
    gateway("g45.gateway.desc.notify-other", |m| {
        notifies(m) && (acknowledges(m, OPEN) || acknowledges(m, CLOSE))
    }),
    gateway("g45.gateway.desc.ackreq", is_acknowledged),
    gateway("g45.gateway.desc.subfunc", |m| m.control(1, 0) != OPEN),
    gateway("g45.gateway.desc.subfunc-reserved", |m| returns(m, 3, OPCODE)),
    gateway("g45.gateway.open.operation", |m| m.forwards),
    gateway("g45.gateway.open.ack", |m| acknowledges(m, OPEN)),
    gateway("g45.gateway.open.key-policy", |m| m.forwards),
    gateway("g45.gateway.open.payload.debug", |m| {
        acknowledges(m, OPEN) && m.has_payload_in(&[6, 7])
    }),
    gateway("g45.gateway.open.payload.regbase", |m| m.forwards),
    gateway("g45.gateway.open.payload.size", |m| {
        m.forwards || returns(m, FORWARD, LIMIT_EXCEEDED) && is_for_itself(m)
    }),
    gateway("g45.gateway.open.payload.size-error", |m| returns(m, OPEN, SIZE_EXCEEDED)),
    gateway("g45.gateway.open.payload.dispatch", |m| {
        acknowledges(m, OPEN) && m.payload(5) & 0xFF != 0
    }),
    gateway("g45.gateway.open.payload.ignored", |m| {
        acknowledges(m, OPEN) && m.has_payload_in(&[0, 1, 2, 3])
    }),
    gateway("g45.gateway.open.wb.layout", |m| acknowledges(m, OPEN)),
    gateway("g45.gateway.open.wb.codes", |m| acknowledges(m, OPEN)),
    gateway("g45.gateway.close.operation", |m| returns(m, FORWARD, CLOSED) && is_for_itself(m)),
    gateway("g45.gateway.close.ack", |m| acknowledges(m, CLOSE)),
    gateway("g45.gateway.close.payload", |m| {
        acknowledges(m, CLOSE) && m.has_payload_in(&[0, 1, 2, 3, 4, 5, 6, 7])
    }),
    gateway("g45.gateway.close.codes", |m| acknowledges(m, CLOSE)),
    gateway("g45.gateway.fwd.operation", forwards),
    gateway("g45.gateway.fwd.ack", |m| acknowledges(m, FORWARD)),
    store("g45.gateway.fwd.notify", |m| m.stores && notifies(m)),
    gateway("g45.gateway.fwd.notify-order", |m| m.forwards && notifies(m)),
    gateway("g45.gateway.fwd.payload.offset", |m| forwards(m) && m.payload(5) >> 16 != 0),
    gateway("g45.gateway.fwd.payload.length", forwards),
    gateway("g45.gateway.fwd.payload.length-bad", |m| returns(m, FORWARD, INVALID_SIZE)),
    gateway("g45.gateway.fwd.payload.recipient", forwards),
    gateway("g45.gateway.fwd.payload.key", forwards),
    gateway("g45.gateway.fwd.payload.dispatch", |m| forwards(m) && m.payload(5) & 0xFF != 0),
    gateway("g45.gateway.fwd.payload.data-dword", |m| forwards(m) && m.payload(5) >> 8 & 7 != 0),
    gateway("g45.gateway.fwd.payload.data-byte", |m| forwards(m) && m.payload(5) >> 8 & 7 == 0),
    gateway("g45.gateway.fwd.write.dest", forwards),
    gateway("g45.gateway.fwd.write.enables", forwards),
    gateway("g45.gateway.fwd.err.closed", |m| returns(m, FORWARD, CLOSED)),
    gateway("g45.gateway.fwd.err.key", |m| returns(m, FORWARD, KEY_MISMATCHED)),
    gateway("g45.gateway.fwd.err.limit", |m| returns(m, FORWARD, LIMIT_EXCEEDED)),
    gateway("g45.gateway.fwd.err.opcode", |m| returns(m, 3, OPCODE)),
    gateway("g45.gateway.fwd.err.size", |m| returns(m, FORWARD, INVALID_SIZE)),
    gateway("g45.gateway.fwd.err.success", |m| returns(m, FORWARD, SUCCESS)),
    gateway("g45.gateway.fwd.err.noack", |m| {
        m.control(1, 0) == FORWARD && !is_acknowledged(m) && !forwards(m)
    }),
    gateway("g45.gateway.fwd.wb.layout", |m| acknowledges(m, FORWARD)),
    gateway("g45.gateway.fwd.payload.debug", |m| forwards(m) && m.has_payload_in(&[6, 7])),
];
