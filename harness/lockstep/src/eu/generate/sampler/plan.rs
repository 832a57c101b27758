//! A message with the surface and the sampler that go with it.

use parallax_isa::{Device, surface::Numeric};

use super::{
    forms::{Form, Kind},
    parameters, samplers,
    textures::Texture,
};
use crate::random::SplitMix64;

/// One message in so many is a usual one.
const USUAL_ONE_IN: u64 = 5;

/// A message that is going to be sent.
#[derive(Debug)]
pub(super) struct Plan {
    form: Form,
    texture: Texture,
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
        let is_usual = random.below(USUAL_ONE_IN) == 0;
        let form = if is_usual { Form::usual(random) } else { Form::new(is_early, random) };
        let texture = Texture::new(device, &form, is_usual, random);
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
            form,
            texture,
        }
    }

    /// A message with another sampler to the same surface, often by the same descriptor and a table that begins
    /// later.
    pub(super) fn resampled(
        &self,
        device: Device,
        samplers: usize,
        slot: usize,
        border: usize,
        random: &mut SplitMix64,
    ) -> Self {
        let state = samplers::state(device, &self.form, &self.texture, border, random);
        let is_early = matches!(device, Device::Bw | Device::Cl);
        let takes_zero = !(is_early && state.is_anisotropic) || self.form.has_lod();
        let zero = if takes_zero { 0 } else { 1 << 16 };
        let again = self.again(random);
        // A table begins where 32 bytes do, two samplers.
        let number = (self.descriptor >> 8 & 0xF) as usize;
        let later = slot.checked_sub(number).filter(|places| places % 2 == 0);
        let (number, first) = match later {
            Some(places) if random.below(2) == 0 => (number, places),
            _ => (slot, 0),
        };
        Self {
            sampler: state.dwords,
            border: state.border,
            control: again.control & !zero,
            sampler_states: (4 * (samplers + 4 * first) as u32) | random.below(32) as u32,
            descriptor: self.descriptor & !0xF00 | (number as u32) << 8,
            ..again
        }
    }

    /// A message with the same descriptor to other places, often with other offsets or other channels masked.
    pub(super) fn again(&self, random: &mut SplitMix64) -> Self {
        let mut control = self.control;
        if random.below(2) == 0 {
            control = control & !0xFFF | parameters::offsets(&self.texture, random);
        }
        if random.below(2) == 0 {
            // As many of them: the reply has the same length.
            let turned = ((control >> 12 & 0xF) * 0x11) >> random.below(4);
            control = control & !0xF000 | (turned & 0xF) << 12;
        }
        Self {
            payload: parameters::payload(&self.form, &self.texture, random),
            control,
            form: self.form,
            texture: self.texture.clone(),
            ..*self
        }
    }

    /// Whether it is one of those that are sent most.
    pub(super) fn is_usual(&self) -> bool {
        self.texture.is_usual
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
