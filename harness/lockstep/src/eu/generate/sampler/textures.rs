//! Surfaces that are sampled, of all types, formats and layouts, inside of memory.

use parallax_isa::{
    Device,
    shared::memory::GRAPHICS_BYTES,
    surface::{self, Format, Layout, Numeric, Use},
};

use super::forms::{Form, Kind};
use crate::{formats, random::SplitMix64};

/// A surface with what a message needs to know of it.
#[derive(Debug, Clone)]
pub(super) struct Texture {
    pub(super) state: [u32; 6],
    /// The code of its type.
    pub(super) kind: u32,
    pub(super) format: &'static Format,
    /// Texels of level 0, and slices.
    pub(super) size: [u32; 3],
    pub(super) levels: u32,
    pub(super) first_level: u32,
    pub(super) is_field: bool,
    pub(super) entries: u32,
    /// It is what most maps are: a plane of one level, of four bytes a texel.
    pub(super) is_usual: bool,
}

/// The format of most maps.
const USUAL: &str = "R8G8B8A8_UNORM";

pub(super) const LINE: u32 = 0;
pub(super) const PLANE: u32 = 1;
pub(super) const VOLUME: u32 = 2;
pub(super) const CUBE: u32 = 3;
pub(super) const BUFFER: u32 = 4;
const NULL: u32 = 7;

/// Sizes that are tried first.
const SIZES: [u32; 14] = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 16, 20, 31, 32];

/// Sizes of surfaces that have few rows or that are only asked for.
const LARGE: [u32; 8] = [63, 200, 257, 512, 1000, 2048, 5000, 8192];
/// Bytes of the longest row.
const LONGEST_PITCH: u32 = 1 << 17;

/// Tilings: the two bits, bytes and lines of a tile.
const WALKS: [(u32, u32, u32); 4] = [(0, 1, 1), (0, 1, 1), (2, 512, 8), (3, 128, 32)];

