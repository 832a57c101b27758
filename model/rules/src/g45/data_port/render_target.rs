//! Render Target Write (sections 5.7 and 5.10.6).

use parallax_isa::{Device, surface::Numeric};

use super::{access, store};
use crate::{
    Rule,
    access::{
        Access,
        Port::{self, RenderTarget},
    },
    message::doubleword,
};

const WRITE: &[Port] = &[RenderTarget];

// Forms.
const SINGLE_16: u32 = 0;
const REPLICATED: u32 = 1;
const SINGLE_8: u32 = 4;

// Types of surfaces.
const LINE: u32 = 0;
const PLANE: u32 = 1;
const VOLUME: u32 = 2;
const CUBE: u32 = 3;

// What stands in doubleword 6 of the header's second register.
const SOURCE_DEPTH: u32 = 29;
const DESTINATION_DEPTH: u32 = 28;
const STENCIL: u32 = 27;

/// A rule of what writes leave in memory.
const fn write(id: &str, when: fn(Access) -> bool) -> Rule {
    store(id, WRITE, when)
}

fn form(step: Access) -> u32 {
    step.control(10, 8)
}

/// A doubleword of the second register of the header.
fn second(step: Access, number: usize) -> u32 {
    doubleword(step.request.payload.get(1), number)
}

fn flag(step: Access, bit: u32) -> bool {
    second(step, 6) >> bit & 1 == 1
}

fn writes(step: Access) -> bool {
    step.pixels.written != 0
}

/// Whether colours of a form are written.
fn writes_form(step: Access, which: u32) -> bool {
    writes(step) && form(step) == which
}

/// Whether two colours for each pixel are.
fn writes_two(step: Access) -> bool {
    writes(step) && matches!(form(step), 2 | 3)
}

fn writes_eight(step: Access) -> bool {
    writes(step) && form(step) > REPLICATED
}

/// Whether pixels with depths or stencil values are in the message.
fn has_depths(step: Access) -> bool {
    flag(step, SOURCE_DEPTH) || flag(step, STENCIL)
}

/// Whether a depth or a stencil value is written.
fn writes_depths(step: Access) -> bool {
    (step.pixels.depths | step.pixels.stencils) != 0
}

fn array_index(step: Access) -> u32 {
    second(step, 7) >> 16 & 0x7FF
}

fn has_type(step: Access, types: &[u32]) -> bool {
    !step.is_null() && types.contains(&step.field(0, 31, 29))
}

/// Whether a pixel of another element of an array, slice or face than the first is written.
fn writes_element(step: Access, types: &[u32]) -> bool {
    writes(step) && has_type(step, types) && array_index(step) != 0
}

/// Whether an array index is too large.
fn exceeds(step: Access) -> bool {
    let last = if has_type(step, &[CUBE]) { 5 } else { step.field(3, 31, 21) };
    writes_element(step, &[LINE, PLANE, VOLUME, CUBE]) && array_index(step) > last
}

fn has_integers(step: Access) -> bool {
    step.surface_format().is_some_and(|format| {
        format.layout.components().any(|c| matches!(c.numeric, Numeric::Uint | Numeric::Sint))
    })
}

