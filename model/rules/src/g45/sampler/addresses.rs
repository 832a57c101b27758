//! Where on a map a pixel is, and which texel an index stands for (sections 4.1, 4.2.1 and 4.2.4).

use parallax_isa::{Device, device::Generation::Gen45};

use super::levels::pixel;
use crate::{
    Rule,
    sampler::{
        CENTRE, CLAMP, CLAMP_BORDER, CUBE, Kind::SampleG, LINEAR, MIRROR, MIRROR_ONCE, PLANE,
        Pixel, SEAMLESS, VOLUME, WRAP,
    },
};

/// Whether modes differ by direction, and some of them have a part.
fn mixes_modes(s: Pixel) -> bool {
    (1..s.directions()).any(|direction| s.mode(direction) != s.mode(0)) && s.leaves_level()
}

/// Whether an index of an element is one that the surface does not have.
fn clamps_element(s: Pixel) -> bool {
    let last = s.field(3, 31, 21) as f32;
    s.is_flat() && !(0.0..=last).contains(&s.element())
}

/// Whether a level has a size that is padded above or beside another one.
fn is_behind_padding(s: Pixel) -> bool {
    !s.is_compressed()
        && s.any_fetched(|level, _| {
            let [width, height, _] = s.sizes(level.saturating_sub(1));
            level != 0 && (width % 4 != 0 || height % 2 != 0)
        })
}

/// Whether a texel is fetched that is not at the start of its surface.
fn is_beyond_first(s: Pixel) -> bool {
    s.any_fetched(|level, [x, y, slice]| i64::from(level) + x + y + slice != 0)
}

/// Whether a texel of another level or slice than the first one is fetched.
fn is_of_other_slice(s: Pixel) -> bool {
    s.any_fetched(|level, [.., slice]| level != 0 || slice != 0)
}

/// Whether a texel of another level than the first one is fetched.
fn is_of_other_level(s: Pixel) -> bool {
    s.any_fetched(|level, _| level != 0)
}

pub(in super::super) const RULES: &[Rule] = &[
    // Coordinates.
    pixel("g45.sampler.coord.normalized", |s| !s.is_cube() && s.any(|t| t.address != [0; 3])),
    pixel("g45.sampler.coord.fixed-point", |s| s.any_part(|part| part != 0)),
    pixel("g45.sampler.coord.texel-centre", |s| {
        let is_linear = s.filter() == LINEAR;
        s.any_part(|part| if is_linear { part == CENTRE } else { part != 0 })
    }),
    pixel("g45.smsg.param.table-1d", |s| s.directions() == 1),
    pixel("g45.smsg.param.table-2d", |s| s.has_type(&[PLANE])),
    pixel("g45.smsg.param.table-3d", |s| s.has_type(&[VOLUME])),
    pixel("g45.smsg.param.table-cube", |s| s.has_type(&[CUBE]) && !s.is(SampleG)),
    pixel("g45.smsg.param.unnorm-clamp", clamps_element),
    // Cubes.
    pixel("g45.sampler.cube.major", |s| s.is_cube() && !s.is(SampleG)),
    pixel("g45.sampler.cube.map-px", |s| s.is_on_face(0)),
    pixel("g45.sampler.cube.map-nx", |s| s.is_on_face(1)),
    pixel("g45.sampler.cube.map-py", |s| s.is_on_face(2)),
    pixel("g45.sampler.cube.map-ny", |s| s.is_on_face(3)),
    pixel("g45.sampler.cube.map-pz", |s| s.is_on_face(4)),
    pixel("g45.sampler.cube.map-nz", |s| s.is_on_face(5)),
    pixel("g45.sampler.cube.project", |s| s.is_cube()),
    pixel("g45.sampler.cube.sample-g", |s| s.is_cube() && s.is(SampleG)),
    pixel("g45.sampler.cube.face-enable", |s| s.is_cube() && s.has_border()),
    pixel("g45.sampler.cube.face-storage", |s| {
        s.is_cube() && s.field(0, 5, 0) != 0x3F && is_beyond_first(s)
    }),
    pixel("g45.sampler.cube.seam", |s| s.is_cube() && s.leaves(SEAMLESS)),
    pixel("g45.sampler.cube.clamp", |s| s.is_cube() && s.leaves(CLAMP)),
    // Gradients.
    pixel("g45.sampler.lod.definition", |s| s.has_gradients()),
    pixel("g45.sampler.lod.gradients", |s| s.has_neighbours()),
    pixel("g45.sampler.lod.gradient-inputs", |s| s.lacks_neighbours()),
    pixel("g45.sampler.lod.array-excluded", |s| s.has_gradients() && s.is_array()),
    pixel("g45.sampler.lod.force-zero", |s| s.forces_zero()),
    // Address modes.
    pixel("g45.sampler.addr.separate", mixes_modes),
    pixel("g45.sampler.addr.wrap", |s| s.leaves(WRAP)),
    pixel("g45.sampler.addr.wrap-neighbour", |s| s.filters() && s.leaves(WRAP)),
    pixel("g45.sampler.addr.mirror", |s| s.leaves(MIRROR)),
    pixel("g45.sampler.addr.mirror-once", |s| s.has_coordinate_outside(MIRROR_ONCE)),
    pixel("g45.sampler.addr.clamp", |s| s.leaves(CLAMP)),
    pixel("g45.sampler.addr.border", |s| s.leaves(CLAMP_BORDER)),
    pixel("g45.sampler.addr.cube", |s| s.leaves(SEAMLESS)),
    pixel("g45.sampler.addr.array-index", |s| s.is_array()),
    pixel("g45.sampler.addr.array-errata", |s| {
        s.device == Device::Cl && s.compares() && s.field(4, 27, 17) != 0
    }),
    pixel("g45.sampler.addr.offset", |s| s.header(2) & 0xFFF != 0),
    // Memory.
    pixel("g45.sampler.fetch.linear-address", |s| {
        s.has_type(&[PLANE])
            && s.field(3, 1, 1) == 0
            && s.any_fetched(|level, [x, y, _]| level == 0 && x + y != 0)
    }),
    pixel("g45.sampler.fetch.tiled-offset", |s| {
        s.field(3, 1, 1) == 1 && s.field(5, 31, 20) & 0xFEF != 0 && s.has_fetched()
    })
    .since(Gen45),
    pixel("g45.sampler.fetch.field", |s| s.field(0, 12, 12) == 1 && is_beyond_first(s)),
    pixel("g45.surface.vlso", |s| s.field(0, 12, 11) == 0b01 && s.has_fetched()),
    pixel("g45.surface.miplayout", |s| s.is_flat() && is_of_other_level(s)),
    pixel("g45.layout.align", is_behind_padding),
    pixel("g45.layout.below", |s| s.is_flat() && !s.is_right() && is_of_other_level(s)),
    pixel("g45.layout.qpitch", |s| s.is_flat() && s.any_fetched(|_, [.., slice]| slice != 0)),
    pixel("g45.layout.volume", |s| s.has_type(&[VOLUME]) && is_of_other_slice(s)),
    pixel("g45.layout.cube", |s| s.is_cube() && is_of_other_slice(s)),
];
