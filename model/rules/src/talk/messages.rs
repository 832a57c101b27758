//! Messages to the data port, and to the sampler.

use crate::{
    Rule,
    data_cache::{CACHES, Kind, is_of, kind},
    message::Message,
    rule,
};

/// The code of the sampling engine.
const SAMPLER: &[u8] = &[2];

/// A rule of messages to the caches.
const fn cache(id: &str, when: fn(Message) -> bool) -> Rule {
    rule::message(id, CACHES, when)
}

/// The index of the binding table, of messages that have one.
fn surface(message: Message) -> Option<u32> {
    (!matches!(kind(message), Kind::Scratch | Kind::Fence)).then(|| message.control(7, 0))
}

fn is_stateless(message: Message) -> bool {
    matches!(surface(message), Some(253 | 255))
}

/// Whether the addresses of a message have 64 bits.
fn is_wide(message: Message) -> bool {
    message.request.target == 12
        && matches!(message.control(18, 14), 16 | 17 | 18 | 20 | 21 | 25 | 26 | 29)
}

/// Whether it reads a media block of 8 rows of 32 bytes.
fn reads_whole_block(message: Message) -> bool {
    let size = message.payload(2);
    is_of(message, Kind::Media)
        && message.control(18, 14) == 4
        && (size & 0x3F, size >> 16 & 0x3F) == (31, 7)
}

pub(super) const RULES: &[Rule] = &[
    cache("talk.sends.desc-bti", |m| surface(m).is_some_and(|index| index < 253)),
    rule::message("talk.sends.desc-sampler", SAMPLER, |m| m.control(11, 8) != 0),
    rule::message("talk.sends.desc-type", SAMPLER, |_| true).unconditional(),
    rule::message("talk.sends.desc-simd", SAMPLER, |m| m.control(18, 17) == 1),
    cache("talk.sends.desc-header", |m| is_of(m, Kind::Block)),
    cache("talk.addr.bts", |m| surface(m).is_some_and(|index| index < 253)),
    cache("talk.addr.a32", |m| is_stateless(m) && !is_wide(m)),
    cache("talk.addr.a64", |m| is_stateless(m) && is_wide(m)),
    cache("talk.addr.slm", |m| surface(m) == Some(254)),
    cache("talk.dp.scattered", |m| is_of(m, Kind::Scattered)),
    cache("talk.dp.block", |m| is_of(m, Kind::Block)),
    cache("talk.dp.untyped", |m| is_of(m, Kind::Untyped)),
    cache("talk.dp.media", |m| is_of(m, Kind::Media)),
    cache("talk.dp.atomic", |m| is_of(m, Kind::Atomic)),
    cache("talk.hist.read", reads_whole_block),
];
