//! Media blocks (sections 5.6 and 5.9).

use parallax_isa::device::Generation::Gen45;

use super::{access, store};
use crate::{
    Rule,
    access::{Access, Port, Port::MediaBlock},
};

const BLOCK: &[Port] = &[MediaBlock];

/// A rule of media blocks.
const fn block(id: &str, when: fn(Access) -> bool) -> Rule {
    access(id, BLOCK, when)
}

/// Whether a read has columns beside a plane whose pixels have so many bytes.
fn clamps(step: Access, bits: u16) -> bool {
    step.is_read()
        && step.leaves_columns()
        && !is_of_pairs(step)
        && step.surface_format().is_some_and(|format| format.bits == bits)
}

/// The name of a format of pairs of pixels.
fn pairs(step: Access) -> Option<&'static str> {
    step.surface_format().map(|format| format.name).filter(|name| name.starts_with("YCRCB_"))
}

fn is_of_pairs(step: Access) -> bool {
    pairs(step).is_some()
}

/// Whether a read has columns beside a plane of pairs with luma first, or not.
fn clamps_pairs(step: Access, luma_first: bool) -> bool {
    step.is_read()
        && step.leaves_columns()
        && pairs(step)
            .is_some_and(|name| matches!(name, "YCRCB_NORMAL" | "YCRCB_SWAPUV") == luma_first)
}

/// Whether a read has rows above or below a plane of some boundary mode: of a frame, or of a field from a line on.
fn replaces_rows(step: Access, mode: u32, field: Option<u32>) -> bool {
    let own = step.is_field().then(|| step.line_offset());
    step.is_read() && step.leaves_rows() && step.boundary_mode() == mode && own == field
}

/// Whether the lines of a surface are overridden: those that it has, and those that it gets.
fn overrides(step: Access, from_field: bool, to_field: bool) -> bool {
    step.overrides()
        && step.surface_format().is_some()
        && [step.field(0, 12, 12) == 1, step.is_field()] == [from_field, to_field]
}

pub(super) const RULES: &[Rule] = &[
    block("g45.dataport.mb.operation", |s| s.reaches_memory()),
    block("g45.dataport.mb.raw", |s| s.reaches_memory()),
    block("g45.dataport.mb.align-read-ctg", |s| {
        s.is_read() && (s.header(0) % 4 != 0 || s.columns() % 4 != 3)
    })
    .since(Gen45),
    block("g45.dataport.mb.mask-ignored", |s| s.request.channel_enables != 0xFFFF),
    block("g45.dataport.mb.oob-read", |s| s.is_read() && (s.leaves_rows() || s.leaves_columns())),
    store("g45.dataport.mb.oob-write", BLOCK, |s| !s.is_read() && s.is_beyond_end()),
    block("g45.dataport.mb.width-units", |s| s.reaches_memory() && s.leaves_columns()),
    block("g45.dataport.mb.clamp.8bpp", |s| clamps(s, 8)),
    block("g45.dataport.mb.clamp.16bpp", |s| clamps(s, 16)),
    block("g45.dataport.mb.clamp.32bpp", |s| clamps(s, 32)),
    block("g45.dataport.mb.clamp.yuyv", |s| clamps_pairs(s, true)),
    block("g45.dataport.mb.clamp.uyvy", |s| clamps_pairs(s, false)),
    block("g45.dataport.mb.clamp.yuv-bpe0", |s| {
        s.is_read() && s.leaves_columns() && is_of_pairs(s)
    }),
    block("g45.dataport.mb.vert.off-edge", |s| s.is_read() && s.leaves_rows()),
    block("g45.dataport.mb.vert.mode0-frame", |s| replaces_rows(s, 0, None)),
    block("g45.dataport.mb.vert.mode0-even", |s| replaces_rows(s, 0, Some(0))),
    block("g45.dataport.mb.vert.mode0-odd", |s| replaces_rows(s, 0, Some(1))),
    block("g45.dataport.mb.vert.mode2-frame", |s| replaces_rows(s, 2, None)).since(Gen45),
    block("g45.dataport.mb.vert.mode2-even", |s| replaces_rows(s, 2, Some(0))).since(Gen45),
    block("g45.dataport.mb.vert.mode2-odd", |s| replaces_rows(s, 2, Some(1))).since(Gen45),
    block("g45.dataport.mb.vert.mode3-frame", |s| replaces_rows(s, 3, None)).since(Gen45),
    block("g45.dataport.mb.vert.mode3-even", |s| replaces_rows(s, 3, Some(0))).since(Gen45),
    block("g45.dataport.mb.vert.mode3-odd", |s| replaces_rows(s, 3, Some(1))).since(Gen45),
    block("g45.dataport.mb.vert.offset-dontcare", has_idle_offset),
    block("g45.surface.vlso", has_idle_offset),
    block("g45.dataport.mb.field.address", |s| s.is_field() && s.has_rows()),
    store("g45.dataport.mb.write.mbpm-unused", BLOCK, |s| {
        !s.is_read() && s.boundary_mode() != 0 && s.leaves_rows()
    }),
    block("g45.dataport.mb.desc.bit11", |s| s.control(11, 11) == 1),
    block("g45.dataport.mb.desc.override", |s| s.overrides()),
    block("g45.dataport.mb.desc.override-stride", |s| {
        overrides(s, true, false) || overrides(s, false, true)
    }),
    block("g45.dataport.mb.desc.override-offset", |s| {
        s.overrides() && s.is_field() && s.line_offset() != s.field(0, 11, 11)
    }),
    block("g45.dataport.mb.height.00", |s| overrides(s, false, false)),
    block("g45.dataport.mb.height.01", |s| overrides(s, false, true)),
    block("g45.dataport.mb.height.10", |s| overrides(s, true, false)),
    block("g45.dataport.mb.height.11", |s| overrides(s, true, true)),
    block("g45.dataport.mb.height.no-override", |s| !s.overrides()),
    block("g45.dataport.mb.header.ids", |s| s.has_header_in(&[3, 4, 5, 6, 7])),
    block("g45.dataport.mb.header.height", |s| s.rows() != 0),
    block("g45.dataport.mb.header.width", |s| s.columns() != 0),
    block("g45.dataport.mb.header.m02-ignored", |s| s.header(2) & 0xFFC0_FFE0 != 0),
    block("g45.dataport.mb.header.y", |s| s.reaches_memory() && s.header(1) != 0),
    block("g45.dataport.mb.header.x", |s| s.reaches_memory() && s.header(0) != 0),
    store("g45.dataport.mb.payload.layout", BLOCK, |s| s.writes_memory() && s.rows() != 0),
    store("g45.dataport.mb.payload.count", BLOCK, |s| !s.is_read()),
    block("g45.dataport.mb.writeback.layout", |s| s.is_read() && s.rows() != 0),
    block("g45.dataport.mb.writeback.count", |s| s.is_read()),
    block("g45.dataport.mb.clamp.per-pixel", |s| s.is_read() && s.leaves_columns()),
    block("g45.dataport.mb.clamp.corner", |s| s.is_read() && s.leaves_columns() && s.leaves_rows()),
    block("g45.dataport.mb.desc.combination", |s| s.is_read() && s.overrides() && s.leaves_rows()),
];

/// Whether a plane of a frame has the offset of a field.
fn has_idle_offset(step: Access) -> bool {
    !step.is_field() && step.line_offset() == 1 && step.has_rows()
}
