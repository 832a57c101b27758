//! Which texels of a level a filter takes, with their weights (G45 volume 4, section 4.2.3).

use crate::{
    number::Exact,
    surface::pixels::coordinates::{CubePlace, cube_place},
};

use super::{
    super::record::TexelSource as Source,
    coordinate::{Index, Place, STEPS, SUBTEXEL_BITS, index, texel_address},
    state::{AddressMode, SamplerState},
    surface::{Surface, Type},
};

/// A texel that a filter takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tap {
    pub(super) weight: Exact,
    /// Its indices before address modes.
    pub(super) indices: [i64; 3],
    pub(super) source: Source,
}

/// What decides the taps of a level.
#[derive(Debug)]
pub(super) struct Footprint<'a> {
    pub(super) surface: &'a Surface,
    pub(super) sampler: &'a SamplerState,
    /// Texels that are added to indices.
    pub(super) offsets: [i32; 3],
    pub(super) place: &'a Place,
    pub(super) magnifies: bool,
    pub(super) level: u32,
    /// How far from the place it is, in texels by direction; where nothing is said, not at all.
    pub(super) beside: &'a [Exact],
}

impl Footprint<'_> {
    /// The texel that the place is in.
    pub(super) fn nearest(&self) -> Vec<Tap> {
        let axes = self.addresses().into_iter();
        let axes = axes.map(|address| vec![(address.div_euclid(STEPS), STEPS)]);
        // HALF_BORDER has no border without a filter.
        let mode = |direction: usize| match self.mode(direction) {
            AddressMode::HalfBorder => AddressMode::Clamp,
            mode => mode,
        };
        self.taps_by(&axes.collect::<Vec<_>>(), mode)
    }

    /// The four texels of gather4: counter-clockwise from the lower left one.
    pub(super) fn gathered(&self) -> [Tap; 4] {
        self.corners(&self.addresses())
    }

    /// The same for addresses that are cut off.
    pub(super) fn gathered_unrounded(&self) -> [Tap; 4] {
        self.corners(&self.addresses_rounded(false))
    }

    fn corners(&self, addresses: &[i64]) -> [Tap; 4] {
        let first = |address: &i64| (address - STEPS / 2).div_euclid(STEPS);
        let first: Vec<i64> = addresses.iter().map(first).collect();
        [[0, 1], [1, 1], [1, 0], [0, 0]].map(|beside: [i64; 2]| {
            let moved = first.iter().zip(beside).zip(self.offsets);
            let moved = moved.map(|((index, beside), offset)| index + beside + i64::from(offset));
            let indices: Vec<i64> = moved.collect();
            let source = self.source(&indices, |direction| self.mode(direction));
            Tap { weight: Exact::integer(1), indices: by_direction(&indices), source }
        })
    }

    /// Whether rounding decides which texel is nearest: from Gen7 on nobody says that it does.
    pub(super) fn is_rounded_away(&self) -> bool {
        let texels = |addresses: Vec<i64>| -> Vec<i64> {
            addresses.into_iter().map(|address| address.div_euclid(STEPS)).collect()
        };
        self.surface.is_later() && texels(self.addresses()) != texels(self.addresses_rounded(false))
    }

    /// The texels around the place: two in each direction.
    pub(super) fn linear(&self) -> Vec<Tap> {
        let addresses = self.addresses();
        let axes = addresses.into_iter().map(|address| {
            let from_centre = address - STEPS / 2;
            let (first, blend) = (from_centre.div_euclid(STEPS), from_centre.rem_euclid(STEPS));
            vec![(first, STEPS - blend), (first + 1, blend)]
        });
        self.taps(&axes.collect::<Vec<_>>())
    }

    /// A block of monochrome texels; their weights add up to the size of the kernel.
    pub(super) fn mono(&self) -> Vec<Tap> {
        let (rows, columns) = self.sampler.mono_size();
        let sizes = [i64::from(columns), i64::from(rows)];
        let axes = self.addresses().into_iter().zip(sizes).map(|(address, size)| {
            let start = address - size * STEPS / 2;
            let (first, blend) = (start.div_euclid(STEPS), start.rem_euclid(STEPS));
            let weight = |n: i64| {
                let (in_first, in_second) = (n < size, n > 0);
                i64::from(in_first) * (STEPS - blend) + i64::from(in_second) * blend
            };
            (0..=size).map(|n| (first + n, weight(n))).collect()
        });
        self.taps(&axes.collect::<Vec<Vec<_>>>())
    }

    /// Texels of the level in each direction.
    fn sizes(&self) -> [u32; 3] {
        let (width, height, depth) = self.surface.size(self.level);
        [width, height, depth]
    }

    /// The address mode of a direction.
    pub(super) fn mode(&self, direction: usize) -> AddressMode {
        if self.surface.kind() != Type::Cube {
            return self.sampler.addresses[direction];
        }
        if self.sampler.overrides_cubes() {
            return AddressMode::Cube;
        }
        self.sampler.addresses[direction]
    }

    /// Where the place is on the level in each direction.
    pub(super) fn addresses(&self) -> Vec<i64> {
        self.addresses_rounded(true)
    }

    /// The same, as the sampler rounds or cut off.
    fn addresses_rounded(&self, may_round: bool) -> Vec<i64> {
        let coordinates = self.place.coordinates.iter().enumerate();
        let address = coordinates.map(|(direction, coordinate)| {
            let rounds = may_round && self.sampler.rounds(direction, self.magnifies);
            let (size, mode) = (self.sizes()[direction], self.mode(direction));
            let beside = self.beside.get(direction).copied().unwrap_or(Exact::ZERO);
            texel_address(*coordinate, beside, self.place.scale, size, mode, rounds)
        });
        address.collect()
    }

    /// The texels at all combinations of indices with weights: first those of u, last those of r.
    fn taps(&self, axes: &[Vec<(i64, i64)>]) -> Vec<Tap> {
        self.taps_by(axes, |direction| self.mode(direction))
    }

    /// The same by an address mode for each direction.
    fn taps_by(
        &self,
        axes: &[Vec<(i64, i64)>],
        mode: impl Fn(usize) -> AddressMode + Copy,
    ) -> Vec<Tap> {
        let mut combined: Vec<(Vec<i64>, Exact)> = vec![(Vec::new(), Exact::integer(1))];
        for axis in axes.iter().rev() {
            let with = |(index, weight): (i64, i64), (others, product): &(Vec<i64>, Exact)| {
                let weight = Exact::integer(weight.into()).scaled(-SUBTEXEL_BITS);
                ([&[index], &others[..]].concat(), *product * weight)
            };
            combined = combined
                .iter()
                .flat_map(|rest| axis.iter().map(move |step| with(*step, rest)))
                .collect();
        }
        let counted = combined.into_iter().filter(|(_, weight)| !weight.is_zero());
        let offsets = self.offsets;
        let tap = |(mut indices, weight): (Vec<i64>, Exact)| {
            indices.iter_mut().zip(offsets).for_each(|(index, more)| *index += i64::from(more));
            Tap { weight, indices: by_direction(&indices), source: self.source(&indices, mode) }
        };
        counted.map(tap).collect()
    }

    /// Where the texel of some indices comes from.
    fn source(&self, indices: &[i64], mode: impl Fn(usize) -> AddressMode) -> Source {
        let found: Vec<Index> = indices
            .iter()
            .enumerate()
            .map(|(n, at)| index(mode(n), *at, self.sizes()[n]))
            .collect();
        if found.contains(&Index::Border) {
            return Source::Border;
        }
        let at = |n: usize| match found.get(n) {
            Some(Index::Texel(index) | Index::BesideFace(index)) => *index,
            _ => 0,
        };
        match self.surface.kind() {
            Type::Three => Source::Texel([at(0), at(1), at(2) + self.place.first]),
            Type::Cube => self.on_cube(at(0), at(1)),
            _ => Source::Texel([at(0), at(1), self.place.slice]),
        }
    }

    /// The texel at a place of a face or beside it.
    fn on_cube(&self, x: i64, y: i64) -> Source {
        let face = self.place.slice as usize;
        let size = self.sizes()[0];
        let is_inside = [x, y].iter().all(|at| (0..i64::from(size)).contains(at));
        let place = if is_inside {
            Some(CubePlace { face, x, y })
        } else {
            cube_place(CubePlace { face, x, y }, size)
        };
        match place {
            None => Source::Corner,
            Some(place) if !self.surface.face_is_enabled(place.face) => Source::Border,
            Some(CubePlace { face, x, y }) => Source::Texel([x, y, face as i64 + self.place.first]),
        }
    }
}

/// Numbers of all directions, 0 where there are none.
pub(super) fn by_direction(some: &[i64]) -> [i64; 3] {
    std::array::from_fn(|direction| some.get(direction).copied().unwrap_or(0))
}
