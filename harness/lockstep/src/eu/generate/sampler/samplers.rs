//! Sampler states that go with a surface and a message.

use parallax_isa::{
    Device,
    surface::{BorderMode, Numeric, Use},
};

use super::{
    forms::{Form, Kind},
    textures::{CUBE, LINE, Texture, VOLUME},
};
use crate::random::SplitMix64;

/// A sampler with its border colour.
#[derive(Debug)]
pub(super) struct State {
    pub(super) dwords: [u32; 4],
    pub(super) border: [u32; 4],
    pub(super) is_anisotropic: bool,
}

const CLAMP: u32 = 2;
const TO_FACES: u32 = 3;
const BORDER: u32 = 4;
const LINEAR: u32 = 1;
const ANISOTROPIC: u32 = 2;
const MONO: u32 = 6;

/// Parts of border colours beyond those that texels of most formats have.
const OUTSIDE: [f32; 8] = [-1.0, -0.25, 1.5, 4.0, 300.0, -2.0, 0.5, 0.0];

/// A sampler for a message to a surface, its border colour at a dword of the general states.
pub(super) fn state(
    device: Device,
    form: &Form,
    texture: &Texture,
    border: usize,
    random: &mut SplitMix64,
) -> State {
    let mut below = |bound: u64| random.below(bound) as u32;
    let format = texture.format;
    let is_mono = format.name == "MONO8";
    let filters_well = form.kind == Kind::Compare || format.allows(device, Use::Filtering);
    let mut filter = || match filters_well {
        _ if is_mono => MONO,
        _ if texture.is_usual => u32::from(below(6) > 0) * LINEAR,
        true => below(2) * LINEAR,
        false => 0,
    };
    let (mag, min) = (filter(), filter());
    let is_forced = form.needs_zero() && matches!(device, Device::Bw | Device::Cl);
    let takes_anisotropic = filters_well && !is_mono && texture.kind != VOLUME && !is_forced;
    let (mag, min) = match takes_anisotropic && !texture.is_usual && below(4) == 0 {
        true => [(2, 2), (2, 2), (2, min), (mag, 2)][below(4) as usize],
        false => (mag, min),
    };
    let is_anisotropic = [mag, min].contains(&ANISOTROPIC);
    let mip = match (is_mono || texture.is_field, filters_well) {
        (true, _) => 0,
        (_, true) => [0, 1, 3, 3][below(4) as usize],
        (_, false) => below(2),
    };
    // Only read for cubes.
    let overrides = u32::from(below(4) == 0);
    let modes = if is_mono {
        [BORDER; 3]
    } else if texture.is_field {
        [CLAMP; 3]
    } else if texture.kind == CUBE && overrides == 0 {
        let clamps = texture.has_all_faces() && below(2) == 0;
        [if clamps { CLAMP } else { TO_FACES }; 3]
    } else {
        let most = match texture.kind {
            _ if texture.is_usual => 3,
            // Faces are overridden to.
            CUBE => 7,
            _ => 6,
        };
        let mut mode = || [0, 1, 2, 4, 4, 5, TO_FACES][below(most) as usize];
        let modes = [mode(), mode(), mode()];
        // A border of the second direction may show in lines.
        if texture.kind == LINE { [modes[0], CLAMP, modes[2]] } else { modes }
    };
    let is_dx9 = takes_dx9(texture, form) && (needs_dx9(device, texture) || below(2) == 0);
    let takes_key = format.allows(device, Use::ChromaKey)
        && texture.kind != VOLUME
        && !(texture.is_usual && below(4) != 0);
    let keyed = takes_key && (below(2) == 0 || form.tells_kills()) && !is_anisotropic;
    let lod = |random: u32| match random & 7 {
        0 => [0, 832][(random >> 8) as usize % 2],
        1 | 2 => (random >> 8) % 833,
        // Around wholes and halves.
        3 | 4 => {
            (64 * (random >> 8 & 3) + [1, 31, 32, 33, 63, 64][(random >> 10) as usize % 6]) % 833
        }
        _ => (random >> 8) % 256,
    };
    let min_lod = if is_mono || below(2) == 0 { 0 } else { lod(below(1 << 30)) };
    let max_lod = if below(2) == 0 { 832 } else { lod(below(1 << 30)) };
    let bias = match below(4) {
        0 => below(1 << 11),
        1 => below(200) + 2048 - 100,
        _ => 0,
    } & 0x7FF;
    let base = [0, 0, 1, 2, 3, 4, 26][below(7) as usize];
    let disabled = u32::from(below(60) == 0);
    let kernel = [1 + below(7), 1 + below(7)];
    // Reserved bits are not looked at.
    let dwords = [
        disabled << 31
            | u32::from(is_dx9) << 29
            | below(2) << 28
            | base << 22
            | mip << 20
            | mag << 17
            | min << 14
            | bias << 3
            | below(8),
        min_lod << 22 | max_lod << 12 | overrides << 9 | modes[0] << 6 | modes[1] << 3 | modes[2],
        4 * border as u32,
        kernel[0] << 29
            | kernel[1] << 26
            | u32::from(keyed) << 25
            | below(4) << 23
            | below(2) << 22
            | below(8) << 19
            | below(64) << 13,
    ];
    let unit = |bits: u32| (f32::from(bits as u8) / 255.0).to_bits();
    let border = match is_dx9 {
        true => [(); 4].map(|()| below(u64::from(u32::MAX))),
        false if below(4) == 0 => [(); 4].map(|()| OUTSIDE[below(8) as usize].to_bits()),
        false => [(); 4].map(|()| unit(below(256))),
    };
    State { dwords, border, is_anisotropic }
}

/// Whether a texture may be sampled in DX9 border colour mode.
fn takes_dx9(texture: &Texture, form: &Form) -> bool {
    let format = texture.format;
    let fits = |bits: u8, numeric| bits <= 16 || bits == 32 && numeric == Numeric::Float;
    let mut components = format.layout.components().filter(|c| c.numeric != Numeric::Pad);
    let mapped = format.maps.is_empty()
        || format.maps.iter().any(|map| map.mode.is_none_or(|mode| mode == BorderMode::Dx9));
    form.kind != Kind::Compare
        && mapped
        && components.all(|c| fits(c.bits, c.numeric))
        && !matches!(format.name, "YCRCB_SWAPUV" | "YCRCB_SWAPY")
}

/// Whether it must be.
fn needs_dx9(device: Device, texture: &Texture) -> bool {
    matches!(device, Device::Bw | Device::Cl) && texture.format.name.ends_with("_PALETTE0")
}

/// Low and high value of a key that some texels match.
pub(super) fn chroma_key(random: &mut SplitMix64) -> [u32; 2] {
    let bytes = [(); 4].map(|()| {
        let kind = random.below(4);
        let ends = [random.below(256) as u8, random.below(256) as u8];
        match kind {
            0 => [ends[0].min(ends[1]), ends[0].max(ends[1])],
            // Everything that has a sign.
            1 => [0xFF, 0x7F],
            _ => [0, 0xFF],
        }
    });
    [0, 1].map(|end| u32::from_le_bytes(bytes.map(|byte| byte[end])))
}