impl Texture {
    /// One that a message takes.
    pub(super) fn new(
        device: Device,
        form: &Form,
        is_usual: bool,
        random: &mut SplitMix64,
    ) -> Self {
        let mut below = |bound: usize| random.below(bound as u64) as usize;
        let kinds: &[u32] = match form.kind {
            Kind::Compare => &[LINE, PLANE, PLANE, PLANE, CUBE],
            Kind::Load => &[LINE, PLANE, PLANE, PLANE, VOLUME, VOLUME, BUFFER],
            Kind::Size => &[LINE, PLANE, VOLUME, CUBE],
            Kind::Sample => &[LINE, PLANE, PLANE, PLANE, VOLUME, VOLUME, CUBE, CUBE],
        };
        let kind = match below(40) {
            _ if is_usual => PLANE,
            0 => NULL,
            // A direction has three parts.
            _ if form.is_flat() => [LINE, PLANE, VOLUME][below(3)],
            // Nothing else takes monochrome texels.
            _ if form.has_lod() && below(3) == 0 => PLANE,
            _ => kinds[below(kinds.len())],
        };
        let mut formats: Vec<&Format> =
            surface::catalogue(device).iter().filter(|f| suits(f, device, form, kind)).collect();
        if is_usual {
            formats.retain(|format| format.name == USUAL);
        }
        // What a chroma key kills is told by one message only.
        if form.tells_kills() && below(2) == 0 {
            formats.retain(|format| format.allows(device, Use::ChromaKey));
        } else if below(3) == 0 {
            formats::retain_one_kind(&mut formats, &mut below);
        }
        let format = formats[below(formats.len())];
        let is_mono = format.name == "MONO8";
        let takes_array = kind < VOLUME && form.kind != Kind::Compare && !is_mono;
        let is_array = takes_array && below(3) == 0 && !is_usual;
        let is_plain = kind == PLANE && !is_array;
        let is_block = matches!(format.layout, Layout::Compressed(_));
        let is_field = is_plain && !is_block && below(6) == 0 && !is_usual;
        let is_early = matches!(device, Device::Bw | Device::Cl);
        let goes_right = match form.kind {
            Kind::Load => !is_early,
            Kind::Compare => device != Device::Cl,
            _ => true,
        };
        let is_right = is_plain && goes_right && below(6) == 0;
        let (walk, tile_bytes, tile_lines) =
            if kind == BUFFER { WALKS[0] } else { WALKS[below(WALKS.len())] };
        let most_levels = if form.kind == Kind::Size { 14 } else { 5 };
        let first_level = match below(3) {
            0 if !is_mono => below(if form.kind == Kind::Size { 14 } else { 3 }) as u32,
            _ => 0,
        };
        let mut levels = if is_mono || is_usual { 1 } else { 1 + below(most_levels) as u32 };
        // Some steppings of [DevBW] do not look at it where texels are compared.
        let takes_element = form.kind != Kind::Compare || device != Device::Bw;
        let has_element = is_array || kind < VOLUME && !is_mono && takes_element && below(3) == 0;
        let mut first_element = if has_element { below(3) as u32 } else { 0 };
        let has_origin = !is_early && walk != 0 && below(4) == 0;
        let has_origin = has_origin && format.block.texels() == 1 && format.block.bytes != 12;
        // Inside of the first tile.
        let most = (tile_bytes.max(16) / u32::from(format.block.bytes) - 1) / 4;
        let [right, down] = match has_origin {
            true => [(below(3) as u32).min(most), below(3) as u32],
            false => [0; 2],
        };
        let has_texels = form.kind != Kind::Size;
        let is_large = below(if has_texels { 16 } else { 2 }) == 0;
        let sizes = if is_large { &LARGE[..] } else { &SIZES[..] };
        let mut size = [(); 3].map(|()| sizes[below(sizes.len())]);
        if is_mono {
            size[0] = 32 * (1 + below(2) as u32);
        }
        let base = match walk {
            0 => below(64) as u32 * if below(3) == 0 { 1 } else { 16 },
            _ => 4096 * below(2) as u32,
        };
        let room = GRAPHICS_BYTES as u32 - base;
        // What does not fit becomes smaller.
        let (size, pitch) = loop {
            let most = if has_texels { [4, 9] } else { [512, 2048] };
            let elements = if is_array { size[2].min(most[0]) } else { 1 };
            let shape = match kind {
                LINE => [size[0], 1, elements],
                PLANE => [size[0], size[1], elements],
                VOLUME => [size[0].min(2048), size[1].min(2048), size[2].min(most[1])],
                CUBE => [size[0], size[0], 1],
                _ => [size[0], 1, 1],
            };
            let slices = if kind == CUBE { 6 } else { shape[2] };
            let all = first_level + levels + 1;
            let [wide, high] = extent(format, kind, shape, slices + first_element, all, is_right);
            let block = format.block;
            let columns = (wide + 4 * right).div_ceil(block.width.into());
            let pitch = (columns * u32::from(block.bytes)).next_multiple_of(tile_bytes);
            let rows = (high + 2 * down).div_ceil(block.height.into());
            let rows = (if is_field { 2 * rows + 1 } else { rows }).next_multiple_of(tile_lines);
            let fits = !has_texels || u64::from(pitch) * u64::from(rows) <= room.into();
            if fits && pitch <= LONGEST_PITCH {
                break (shape, pitch);
            }
            if levels > 1 {
                levels -= 1;
            } else if size[2] > 1 {
                size[2] /= 2;
            } else if first_element > 0 {
                first_element = 0;
            } else if size[1] > 1 {
                size[1] /= 2;
            } else if size[0] > 1 && !is_mono {
                size[0] /= 2;
            } else {
                break (shape, pitch);
            }
        };
        let entries = 1 + below(40) as u32;
        let element = match below(3) {
            0 => u32::from(format.block.bytes) + below(9) as u32,
            _ => format.block.bytes.into(),
        };
        let more = if walk == 0 && below(3) == 0 { below(9) as u32 } else { 0 };
        let faces = if below(3) == 0 { below(64) as u32 } else { 0x3F };
        let narrow = u32::from(is_narrow(format) && below(2) == 0);
        let layout =
            u32::from(is_field) << 12 | (below(2) as u32) << 11 | u32::from(is_right) << 10;
        let faces = if kind == CUBE { faces } else { 0 };
        let mut state = [
            kind << 29 | narrow << 27 | u32::from(format.code) << 18 | layout | faces,
            base,
            (size[1] - 1) << 19 | (size[0] - 1) << 6 | (levels - 1) << 2,
            (size[2] - 1) << 21 | (pitch + more - 1) << 3 | walk,
            first_level << 28 | first_element << 17,
            // Earlier devices do not look there.
            if is_early { below(1 << 30) as u32 } else { right << 25 | down << 20 },
        ];
        if kind == BUFFER {
            state[2] = (entries - 1) >> 7 << 19 | ((entries - 1) & 0x7F) << 6;
            state[3] = (element - 1) << 3;
            state[4] = 0;
            state[5] = 0;
        }
        let is_field = is_field && kind != NULL;
        Self { state, kind, format, size, levels, first_level, is_field, entries, is_usual }
    }

