//! The most usual fetch by a shorter way: two by two texels of a plane that has one level. What is beyond an
//! edge, or too far away to say, is left to the way of all fetches.

use parallax_isa::r700::{
    sampler::{Filter, Sampler},
    texture::{Kind, Texture},
};

use super::{
    super::{
        decode::{SampleForm, TextureFetch, TextureOperation},
        format::Format,
        number::result,
        registers::selected,
    },
    finite,
    taps::{Axis, ONE},
};

/// A plane that is filtered, with what all pixels have in common.
pub(super) struct Plane<'a> {
    texture: &'a Texture,
    format: &'a Format,
    /// Across and down.
    axes: [Axis; 2],
}

impl<'a> Plane<'a> {
    /// The plane that an instruction fetches from in this way, if it does.
    pub(super) fn of(
        fetch: &TextureFetch,
        texture: &'a Texture,
        sampler: &Sampler,
        format: &'a Format,
    ) -> Option<Self> {
        let is_plain = texture.kind == Kind::Plane
            && texture.levels == 1
            // The only level is that of magnified pictures.
            && sampler.magnify == Filter::Bilinear
            && !fetch.border_fraction
            && matches!(fetch.operation, TextureOperation::Sample(SampleForm { compare: false, .. }));
        let axis = |axis, size: u32| Axis::of(fetch, texture, sampler, axis, size.into(), 0, false);
        let axes = [axis(0, texture.width), axis(1, texture.height)];
        is_plain.then_some(Self { texture, format, axes })
    }

    /// What a pixel gets whose coordinates have these bits.
    pub(super) fn fetch(&self, coordinates: [u32; 2]) -> Option<[u32; 4]> {
        let [across, down] = self.axes;
        let ((column, next_column), right) = across.two(finite(coordinates[0])?)?;
        let ((row, next_row), below) = down.two(finite(coordinates[1])?)?;
        let [columns, rows] = [[column?, next_column?], [row?, next_row?]];
        let mut sums = [0.0_f64; 4];
        for (row, down) in rows.into_iter().zip([ONE as u32 - below, below]) {
            let first = row as usize * self.texture.pitch as usize;
            for (column, across) in columns.into_iter().zip([ONE as u32 - right, right]) {
                let weight = across * down;
                if weight == 0 {
                    continue;
                }
                let texel = self.format.read_from(&self.texture.bytes, first + column as usize);
                if weight == (ONE * ONE) as u32 {
                    return Some(self.select(texel));
                }
                for (sum, component) in sums.iter_mut().zip(texel) {
                    *sum += f64::from(weight) * f64::from(f32::from_bits(component));
                }
            }
        }
        Some(self.select(sums.map(|sum| result((sum * (1.0 / (ONE * ONE) as f64)) as f32))))
    }

    fn select(&self, components: [u32; 4]) -> [u32; 4] {
        self.texture.select.map(|select| selected(components, select as u8).unwrap_or(0))
    }
}
