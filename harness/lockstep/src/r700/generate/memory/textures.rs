//! Textures, and instructions that load their texels or ask for their sizes.

use parallax_isa::r700::{
    Fetch, FetchOpcode,
    microcode::TextureFetch,
    texture::{Kind, Texture},
};

use super::{
    fetches::{bit, once_in, register, selects, target},
    resources::bytes,
};
use crate::{choices::Choices, random::SplitMix64};

/// Formats of texels that are single elements.
const FORMATS: [u32; 37] = [
    1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29,
    30, 31, 32, 34, 35, 43, 44, 45, 46, 47, 48,
];
/// Bytes of the largest texel.
const LARGEST_TEXEL: u32 = 16;
/// Textures whose texels can be loaded: the first ones of a set. One more can only be asked about.
const LOADED: usize = 3;

/// A set of textures.
pub(super) fn resources(random: &mut SplitMix64) -> Vec<Texture> {
    let mut textures: Vec<Texture> = (0..LOADED)
        .map(|_| {
            let kinds = [
                Kind::Buffer,
                Kind::Line,
                Kind::LineArray,
                Kind::Plane,
                Kind::Plane,
                Kind::PlaneArray,
                Kind::Volume,
            ];
            let kind = kinds[(random.next() % kinds.len() as u64) as usize];
            texture(random, kind)
        })
        .collect();
    let asked = if random.next() & 1 == 0 {
        texture(random, Kind::Cube)
    } else {
        let plane = texture(random, Kind::PlaneArray);
        Texture { levels: 1, samples: 2 << (random.next() % 3), ..plane }
    };
    textures.push(asked);
    textures
}

/// A small texture of a kind.
fn texture(random: &mut SplitMix64, kind: Kind) -> Texture {
    let mut below = |end: u64| (random.next() % end) as u32;
    let width = 1 + below(9);
    let height = match kind {
        Kind::Buffer | Kind::Line | Kind::LineArray => 1,
        Kind::Cube => width,
        _ => 1 + below(5),
    };
    let depth = match kind {
        Kind::LineArray | Kind::PlaneArray | Kind::Volume => 1 + below(3),
        Kind::Cube => 1,
        _ => 1,
    };
    let pitch = width + below(3);
    let levels = if kind == Kind::Buffer { 1 } else { 1 + below(4) };
    let faces = if kind == Kind::Cube { 6 } else { 1 };
    // No level is larger than the first one.
    let most = pitch * height * depth * faces * levels * LARGEST_TEXEL;
    let select = match below(4) {
        0 => [below(6), below(6), below(6), below(6)],
        1 => [2, 1, 0, 3],
        _ => [0, 1, 2, 3],
    };
    Texture {
        kind,
        width,
        height,
        depth,
        pitch,
        levels,
        samples: 1,
        data_format: FORMATS[below(FORMATS.len() as u64) as usize],
        num_format: below(3),
        format_comp: below(2),
        srf_mode: below(2),
        endian_swap: below(3),
        select,
        bytes: bytes(random, most as usize),
    }
}

/// A texture instruction on small coordinates.
pub(super) fn fetch(choices: &mut Choices) -> Fetch {
    use FetchOpcode::{GetNumberOfSamples, GetTextureResinfo, Ld};
    let opcode = *choices.pick(&[Ld, Ld, Ld, Ld, GetTextureResinfo, GetNumberOfSamples]);
    let textures = if opcode == Ld { LOADED } else { LOADED + 1 };
    let [x, y, z, w] = selects(choices);
    // Whole texels; halves would be undefined.
    let offset = |choices: &mut Choices| match choices.below(4) {
        0 => 2 * choices.below(16) as u32,
        1 => *choices.pick(&[2, 30]),
        _ => 0,
    };
    let offsets = [offset(choices), offset(choices), offset(choices)];
    Fetch::Texture(
        TextureFetch::default()
            .with(TextureFetch::TEX_INST, opcode.code())
            .with(TextureFetch::FETCH_WHOLE_QUAD, bit(choices))
            .with(TextureFetch::RESOURCE_ID, choices.below(textures) as u32)
            .with(TextureFetch::SRC_GPR, register(choices))
            .with(TextureFetch::SRC_REL, bit(choices))
            .with(TextureFetch::ALT_CONST, once_in(choices, 4))
            .with(TextureFetch::DST_GPR, target(choices))
            .with(TextureFetch::DST_REL, bit(choices))
            .with(TextureFetch::DST_SEL_X, x)
            .with(TextureFetch::DST_SEL_Y, y)
            .with(TextureFetch::DST_SEL_Z, z)
            .with(TextureFetch::DST_SEL_W, w)
            .with(TextureFetch::LOD_BIAS, choices.below(128) as u32)
            .with(TextureFetch::COORD_TYPE_X, bit(choices))
            .with(TextureFetch::COORD_TYPE_Y, bit(choices))
            .with(TextureFetch::COORD_TYPE_Z, bit(choices))
            .with(TextureFetch::COORD_TYPE_W, bit(choices))
            .with(TextureFetch::OFFSET_X, offsets[0])
            .with(TextureFetch::OFFSET_Y, offsets[1])
            .with(TextureFetch::OFFSET_Z, offsets[2])
            .with(TextureFetch::SAMPLER_ID, choices.below(18) as u32)
            .with(TextureFetch::SRC_SEL_X, *choices.pick(&[0, 0, 1, 2, 4, 5]))
            .with(TextureFetch::SRC_SEL_Y, *choices.pick(&[1, 1, 0, 4, 3]))
            .with(TextureFetch::SRC_SEL_Z, *choices.pick(&[4, 4, 0, 1, 2]))
            .with(TextureFetch::SRC_SEL_W, *choices.pick(&[4, 4, 0, 1, 3])),
    )
}
