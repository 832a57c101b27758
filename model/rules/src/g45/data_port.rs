//! The data port (chapter 5): what each message to it reaches, and in which order.

mod buffers;
mod loop_filter;
mod media;
mod render_target;

use Port::{
    Dwords, Flush, LoopFilter, MediaBlock, OwordBlock, OwordDualBlock, RenderTarget,
    StreamedVertexBuffer,
};
use parallax_isa::device::Generation::{Gen4, Gen45};

use super::of_gen4;
use crate::{
    Rule,
    access::{Access, Port},
    rule,
    rule::Decides,
};
pub(crate) use loop_filter::observe_tables;

/// The rules of its sections.
pub(super) const RULES: [&[Rule]; 5] =
    [COMMON, buffers::RULES, media::RULES, render_target::RULES, loop_filter::RULES];

/// All messages.
const ALL: &[Port] = &Port::ALL;
/// Those to buffers.
const BUFFERS: &[Port] = &[OwordBlock, OwordDualBlock, Dwords];
/// Those with data.
const WITH_DATA: &[Port] =
    &[OwordBlock, OwordDualBlock, Dwords, MediaBlock, LoopFilter, StreamedVertexBuffer];
/// Those to surfaces whose format and size matter.
const SIZED: &[Port] = &[MediaBlock, StreamedVertexBuffer, RenderTarget];
/// Those that write data.
const WRITING: &[Port] = &[OwordBlock, OwordDualBlock, Dwords, MediaBlock, RenderTarget];
/// Those that may read and may write.
const BOTH_WAYS: &[Port] = &[OwordBlock, OwordDualBlock, Dwords, MediaBlock];
/// Those whose first register is a header alone.
const WITH_HEADER: &[Port] = &[OwordBlock, OwordDualBlock, Dwords, MediaBlock, LoopFilter];

/// A rule of some messages.
const fn access(id: &str, of: &'static [Port], when: fn(Access) -> bool) -> Rule {
    of_gen4(rule::access(id, of, when))
}

/// A rule that decides what some messages leave in memory.
const fn store(id: &str, of: &'static [Port], when: fn(Access) -> bool) -> Rule {
    access(id, of, when).decides_of(Decides::Stored)
}

