//! The Sampling Engine (chapter 4): its messages and what they select.

mod addresses;
mod filters;
mod levels;

use parallax_isa::device::Generation::{Gen4, Gen45};

use super::of_gen4;
use crate::{
    Rule, rule,
    rule::Decides,
    sampler::{
        BUFFER, CUBE,
        Kind::{
            self, Ld, Resinfo, SampleB, SampleBC, SampleC, SampleG, SampleKillpix, SampleL,
            SampleLC,
        },
        LINE,
        Mode::{Simd4x2, Simd8, Simd16},
        PLANE, Sample, VOLUME,
    },
};

/// A rule of messages.
const fn sample(id: &str, when: fn(Sample) -> bool) -> Rule {
    of_gen4(rule::sample(id, when))
}

/// A resinfo of a surface of a type.
fn is_resinfo(s: Sample, kind: u32) -> bool {
    s.is(Resinfo) && s.has_type(&[kind])
}

/// An ld of a surface that is there.
fn loads(s: Sample) -> bool {
    s.is(Ld) && !s.is_null()
}

/// The rules of pixels.
pub(super) const PIXELS: [&[Rule]; 3] = [levels::RULES, addresses::RULES, filters::RULES];

pub(super) const RULES: &[Rule] = &[
    sample("g45.sys.sf.sampler-readonly", |_| true).unconditional().decides_of(Decides::Memory),
    sample("g45.sampler.pipe.result", |_| true).unconditional(),
    sample("g45.sampler.state.count", |s| s.samples() && s.sampler_index() != 0),
    sample("g45.sampler.state.unused", |s| !s.samples() && (s.sampler_index() | s.header(3)) != 0),
    sample("g45.sampler.state.surface", |s| s.control(7, 0) != 0),
    sample("g45.sampler.fetch.disable", |s| s.samples() && s.state(0, 31, 31) == 1),
    sample("g45.sampler.coord.extra-dims", |s| {
        s.samples() && s.coordinates() != s.used_coordinates()
    }),
    sample("g45.sampler.coord.unnorm-origin", loads),
    sample("g45.sampler.cube.face-bits", |s| {
        s.samples() && s.has_type(&[CUBE]) && s.field(0, 5, 0) != 0x3F
    }),
    sample("g45.sampler.cube.override", |s| {
        s.samples() && s.has_type(&[CUBE]) && s.state(1, 9, 9) == 1
    }),
    sample("g45.sampler.lod.levels", has_levels),
    sample("g45.sampler.lod.number", has_levels),
    sample("g45.sampler.lod.bias-format", |s| s.has_bias() && s.state(0, 13, 3) != 0),
    sample("g45.sampler.lod.base-format", |s| s.samples() && s.state(0, 26, 22) != 0),
    sample("g45.sampler.mono.size", |s| s.has_filter(6) && s.state(3, 31, 26) != 0o11),
    sample("g45.sampler.addr.encoding", |s| s.samples() && s.state(1, 8, 0) != 0),
    sample("g45.sampler.addr.array-min", starts_at_element),
    sample("g45.sampler.addr.rounding", |s| s.samples() && s.state(3, 18, 13) != 0),
    sample("g45.sampler.addr.rounding-which", |s| {
        s.samples() && !matches!(s.state(3, 18, 13), 0 | 0x3F)
    }),
    sample("g45.sampler.fetch.null", |s| s.is_null()),
    sample("g45.sampler.ckey.enable", |s| s.samples() && s.state(3, 25, 25) == 1),
    sample("g45.sampler.ckey.kill-visible", |s| s.kills()),
    sample("g45.sampler.ckey.index", |s| {
        s.samples() && s.state(3, 25, 25) == 1 && s.state(3, 24, 23) != 0
    }),
    // Surfaces.
    sample("g45.surface.mipcount", |s| s.is(Resinfo) && s.field(2, 5, 2) != 0),
    sample("g45.surface.minlod", |s| !s.is_null() && s.field(4, 31, 28) != 0),
    sample("g45.surface.minarray", starts_at_element),
    sample("g45.surface.return.effect", returns_narrow).until(Gen4),
    sample("g45.surface.return.descriptor", returns_narrow).until(Gen4),
    sample("g45.surface.return.simd4x2", |s| has_narrow_return(s) && s.mode() == Simd4x2)
        .until(Gen4),
    sample("g45.surface.return.ctg", has_narrow_return).since(Gen45),
    // SAMPLER_STATE.
    sample("g45.sampler.ss.array", |s| s.samples() && s.sampler_index() != 0),
    sample("g45.sampler.ss.disable", |s| s.samples() && s.state(0, 31, 31) == 1),
    sample("g45.sampler.ss.border-mode", |s| s.samples() && s.state(0, 29, 29) == 1),
    sample("g45.sampler.ss.preclamp", |s| s.samples() && s.state(0, 28, 28) == 1),
    sample("g45.sampler.ss.filter-width", |s| s.has_filter(6)),
    sample("g45.sampler.ss.filter-enc", |s| s.samples() && s.state(0, 19, 14) != 0),
    sample("g45.sampler.ss.mip-enc", |s| s.samples() && s.state(0, 21, 20) != 0),
    sample("g45.sampler.ss.lodbias", |s| s.has_bias() && s.state(0, 13, 3) != 0),
    sample("g45.sampler.ss.minmax", |s| s.samples() && s.state(1, 31, 12) != 0),
    sample("g45.sampler.ss.aniso-enc", |s| s.has_filter(2)),
    // Messages.
    sample("g45.smsg.desc.bw", |_| true).unconditional().until(Gen4),
    sample("g45.smsg.desc.ctg", |_| true).unconditional().since(Gen45),
    sample("g45.smsg.desc.type-ctg", |s| s.code() != 0).since(Gen45),
    sample("g45.smsg.desc.return", |s| s.control(13, 12) != 0).until(Gen4),
    sample("g45.smsg.desc.return-ctg", |s| !s.is(Resinfo) && s.has_integers()).since(Gen45),
    sample("g45.smsg.desc.key", |_| true).unconditional(),
    sample("g45.smsg.header.ptr", |s| s.samples() && s.header(3) >> 5 != 0),
    sample("g45.smsg.header.ignored", |s| {
        s.has_header_in(&[0, 1, 4, 5]) || s.header(2) >> 17 != 0 || s.header(3) & 0x1F != 0
    }),
    sample("g45.smsg.header.debug", |s| s.has_header_in(&[6, 7])),
    sample("g45.smsg.header.mask", |s| s.mask() != 0),
    sample("g45.smsg.header.same", |_| true).unconditional(),
    sample("g45.smsg.param.type", |s| s.has_parameter(|bits| bits != 0)),
    sample("g45.smsg.param.ld-sign", |s| loads(s) && s.has_negative_index()),
    sample("g45.smsg.param.unused-reg", |s| s.leaves_parameters_out()),
    sample("g45.smsg.param.ld-table", |s| loads(s) && !s.has_type(&[BUFFER])),
    sample("g45.smsg.emask.simd16", |s| s.mode() == Simd16 && s.request.channel_enables != 0xFFFF),
    sample("g45.smsg.emask.simd8", |s| s.mode() == Simd8 && s.enables() != 0xFF),
    sample("g45.smsg.emask.simd4x2", |s| s.mode() == Simd4x2 && s.enables() != 0xFF),
    sample("g45.smsg.payload.simd16", |s| s.mode() == Simd16 && s.differs_in_parameters()),
    sample("g45.smsg.payload.simd8", |s| s.mode() == Simd8 && s.differs_in_parameters()),
    sample("g45.smsg.payload.simd4x2", |s| s.mode() == Simd4x2 && s.differs_in_parameters()),
    sample("g45.smsg.len.simd16", |s| s.mode() == Simd16 && s.parameters() > 1),
    sample("g45.smsg.len.simd8", |s| s.mode() == Simd8 && s.parameters() > 1),
    sample("g45.smsg.len.simd4x2", |s| s.mode() == Simd4x2 && s.parameters() > 4),
    sample("g45.smsg.wb.simd16", |s| s.mode() == Simd16),
    sample("g45.smsg.wb.simd16-example", |s| s.mode() == Simd16 && s.mask() == 0b0110),
    sample("g45.smsg.wb.simd8", |s| s.mode() == Simd8),
    sample("g45.smsg.wb.killpix", |s| s.is(SampleKillpix)),
    sample("g45.smsg.wb.killpix-errata", |s| s.is(SampleKillpix) && s.enables() != 0xFF)
        .until(Gen4),
    sample("g45.smsg.wb.simd4x2", |s| s.mode() == Simd4x2),
    sample("g45.smsg.wb.format", |s| s.is(Resinfo) || s.has_integers()),
    sample("g45.smsg.sample.def", |s| s.is(Kind::Sample) && s.samples()),
    sample("g45.smsg.sample.lengths", |s| s.is(Kind::Sample)),
    sample("g45.smsg.killpix.def", |s| s.is(SampleKillpix)),
    sample("g45.smsg.sample-b.enc", |s| s.is(SampleB)),
    sample("g45.smsg.sample-l.enc", |s| s.is(SampleL)),
    sample("g45.smsg.sample-c.def", |s| s.is(SampleC) && s.samples()),
    sample("g45.smsg.sample-c.enc", |s| s.is(SampleC)),
    sample("g45.smsg.sample-b-c.def", |s| s.is(SampleBC)),
    sample("g45.smsg.sample-l-c.def", |s| s.is(SampleLC)),
    sample("g45.smsg.sample-g.def", |s| s.is(SampleG) && s.samples()),
    sample("g45.smsg.sample-g.r", |s| {
        s.is(SampleG) && s.samples() && (s.coordinates() < 3 || !s.has_type(&[VOLUME, CUBE]))
    }),
    sample("g45.smsg.sample-g.enc", |s| s.is(SampleG)),
    sample("g45.smsg.resinfo.def", |s| s.is(Resinfo)),
    sample("g45.smsg.resinfo.enc", |s| s.is(Resinfo)),
    sample("g45.smsg.resinfo.1d", |s| is_resinfo(s, LINE)),
    sample("g45.smsg.resinfo.2d", |s| is_resinfo(s, PLANE)),
    sample("g45.smsg.resinfo.3d", |s| is_resinfo(s, VOLUME)),
    sample("g45.smsg.resinfo.cube", |s| is_resinfo(s, CUBE)),
    sample("g45.smsg.resinfo.shift", |s| {
        s.is(Resinfo) && !s.is_null() && s.has_lod(|lod| lod >= 32)
    }),
    sample("g45.smsg.resinfo.minlod", |s| s.is(Resinfo) && !s.is_null() && s.field(4, 31, 28) != 0),
    sample("g45.smsg.resinfo.count", |s| s.is(Resinfo) && !s.is_null()),
    sample("g45.smsg.resinfo.type", |s| s.is(Resinfo)),
    sample("g45.smsg.ld.def", loads),
    sample("g45.smsg.ld.enc", |s| s.is(Ld)),
    sample("g45.smsg.ld.out-of-range", |s| loads(s) && s.is_out_of_range()),
    sample("g45.smsg.ld.alpha-errata", |s| {
        loads(s) && s.is_out_of_range() && s.has_bytes_without_alpha()
    }),
    sample("g45.smsg.ld.lod", |s| {
        loads(s) && s.has_lod(|_| true) && !s.has_type(&[BUFFER]) && s.field(2, 5, 2) != 0
    }),
    sample("g45.smsg.ld.missing", |s| loads(s) && !s.has_lod(|_| true)),
    sample("g45.smsg.ld.buffer", |s| loads(s) && s.has_type(&[BUFFER])),
    sample("g45.smsg.ld.offsets", |s| loads(s) && s.header(2) & 0xFFF != 0),
    sample("g45.smsg.ld.ints", |s| loads(s) && s.has_integers()),
    sample("g45.smsg.ld.no-sampler", |s| loads(s) && (s.sampler_index() | s.header(3)) != 0),
];

/// Whether texels of a surface with several levels are read.
fn has_levels(s: Sample) -> bool {
    !s.is(Resinfo) && !s.is_null() && !s.has_type(&[BUFFER]) && s.field(2, 5, 2) != 0
}

/// Whether texels of an array are read that does not start at element 0.
fn starts_at_element(s: Sample) -> bool {
    !s.is(Resinfo) && s.has_type(&[LINE, PLANE]) && s.field(4, 27, 17) != 0
}

/// Whether a surface asks for samples as fixed point of 14 bits, and they are floats.
fn has_narrow_return(s: Sample) -> bool {
    !s.is(Resinfo) && !s.is_null() && s.field(0, 27, 27) == 1 && !s.has_integers()
}

fn returns_narrow(s: Sample) -> bool {
    has_narrow_return(s) && s.mode() != Simd4x2
}
