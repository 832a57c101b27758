//! Headers, replies, and what messages say about surfaces.

use parallax_isa::device::Generation::{Gen8, Gen9, Gen12};

use super::FIRST_CHANNEL;
use crate::{
    Rule,
    rule::{pixel, sample},
    sampler::{
        BUFFER, CUBE,
        Kind::{Gather4, Lod, Resinfo, Sampleinfo},
        Mode::{Simd4x2, Simd8, Simd16},
        Parameter, Pixel, Sample,
    },
};

/// Whether the header leads to samplers that a message without one does not reach.
fn has_pointer(s: Sample) -> bool {
    s.is_answered() && s.samples() && s.message.header.sampler_states != 0
}

/// Whether a reply of 32-bit numbers has a mode and something in it.
fn replies(s: Sample, mode: crate::sampler::Mode) -> bool {
    s.mode() == mode && s.is_answered() && !s.message.is_half
}

fn asks_for_sizes(s: Sample) -> bool {
    s.is(Resinfo) && s.is_answered() && (0..3).any(|channel| s.returns(channel))
}

/// Whether channels are selected in another order than they have.
fn permutes(s: Pixel) -> bool {
    let is_moved = |channel| s.select(channel) != FIRST_CHANNEL + channel;
    (0..4).any(|channel| s.message.registers[channel as usize].is_some() && is_moved(channel))
}

pub(super) const RULES: &[Rule] = &[
    pixel("gen7.tex.hdr.offsets", |s| s.message.header.offsets != [0; 3] && s.has_fetched()),
    sample("gen7.tex.hdr.mask", |s| {
        let is_masked = s.message.header.is_masked;
        s.request.has_header && !s.is(Gather4) && is_masked.contains(&true)
    }),
    sample("gen7.tex.hdr.gather", |s| {
        s.is(Gather4) && s.is_answered() && s.message.header.gathered != 0
    }),
    sample("gen7.tex.hdr.sampler-ptr", has_pointer).until(Gen9),
    sample("gen12.tex.hdr.sampler-ptr", has_pointer).since(Gen12),
    sample("gen9.tex.hdr.simd4x2", |s| s.mode() == Simd4x2).since(Gen9),
    sample("gen9.tex.hdr.residency", |s| s.message.header.asks_for_mask && !s.is_null())
        .since(Gen9),
    sample("gen7.tex.hdr.absent", |s| !s.request.has_header && s.is_answered() && s.samples()),
    sample("gen7.tex.hdr.ignored", |s| {
        s.request.has_header && s.has_header_in(&[0, 1, 4, 5, 6, 7])
    }),
    // Replies.
    sample("gen7.tex.ret.simd8", |s| replies(s, Simd8)),
    sample("gen7.tex.ret.simd16", |s| replies(s, Simd16)),
    sample("gen7.tex.ret.simd4x2", |s| replies(s, Simd4x2)),
    sample("gen9.tex.ret.half", |s| s.message.is_half && s.is_answered()).since(Gen9),
    sample("gen7.tex.ret.masked-channels", |s| {
        s.message.entities.iter().any(|entity| !entity.is_active)
    }),
    pixel("gen7.tex.ret.type", |s| s.returns_texels() && s.colour != [0; 4]),
    pixel("gen7.tex.ret.defaults", |s| s.returns_texels() && !s.gathers() && s.returns_default()),
    pixel("gen9.tex.ret.swizzle", |s| s.has_fetched() && !s.gathers() && permutes(s)).since(Gen9),
    pixel("gen7.tex.ret.swizzle", |s| s.has_fetched() && s.colour != [0; 4]).until(Gen8),
    pixel("gen7.tex.ret.gather", |s| {
        let [first, rest @ ..] = s.colour;
        s.gathers() && !s.compares() && rest.iter().any(|colour| *colour != first)
    }),
    pixel("gen7.tex.ret.gather-c", |s| s.gathers() && s.compares()),
    pixel("gen7.tex.ret.shadow", |s| s.filters_texels() && s.compares() && s.returns(0)),
    // Surfaces.
    sample("gen7.tex.info.resinfo", asks_for_sizes),
    sample("gen7.tex.info.levels", |s| {
        s.is(Resinfo) && s.is_answered() && !s.has_type(&[BUFFER]) && s.returns(3)
    }),
    sample("gen7.tex.info.cube-array", |s| {
        let is_array = s.field(0, 28, 28) == 1 && s.has_type(&[CUBE]);
        let is_there = |lod| lod <= s.field(5, 3, 0);
        s.is(Resinfo) && is_array && s.returns(2) && s.has_value(Parameter::Lod, is_there)
    }),
    sample("gen7.tex.info.sampleinfo", |s| s.is(Sampleinfo) && s.is_answered() && s.returns(0)),
    pixel("gen7.tex.info.lod", |s| s.is(Lod)),
];