    /// Whether there is nothing to read.
    pub(super) fn is_null(&self) -> bool {
        self.kind == NULL
    }

    /// Directions that have coordinates.
    pub(super) fn directions(&self) -> usize {
        match self.kind {
            LINE => 1,
            VOLUME => 3,
            _ => 2,
        }
    }

    /// Whether all faces are there.
    pub(super) fn has_all_faces(&self) -> bool {
        self.state[0] & 0x3F == 0x3F
    }
}

/// Whether a message takes a format.
fn suits(format: &Format, device: Device, form: &Form, kind: u32) -> bool {
    let is_integer = |numeric| matches!(numeric, Numeric::Uint | Numeric::Sint);
    let has_integers = format.layout.components().any(|c| is_integer(c.numeric));
    let is_mono = format.name == "MONO8";
    let allows = |purpose| format.allows(device, purpose);
    if !allows(Use::Sampling) || !format.is_defined() {
        return false;
    }
    match form.kind {
        Kind::Size => true,
        Kind::Load => !is_mono && (kind != BUFFER || format.block.texels() == 1),
        Kind::Sample => {
            let takes_mono = form.has_lod() && kind == PLANE;
            !has_integers && (!is_mono || takes_mono)
        }
        Kind::Compare => {
            allows(Use::Shadow) && !(kind == CUBE && OPEN_ON_CUBES.contains(&format.name))
        }
    }
}

const OPEN_ON_CUBES: [&str; 6] =
    ["I24X8_UNORM", "L24X8_UNORM", "A24X8_UNORM", "I32_FLOAT", "L32_FLOAT", "A32_FLOAT"];

/// Whether samples may come with 14 bits after the point.
fn is_narrow(format: &Format) -> bool {
    let fits = |numeric, bits| {
        numeric == Numeric::Pad || matches!(numeric, Numeric::Unorm | Numeric::Snorm) && bits <= 8
    };
    !matches!(format.layout, Layout::Compressed(_))
        && format.layout.components().all(|c| fits(c.numeric, c.bits))
}

/// Columns and rows of texels that are enough for so many levels and slices.
fn extent(
    format: &Format,
    kind: u32,
    [width, height, depth]: [u32; 3],
    slices: u32,
    levels: u32,
    is_right: bool,
) -> [u32; 2] {
    let is_block = matches!(format.layout, Layout::Compressed(_));
    let [i, j] = match is_block {
        true => [u32::from(format.block.width), u32::from(format.block.height)],
        false => [4, 2],
    };
    let of = |size: u32, level: u32, to: u32| (size >> level).max(1).next_multiple_of(to);
    let size = |level: u32| [of(width, level, i), of(height, level, j)];
    let sum = |from: u32| (from..levels.max(from)).map(|level| size(level)[1]).sum::<u32>();
    if kind == VOLUME || kind == CUBE {
        let deep = |level: u32| if kind == CUBE { 6 } else { (depth >> level).max(1) };
        let wide = (0..levels).map(|level| deep(level).min(1 << level) * size(level)[0]).max();
        let high = (0..levels).map(|level| deep(level).div_ceil(1 << level) * size(level)[1]).sum();
        return [wide.unwrap_or(4), high];
    }
    let one_level = levels <= 2;
    if is_right {
        let right = if levels > 2 { size(1)[0] } else { 0 };
        return [size(0)[0] + right, size(0)[1].max(sum(1))];
    }
    let wide = if one_level { size(0)[0] } else { size(0)[0].max(size(1)[0] + size(2)[0]) };
    let distance = size(0)[1] + size(1)[1] + 11 * j;
    let last = size(0)[1] + if one_level { 0 } else { size(1)[1].max(sum(2)) };
    [wide, (slices - 1) * distance + last.max(size(0)[1])]
}