const COMMON: &[Rule] = &[
    access("g45.msg.header.presence", WITH_HEADER, |_| true).unconditional(),
    access("g45.msg.syntax.dword", WITH_HEADER, |s| s.header(2) != 0),
    store("g45.sys.sf.dataport-write", WRITING, |s| s.writes_memory()),
    access("g45.inst.send.write-commit", WITH_DATA, |s| s.met.committed),
    access("g45.sys.units.general-state", BUFFERS, |s| s.is_stateless() && s.reaches_memory()),
    access("g45.sys.units.binding-table", BUFFERS, |s| !s.is_stateless()),
    access("g45.dataport.general.two-functions", ALL, |_| true).unconditional(),
    access("g45.dataport.general.msgtype-partition", ALL, |_| true).unconditional(),
    access("g45.dataport.cache.select-read", WITH_DATA, |s| s.met.committed),
    access("g45.dataport.cache.write-always-render", WITH_DATA, |s| s.met.committed),
    access("g45.dataport.cache.render.rw", WITH_DATA, |s| s.met.committed),
    access("g45.dataport.cache.sampler.readonly", BOTH_WAYS, |s| {
        s.is_read() && s.control(15, 14) == 2 && s.reaches_memory()
    }),
    access("g45.dataport.surface.model-select", BUFFERS, |s| s.is_stateless()),
    access("g45.dataport.surface.state.params", WITH_DATA, |s| {
        !s.is_stateless() && s.reaches_memory()
    }),
    access("g45.dataport.surface.stateless.type", BUFFERS, |s| s.is_stateless()),
    access("g45.dataport.surface.stateless.base", BUFFERS, |s| {
        s.is_stateless() && s.reaches_memory()
    }),
    access("g45.dataport.surface.stateless.size", BUFFERS, |s| s.is_beyond_bound()),
    access("g45.dataport.surface.stateless.linear", BUFFERS, |s| {
        s.is_stateless() && s.reaches_memory()
    }),
    access("g45.dataport.surface.stateless.immbase-ignored", BUFFERS, |s| {
        !s.is_stateless() && s.header(5) >> 10 != 0
    }),
    access("g45.dataport.commit.optional", ALL, |s| s.commits()),
    access("g45.dataport.commit.meaning-raw", WITH_DATA, |s| s.met.committed),
    store("g45.dataport.commit.meaning-waw", WRITING, |s| s.met.overwritten),
    access("g45.dataport.commit.flush", WITH_DATA, |s| s.met.flushed),
    access("g45.dataport.commit.dest-unmodified", ALL, |s| s.commits()),
    access("g45.dataport.commit.payload", ALL, |s| s.commits()),
    access("g45.dataport.buffer.no-conversion", BUFFERS, |s| {
        s.surface_format().is_some() && s.reaches_memory()
    }),
    access("g45.dataport.desc.read.target-cache", WITH_DATA, |s| s.met.committed),
    access("g45.dataport.desc.read.type.bwcl", BOTH_WAYS, |s| s.is_read()).until(Gen4),
    access("g45.dataport.desc.read.type.ctg", BOTH_WAYS, |s| s.is_read()).since(Gen45),
    access("g45.dataport.desc.write.commit-bit", ALL, |s| s.commits()),
    access("g45.dataport.desc.write.type.bwcl", ALL, |s| !s.is_read()).until(Gen4),
    access("g45.dataport.desc.write.type.ctg", ALL, |s| !s.is_read()).since(Gen45),
    access("g45.dataport.desc.write.msc", ALL, |s| !s.is_read() && s.control(11, 8) != 0),
    access("g45.dataport.desc.bti", WITH_DATA, |s| s.control(7, 0) != 0),
    access("g45.dataport.header.common.applies", BUFFERS, |s| s.reaches_memory()),
    access("g45.dataport.header.common.debug", BUFFERS, |s| s.has_header_in(&[6, 7])),
    access("g45.dataport.header.common.immbase", BUFFERS, |s| {
        s.is_stateless() && s.header(5) >> 10 != 0
    }),
    access("g45.dataport.header.common.m05-low", BUFFERS, |s| {
        s.is_stateless() && s.header(5) & 0x3FF != 0
    }),
    access("g45.dataport.header.common.ignored", BUFFERS, |s| s.has_header_in(&[0, 1, 3, 4])),
    access("g45.dataport.header.common.global-offset", BUFFERS, |s| s.header(2) != 0),
    access("g45.dataport.header.common.unused-by-others", &[MediaBlock], |s| {
        s.header(5) >> 10 != 0
    }),
    access("g45.dataport.frc.operation", WITH_DATA, |s| s.met.flushed),
    access("g45.dataport.frc.commit", WITH_DATA, |s| s.met.flushed),
    access("g45.dataport.frc.desc", &[Flush], |s| s.control(11, 8) != 0),
    access("g45.dataport.frc.payload", &[Flush], |s| s.has_header_in(&[0, 1, 2, 3, 4, 5, 6, 7])),
    access("g45.surface.null.read", &[MediaBlock], |s| s.is_null() && s.is_read()),
    store("g45.surface.null.write", WRITING, |s| s.is_null() && !s.is_read()),
    access("g45.surface.null.fields", WITH_DATA, |s| s.is_null()),
    access("g45.surface.mbpm", &[MediaBlock], |s| {
        s.is_read() && s.boundary_mode() != 0 && s.leaves_rows()
    }),
    access("g45.surface.bt.size", WITH_DATA, |s| !s.is_stateless() && s.control(7, 0) != 0),
    access("g45.surface.bt.pointer", WITH_DATA, |s| !s.is_stateless()),
    access("g45.surface.type", WITH_DATA, |s| !s.is_stateless()),
    access("g45.surface.format.width", SIZED, |s| s.surface_format().is_some()),
    access("g45.surface.height", &[MediaBlock, RenderTarget], |s| {
        s.reaches_memory() && s.field(2, 31, 19) != 0
    }),
    access("g45.surface.width", &[MediaBlock, RenderTarget], |s| {
        s.reaches_memory() && s.field(2, 18, 6) != 0
    }),
    access("g45.surface.buffer-size", WITH_DATA, |s| {
        s.surface_format().is_some() && s.field(0, 31, 29) == 4 && s.is_beyond_end()
    }),
    access("g45.surface.pitch", SIZED, |s| s.reaches_memory()),
    access("g45.surface.tilewalk", SIZED, |s| s.reaches_tiles(None)),
    access("g45.surface.xoffset", SIZED, |s| s.reaches_tiles(None) && s.field(5, 31, 25) != 0)
        .since(Gen45),
    access("g45.surface.yoffset", SIZED, |s| s.reaches_tiles(None) && s.field(5, 23, 20) != 0)
        .since(Gen45),
    access("g45.layout.tile-x", SIZED, |s| s.reaches_tiles(Some(0))),
    access("g45.layout.tile-y", SIZED, |s| s.reaches_tiles(Some(1))),
    store("g45.surface.base.buffer", &[StreamedVertexBuffer], |s| s.reaches_memory()),
];
