//! Which memory messages reach, and where each channel's data are: surfaces, shared local memory, stateless messages;
//! untyped and scattered messages.

use parallax_isa::device::Generation::Gen8;
use parallax_reference::eu::{CacheElement, CacheSpace};

use crate::{
    Rule,
    data_cache::{Cache, Kind},
    rule::cache,
};

/// Bytes; shared local memory has at most 64 of these.
const KIBIBYTE: i128 = 1024;

/// Whether it moves whole doublewords or quadwords for each channel.
fn has_doublewords(m: Cache) -> bool {
    m.has_lanes() && !m.is_bytes()
}

fn is_misaligned(element: &CacheElement) -> bool {
    element.address % element.bytes as i128 != 0
}

// Untyped messages.

fn is_untyped(m: Cache) -> bool {
    m.is(&[Kind::Untyped])
}

/// Whether a component is present behind one that is not.
fn leaves_lower_out(m: Cache) -> bool {
    let present = !m.control(11, 8) & 0xF;
    is_untyped(m) && m.moves() && present != 0 && present & (present + 1) != 0
}

/// Whether several components are present.
fn has_components(m: Cache) -> bool {
    m.control(11, 8).count_ones() < 3
}

// Scattered messages.

fn is_a32_scattered(m: Cache) -> bool {
    m.is_bytes() && !m.is_wide() || m.is_doublewords()
}

/// Whether each channel has several doublewords or quadwords.
fn has_neighbours(m: Cache) -> bool {
    m.is_wide_runs() && m.control(11, 10) != 0 && m.moves()
}

fn is_wide_scattered(m: Cache) -> bool {
    m.is(&[Kind::Scattered]) && m.is_wide()
}

pub(super) const RULES: &[Rule] = &[
    cache("gen7.msg.surf.bti", |m| {
        m.is_in(CacheSpace::Surface)
            && !m.is(&[Kind::Media])
            && m.any(|element| element.place.is_none())
    }),
    cache("gen7.msg.surf.slm", |m| {
        m.is_in(CacheSpace::Local) && m.any_inside(|element| element.address >> 16 != 0)
    }),
    cache("gen7.msg.surf.slm-size", |m| {
        let is_near_end = |element: &CacheElement| element.address & 0xFFFF >= 63 * KIBIBYTE;
        m.is_in(CacheSpace::Local) && m.any_inside(is_near_end)
    }),
    cache("gen7.msg.surf.stateless", |m| {
        m.is_stateless() && m.index() == 255 && m.base != 0 && m.moves()
    }),
    cache("gen9.msg.surf.stateless253", |m| {
        m.is_stateless() && m.index() == 253 && !m.is(&[Kind::Scratch]) && m.moves()
    })
    .since(Gen8),
    cache("gen9.msg.surf.a64", |m| m.is_wide() && m.any_inside(|element| element.address != 0))
        .since(Gen8),
    cache("gen7.msg.surf.align", |m| {
        let is_aligned = |element: &CacheElement| !is_misaligned(element) && element.address != 0;
        has_doublewords(m) && m.any_inside(is_aligned)
    }),
    cache("gen7.msg.surf.byte-align", |m| m.is_bytes() && m.any_inside(is_misaligned)),
    cache("gen7.msg.untyped.port", |m| {
        (is_untyped(m) || m.is(&[Kind::Atomic])) && !m.is_wide() && m.moves()
    }),
    cache("gen7.msg.untyped.mask", |m| is_untyped(m) && m.control(11, 8) != 0 && m.moves()),
    cache("gen7.msg.untyped.address", leaves_lower_out),
    cache("gen7.msg.untyped.pack", |m| {
        leaves_lower_out(m) || is_untyped(m) && has_components(m) && m.shows_slots()
    }),
    cache("gen7.msg.untyped.mode", |m| is_untyped(m) && m.shows_slots()),
    cache("gen7.msg.untyped.header", |m| {
        let lanes = (1_u32 << m.slots().min(16)) - 1;
        is_untyped(m)
            && m.request.has_header
            && m.enabled() & lanes & !m.header(7) != 0
            && m.enabled() & lanes & m.header(7) != 0
    }),
    cache("gen7.msg.untyped.disabled", |m| {
        is_untyped(m) && m.is_partial() && m.moves() && m.returns()
    }),
    cache("gen7.msg.bytesc.ds", |m| m.is_bytes() && m.moves()),
    cache("gen7.msg.bytesc.mode", |m| m.is_bytes() && m.shows_slots()),
    cache("gen7.msg.dwsc.unit", |m| {
        m.is_doublewords() && m.any_inside(|element| element.address != 0)
    }),
    cache("gen7.msg.sc.global", |m| is_a32_scattered(m) && m.header(2) != 0 && m.moves()),
    cache("gen9.msg.a64sc.subtype", |m| is_wide_scattered(m) && m.control(9, 8) != 0 && m.moves())
        .since(Gen8),
    cache("gen9.msg.a64sc.count", has_neighbours).since(Gen8),
    cache("gen9.msg.a64sc.layout", |m| has_neighbours(m) && m.any(|element| m.slot(element) > 0))
        .since(Gen8),
    cache("gen9.msg.a64sc.addr", |m| {
        let is_in_second_register = |element: &CacheElement| m.slot(element) >= 4;
        is_wide_scattered(m) && m.any_inside(is_in_second_register)
    })
    .since(Gen8),
    cache("gen9.msg.a64us.types", |m| is_untyped(m) && m.is_wide() && m.moves()).since(Gen8),
];
