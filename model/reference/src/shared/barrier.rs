//! Barriers of the Message Gateway, Gen7 and later: a thread tells that it has come, and is notified when every
//! thread of its group has.

use parallax_isa::{
    Acceptance,
    device::Generation,
    shared::{Request, Response, Unanswered},
};

use super::{OpenDoubleword, Reply, undefined};

/// The code of the Message Gateway among shared functions.
pub(super) const GATEWAY: u8 = 3;

/// The subfunction of barriers, bits 2:0 of the descriptor.
const BARRIER: u32 = 4;

/// The reply to a message: the group of a case is its thread, which is let go at once.
pub(super) fn answer(request: &Request, generation: Generation) -> Result<Reply, Unanswered> {
    // Decision D-eu-barrier.
    let control = request.function_control;
    if control & 7 != BARRIER || control & 0x6_3FF8 != 0 || request.has_header {
        return undefined("a message to the gateway that is not for a barrier");
    }
    let [header] = request.payload else {
        return undefined("a barrier of more than one register");
    };
    let is_acknowledged = control >> 14 & 1 == 1;
    if usize::from(request.response_length) != usize::from(is_acknowledged) {
        return undefined("an acknowledgement that is not asked for, or not expected");
    }
    let bits = header[8..12].iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
    let is_counted = bits >> 15 & 1 == 1;
    let first = if generation >= Generation::Gen12 { 8 } else { 9 };
    let threads = (bits & 0x7FFF) >> first;
    if is_counted && threads != 1 {
        return undefined(format!("a barrier of {threads} threads, of which the case has one"));
    }
    let channels = (1 << request.channels.min(16)) - 1;
    let is_sent = u32::from(request.channel_enables) & channels != 0;
    let mut reply = Reply { is_released: is_sent, ..Reply::default() };
    if is_acknowledged {
        reply.registers.push(Response { enables: 0xFF, ..Response::default() });
        reply.open.extend(
            (0..8).map(|doubleword| OpenDoubleword::whole(0, doubleword, Acceptance::Undefined)),
        );
    }
    Ok(reply)
}
