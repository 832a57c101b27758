//! Texels around a place of a level, and their weights (decision D-r700-filter).

use parallax_isa::r700::{
    sampler::{Filter, Sampler, Wrap},
    texture::{Kind, Texture},
};

use super::{super::decode::TextureFetch, detail::axes, level::Level};

/// Fraction bits of an address.
const FRACTION: u32 = 8;
const ONE: i64 = 1 << FRACTION;
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

/// How texels outside are found.
#[derive(Debug, Clone, Copy)]
struct Edge {
    wrap: Wrap,
    size: i64,
    /// One texel is wanted, not two.
    single: bool,
}

impl Edge {
    /// The texel inside that a number is, or that stands for it.
    fn inside(self, number: i64) -> Option<i64> {
        let Self { wrap, size, single } = self;
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
    let is_cube = texture.kind == Kind::Cube;
    // Along every axis two numbers with their weights; the second weighs nothing for a single one.
    let mut along = [[(Some(0), ONE as u32), (Some(0), 0)]; 3];
    let mut farther = [0; 3];
    let mut whole = 1;
    for axis in 0..axes(texture.kind) {
        let wrap = if is_cube { Wrap::ClampLastTexel } else { sampler.wrap[axis] };
        let edge = Edge { wrap, size: lengths[axis], single };
        let coordinate = f64::from(place.coordinates[axis]);
        let texels = if fetch.normalised[axis] {
            coordinate * lengths[axis] as f64
        } else {
            coordinate / f64::from(1_u32 << level)
        };
        // A face goes from 1 to 2; the difference would not be exact.
        let start = if is_cube { lengths[axis] } else { 0 };
        let shifted = texels - start as f64;
        if shifted >= REACH || shifted <= -REACH {
            return None;
        }
        let address = (texels * ONE as f64).floor() as i64 - (start << FRACTION);
        let address = edge.held(address + i64::from(fetch.offset[axis]) * ONE / 2);
        let centred = address - ONE / 2;
        farther[axis] = (centred & (ONE - 1)) as u32;
        along[axis] = if single {
            [(edge.inside(address >> FRACTION), ONE as u32), (None, 0)]
        } else {
            let near = centred >> FRACTION;
            [
                (edge.inside(near), ONE as u32 - farther[axis]),
                (edge.inside(near + 1), farther[axis]),
            ]
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
