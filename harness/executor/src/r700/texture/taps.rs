//! Texels around a place of a level, and their weights (decision D-r700-filter).

use parallax_isa::r700::{
    sampler::{Filter, Sampler, Wrap},
    texture::{Kind, Texture},
};

use super::{super::decode::TextureFetch, detail::axes, level::Level};

/// Fraction bits of an address.
const FRACTION: u32 = 8;
pub(super) const ONE: i64 = 1 << FRACTION;
/// Texels within which a place is known.
const REACH: f64 = (1 << 20) as f64;

/// A texel with a weight, or the border (`None`).
pub(super) type Tap = (u32, Option<u64>);

/// The texels of one level: at most two along each axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taps {
    list: [Tap; 8],
    count: usize,
    /// Weights, out of 256, of the farther texel along each axis.
    pub(super) farther: [u32; 3],
    /// What all weights add up to.
    pub(super) whole: u32,
}

impl Taps {
    pub(super) fn list(&self) -> &[Tap] {
        &self.list[..self.count]
    }
}

/// A place in a texture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// As the source has them, denormals flushed.
    pub(super) coordinates: [f32; 3],
    pub(super) slice: u64,
}

/// A direction of a level: how coordinates become texels, and how those outside are found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    wrap: Wrap,
    size: i64,
    /// One texel is wanted, not two.
    single: bool,
    /// Texels that a coordinate of 1 stands for.
    scale: f64,
    /// Where the first texel is, in texels.
    start: i64,
    /// The offset of the instruction, in halves of texels.
    offset: i64,
}

/// Two texels beside each other; none where the border is.
type Neighbours = (Option<i64>, Option<i64>);

impl Axis {
    /// A direction of a level that has so many texels.
    pub(super) fn of(
        fetch: &TextureFetch,
        texture: &Texture,
        sampler: &Sampler,
        axis: usize,
        size: i64,
        level: u32,
        single: bool,
    ) -> Self {
        let is_cube = texture.kind == Kind::Cube;
        let of_level_0 = 1.0 / f64::from(1_u32 << level);
        Self {
            wrap: if is_cube { Wrap::ClampLastTexel } else { sampler.wrap[axis] },
            size,
            single,
            scale: if fetch.normalised[axis] { size as f64 } else { of_level_0 },
            // A face goes from 1 to 2; the difference would not be exact.
            start: if is_cube { size } else { 0 },
            offset: fetch.offset[axis].into(),
        }
    }

    /// The address of a coordinate, unless it is too far away to say.
    fn address(self, coordinate: f32) -> Option<i64> {
        let texels = f64::from(coordinate) * self.scale;
        let shifted = texels - self.start as f64;
        if shifted >= REACH || shifted <= -REACH {
            return None;
        }
        let exact = texels * ONE as f64;
        // Rounded down: a number within reach has few bits before the point.
        let toward_zero = exact as i64;
        let address = toward_zero - i64::from(toward_zero as f64 > exact);
        Some(self.held(address - (self.start << FRACTION) + self.offset * ONE / 2))
    }

    /// The two texels around an address, and what of [`ONE`] the second one weighs.
    fn around(self, address: i64) -> (Neighbours, u32) {
        let centred = address - ONE / 2;
        let near = centred >> FRACTION;
        ((self.inside(near), self.inside(near + 1)), (centred & (ONE - 1)) as u32)
    }

    /// [`Self::around`] a coordinate, unless it is too far away to say.
    pub(super) fn two(self, coordinate: f32) -> Option<(Neighbours, u32)> {
        Some(self.around(self.address(coordinate)?))
    }

    /// The texel inside that a number is, or that stands for it.
    fn inside(self, number: i64) -> Option<i64> {
        if (0..self.size).contains(&number) {
            return Some(number);
        }
        let Self { wrap, size, single, .. } = self;
        let last = size - 1;
        let number = match wrap {
            Wrap::MirrorOnceLastTexel | Wrap::MirrorOnceHalfBorder | Wrap::MirrorOnceBorder => {
                // -1 is 0, -2 is 1.
                number ^ number >> 63
            }
            _ => number,
        };
        if (0..size).contains(&number) {
            return Some(number);
        }
        match wrap {
            Wrap::Wrap => Some(number.rem_euclid(size)),
            Wrap::Mirror => {
                let (turn, rest) = (number.div_euclid(size), number.rem_euclid(size));
                Some(if turn % 2 == 0 { rest } else { last - rest })
            }
            Wrap::ClampLastTexel | Wrap::MirrorOnceLastTexel => Some(number.max(0).min(last)),
            Wrap::ClampHalfBorder | Wrap::MirrorOnceHalfBorder if single => {
                Some(number.max(0).min(last))
            }
            _ => None,
        }
    }

    /// An address no farther out than the mode lets it be.
    fn held(self, address: i64) -> i64 {
        let end = self.size << FRACTION;
        match self.wrap {
            Wrap::ClampHalfBorder => address.max(0).min(end),
            Wrap::MirrorOnceHalfBorder => address.max(-end).min(end),
            _ => address,
        }
    }
}

/// The texels of a level around a place, unless it is too far away to say.
pub(super) fn taps(
    fetch: &TextureFetch,
    texture: &Texture,
    sampler: &Sampler,
    filter: Filter,
    level: u32,
    place: Place,
) -> Option<Taps> {
    let sizes = Level::of(texture, level);
    let lengths = [sizes.width, sizes.rows, sizes.slices].map(u64::cast_signed);
    let single = filter == Filter::Point;
    // Along every axis two numbers with their weights; the second weighs nothing for a single one.
    let mut along = [[(Some(0), ONE as u32), (Some(0), 0)]; 3];
    let mut farther = [0; 3];
    let mut whole = 1;
    for axis in 0..axes(texture.kind) {
        let edge = Axis::of(fetch, texture, sampler, axis, lengths[axis], level, single);
        let address = edge.address(place.coordinates[axis])?;
        let pair;
        (pair, farther[axis]) = edge.around(address);
        along[axis] = if single {
            [(edge.inside(address >> FRACTION), ONE as u32), (None, 0)]
        } else {
            [(pair.0, ONE as u32 - farther[axis]), (pair.1, farther[axis])]
        };
        whole <<= FRACTION;
    }
    for unused in &mut along[axes(texture.kind)..] {
        *unused = [(Some(0), 1), (None, 0)];
    }
    let mut taps = Taps { list: [(0, None); 8], count: 0, farther, whole };
    for (deep, deep_weight) in along[2] {
        for (down, down_weight) in along[1] {
            for (across, across_weight) in along[0] {
                let weight = across_weight * down_weight * deep_weight;
                if weight == 0 {
                    continue;
                }
                let texel = match (across, down, deep) {
                    (Some(across), Some(down), Some(deep)) => {
                        let deep = deep + place.slice.cast_signed();
                        sizes.texel([across, down, deep])
                    }
                    _ => None,
                };
                taps.list[taps.count] = (weight, texel);
                taps.count += 1;
            }
        }
    }
    Some(taps)
}
