//! A message with the surface and the sampler that go with it.

use parallax_isa::{Device, surface::Numeric};

use super::{
    forms::{Form, Kind},
    parameters, samplers,
    textures::Texture,
};
use crate::random::SplitMix64;

/// A message that is going to be sent.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) surface: [u32; 6],
    pub(super) sampler: [u32; 4],
    pub(super) border: [u32; 4],
    /// Registers behind the header.
    pub(super) payload: Vec<[u32; 8]>,
    /// Dwords 2 and 3 of the header.
    pub(super) control: u32,
    pub(super) sampler_states: u32,
    pub(super) returned: usize,
    /// Bits 15:0.
    pub(super) descriptor: u32,
    pub(super) is_wide: bool,
}

impl Plan {
    /// A message to a surface of the binding table with a sampler of its table, which starts at a dword.
    pub(super) fn new(
        device: Device,
        surface: usize,
        sampler: usize,
        samplers: usize,
        border: usize,
        random: &mut SplitMix64,
    ) -> Self {
        let is_early = matches!(device, Device::Bw | Device::Cl);
        let form = Form::new(is_early, random);
        let texture = Texture::new(device, &form, random);
        let state = samplers::state(device, &form, &texture, border, random);
        let masked = match random.below(3) {
            0 => random.below(15) as u32,
            _ => 0,
        };
        // There it does not demote an anisotropic filter.
        let takes_zero = !(is_early && state.is_anisotropic) || form.has_lod();
        let zero = u32::from(form.needs_zero() || takes_zero && random.below(6) == 0);
        let offsets = parameters::offsets(&texture, random);
        // Bits that are not looked at.
        let unused = (random.next() as u32) << 17;
        let returned = match form.lanes {
            16 => 8 - 2 * masked.count_ones() as usize,
            _ => form.replies,
        };
        let low = (surface | sampler << 8) as u32;
        let descriptor = match is_early {
            true => form.code << 14 | return_format(&form, &texture, random) << 12 | low,
            false => form.code << 12 | low,
        };
        Self {
            payload: parameters::payload(&form, &texture, random),
            surface: texture.state,
            sampler: state.dwords,
            border: state.border,
            control: unused | zero << 16 | masked << 12 | offsets,
            sampler_states: (4 * samplers as u32) | random.below(32) as u32,
            returned,
            descriptor,
            is_wide: form.lanes == 16,
        }
    }
}

/// The data return format of [DevBW] and [DevCL].
fn return_format(form: &Form, texture: &Texture, random: &mut SplitMix64) -> u32 {
    let has = |numeric| texture.format.layout.components().any(|c| c.numeric == numeric);
    match form.kind {
        Kind::Size => [0, 2][random.below(2) as usize],
        _ if texture.is_null() => [0, 2, 3][random.below(3) as usize],
        _ if has(Numeric::Uint) => 2,
        _ if has(Numeric::Sint) => 3,
        _ => 0,
    }
}