pub(super) const RULES: &[Rule] = &[
    write("g45.surface.viewextent", |s| {
        writes_element(s, &[VOLUME]) && array_index(s) <= s.field(4, 16, 8)
    }),
    write("g45.surface.blend", |s| {
        writes(s) && s.field(0, 13, 13) == 1 && s.rendering.is_some_and(|r| r.blend.is_some())
    }),
    write("g45.surface.depth", |s| writes_element(s, &[LINE, PLANE, VOLUME])),
    write("g45.layout.qpitch", |s| writes_element(s, &[LINE, PLANE])),
    write("g45.layout.volume", |s| writes_element(s, &[VOLUME])),
    write("g45.layout.cube", |s| writes_element(s, &[CUBE])),
    write("g45.dataport.rt.formats", writes),
    write("g45.dataport.rt.single.forms", |s| {
        writes_form(s, SINGLE_16) || writes_form(s, SINGLE_8)
    }),
    write("g45.dataport.rt.dual.simd8only", writes_two),
    write("g45.dataport.rt.dual.blend-factor", writes_two),
    write("g45.dataport.rt.mrt.messages", |s| {
        writes(s) && !writes_two(s) && s.control(11, 11) == 0
    }),
    write("g45.dataport.rt.mrt.depth-last", writes_depths),
    write("g45.dataport.rtw.operation", writes),
    write("g45.dataport.rtw.surface-types", |s| writes(s) && !has_type(s, &[PLANE])),
    write("g45.dataport.rtw.rtai-use", |s| writes_element(s, &[LINE, PLANE, VOLUME, CUBE])),
    write("g45.dataport.rtw.mask-ignored", |s| writes(s) && s.request.channel_enables != 0xFFFF),
    write("g45.dataport.rtw.oob-drop", |s| s.pixels.outside != 0),
    write("g45.dataport.rtw.oob-rtai", exceeds),
    write("g45.dataport.rtw.slots.pixel-order", |s| s.pixels.written & 0xEEEE != 0),
    write("g45.dataport.rtw.slots.simd16", |s| writes_form(s, SINGLE_16)),
    write("g45.dataport.rtw.slots.simd8", writes_eight),
    write("g45.dataport.rtw.slots.pixel-xy", |s| s.pixels.written & 0xEEEE != 0),
    write("g45.dataport.rtw.desc.last-rt", writes_depths),
    write("g45.dataport.rtw.desc.type", |s| writes(s) && form(s) != SINGLE_16),
    write("g45.dataport.rtw.desc.type-lowbit", writes_two),
    write("g45.dataport.rtw.header.len", writes),
    write("g45.dataport.rtw.header.fftid", |s| writes(s) && s.has_header_in(&[2, 3, 4, 5, 6, 7])),
    write("g45.dataport.rtw.header.enables", |s| s.header(0) & 0xFFFF != 0xFFFF),
    write("g45.dataport.rtw.header.enables-simd8", writes_eight),
    write("g45.dataport.rtw.header.rtai", |s| writes_element(s, &[LINE, PLANE, VOLUME, CUBE])),
    write("g45.dataport.rtw.header.rtai-faces", |s| {
        writes_element(s, &[CUBE]) && array_index(s) <= 5
    }),
    write("g45.dataport.rtw.header.clipmask", |s| {
        writes(s) && s.device != Device::G45 && second(s, 7) & 0xFFFF != 0
    }),
    write("g45.dataport.rtw.header.facing", |s| flag(s, STENCIL) && flag(s, 31)),
    write("g45.dataport.rtw.header.sz-present", |s| flag(s, SOURCE_DEPTH)),
    write("g45.dataport.rtw.header.dz-present", |s| flag(s, DESTINATION_DEPTH)),
    write("g45.dataport.rtw.header.sten-present", |s| flag(s, STENCIL)),
    write("g45.dataport.rtw.header.m16-ignored", |s| writes(s) && second(s, 6) & 0x43FF_FFFF != 0),
    write("g45.dataport.rtw.header.xy", |s| {
        writes(s) && (2..6).any(|number| second(s, number) != 0)
    }),
    write("g45.dataport.rtw.header.m11-ignored", |s| {
        writes(s) && (second(s, 0) | second(s, 1)) != 0
    }),
    write("g45.dataport.rtw.sten.position", |s| writes(s) && flag(s, STENCIL)),
    write("g45.dataport.rtw.sten.layout", |s| flag(s, STENCIL)),
    write("g45.dataport.rtw.color.simd16", |s| writes_form(s, SINGLE_16)),
    write("g45.dataport.rtw.color.format", |s| writes(s) && has_integers(s)),
    write("g45.dataport.rtw.color.simd8", |s| writes_form(s, SINGLE_8)),
    write("g45.dataport.rtw.color.repl", |s| writes_form(s, REPLICATED)),
    write("g45.dataport.rtw.color.dual", writes_two),
    write("g45.dataport.rtw.depth.position", has_depths),
    write("g45.dataport.rtw.depth.simd16", |s| has_depths(s) && form(s) == SINGLE_16),
    write("g45.dataport.rtw.depth.simd8", |s| has_depths(s) && form(s) != SINGLE_16),
    write("g45.dataport.rtw.depth.src-format", |s| s.pixels.depths != 0),
    write("g45.dataport.rtw.depth.dst-format", |s| flag(s, DESTINATION_DEPTH)),
    write("g45.dataport.rtw.seq.000", |s| writes_form(s, SINGLE_16)),
    write("g45.dataport.rtw.seq.001", |s| writes_form(s, REPLICATED)),
    write("g45.dataport.rtw.seq.010-011", writes_two),
    write("g45.dataport.rtw.seq.100", |s| writes_form(s, SINGLE_8)),
    access("g45.dataport.rtw.response", WRITE, |s| s.commits()),
    write("g45.dataport.rtw.color-write-mask", |s| writes(s) && s.header(0) & 0xFFFF != 0xFFFF),
    write("g45.dataport.rtw.samples", writes),
];
