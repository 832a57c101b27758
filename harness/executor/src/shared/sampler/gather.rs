//! The texels of a footprint as they are (Gen7 and later).

use parallax_isa::{Device, shared::Unanswered};

use super::{filter::Axis, message::Parameter, reply::Colour, sample::Pixel, state::Filter};

/// Texels of a footprint, from the lower left one on counter-clockwise: how far right and down they are.
const ORDER: [[i64; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];

impl Pixel<'_> {
    /// A channel of four texels, or what their comparisons come to.
    pub(super) fn gather(&self, lane: usize) -> Result<Colour, Unanswered> {
        let spot = self.spot(lane)?;
        let least = (self.surface.least_level >> self.sampler.fraction) as u32;
        let level = self.surface.first_level.max(least);
        let size = self.surface.size(level);
        let mut from = [0; 3];
        for (axis, from) in from.iter_mut().enumerate().take(spot.dimensions) {
            let (surface, sampler) = (self.surface, self.sampler);
            let address = spot.address(surface, sampler, axis, size[axis], true, 0.0);
            *from = Axis::new(Filter::Linear, address, 0).first;
        }
        let (offsets, gathered) = (self.footprint_offsets(lane), self.gathered());
        let reference = self.reference(lane);
        let is_line = spot.dimensions == 1;
        let mut colour = [0; 4];
        for (bits, [right, down]) in colour.iter_mut().zip(ORDER) {
            let down = if is_line { 0 } else { down };
            let indices = [from[0] + right, from[1] + down, 0];
            let (texel, _) = self.texel(level, indices, offsets, &spot, size, Filter::Linear)?;
            let texel = match reference {
                Some(reference) => [self.compare(texel, reference); 4],
                None => texel,
            };
            *bits = self.surface.selected(texel)[gathered];
        }
        Ok((colour, false))
    }

    /// How far a footprint is moved: by its pixel if the message says so.
    fn footprint_offsets(&self, lane: usize) -> [i64; 3] {
        let form = &self.order.form;
        if !form.has(Parameter::Offu) {
            return self.order.offsets;
        }
        let word = |parameter| form.word(self.request, parameter, lane);
        // Six bits with a sign.
        let offset = |parameter| i64::from((word(parameter) << 26).cast_signed() >> 26);
        [offset(Parameter::Offu), offset(Parameter::Offv), 0]
    }

    /// The channel. Of one format Ivy Bridge gives green where blue is asked for.
    fn gathered(&self) -> usize {
        let is_odd = self.device == Device::Ivb && self.surface.name == "R32G32_FLOAT";
        if is_odd && self.order.gathered == 2 { 1 } else { self.order.gathered }
    }
}
