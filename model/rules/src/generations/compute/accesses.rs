//! Atomic operations, blocks, fences, the cache of constants, and channels of messages to the data cache.

use parallax_isa::{
    device::Generation::{Gen8, Gen12, Gen75},
    eu::Opcode::{Send, Sendc, Sends, Sendsc},
};
use parallax_reference::eu::{CacheElement, CacheSpace};

use crate::{
    Rule,
    data_cache::{CACHES, Cache, Kind},
    flow::Flow,
    rule::{
        Decides::{Memory, Result, Stored},
        cache, flow,
    },
};

const CONSTANT: u8 = 9;

// Atomic operations.
const EXCHANGE: u32 = 4;
const REVERSE_SUBTRACT: u32 = 9;
const COMPARE: u32 = 14;

fn is_integer_atomic(m: Cache) -> bool {
    m.is(&[Kind::Atomic])
}

fn is_float_atomic(m: Cache) -> bool {
    m.is(&[Kind::FloatAtomic])
}

/// The operation of an atomic message on integers.
fn operation(m: Cache) -> u32 {
    m.control(11, 8)
}

/// Whether the final value is the same in whatever order channels come.
fn commutes(m: Cache) -> bool {
    match is_float_atomic(m) {
        true => m.control(10, 8) != 3,
        false => ![EXCHANGE, REVERSE_SUBTRACT, COMPARE].contains(&operation(m)),
    }
}

/// Whether a comparison would leave another value with its operands the other way round.
fn tells_operands_apart(m: Cache, element: &CacheElement) -> bool {
    let [compared, new] = [0, 1].map(|number| m.operand(element, number));
    let swapped = if element.before == new { compared } else { element.before };
    element.place.is_some() && element.after != swapped
}

// Blocks.

/// Whether it is a block of octwords by a 32-bit offset, of some message types.
fn is_block_of(m: Cache, codes: &[u32]) -> bool {
    m.is_block() && !m.is_wide() && codes.contains(&m.code())
}

/// Whether it has a size in octwords of half a register.
fn is_half(m: Cache) -> bool {
    m.is_block() && m.control(12, 11) != 3 && m.control(10, 8) < 2 && m.moves()
}

/// The doublewords of its header that do not count.
fn unread(m: Cache) -> &'static [usize] {
    match m.space {
        _ if m.is_wide() => &[2, 3, 4, 5, 6, 7],
        CacheSpace::Addresses => &[0, 1, 3, 4, 6, 7],
        _ => &[0, 1, 3, 4, 5, 6, 7],
    }
}

fn is_media(m: Cache) -> bool {
    m.is(&[Kind::Media])
}

fn is_scratch(m: Cache) -> bool {
    m.is(&[Kind::Scratch])
}

fn is_fence(m: Cache) -> bool {
    m.is(&[Kind::Fence])
}

/// Whether a predicate takes channels from a message to the caches, all of which the masks let execute.
fn is_predicated(f: Flow) -> bool {
    let is_partial = |sent: parallax_reference::eu::Sent| {
        sent.is_answered && sent.channel_enables.count_ones() < u32::from(f.size())
    };
    let is_to_cache = |target: u8| CACHES.contains(&target);
    f.is_predicated()
        && f.instruction.no_mask
        && f.instruction.message.is_some_and(|message| is_to_cache(message.shared_function))
        && f.message.is_some_and(is_partial)
}

pub(super) const RULES: &[Rule] = &[
    cache("gen7.msg.atomic.ops", |m| is_integer_atomic(m) && m.changes()).decides_of(Stored),
    cache("gen7.msg.atomic.return", |m| {
        let tells_apart = |element: &CacheElement| element.before != element.after;
        m.is_atomic() && m.returns() && m.any(tells_apart)
    }),
    cache("gen7.msg.atomic.cmp-order", |m| {
        is_integer_atomic(m)
            && operation(m) == COMPARE
            && m.any(|element| tells_operands_apart(m, element))
    }),
    cache("gen7.msg.atomic.mode", |m| is_integer_atomic(m) && !m.is_wide() && m.shows_slots()),
    cache("gen9.msg.atomic.a64-width", |m| {
        is_integer_atomic(m) && m.is_wide() && m.any_inside(|element| element.bytes == 8)
    })
    .since(Gen8),
    cache("gen7.msg.atomic.lanes", |m| m.is_atomic() && commutes(m) && m.meets() && m.changes())
        .decides_of(Stored),
    cache("gen7.msg.atomic.oob", |m| {
        let is_outside = |element: &CacheElement| element.place.is_none();
        m.is_atomic() && m.is_in(CacheSpace::Surface) && m.returns() && m.any(is_outside)
    }),
    cache("gen9.msg.atomic.float", |m| is_float_atomic(m) && m.changes())
        .since(Gen8)
        .decides_of(Stored),
    cache("gen7.msg.block.type0", |m| is_block_of(m, &[0, 8]) && m.header(2) != 0 && m.moves()),
    cache("gen7.msg.block.type1", |m| {
        is_block_of(m, &[1]) && m.any_inside(|element| element.address % 16 != 0)
    }),
    cache("gen9.msg.block.a64", |m| {
        m.is_block() && m.is_wide() && m.any_inside(|element| element.address != 0)
    })
    .since(Gen8),
    cache("gen7.msg.block.half", is_half),
    cache("gen7.msg.block.mask", |m| m.is_block() && m.is_partial() && m.moves()),
    cache("gen7.msg.block.oob", |m| {
        let is_outside = |element: &CacheElement| element.place.is_none();
        m.is_block() && m.is_in(CacheSpace::Surface) && m.any(is_outside)
    }),
    cache("gen7.msg.block.header", |m| m.is_block() && m.has_header_in(unread(m)) && m.moves()),
    cache("gen7.msg.block.media-read", |m| {
        let has_rows = m.header(2) >> 16 != 0;
        is_media(m) && m.returns() && has_rows && m.moves()
    })
    .since(Gen75),
    cache("gen7.msg.block.media-port", |m| is_media(m) && m.moves()).since(Gen75),
    cache("gen7.msg.block.scratch", |m| {
        is_scratch(m) && m.any_inside(|element| element.address != 0)
    }),
    cache("gen7.msg.block.scratch-size", |m| is_scratch(m) && m.control(13, 12) > 1 && m.moves()),
    cache("gen7.msg.fence.desc", |m| is_fence(m) && m.returns()).decides_of(Memory),
    cache("gen12.msg.fence.bti", |m| is_fence(m) && m.control(12, 0) != 0)
        .since(Gen12)
        .decides_of(Memory),
    cache("gen7.msg.fence.model", is_fence).decides_of(Memory),
    cache("gen7.msg.port.constant", |m| m.request.target == CONSTANT && m.moves()),
    cache("gen7.msg.exec.size", |m| {
        m.has_lanes() && usize::from(m.request.channels) < m.slots() && m.moves()
    }),
    cache("gen7.msg.exec.none", |m| m.has_lanes() && m.elements.is_empty()).decides_of(Memory),
    flow("gen7.msg.exec.pred", Result, &[Send, Sendc, Sends, Sendsc], is_predicated),
];
