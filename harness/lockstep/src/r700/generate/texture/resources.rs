//! Textures with several levels, and samplers of all modes.

use parallax_isa::r700::{
    sampler::{Comparison, Filter, MipFilter, Sampler, Wrap},
    texture::{Kind, LARGEST_TEXTURE, Texture},
};

use crate::{corners, random::SplitMix64};

/// Numbers of the textures of a set by what they are for.
pub(super) const ANY: [u32; 4] = [0, 1, 2, 3];
pub(super) const COMPARED: [u32; 2] = [4, 5];
pub(super) const INTEGERS: u32 = 6;
/// Those that are never arrays of cubes: for any instruction, and one that is compared.
pub(super) const PLAIN: u32 = 7;
pub(super) const PLAIN_COMPARED: u32 = 8;
/// Numbers of the samplers of a set; of those in [`HELD`] none repeats or mirrors.
pub(super) const SAMPLERS: usize = 5;
pub(super) const HELD: [u32; 2] = [3, 4];
/// The sampler that takes single texels.
pub(super) const POINT: u32 = 4;

/// Bytes of the largest texel.
const LARGEST_TEXEL: u32 = 16;
/// Formats of floats: of 32 and of 16 bits.
const SINGLES: [u32; 4] = [14, 30, 35, 48];
const HALVES: [u32; 4] = [6, 16, 32, 46];
/// Other formats that are no integers where their numbers are not.
const OTHERS: [u32; 22] =
    [26, 26, 26, 1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 15, 17, 19, 21, 23, 25, 31, 34];
/// Formats of floats in few bits.
const PACKED: [u32; 3] = [22, 24, 43];
/// Formats whose first component is compared.
const COMPARABLE: [u32; 10] = [14, 14, 28, 5, 17, 1, 26, 7, 10, 30];

/// A set of textures.
pub(super) fn textures(random: &mut SplitMix64) -> Vec<Texture> {
    let mut all: Vec<Texture> = ANY
        .iter()
        .map(|_| {
            let format = match random.next() % 8 {
                0 | 1 => random.pick(&SINGLES),
                2 => random.pick(&HALVES),
                3 => random.pick(&PACKED),
                _ => random.pick(&OTHERS),
            };
            let numbers = random.pick(&[0, 0, 2]);
            texture(random, format, numbers)
        })
        .collect();
    all.extend(COMPARED.iter().map(|_| {
        let format = random.pick(&COMPARABLE);
        let compared = texture(random, format, 0);
        let [_, y, z, w] = compared.select;
        Texture { select: [0, y, z, w], srf_mode: 0, ..compared }
    }));
    let format = random.pick(&OTHERS);
    all.push(texture(random, format, 1));
    all.extend([PLAIN, PLAIN_COMPARED].map(|number| plain(random, number)));
    all
}

/// A plane of singles.
fn plain(random: &mut SplitMix64, number: u32) -> Texture {
    let format = 14;
    let size = number;
    let bytes = bytes(random, format, (4 * size * size) as usize);
    let (width, height, pitch) = (size, size, size);
    Texture { bytes, width, height, pitch, data_format: format, ..Texture::default() }
}

/// A small texture of any kind that is filtered.
fn texture(random: &mut SplitMix64, data_format: u32, num_format: u32) -> Texture {
    let kind = random.pick(&[
        Kind::Line,
        Kind::LineArray,
        Kind::Plane,
        Kind::Plane,
        Kind::Plane,
        Kind::PlaneArray,
        Kind::Volume,
        Kind::Cube,
    ]);
    let mut below = |end: u64| (random.next() % end) as u32;
    let powers = below(2) == 0;
    let mut size = |most: u64| if powers { 1 << below(4) } else { 1 + below(most) };
    let width = size(9);
    let height = match kind {
        Kind::Line | Kind::LineArray => 1,
        Kind::Cube => width,
        _ => size(6),
    };
    let depth = match kind {
        Kind::LineArray | Kind::PlaneArray | Kind::Volume => 1 + below(4),
        Kind::Cube => 1 + below(2),
        _ => 1,
    };
    let pitch = width + below(3);
    let levels = 1 + below(4);
    let faces = if kind == Kind::Cube { 6 } else { 1 };
    // No level is larger than the first one, and those of the largest texture take less than there may be.
    let most = pitch * height * depth * faces * levels * LARGEST_TEXEL;
    let most = (most as usize).min(LARGEST_TEXTURE);
    let select = match below(4) {
        0 => [below(6), below(6), below(6), below(6)],
        1 => [2, 1, 0, 3],
        _ => [0, 1, 2, 3],
    };
    let (format_comp, srf_mode) = (below(2), below(2));
    let endian_swap = if below(3) == 0 { below(3) } else { 0 };
    Texture {
        kind,
        width,
        height,
        depth,
        pitch,
        levels,
        samples: 1,
        data_format,
        num_format,
        format_comp,
        srf_mode,
        endian_swap,
        select,
        bytes: bytes(random, data_format, most),
    }
}

