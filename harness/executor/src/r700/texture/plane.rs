//! The most usual fetch by a shorter way: two by two texels of a plane that has one level. What is beyond an
//! edge, or too far away to say, is left to the way of all fetches.

use parallax_isa::r700::{
    sampler::{Filter, Sampler},
    texture::{Kind, Texture},
};

use super::{
    super::{
        decode::{SampleForm, TextureFetch, TextureOperation},
        format::{Format, weighted},
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
    /// The texels, if they are bytes that are fractions.
    plain: Option<&'a [[u8; 4]]>,
    /// Components go where they are.
    is_straight: bool,
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
        is_plain.then(|| Self {
            texture,
            format,
            plain: format.plain(&texture.bytes),
            is_straight: texture.select.map(|select| select as u8) == [0, 1, 2, 3],
            axes,
        })
    }

    /// What a pixel gets whose coordinates have these bits.
    pub(super) fn fetch(&self, coordinates: [u32; 2]) -> Option<[u32; 4]> {
        let [across, down] = self.axes;
        let ((column, next_column), right) = across.two(finite(coordinates[0])?)?;
        let ((row, next_row), below) = down.two(finite(coordinates[1])?)?;
        let [columns, rows] = [[column?, next_column?], [row?, next_row?]];
        if let Some(texels) = self.plain {
            let [upper, lower] = rows.map(|row| row as usize * self.texture.pitch as usize);
            let [left, next] = columns.map(|column| column as usize);
            let places = [upper + left, upper + next, lower + left, lower + next];
            // What lies beyond the bytes is left to the other way.
            if let [Some(a), Some(b), Some(c), Some(d)] = places.map(|place| texels.get(place)) {
                let [above, before] = [below, right].map(|farther| ONE as u32 - farther);
                let weights = [above * before, above * right, below * before, below * right];
                let sums = weighted([*a, *b, *c, *d], weights);
                // None of these is next to zero.
                let mixed = sums.map(|sum| ((sum * (1.0 / (ONE * ONE) as f64)) as f32).to_bits());
                return Some(if self.is_straight { mixed } else { self.select(mixed) });
            }
        }
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

#[cfg(test)]
mod tests {
    use parallax_isa::r700::sampler::Wrap;
    use proptest::prelude::*;

    use super::{
        super::{super::decode::SampleDetail, level::fields},
        *,
    };

    const SAMPLE: SampleForm =
        SampleForm { detail: SampleDetail::Zero, compare: false, given_slopes: false };

    fn fetch() -> TextureFetch {
        TextureFetch {
            operation: TextureOperation::Sample(SAMPLE),
            border_fraction: false,
            whole_quad: false,
            resource: 0,
            alternate: false,
            source: 0,
            source_relative: false,
            source_select: [0, 1, 2, 3],
            gpr: 0,
            relative: false,
            select: [0, 1, 2, 3],
            offset: [0; 3],
            sampler: 0,
            bias: 0,
            normalised: [true; 3],
        }
    }

    proptest! {
        /// Texels whose bytes are weighed at once come to what they come to one by one, of textures too that
        /// end within a texel.
        #[test]
        fn bytes_are_weighed_as_components_are(
            bytes in prop::collection::vec(any::<u8>(), 48..=64),
            select in prop_oneof![Just([0, 1, 2, 3]), Just([2, 1, 0, 5]), Just([3, 3, 4, 0])],
            coordinates in [-2_f32..2.0, -2_f32..2.0],
        ) {
            let texture = Texture { bytes, width: 4, height: 4, pitch: 4, select, ..Texture::default() };
            let format = Format::of_texel(fields(&texture)).expect("a format of texels");
            let magnify = Filter::Bilinear;
            let sampler = Sampler { wrap: [Wrap::Wrap; 3], magnify, ..Sampler::default() };
            let mut plane = Plane::of(&fetch(), &texture, &sampler, &format).expect("a usual plane");
            prop_assert!(plane.plain.is_some());
            let coordinates = coordinates.map(f32::to_bits);
            let at_once = plane.fetch(coordinates);
            plane.plain = None;
            prop_assert_eq!(at_once, plane.fetch(coordinates));
        }
    }
}
