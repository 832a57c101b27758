//! What texels become before, in and after a filter (sections 4.2.3 to 4.6).

use parallax_isa::{
    device::Generation::Gen4,
    surface::{ColorSpace, Name, Numeric},
};

use super::levels::pixel;
use crate::{
    Rule,
    sampler::{ANISOTROPIC, CENTRE, LINEAR, MONO, NEAREST, PLANE, Pixel, VOLUME},
};

/// Whether the filter is linear in some directions, and two texels of one may be blended.
fn is_linear(s: Pixel, directions: usize) -> bool {
    s.filter() == LINEAR && s.directions() == directions && s.any_part(|part| part != CENTRE)
}

/// Whether the minification and the magnification filter differ, or texels of slices are blended.
fn selects(s: Pixel) -> bool {
    s.state(0, 19, 17) != s.state(0, 16, 14) || s.filters() && s.has_type(&[VOLUME])
}

/// Whether the border colour is used in a mode, of a format that lacks channels.
fn has_border_without_channels(s: Pixel, is_dx9: bool) -> bool {
    s.has_border() && s.is_dx9() == is_dx9 && s.lacks_channels()
}

fn is_srgb(s: Pixel) -> bool {
    !s.compares() && s.format.color_space == ColorSpace::Srgb
}

/// Whether a colour is neither 0 nor 1, for which the curve is what it is.
fn is_on_curve(s: Pixel) -> bool {
    is_srgb(s) && s.colour[..3].iter().any(|bits| !matches!(bits, 0 | 0x3F80_0000))
}

/// Whether several stages have a part.
fn has_stages(s: Pixel) -> bool {
    s.sums() && (s.compares() || is_srgb(s) || s.has_key())
}

fn compares_more(s: Pixel) -> bool {
    s.compares() && s.state(0, 2, 0) > 1
}

/// Whether the bytes of a range's ends are not all the same.
fn differs_in_channels(key: [u32; 2]) -> bool {
    key.iter().any(|end| *end != end.rotate_left(8))
}

fn has_numeric(s: Pixel, numeric: Numeric) -> bool {
    s.has_component(|component| component.numeric == numeric)
}