/// Bytes of texels: numbers near each other, whole ones, few others.
fn bytes(random: &mut SplitMix64, format: u32, length: usize) -> Vec<u8> {
    let mut word = || {
        let bits = random.next();
        match bits >> 59 {
            _ if SINGLES.contains(&format) || format == 28 => match bits >> 56 {
                0..3 => corners::float(random),
                3..100 => ((bits & 31) as f32 * 0.25 - 2.0).to_bits(),
                _ => ((bits as u32 >> 8) as f32 / (1 << 20) as f32 - 8.0).to_bits(),
            },
            // Halves from 2^-5 to 2^2, and now and then anything.
            1.. if HALVES.contains(&format) => bits as u32 & 0x8FFF_8FFF | 0x2800_2800,
            0..4 => *[0, u32::MAX, 0x8080_8080, 0x7F7F_7F7F].get((bits & 3) as usize).unwrap_or(&0),
            _ => bits as u32,
        }
    };
    (0..length.div_ceil(4)).flat_map(|_| word().to_le_bytes()).collect()
}

/// A set of samplers.
pub(super) fn samplers(random: &mut SplitMix64) -> Vec<Sampler> {
    (0..SAMPLERS as u32).map(|number| sampler(random, number)).collect()
}

fn sampler(random: &mut SplitMix64, number: u32) -> Sampler {
    let held = [Wrap::ClampLastTexel, Wrap::ClampHalfBorder, Wrap::ClampBorder];
    let any = [
        Wrap::Wrap,
        Wrap::Mirror,
        Wrap::MirrorOnceLastTexel,
        Wrap::MirrorOnceHalfBorder,
        Wrap::MirrorOnceBorder,
    ];
    let wrap = [(); 3].map(|()| {
        if HELD.contains(&number) || random.next().is_multiple_of(3) {
            random.pick(&held)
        } else {
            random.pick(&any)
        }
    });
    let is_point = number == POINT;
    let filters = [Filter::Point, Filter::Bilinear, Filter::Bilinear];
    let mips = [MipFilter::None, MipFilter::Point, MipFilter::Linear, MipFilter::Linear];
    let mut filter = || if is_point { Filter::Point } else { random.pick(&filters) };
    let (magnify, minify) = (filter(), filter());
    let mip = match random.pick(&mips) {
        MipFilter::Linear if is_point => MipFilter::Point,
        mip => mip,
    };
    let min_lod = random.pick(&[0, 0, 0, 20, 64, 100]);
    let max_lod = random.pick(&[1023, 1023, 100, 130, 200]).max(min_lod);
    let lod_bias = match random.next() % 4 {
        0 => (random.next() % 512) as i32 - 256,
        1 => random.pick(&[-2048, 2047, 32, -32]),
        _ => 0,
    };
    let mut component = || match random.next() % 8 {
        0 => corners::float(random),
        n => (n as f32 * 0.125).to_bits(),
    };
    // No NaN, which could not be told from another, nor anything that swallows what it is added to.
    let border =
        [(); 4].map(|()| Some(component()).filter(|bits| bits & 0x7800_0000 < 0x7000_0000));
    let border = border.map(|bits| bits.unwrap_or(0x3F80_0000));
    let compare = random.pick(&[
        Comparison::Never,
        Comparison::Less,
        Comparison::Equal,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::NotEqual,
        Comparison::GreaterEqual,
        Comparison::Always,
    ]);
    Sampler { wrap, magnify, minify, mip, min_lod, max_lod, lod_bias, border, compare }
}
