//! Which texels of a level a filter takes, with their weights (sections 9.4 and 10.4; decision
//! D-r700-filter).

use parallax_isa::r700::{
    sampler::{Filter, Sampler, Wrap},
    texture::{Kind, Texture},
};

use super::{detail::directions, level::Level};
use crate::number::{Exact, Rounding};

/// Bits after the binary point of texel addresses, and so of weights.
const FRACTION: i32 = 8;
/// A texel in steps of an address.
const TEXEL: i64 = 1 << FRACTION;
/// Addresses that are this many texels away or more are open.
const FARTHEST: i64 = 1 << 20;

/// Where a texel that counts comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Column, row, slice, level.
    Texel([i64; 3], u32),
    Border,
}

/// A texel that counts, with its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tap {
    pub(super) weight: Exact,
    pub(super) source: Source,
}

/// Where and how a level is sampled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) texture: &'a Texture,
    pub(super) sampler: &'a Sampler,
    pub(super) coordinates: [Exact; 3],
    pub(super) normalised: [bool; 3],
    /// Halves of texels.
    pub(super) offsets: [i64; 3],
    /// The slice of an array, or the face of a cube.
    pub(super) slice: i64,
    pub(super) filter: Filter,
}

/// The taps of a level.
#[derive(Debug)]
pub(super) struct Taps {
    pub(super) list: Vec<Tap>,
    /// The weights are multiples of this power of two, however they are multiplied out.
    pub(super) granule: i32,
    /// The weights of the second texel in each direction, in 256ths.
    pub(super) blends: [i64; 3],
}

/// What a texel number stands for.
fn wrapped(wrap: Wrap, number: i64, size: i64, filter: Filter) -> Option<i64> {
    let mirrored = if number < 0 { -1 - number } else { number };
    let edge = |number: i64| Some(number.clamp(0, size - 1));
    let inside = |number: i64| (0..size).contains(&number).then_some(number);
    match wrap {
        Wrap::Wrap => Some(number.rem_euclid(size)),
        Wrap::Mirror => {
            let in_period = number.rem_euclid(2 * size);
            Some(in_period.min(2 * size - 1 - in_period))
        }
        Wrap::ClampLastTexel => edge(number),
        Wrap::MirrorOnceLastTexel => edge(mirrored),
        // A place on the edge itself is in no texel; the last one is nearest.
        Wrap::ClampHalfBorder if filter == Filter::Point => edge(number),
        Wrap::MirrorOnceHalfBorder if filter == Filter::Point => edge(mirrored),
        Wrap::ClampHalfBorder | Wrap::ClampBorder => inside(number),
        Wrap::MirrorOnceHalfBorder | Wrap::MirrorOnceBorder => inside(mirrored),
    }
}

impl Place<'_> {
    fn wrap(&self, direction: usize) -> Wrap {
        // A face is filtered by itself.
        if self.texture.kind == Kind::Cube {
            Wrap::ClampLastTexel
        } else {
            self.sampler.wrap[direction]
        }
    }

    /// The texel address in a direction, in 256ths: `None` if it is open.
    fn address(&self, direction: usize, level: u32, size: i64) -> Option<i64> {
        let coordinate = self.coordinates[direction];
        let texels = if self.texture.kind == Kind::Cube {
            // From 1 to 2. The difference may have more digits than there are; nothing is multiplied after it.
            let size = Exact::integer(size.into());
            Exact::sum(&[coordinate * size, -size], Rounding::NearestEven)
        } else if self.normalised[direction] {
            coordinate * Exact::integer(size.into())
        } else {
            coordinate.scaled(-(level as i32))
        };
        let farthest = Exact::integer(FARTHEST.into());
        if texels >= farthest || texels <= -farthest {
            return None;
        }
        let address = texels.scaled(FRACTION).to_integer(Rounding::Down) as i64;
        let address = address + self.offsets[direction] * (TEXEL / 2);
        Some(match self.wrap(direction) {
            Wrap::ClampHalfBorder => address.clamp(0, size * TEXEL),
            Wrap::MirrorOnceHalfBorder => address.clamp(-size * TEXEL, size * TEXEL),
            _ => address,
        })
    }

    /// The taps of a level: `None` if they are open.
    pub(super) fn taps(&self, level: u32) -> Option<Taps> {
        let size = Level::of(self.texture, level);
        let sizes = [size.width, size.height, size.slices].map(i64::from);
        let mut combined = vec![(Exact::integer(1), [0, 0, self.slice], true)];
        let (mut granule, mut blends) = (0, [0; 3]);
        for direction in 0..directions(self.texture.kind) {
            let address = self.address(direction, level, sizes[direction])?;
            // The centre of a texel is half a texel from its edge.
            let from_centre = address - TEXEL / 2;
            let blend = from_centre.rem_euclid(TEXEL);
            blends[direction] = blend;
            let first = from_centre.div_euclid(TEXEL);
            let steps = match self.filter {
                Filter::Point => vec![(address.div_euclid(TEXEL), TEXEL)],
                Filter::Bilinear if blend == 0 => vec![(first, TEXEL)],
                Filter::Bilinear => {
                    granule += blend.trailing_zeros() as i32 - FRACTION;
                    vec![(first, TEXEL - blend), (first + 1, blend)]
                }
            };
            let mut all = Vec::new();
            for (number, weight) in steps {
                let found = wrapped(self.wrap(direction), number, sizes[direction], self.filter);
                let weight = Exact::integer(weight.into()).scaled(-FRACTION);
                for (before, mut place, inside) in combined.iter().copied() {
                    place[direction] = found.unwrap_or(0);
                    all.push((before * weight, place, inside && found.is_some()));
                }
            }
            combined = all;
        }
        let tap = |(weight, place, inside)| {
            let source = if inside { Source::Texel(place, level) } else { Source::Border };
            Tap { weight, source }
        };
        Some(Taps { list: combined.into_iter().map(tap).collect(), granule, blends })
    }
}
