//! Coordinates, states, and where texels are in memory.

use parallax_isa::device::Generation::{Gen8, Gen9};

use crate::{
    Rule,
    rule::{pixel, sample},
    sampler::{
        BUFFER, CUBE,
        Kind::{Ld, Lod},
        LINE,
        Mode::Simd4x2,
        Parameter::{self, V},
        Pixel, Sample, VOLUME,
    },
};

/// Whether coordinates choose elements of an array.
fn chooses_element(s: Pixel) -> bool {
    s.is_array() && !s.is(Lod)
}

/// Whether level and second coordinate of a load differ, or a level that is not sent stands for 0.
fn has_load_order(s: Sample) -> bool {
    s.is(Ld)
        && s.is_answered()
        && s.message
            .entities
            .iter()
            .any(|entity| entity.is_active && entity.bits(V) != entity.bits(Parameter::Lod))
}

/// Whether Resource Min LOD raises the level of detail, or makes a texel be outside.
fn is_below_least_lod(s: Pixel) -> bool {
    let least = s.least_lod();
    if s.loads() {
        let lod = s.message.entities[s.number].bits(Parameter::Lod);
        let is_level = lod <= s.field(5, 3, 0);
        return is_level && i64::from(lod + s.first_level()) * 256 < least;
    }
    s.filters_texels() && s.min == least && s.lod < least
}

/// Whether a texel of a slice or element after the first one is fetched.
fn is_of_other_slice(s: Pixel) -> bool {
    s.any_fetched(|_, [.., slice]| slice != 0)
}

/// Whether a texel of a level after the first one is fetched.
fn is_of_other_level(s: Pixel) -> bool {
    s.any_fetched(|level, _| level != 0)
}

fn is_volume(s: Pixel) -> bool {
    s.has_type(&[VOLUME])
}

/// Whether a level or plane after the first one of a volume is fetched.
fn is_inside_volume(s: Pixel) -> bool {
    is_volume(s) && (is_of_other_slice(s) || is_of_other_level(s))
}

/// Whether it is a line that has a layout of its own.
fn is_straight(s: Pixel) -> bool {
    s.has_type(&[LINE]) && s.device.generation() >= Some(Gen9)
}

/// Whether a tree of levels is two-dimensional.
fn is_tree(s: Pixel) -> bool {
    !is_volume(s) && !is_straight(s)
}

fn is_of_other_block_level(s: Pixel) -> bool {
    s.is_compressed() && is_of_other_level(s)
}

pub(super) const RULES: &[Rule] = &[
    pixel("gen7.tex.coord.arrays", chooses_element),
    pixel("gen7.tex.coord.cube", |s| s.is_cube() && s.has_fetched()),
    pixel("gen7.tex.coord.ld", |s| s.loads() && !s.has_type(&[BUFFER])),
    sample("gen7.tex.coord.ld-order", has_load_order).until(Gen8),
    sample("gen9.tex.coord.ld-order", has_load_order).since(Gen9),
    sample("gen7.tex.coord.buffer", |s| s.is(Ld) && s.has_type(&[BUFFER])),
    pixel("gen7.tex.coord.unnorm", |s| s.state(3, 10, 10) == 1 && !s.is(Lod)),
    sample("gen7.tex.simd4x2.layout", |s| s.mode() == Simd4x2 && s.is_answered() && s.has_order()),
    // States.
    pixel("gen7.tex.state.surface", |s| s.has_fetched()).until(Gen8),
    pixel("gen9.tex.state.surface", |s| s.has_fetched()).since(Gen9),
    pixel("gen7.tex.state.sampler", |s| s.sampler.iter().any(|dword| *dword != 0)),
    pixel("gen9.tex.state.lod-preclamp", |s| {
        s.filters_texels() && s.state(0, 28, 27) == 2 && s.is_out_of_bounds()
    })
    .since(Gen9),
    pixel("gen7.tex.state.levels", |s| s.first_level() != 0 && s.has_fetched()),
    pixel("gen7.tex.state.resource-min-lod", is_below_least_lod).since(Gen9),
    // Layouts.
    pixel("gen7.tex.layout.2d", |s| is_tree(s) && !s.is_compressed() && is_of_other_level(s)),
    pixel("gen7.tex.layout.qpitch", |s| is_tree(s) && is_of_other_slice(s)).until(Gen8),
    pixel("gen9.tex.layout.qpitch", |s| is_tree(s) && is_of_other_slice(s)).since(Gen9),
    pixel("gen7.tex.layout.cube", |s| s.has_type(&[CUBE]) && is_of_other_slice(s)),
    pixel("gen7.tex.layout.3d", is_inside_volume).until(Gen8),
    pixel("gen9.tex.layout.3d", is_inside_volume).since(Gen9),
    pixel("gen9.tex.layout.1d", |s| {
        is_straight(s) && (is_of_other_level(s) || is_of_other_slice(s))
    })
    .since(Gen9),
    pixel("gen7.tex.layout.bc", is_of_other_block_level).until(Gen8),
    pixel("gen9.tex.layout.bc", is_of_other_block_level).since(Gen9),
];
