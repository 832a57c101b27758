//! Messages to buffers (sections 5.8 to 5.12).

use super::{access, store};
use crate::{
    Rule,
    access::{
        Access,
        Port::{Dwords, OwordBlock, OwordDualBlock, StreamedVertexBuffer},
    },
};

/// Octwords of a block.
fn octwords(step: Access) -> usize {
    [1, 1, 2, 4, 8].get(step.control(10, 8) as usize).copied().unwrap_or(1)
}

/// Whether a block is the high half of a register.
fn is_high(step: Access) -> bool {
    step.control(10, 8) == 1
}

fn reads(step: Access) -> bool {
    step.is_read() && step.reaches_memory()
}

/// Whether a message takes a surface for a row of octwords that has another pitch.
fn has_other_pitch(step: Access) -> bool {
    step.reaches_memory() && step.pitch().is_some_and(|pitch| pitch != 16)
}

/// Whether raw bits move of a surface that has a format.
fn has_format(step: Access) -> bool {
    step.reaches_memory() && step.surface_format().is_some()
}

pub(super) const RULES: &[Rule] = &[
    access("g45.dataport.owb.operation", &[OwordBlock], |s| s.reaches_memory()),
    access("g45.dataport.owb.raw", &[OwordBlock], has_format),
    access("g45.dataport.owb.pitch-ignored", &[OwordBlock], has_other_pitch),
    access("g45.dataport.owb.mask.low", &[OwordBlock], |s| octwords(s) > 1),
    access("g45.dataport.owb.mask.high", &[OwordBlock], |s| octwords(s) > 2),
    access("g45.dataport.owb.mask.read-group", &[OwordBlock], |s| reads(s) && s.has_mixed_group(4)),
    access("g45.dataport.owb.mask.read-none", &[OwordBlock], |s| {
        s.is_read() && s.moves.len() < 16 * octwords(s)
    }),
    store("g45.dataport.owb.mask.write-dword", &[OwordBlock], |s| {
        s.writes_memory() && s.has_mixed_group(4)
    }),
    access("g45.dataport.owb.mask.one-oword", &[OwordBlock], |s| octwords(s) == 1),
    access("g45.dataport.owb.oob-read", &[OwordBlock], |s| s.is_read() && s.is_beyond_end()),
    store("g45.dataport.owb.oob-write", &[OwordBlock], |s| !s.is_read() && s.is_beyond_end()),
    access("g45.dataport.owb.oob-straddle", &[OwordBlock], |s| {
        s.is_beyond_end() && s.reaches_memory()
    }),
    access("g45.dataport.owb.desc.bit12-11", &[OwordBlock], |s| s.control(11, 11) == 1),
    access("g45.dataport.owb.desc.block-size", &[OwordBlock], |s| s.control(10, 8) != 0),
    store("g45.dataport.owb.write.payload-count", &[OwordBlock], |s| !s.is_read()),
    store("g45.dataport.owb.write.half-ignored", &[OwordBlock], |s| {
        s.writes_memory() && octwords(s) == 1
    }),
    store("g45.dataport.owb.write.units", &[OwordBlock], |s| {
        s.writes_memory() && s.header(2) >> 4 != 0
    }),
    store("g45.dataport.owb.write.layout", &[OwordBlock], |s| s.writes_memory() && octwords(s) > 1),
    store("g45.dataport.owb.write.layout-high1", &[OwordBlock], |s| {
        s.writes_memory() && is_high(s)
    }),
    access("g45.dataport.owb.read.response-length", &[OwordBlock], |s| s.is_read()),
    access("g45.dataport.owb.read.half-preserved", &[OwordBlock], |s| reads(s) && octwords(s) == 1),
    access("g45.dataport.owb.read.units", &[OwordBlock], |s| reads(s) && s.header(2) >> 4 != 0),
    access("g45.dataport.owb.read.layout", &[OwordBlock], |s| reads(s) && octwords(s) > 1),
    access("g45.dataport.owb.read.layout-high1", &[OwordBlock], |s| reads(s) && is_high(s)),
    store("g45.dataport.owb.null-mask", &[OwordBlock], |s| {
        !s.is_read() && s.request.channel_enables == 0
    }),
    access("g45.dataport.owd.operation", &[OwordDualBlock], |s| s.reaches_memory()),
    access("g45.dataport.owd.raw", &[OwordDualBlock], has_format),
    access("g45.dataport.owd.pitch-ignored", &[OwordDualBlock], has_other_pitch),
    access("g45.dataport.owd.mask.low8", &[OwordDualBlock], |s| {
        s.request.channel_enables >> 8 != s.request.channel_enables & 0xFF
    }),
    access("g45.dataport.owd.mask.read-group", &[OwordDualBlock], |s| {
        reads(s) && s.has_mixed_group(2)
    }),
    store("g45.dataport.owd.mask.write-dword", &[OwordDualBlock], |s| {
        s.writes_memory() && s.has_mixed_group(2)
    }),
    access("g45.dataport.owd.oob-read", &[OwordDualBlock], |s| s.is_read() && s.is_beyond_end()),
    store("g45.dataport.owd.oob-write", &[OwordDualBlock], |s| !s.is_read() && s.is_beyond_end()),
    access("g45.dataport.owd.desc.block-size", &[OwordDualBlock], |s| s.control(9, 8) != 0),
    access("g45.dataport.owd.desc.bit12-11", &[OwordDualBlock], |s| s.control(11, 11) == 1),
    access("g45.dataport.owd.payload.offsets", &[OwordDualBlock], has_offsets),
    store("g45.dataport.owd.write.count", &[OwordDualBlock], |s| !s.is_read()),
    store("g45.dataport.owd.write.layout", &[OwordDualBlock], |s| s.writes_memory()),
    access("g45.dataport.owd.read.count", &[OwordDualBlock], |s| s.is_read()),
    access("g45.dataport.owd.read.layout", &[OwordDualBlock], reads),
    access("g45.dataport.dws.operation", &[Dwords], |s| s.reaches_memory()),
    access("g45.dataport.dws.raw", &[Dwords], has_format),
    access("g45.dataport.dws.pitch-ignored", &[Dwords], has_other_pitch),
    access("g45.dataport.dws.mask", &[Dwords], |s| s.moves.len() < 4 * channels(s)),
    access("g45.dataport.dws.oob-read", &[Dwords], |s| s.is_read() && s.is_beyond_end()),
    store("g45.dataport.dws.oob-write", &[Dwords], |s| !s.is_read() && s.is_beyond_end()),
    access("g45.dataport.dws.desc.bits12-10", &[Dwords], |s| s.control(11, 10) != 0),
    access("g45.dataport.dws.desc.block-size", &[Dwords], |s| channels(s) == 16),
    access("g45.dataport.dws.payload.offsets", &[Dwords], has_offsets),
    store("g45.dataport.dws.write.layout", &[Dwords], |s| s.writes_memory()),
    access("g45.dataport.dws.read.layout", &[Dwords], reads),
    store("g45.dataport.svb.operation", &[StreamedVertexBuffer], |s| s.reaches_memory()),
    store("g45.dataport.svb.null", &[StreamedVertexBuffer], |s| s.is_null()),
    store("g45.dataport.svb.mask", &[StreamedVertexBuffer], |s| {
        s.reaches_memory() && s.has_mixed_group(1)
    }),
    store("g45.dataport.svb.channels-by-format", &[StreamedVertexBuffer], |s| {
        let enabled = (s.request.channel_enables & 0xF).count_ones() as usize;
        !s.is_null() && s.header(5) < s.entries() && s.moves.len() < 4 * enabled
    }),
    store("g45.dataport.svb.oob", &[StreamedVertexBuffer], |s| {
        !s.is_null() && s.header(5) >= s.entries()
    }),
    store("g45.dataport.svb.desc.bits12-11", &[StreamedVertexBuffer], |s| s.control(11, 11) == 1),
    store("g45.dataport.svb.payload", &[StreamedVertexBuffer], |s| {
        s.reaches_memory() && s.header(5) != 0
    }),
    store("g45.dataport.svb.data-format", &[StreamedVertexBuffer], |s| s.reaches_memory()),
];

/// Channels of scattered doublewords.
fn channels(step: Access) -> usize {
    if step.control(9, 8) == 3 { 16 } else { 8 }
}

/// Whether a message has offsets of its own that differ.
fn has_offsets(step: Access) -> bool {
    let differ = |offsets: &[u8; 32]| offsets.chunks(4).any(|offset| offset != &offsets[..4]);
    step.reaches_memory() && step.request.payload.get(1).is_some_and(differ)
}
