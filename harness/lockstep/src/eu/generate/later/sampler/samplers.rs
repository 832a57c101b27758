//! Sampler states that go with a surface and a message (table `eu-sampler-state-by-gen`).

use parallax_isa::{Device, device::Generation, surface::Use};

use super::{
    super::surfaces::{CUBE, LINE, PLANE},
    forms::Form,
    textures::Texture,
};
use crate::{
    eu::hardware_state::{HardwareState, SAMPLER_STATE_DWORDS},
    random::SplitMix64,
};

const WRAP: u32 = 0;
const CLAMP: u32 = 2;
const TO_FACES: u32 = 3;
const BORDER: u32 = 4;

/// Border colours beyond what texels of most formats have.
const OUTSIDE: [f32; 8] = [-1.0, -0.25, 1.5, 4.0, 300.0, -2.0, 0.5, 0.0];

/// A sampler with its border colour.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) dwords: [u32; SAMPLER_STATE_DWORDS],
    pub(super) border: [u32; 4],
    /// Coordinates count texels.
    pub(super) counts_texels: bool,
}

/// A sampler for a message to a surface, its border colour at a byte of the dynamic state.
pub(super) fn state(
    device: Device,
    form: &Form,
    texture: &Texture,
    border: u32,
    random: &mut SplitMix64,
) -> State {
    let generation = device.generation().unwrap_or(Generation::Gen9);
    let mut below = |bound: u64| random.below(bound) as u32;
    let filters = form.compares() || texture.format.allows(device, Use::Filtering);
    let filters = filters && !texture.has_integers();
    let mut filter = || if filters { below(2) } else { 0 };
    let (mag, min) = (filter(), filter());
    let mip = if filters { [0, 1, 3, 3][below(4) as usize] } else { below(2) };
    let last_mode = match generation {
        Generation::Gen8 | Generation::Gen9 => 6,
        Generation::Gen12 => 7,
        _ => 5,
    };
    let overrides = generation >= Generation::Gen9 && below(4) == 0;
    let takes_texels = texture.kind == PLANE && texture.levels == 1 && !texture.is_array;
    let counts_texels = takes_texels && below(6) == 0;
    let is_bound = generation == Generation::Gen7 || overrides || below(3) > 0;
    let has_all_faces = texture.state[0] & 0x3F == 0x3F;
    let of_cube = if has_all_faces && below(2) == 0 { CLAMP } else { TO_FACES };
    // All but the one of cubes.
    let mut mode = || match below(last_mode) {
        TO_FACES => last_mode as u32,
        mode => mode,
    };
    let modes = match texture.kind {
        CUBE if is_bound => [of_cube; 3],
        CUBE if has_all_faces => [mode(); 3],
        CUBE => [TO_FACES; 3],
        _ if counts_texels => [(); 3].map(|()| if mode() == BORDER { BORDER } else { CLAMP }),
        // Ivy Bridge looks at the second direction of lines too.
        LINE if generation == Generation::Gen7 => [mode(), WRAP, mode()],
        _ => [mode(), mode(), mode()],
    };
    let mip = if counts_texels { 0 } else { mip };
    let lod = |bits: u32| match bits & 7 {
        0 => [0, 14 * 256][(bits >> 8) as usize % 2],
        1 | 2 => (bits >> 8) % (14 * 256 + 1),
        // Around wholes and halves.
        3 | 4 => 256 * (bits >> 8 & 3) + [1, 127, 128, 129, 255, 256][(bits >> 10) as usize % 6],
        _ => (bits >> 8) % 1024,
    };
    let min_lod = if below(2) == 0 { 0 } else { lod(below(1 << 30)) };
    let max_lod = if below(2) == 0 { 14 * 256 } else { lod(below(1 << 30)) };
    let bias = match below(4) {
        0 => below(1 << 13),
        1 => (below(800) + 8192 - 400) & 0x1FFF,
        _ => 0,
    };
    let mut state = HardwareState::sampler(generation);
    state
        .set("Sampler Disable", u32::from(below(60) == 0))
        .set("Texture LOD Bias", bias)
        .set("Min Mode Filter", min)
        .set("Mag Mode Filter", mag)
        .set("Mip Mode Filter", mip)
        .set("Shadow Function", below(8))
        .set("Min LOD", min_lod)
        .set("Max LOD", max_lod)
        .set("Cube Surface Control Mode", u32::from(overrides))
        .set("TCX Address Control Mode", modes[0])
        .set("TCY Address Control Mode", modes[1])
        .set("TCZ Address Control Mode", modes[2])
        .set("Non-normalized Coordinate Enable", counts_texels.into())
        .set("Border Color Pointer", border / if generation >= Generation::Gen8 { 64 } else { 32 })
        .set_if_there("LOD PreClamp Enable", below(2))
        .set_if_there("LOD PreClamp Mode", 2 * below(2))
        .set_if_there("LOD Clamp Magnification Mode", below(2))
        .set_if_there("SRGB DECODE", below(2));
    let base = [0, 0, 0, 1, 2, 3, 26][below(7) as usize];
    state.set_if_there("Base Mip Level", base);
    for name in ["Min", "Mag"] {
        for axis in ["U", "V", "R"] {
            state.set(&format!("{axis} Address {name} Filter Rounding Enable"), below(2));
        }
    }
    if state.has("Reduction Type Enable") && !form.compares() && below(8) == 0 {
        state.set("Reduction Type Enable", 1).set("Reduction Type", 2 + below(2));
    }
    let border = match below(4) {
        _ if texture.has_integers() => [(); 4].map(|()| below(1 << 20)),
        0 => [(); 4].map(|()| OUTSIDE[below(8) as usize].to_bits()),
        _ => [(); 4].map(|()| (below(256) as f32 / 255.0).to_bits()),
    };
    let dwords = state.into_dwords();
    let dwords = <[u32; SAMPLER_STATE_DWORDS]>::try_from(dwords).expect("a sampler state");
    State { dwords, border, counts_texels }
}
