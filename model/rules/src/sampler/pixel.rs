//! Conditions on what is sampled for a pixel or sample.

use std::ops::Deref;

use parallax_isa::{
    device::Generation::Gen7,
    surface::{Component, Layout, Name, Use},
};
use parallax_reference::eu::{PixelStep, SampledTexel, TexelSource};

use super::{
    CUBE, Kind, LINE, PLANE,
    Parameter::{self, R, Reference, U, V},
    VOLUME,
};
use crate::message::doubleword;

/// A pixel or sample.
#[derive(Clone, Copy)]
pub(crate) struct Pixel<'a>(pub(crate) &'a PixelStep<'a>);

impl<'a> Deref for Pixel<'a> {
    type Target = PixelStep<'a>;

    fn deref(&self) -> &PixelStep<'a> {
        self.0
    }
}

// Filters within a level.
pub(crate) const NEAREST: u32 = 0;
pub(crate) const LINEAR: u32 = 1;
pub(crate) const ANISOTROPIC: u32 = 2;
pub(crate) const MONO: u32 = 6;

// Address modes.
pub(crate) const WRAP: u32 = 0;
pub(crate) const MIRROR: u32 = 1;
pub(crate) const CLAMP: u32 = 2;
pub(crate) const SEAMLESS: u32 = 3;
pub(crate) const CLAMP_BORDER: u32 = 4;
pub(crate) const MIRROR_ONCE: u32 = 5;

/// Steps of an address in a texel.
const STEPS: i64 = 256;
/// Where in a texel its centre is.
pub(crate) const CENTRE: i64 = STEPS / 2;

impl<'a> Pixel<'a> {
    // The message.

    pub(crate) fn is(self, kind: Kind) -> bool {
        self.message.form.kind == kind
    }

    /// Whether it is of Gen7 or later, where fields of states have other places.
    pub(crate) fn is_later(self) -> bool {
        self.device.generation() >= Some(Gen7)
    }

    /// Whether texels are compared.
    pub(crate) fn compares(self) -> bool {
        self.message.form.compares()
    }

    /// A doubleword of the header.
    pub(crate) fn header(self, number: usize) -> u32 {
        doubleword(self.request.payload.first(), number)
    }

    /// Whether the level of detail is 0 whatever the gradients.
    pub(crate) fn forces_zero(self) -> bool {
        self.header(2) >> 16 & 1 == 1
    }

    /// Whether the level of detail comes from gradients.
    pub(crate) fn has_gradients(self) -> bool {
        !self.delivers() && !self.forces_zero()
    }

    /// Whether those are differences to pixels beside it.
    pub(crate) fn has_neighbours(self) -> bool {
        self.has_gradients() && !self.is(Kind::SampleG)
    }

    /// Whether one of the pixels is disabled that those are made of.
    pub(crate) fn lacks_neighbours(self) -> bool {
        self.has_neighbours()
            && self.request.channel_enables >> (self.number / 4 * 4) & 0b111 != 0b111
    }

    /// A parameter of it.
    pub(crate) fn parameter(self, wanted: Parameter) -> f32 {
        f32::from_bits(self.message.entities[self.number].bits(wanted))
    }

    /// What texels are compared with.
    pub(crate) fn reference(self) -> f32 {
        self.parameter(Reference)
    }

    // The sampler.

