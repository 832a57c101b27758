//! Surfaces that are written to: where their texels are, and how they are read and written.

use parallax_isa::{
    Device,
    shared::{Memory, Unanswered, memory::GRAPHICS_BYTES},
    surface::{Natural, Use},
};

use super::super::{
    refuse,
    sampler::Surface,
    surface_state::{Shape, SurfaceState},
};
use crate::surface::{Encoder, copy_element};

/// Bytes of the largest texel.
const LARGEST: usize = 16;

/// A surface, by the level and the view that its state says.
#[derive(Debug)]
pub(super) struct Target {
    surface: Surface,
    /// Minimum Array Element.
    first: u32,
    /// Render Target View Extent.
    last: u32,
    /// What writes its texels; a surface of nothing has none.
    encoder: Option<Encoder>,
}

impl Target {
    pub(super) fn new(dwords: &[u32], device: Device, purpose: Use) -> Result<Self, Unanswered> {
        let surface = Surface::of_target(dwords, device, purpose)?;
        // Of volumes it counts here, on Gen7 too.
        let SurfaceState { first_element, last_element, .. } = SurfaceState::of(dwords, device);
        let mut target = Self { surface, first: first_element, last: last_element, encoder: None };
        if target.is_void() {
            return Ok(target);
        }
        let Surface { block, name, .. } = target.surface;
        if block[0] != 1 || block[1] != 1 {
            return refuse("a format of several texels");
        }
        if purpose == Use::TypedAtomic && !["R32_UINT", "R32_SINT"].contains(&name) {
            return refuse("atomic operations on such a format");
        }
        let encoder = Encoder::of_target(name, purpose == Use::RenderTarget)
            .map_err(|why| Unanswered::Undefined(why.0.to_owned()))?;
        target.encoder = Some(encoder);
        Ok(target)
    }

    pub(super) fn shape(&self) -> Shape {
        self.surface.state.shape
    }

    pub(super) fn is_void(&self) -> bool {
        self.shape() == Shape::Void
    }

    pub(super) fn is_array(&self) -> bool {
        self.surface.state.is_array
    }

    /// The types of components that are written.
    pub(super) fn types(&self) -> [Natural; 4] {
        self.encoder.as_ref().map_or([Natural::Absent; 4], Encoder::types)
    }

    /// Whether columns and rows of a place are in the level.
    pub(super) fn is_in_level(&self, [x, y]: [u32; 2]) -> bool {
        let state = &self.surface.state;
        match state.shape {
            Shape::Void => false,
            Shape::Buffer => u64::from(x) < state.entries,
            _ => self.has_pixel([x, y]),
        }
    }

    /// Whether columns and rows of the level are that many.
    pub(super) fn has_pixel(&self, [x, y]: [u32; 2]) -> bool {
        let [width, height, _] = self.surface.size(self.surface.state.level);
        !self.is_void() && i64::from(x) < width && i64::from(y) < height
    }

    /// Whether the view has a layer.
    pub(super) fn has_layer(&self, layer: u32) -> bool {
        layer <= self.last
    }

    /// Where in memory a texel is, which has to be there.
    pub(super) fn place(&self, [x, y, layer]: [u32; 3]) -> Result<usize, Unanswered> {
        let state = &self.surface.state;
        let start = if state.shape == Shape::Buffer {
            state.base.saturating_add(u64::from(x) * state.pitch)
        } else {
            let slice = i64::from(self.first) + i64::from(layer);
            self.surface.address_of(state.level, [x.into(), y.into(), slice])
        };
        if start.saturating_add(self.bytes() as u64) > GRAPHICS_BYTES as u64 {
            return refuse("a texel beyond memory");
        }
        Ok(start as usize)
    }

    /// Bytes of a texel.
    fn bytes(&self) -> usize {
        self.surface.block[2] as usize
    }

    /// The texel at a place.
    pub(super) fn read(&self, memory: &Memory, place: usize) -> Result<[u32; 4], Unanswered> {
        self.surface.decoded(&memory.graphics[place..place + self.bytes()])
    }

    /// The bytes of the texel at a place.
    pub(super) fn bytes_mut<'m>(&self, memory: &'m mut Memory, place: usize) -> &'m mut [u8] {
        &mut memory.graphics[place..place + self.bytes()]
    }

    /// Writes a texel, but for some components: bit 0 stands for red.
    pub(super) fn write(&self, memory: &mut Memory, place: usize, texel: [u32; 4], kept: u32) {
        let Some(encoder) = &self.encoder else { return };
        let mut element = [0; LARGEST];
        let stored = self.bytes_mut(memory, place);
        encoder.rows(&[texel], &mut element[..stored.len()]);
        if kept != 0 {
            let mut before = [0; LARGEST];
            before[..stored.len()].copy_from_slice(stored);
            let mask = encoder.bits_of(kept);
            let bits = u128::from_le_bytes(element) & !mask | u128::from_le_bytes(before) & mask;
            element = bits.to_le_bytes();
        }
        copy_element(&element[..stored.len()], stored);
    }
}
