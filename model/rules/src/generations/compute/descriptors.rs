//! Descriptors of messages: lengths, types, extended descriptors.

use parallax_isa::device::Generation::{Gen8, Gen9, Gen12, Gen75};

use crate::{Rule, data_cache::Cache, rule::cache};

/// Whether its payload has several registers, and it moves something.
fn has_parts(m: Cache) -> bool {
    m.moves() && m.request.payload.len() > 1
}

/// Whether registers of the second part of the payload count.
fn is_split(m: Cache) -> bool {
    m.second_part() != 0 && m.moves()
}

pub(super) const RULES: &[Rule] = &[
    cache("gen7.msg.desc.lengths", |m| has_parts(m) && (m.request.has_header || m.returns())),
    cache("gen7.msg.desc.length-formula", |m| {
        has_parts(m) && m.has_lanes() && m.front < m.request.payload.len()
    }),
    cache("gen7.msg.desc.split", is_split).since(Gen9),
    cache("gen7.msg.desc.type7", |m| m.is_on_port0() && m.moves()).until(Gen75),
    cache("gen9.msg.desc.type9", |m| m.control(18, 18) == 1 && m.moves()).since(Gen8),
    cache("gen9.msg.desc.exdesc", is_split).since(Gen9).until(Gen9),
    cache("gen12.msg.desc.exdesc", is_split).since(Gen12),
];