    /// A field of SAMPLER_STATE.
    pub(crate) fn state(self, number: usize, high: u32, low: u32) -> u32 {
        self.sampler[number] >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// The filter within a level that the sampler asks for.
    pub(crate) fn asked_filter(self) -> u32 {
        if self.magnifies { self.state(0, 19, 17) } else { self.state(0, 16, 14) }
    }

    /// The one that it gets.
    pub(crate) fn filter(self) -> u32 {
        match self.asked_filter() {
            ANISOTROPIC if self.subpixels == 0 => LINEAR,
            asked => asked,
        }
    }

    /// Whether several texels of a level may be filtered.
    pub(crate) fn filters(self) -> bool {
        self.filter() != NEAREST
    }

    /// The address mode of a direction.
    pub(crate) fn mode(self, direction: usize) -> u32 {
        if self.is_cube() && self.overrides_cubes() {
            return SEAMLESS;
        }
        let (number, low) = (if self.is_later() { 3 } else { 1 }, 6 - 3 * direction as u32);
        self.state(number, low + 2, low)
    }

    /// Whether cubes have seamless edges whatever the address modes.
    pub(crate) fn overrides_cubes(self) -> bool {
        let bit = if self.is_later() { 0 } else { 9 };
        self.state(1, bit, bit) == 1
    }

    /// The comparison of the sampler.
    pub(crate) fn function(self) -> u32 {
        if self.is_later() { self.state(1, 3, 1) } else { self.state(0, 2, 0) }
    }

    pub(crate) fn is_dx9(self) -> bool {
        self.state(0, 29, 29) == 1
    }

    /// Whether it compares by a function.
    pub(crate) fn compares_by(self, function: u32) -> bool {
        self.compares() && self.function() == function
    }

    /// Whether texels are held against a chroma key.
    pub(crate) fn has_key(self) -> bool {
        self.state(3, 25, 25) == 1 && self.has_fetched()
    }

    /// The ends of the range of its chroma key.
    pub(crate) fn key(self) -> [u32; 2] {
        self.sampling.chroma_keys[self.state(3, 24, 23) as usize]
    }

    /// Whether one is in its range that then becomes what a mode says.
    pub(crate) fn is_keyed(self, mode: u32) -> bool {
        self.state(3, 22, 22) == mode && self.any(|texel| texel.is_keyed)
    }

    // The surface.

    /// A field of SURFACE_STATE.
    pub(crate) fn field(self, number: usize, high: u32, low: u32) -> u32 {
        self.surface[number] >> low & (u32::MAX >> (31 - (high - low)))
    }

    pub(crate) fn has_type(self, types: &[u32]) -> bool {
        types.contains(&self.field(0, 31, 29))
    }

    pub(crate) fn is_cube(self) -> bool {
        self.has_type(&[CUBE])
    }

    /// Whether it is on the face of a cube that its direction leads to.
    pub(crate) fn is_on_face(self, face: i64) -> bool {
        self.is_cube() && !self.is(Kind::SampleG) && self.slice == face
    }

    /// Whether the surface may have several elements.
    pub(crate) fn is_flat(self) -> bool {
        self.has_type(&[LINE, PLANE])
    }

    /// Whether it has several elements.
    pub(crate) fn is_array(self) -> bool {
        let may_be = if self.is_later() { self.field(0, 28, 28) == 1 } else { self.is_flat() };
        may_be && self.field(3, 31, 21) != 0
    }

    /// The index of its element.
    pub(crate) fn element(self) -> f32 {
        self.parameter(if self.has_type(&[LINE]) { V } else { R })
    }

    /// Directions of the map.
    pub(crate) fn directions(self) -> usize {
        match self.field(0, 31, 29) {
            LINE => 1,
            VOLUME => 3,
            _ => 2,
        }
    }

    /// Texels of a level in each direction.
    pub(crate) fn sizes(self, level: u32) -> [i64; 3] {
        let (width, height) = match self.is_later() {
            true => (self.field(2, 13, 0), self.field(2, 29, 16)),
            false => (self.field(2, 18, 6), self.field(2, 31, 19)),
        };
        let sizes = [width, height, self.field(3, 31, 21)];
        sizes.map(|size| i64::from((size + 1).checked_shr(level).unwrap_or(0).max(1)))
    }

    /// Whether levels are laid out to the right of the first one.
    pub(crate) fn is_right(self) -> bool {
        self.field(0, 10, 10) == 1
    }

    /// Whether a component of its format meets a condition.
    pub(crate) fn has_component(self, condition: impl Fn(Component) -> bool) -> bool {
        self.format.layout.components().any(condition)
    }

    /// Whether its format has a component of a name.
    pub(crate) fn has_name(self, names: &[Name]) -> bool {
        self.has_component(|component| names.contains(&component.name))
    }

    /// Whether its format has not all four channels.
    pub(crate) fn lacks_channels(self) -> bool {
        !self.has_name(&[Name::P])
            && [Name::R, Name::G, Name::B, Name::A].into_iter().any(|name| !self.has_name(&[name]))
    }

    pub(crate) fn may_be_filtered(self) -> bool {
        self.format.allows(self.device, Use::Filtering)
    }

    pub(crate) fn is_compressed(self) -> bool {
        matches!(self.format.layout, Layout::Compressed(_))
    }

    /// Whether pairs of texels share their chroma.
    pub(crate) fn has_pairs(self) -> bool {
        matches!(self.format.layout, Layout::Subsampled(_))
    }

    // Texels.

    /// Whether a texel meets a condition.
    pub(crate) fn any(self, condition: impl Fn(&'a SampledTexel) -> bool) -> bool {
        self.0.texels.iter().any(condition)
    }

    /// Whether one that is in memory does, by its level and its place there.
    pub(crate) fn any_fetched(self, condition: impl Fn(u32, [i64; 3]) -> bool) -> bool {
        self.any(|texel| match texel.source {
            TexelSource::Texel(place) => condition(texel.level, place),
            _ => false,
        })
    }

    pub(crate) fn has_fetched(self) -> bool {
        self.any(SampledTexel::is_fetched)
    }

    /// Whether one is the right one of a pair that has another one to its right.
    pub(crate) fn has_odd_texels(self) -> bool {
        self.has_pairs()
            && self.any_fetched(|level, [x, ..]| x % 2 == 1 && x + 1 < self.sizes(level)[0])
    }

    /// Whether one has the border colour.
    pub(crate) fn has_border(self) -> bool {
        self.filter() != MONO && self.any(|texel| texel.source == TexelSource::Border)
    }

    /// Whether several are summed.
    pub(crate) fn sums(self) -> bool {
        self.texels.len() > 1
    }

    /// Whether where the filter is in a texel meets a condition in some direction.
    pub(crate) fn any_part(self, condition: impl Fn(i64) -> bool) -> bool {
        let part = |texel: &SampledTexel, n: usize| texel.address[n].rem_euclid(STEPS);
        self.any(|texel| (0..self.directions()).any(|n| condition(part(texel, n))))
    }

    /// Whether one is outside of its level in a direction.
    fn is_outside(self, texel: &SampledTexel, direction: usize) -> bool {
        !(0..self.sizes(texel.level)[direction]).contains(&texel.indices[direction])
    }

    /// Whether one is in a direction that has an address mode.
    pub(crate) fn leaves(self, mode: u32) -> bool {
        (0..self.directions())
            .filter(|direction| self.mode(*direction) == mode)
            .any(|direction| self.any(|texel| self.is_outside(texel, direction)))
    }

    /// Whether one is in any direction.
    pub(crate) fn leaves_level(self) -> bool {
        let directions = 0..self.directions();
        self.any(|texel| directions.clone().any(|direction| self.is_outside(texel, direction)))
    }

    /// Whether one is in no direction.
    pub(crate) fn stays_on_level(self) -> bool {
        let directions = 0..self.directions();
        self.any(|texel| !directions.clone().any(|direction| self.is_outside(texel, direction)))
    }

    /// Whether a coordinate outside of 0 to 1 is in a direction that has an address mode.
    pub(crate) fn has_coordinate_outside(self, mode: u32) -> bool {
        (0..self.directions())
            .any(|n| self.mode(n) == mode && !(0.0..1.0).contains(&self.parameter([U, V, R][n])))
    }

    /// Whether a NaN is compared, of a texel or, if that is to count, what it is compared with.
    pub(crate) fn compares_nan(self, with_reference: bool) -> bool {
        let channel = if self.has_name(&[Name::A]) { 3 } else { 0 };
        let is_nan =
            |texel: &SampledTexel| f32::from_bits(texel.fetched.0[channel].bits as u32).is_nan();
        self.compares() && (with_reference && self.reference().is_nan() || self.any(is_nan))
    }
}
