//! Barriers of the gateway, what waits for them, and the end of a thread.

use parallax_isa::{
    device::Generation::{Gen8, Gen9, Gen12, Gen75},
    eu::Opcode::{Send, Sendc, Sends, Sendsc, Sync, Wait},
};

use crate::{
    Rule,
    flow::Flow,
    message::Message,
    rule::{
        Decides::{NextInstruction, Result},
        flow, message,
    },
};

const GATEWAY: &[u8] = &[3];
const THREAD_SPAWNER: u8 = 7;

/// The subfunction of barriers.
const BARRIER: u32 = 4;

/// Whether a barrier lets its thread go on, which is its whole group.
fn releases(m: Message) -> bool {
    let channels = (1_u32 << m.request.channels.min(16)) - 1;
    m.control(2, 0) == BARRIER && u32::from(m.request.channel_enables) & channels != 0
}

/// Whether its payload has more than a number of threads: an id, or doublewords that do not count.
fn has_more_than_a_number(m: Message) -> bool {
    releases(m) && (m.payload(2) >> 24 != 0 || m.has_payload_in(&[0, 1, 3, 4, 5, 6, 7]))
}

/// Whether it says how many threads it waits for.
fn is_counted(m: Message) -> bool {
    releases(m) && m.payload(2) >> 15 & 1 == 1
}

/// Whether a notification is taken.
fn takes(f: Flow) -> bool {
    f.before.notification_count[0] != f.after.notification_count[0]
}

/// Whether it ends its thread.
fn ends(f: Flow) -> bool {
    let is_last = |message: parallax_isa::eu::instruction::Message| {
        message.end_of_thread && message.shared_function == THREAD_SPAWNER
    };
    f.instruction.message.is_some_and(is_last)
}

pub(super) const RULES: &[Rule] = &[
    message("gen7.msg.gateway.barrier", GATEWAY, releases),
    message("gen7.msg.gateway.payload", GATEWAY, has_more_than_a_number).until(Gen75),
    message("gen9.msg.gateway.payload", GATEWAY, has_more_than_a_number).since(Gen8).until(Gen9),
    message("gen12.msg.gateway.payload", GATEWAY, has_more_than_a_number).since(Gen12),
    message("gen7.msg.gateway.count", GATEWAY, is_counted),
    message("gen7.msg.gateway.release", GATEWAY, releases),
    message("gen7.msg.gateway.single", GATEWAY, releases),
    flow("gen7.msg.gateway.wait", Result, &[Wait], takes).until(Gen75),
    flow("gen9.msg.gateway.wait", Result, &[Wait], takes).since(Gen8).until(Gen9),
    flow("gen12.msg.gateway.sync", Result, &[Sync], takes).since(Gen12),
    flow("gen7.msg.spawner.eot", NextInstruction, &[Send, Sendc, Sends, Sendsc], ends),
];