pub(in super::super) const RULES: &[Rule] = &[
    pixel("g45.sampler.pipe.order", has_stages),
    pixel("g45.sampler.pipe.internal", |s| {
        s.any(|texel| texel.is_fetched() && texel.fetched.0.iter().any(|value| value.bits != 0))
    }),
    // Filters.
    pixel("g45.sampler.filt.select", selects),
    pixel("g45.sampler.filt.nearest", |s| s.filter() == NEAREST),
    pixel("g45.sampler.filt.nearest-all", |s| {
        s.filter() == NEAREST && (!s.may_be_filtered() || !s.has_type(&[PLANE]))
    }),
    pixel("g45.sampler.filt.nearest-bits", |s| {
        s.filter() == NEAREST && !s.sums() && has_numeric(s, Numeric::Float)
    }),
    pixel("g45.sampler.filt.linear-1d", |s| is_linear(s, 1)),
    pixel("g45.sampler.filt.linear-2d", |s| is_linear(s, 2)),
    pixel("g45.sampler.filt.linear-3d", |s| is_linear(s, 3)),
    pixel("g45.sampler.filt.linear-weights", |s| {
        s.filter() == LINEAR && s.any_part(|part| part != CENTRE)
    }),
    pixel("g45.sampler.filt.linear-centre", |s| {
        s.filter() == LINEAR && !s.any_part(|part| part != CENTRE)
    }),
    pixel("g45.sampler.filt.linear-mid", |s| s.filter() == LINEAR && s.any_part(|part| part == 0)),
    pixel("g45.sampler.filt.linear-sum", |s| s.sums()),
    pixel("g45.sampler.filt.linear-array", |s| s.filters() && s.is_array()),
    pixel("g45.sampler.filt.linear-address", |s| {
        s.filters() && s.leaves_level() && s.stays_on_level()
    }),
    pixel("g45.sampler.aniso.subsample", |s| s.subpixels != 0 && s.any_part(|part| part != CENTRE)),
    pixel("g45.sampler.aniso.lod", |s| s.subpixels != 0),
    pixel("g45.sampler.aniso.ratio", |s| s.subpixels != 0 && !s.is_too_long),
    pixel("g45.sampler.aniso.max", |s| s.subpixels != 0 && s.is_too_long),
    pixel("g45.sampler.aniso.spacing", |s| s.subpixels > 1),
    pixel("g45.sampler.aniso.weights", |s| s.subpixels > 2),
    pixel("g45.sampler.aniso.demote", |s| s.asked_filter() == ANISOTROPIC && s.subpixels == 0),
    pixel("g45.sampler.mono.origin", |s| s.filter() == MONO && s.colour[0] != 0),
    pixel("g45.sampler.mono.footprint", |s| s.filter() == MONO && s.sums()),
    pixel("g45.sampler.mono.formula", |s| s.filter() == MONO && s.sums()),
    pixel("g45.sampler.mono.replicate", |s| s.filter() == MONO && s.colour[0] != 0),
    pixel("g45.sampler.mono.border", |s| {
        s.filter() == MONO && !s.texels.iter().all(|t| t.is_fetched())
    }),
    // Fetched texels.
    pixel("g45.sampler.fetch.palette", |s| s.has_name(&[Name::P]) && s.has_fetched()),
    pixel("g45.sampler.fetch.palette-filter", |s| s.has_name(&[Name::P]) && s.sums()),
    pixel("g45.sampler.fetch.yuv-odd", |s| s.has_odd_texels()),
    pixel("g45.sampler.fetch.yuv-raw", |s| s.has_pairs() && s.has_fetched()),
    pixel("g45.sampler.fetch.yuv-interp", |s| s.sampling.interpolates_chroma && s.has_odd_texels()),
    pixel("g45.sampler.fetch.compressed", |s| s.is_compressed() && s.has_fetched()),
    pixel("g45.sampler.cmd.pal-use", |s| s.has_name(&[Name::P]) && s.has_fetched()),
    pixel("g45.debug.svg.yuv-chroma", |s| s.sampling.interpolates_chroma && s.has_odd_texels()),
    // Chroma keys.
    pixel("g45.sampler.ckey.stage", |s| s.has_key() && (s.sums() || s.has_name(&[Name::P]))),
    pixel("g45.sampler.ckey.match", |s| s.has_key() && s.any(|texel| texel.is_keyed)),
    pixel("g45.sampler.ckey.layout", |s| s.has_key() && differs_in_channels(s.key())),
    pixel("g45.sampler.ckey.expand", |s| {
        s.has_key() && s.has_component(|c| c.bits < 8 && c.numeric != Numeric::Pad)
    }),
    pixel("g45.sampler.ckey.yuv", |s| s.has_key() && s.has_pairs()),
    pixel("g45.sampler.ckey.snorm", |s| s.has_key() && has_numeric(s, Numeric::Snorm)),
    pixel("g45.sampler.ckey.mixed", |s| {
        s.has_key() && has_numeric(s, Numeric::Snorm) && has_numeric(s, Numeric::Unorm)
    }),
    pixel("g45.sampler.ckey.kill", |s| s.is_keyed(0)),
    pixel("g45.sampler.ckey.black", |s| s.is_keyed(1)),
    pixel("g45.sampler.ckey.black-yuv", |s| s.is_keyed(1) && s.has_pairs()),
    // Comparisons.
    pixel("g45.sampler.shadow.when", |s| s.compares() || s.state(0, 2, 0) != 0),
    pixel("g45.sampler.shadow.operand", |s| s.compares()),
    pixel("g45.sampler.shadow.border", |s| s.compares() && s.has_border()),
    pixel("g45.sampler.shadow.filter", |s| s.compares() && s.sums()),
    pixel("g45.sampler.shadow.filters", |s| s.compares() && s.filters() && !s.may_be_filtered()),
    pixel("g45.sampler.shadow.inverted", compares_more),
    pixel("g45.sampler.shadow.always", |s| s.compares_by(0)),
    pixel("g45.sampler.shadow.never", |s| s.compares_by(1)),
    pixel("g45.sampler.shadow.less", |s| s.compares_by(2)),
    pixel("g45.sampler.shadow.equal", |s| s.compares_by(3)),
    pixel("g45.sampler.shadow.lequal", |s| s.compares_by(4)),
    pixel("g45.sampler.shadow.greater", |s| s.compares_by(5)),
    pixel("g45.sampler.shadow.notequal", |s| s.compares_by(6)),
    pixel("g45.sampler.shadow.gequal", |s| s.compares_by(7)),
    pixel("g45.sampler.shadow.nan", |s| compares_more(s) && s.compares_nan(true)),
    pixel("g45.sampler.shadow.a16-nan", |s| s.format.name == "A16_FLOAT" && s.compares_nan(false))
        .until(Gen4),
    pixel("g45.sampler.shadow.output", |s| s.compares()),
    // The curve of sRGB.
    pixel("g45.sampler.gamma.enable", is_srgb),
    pixel("g45.sampler.gamma.stage", |s| is_on_curve(s) && s.sums()),
    pixel("g45.sampler.gamma.rgb", |s| is_srgb(s) && s.has_name(&[Name::A])),
    pixel("g45.sampler.gamma.function", is_on_curve),
    pixel("g45.sampler.gamma.luminance", |s| is_srgb(s) && s.has_name(&[Name::L])),
    // Border colours.
    pixel("g45.sampler.border.when", |s| s.has_border()),
    pixel("g45.sampler.border.dx9", |s| s.has_border() && s.is_dx9()),
    pixel("g45.sampler.border.dx10", |s| s.has_border() && !s.is_dx9()),
    pixel("g45.sampler.border.dx9-missing", |s| has_border_without_channels(s, true)),
    pixel("g45.sampler.border.dx10-missing", |s| has_border_without_channels(s, false)),
    pixel("g45.sampler.border.mix-default", |s| {
        has_border_without_channels(s, true) && s.has_fetched()
    }),
    pixel("g45.sampler.border.lum", |s| {
        s.has_border() && !s.is_dx9() && s.has_name(&[Name::L, Name::I])
    }),
];
