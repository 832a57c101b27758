//! What becomes of texels: levels of detail, address modes, filters, comparisons, borders.

use parallax_isa::device::Generation::{Gen8, Gen9, Gen12};

use super::{NONE, TRILINEAR};
use crate::{
    Rule,
    rule::{pixel, sample},
    sampler::{Kind::Lod, NEAREST, Parameter, Pixel, SEAMLESS},
};

/// 1 in 256ths.
const ONE: i64 = 256;

// Address modes of later generations.
const HALF_BORDER: u32 = 6;
const MIRROR_101: u32 = 7;

/// Whether sRGB codes are filtered as they are.
fn skips_decoding(s: Pixel) -> bool {
    s.device.generation() >= Some(Gen12) && s.state(2, 1, 1) == 1
}

/// Whether texels that differ become linear before they are added up.
fn adds_light(s: Pixel) -> bool {
    let differs = |n: usize| s.texels[n].fetched != s.texels[0].fetched;
    s.is_srgb() && s.filters_texels() && !skips_decoding(s) && (0..s.texels.len()).any(differs)
}

/// Whether the bias of the sampler counts.
fn has_bias(s: Pixel) -> bool {
    let counts = s.is(Lod)
        || s.filters_texels()
            && (s.mip_filter() != NONE || s.state(0, 19, 17) != s.state(0, 16, 14));
    s.state(0, 13, 1) != 0 && counts
}

/// Whether Min LOD or Max LOD of the sampler clamps the level of detail.
fn is_clamped(s: Pixel) -> bool {
    let counts = s.is(Lod) || s.filters_texels() && s.mip_filter() != NONE;
    s.state(1, 31, 8) != 0 && counts && s.is_out_of_bounds()
}

/// Whether the bit below a texel is cut off.
fn truncates(s: Pixel) -> bool {
    s.filters_texels() && s.filter() == NEAREST && s.any_part(|part| part != 0)
}

/// Whether a texel beyond a face of a cube is taken.
fn leaves_face(s: Pixel) -> bool {
    s.is_cube() && s.leaves_level()
}

fn filters_comparison(s: Pixel) -> bool {
    s.compares() && !s.texels.is_empty()
}

/// Whether a reference value is outside of what UNORM has.
fn has_reference_outside(s: Pixel) -> bool {
    let reference = s.reference();
    filters_comparison(s) && !reference.is_nan() && !(0.0..=1.0).contains(&reference)
}

/// Whether red and alpha of a texel differ, so that it counts which of them is compared.
fn differs_in_alpha(s: Pixel) -> bool {
    s.compares() && s.any(|texel| texel.fetched.0[0].bits != texel.fetched.0[3].bits)
}

/// Whether a NaN is compared by a function that looks at numbers.
fn compares_nan(s: Pixel) -> bool {
    filters_comparison(s) && s.function() > 1 && s.compares_nan(true)
}

fn reduces(s: Pixel) -> bool {
    let texels = || s.texels.iter().map(|texel| texel.fetched);
    s.state(3, 9, 9) == 1
        && s.state(3, 23, 22) >= 2
        && s.filters_texels()
        && texels().any(|texel| Some(texel) != texels().next())
}

pub(super) const RULES: &[Rule] = &[
    pixel("gen7.tex.filt.inherit", |s| s.filters_texels() && (s.leaves_level() || s.sums())),
    pixel("gen7.tex.filt.srgb-first", adds_light),
    pixel("gen12.tex.filt.srgb-skip", |s| s.is_srgb() && !s.loads() && skips_decoding(s))
        .since(Gen12),
    pixel("gen7.tex.filt.precision", |s| s.filters_texels() && s.sums()),
    pixel("gen7.tex.filt.lod-bias", has_bias),
    pixel("gen7.tex.filt.lod-range", is_clamped),
    pixel("gen7.tex.filt.nearest", truncates),
    pixel("gen9.tex.filt.half-border", |s| {
        s.has_coordinate_outside(HALF_BORDER) || s.leaves(HALF_BORDER)
    })
    .since(Gen9),
    pixel("gen12.tex.filt.mirror-101", |s| s.leaves(MIRROR_101)).since(Gen12),
    pixel("gen7.tex.filt.cube-mode", leaves_face),
    pixel("gen9.tex.filt.cube-override", |s| {
        leaves_face(s) && s.overrides_cubes() && s.state(3, 8, 6) != SEAMLESS
    })
    .since(Gen9),
    pixel("gen7.tex.filt.shadow", filters_comparison),
    pixel("gen7.tex.filt.shadow-nan", compares_nan),
    pixel("gen7.tex.filt.shadow-ref", has_reference_outside),
    pixel("gen7.tex.filt.shadow-channel", differs_in_alpha),
    pixel("gen7.tex.filt.border", |s| s.has_border()).until(Gen8),
    pixel("gen9.tex.filt.border", |s| s.has_border()).since(Gen9),
    pixel("gen9.tex.filt.reduction", reduces).since(Gen9),
    pixel("gen9.tex.filt.mag-clamp", |s| {
        let has_fraction = s.min % ONE != 0;
        let is_as_minified = s.mip_filter() != TRILINEAR || s.state(2, 0, 0) == 1;
        s.filters_texels() && s.magnifies && !is_as_minified && has_fraction
    })
    .since(Gen9),
    pixel("gen7.tex.filt.gather", |s| s.gathers()),
    pixel("gen7.tex.filt.gather-po", |s| s.message.form.has(Parameter::OffU)),
    sample("gen7.tex.filt.disable", |s| s.samples() && s.state(0, 31, 31) == 1),
    sample("gen7.tex.filt.null", |s| s.is_null()),
];
