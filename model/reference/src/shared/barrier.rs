//! Barriers of the Message Gateway, Gen7 and later: a thread tells that it has come, and is notified when every
//! thread of its group has.

use parallax_isa::{
    Acceptance,
    device::Generation,
    shared::{Request, Response, Unanswered, launch::Group},
};

use super::{OpenDoubleword, Reply, undefined};

/// The code of the Message Gateway among shared functions.
pub(super) const GATEWAY: u8 = 3;

/// The subfunction of barriers, bits 2:0 of the descriptor.
const BARRIER: u32 = 4;

/// The reply to a message: the group of a case is its thread, which is let go at once. In a launch the others of the
/// group have to come too.
pub(super) fn answer(
    request: &Request,
    generation: Generation,
    group: Option<&mut Group>,
) -> Result<Reply, Unanswered> {
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
    let of_group = group.as_ref().map_or(1, |group| group.threads);
    if is_counted && threads != of_group {
        return undefined(format!("a barrier of {threads} threads, of which there are {of_group}"));
    }
    let channels = (1 << request.channels.min(16)) - 1;
    let is_sent = u32::from(request.channel_enables) & channels != 0;
    let mut reply = Reply { is_released: is_sent && of_group == 1, ..Reply::default() };
    if let Some(group) = group.filter(|_| is_sent && of_group > 1) {
        group.arrived += 1;
    }
    if is_acknowledged {
        reply.registers.push(Response { enables: 0xFF, ..Response::default() });
        reply.open.extend(
            (0..8).map(|doubleword| OpenDoubleword::whole(0, doubleword, Acceptance::Undefined)),
        );
    }
    Ok(reply)
}
