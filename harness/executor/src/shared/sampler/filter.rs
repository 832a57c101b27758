//! Which texels along an axis a filter takes, and their sum.

use super::state::{Filter, Reduction};

/// Fraction bits of a texel address.
pub(super) const FRACTION: u32 = 8;
pub(super) const ONE: i64 = 1 << FRACTION;

/// Indices of texels along an axis with their weights: at most eight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub(super) first: i64,
    pub(super) count: usize,
    pub(super) weights: [i64; 8],
}

/// The sum so far.
#[derive(Debug, Default)]
pub(super) struct Sum {
    count: usize,
    only: [u32; 4],
    pub(super) sum: [f64; 4],
    pub(super) killed: bool,
}

impl Sum {
    pub(super) fn add(&mut self, weight: f64, texel: [u32; 4]) {
        for (sum, bits) in self.sum.iter_mut().zip(texel) {
            let product = f64::from(f32::from_bits(bits)) * weight;
            *sum = if self.count == 0 { product } else { *sum + product };
        }
        self.count += 1;
        self.only = texel;
    }

    /// Takes a texel in instead, channel by channel where it is less or greater than the others.
    pub(super) fn reduce(&mut self, reduction: Reduction, texel: [u32; 4]) {
        if self.count == 0 {
            self.only = texel;
        }
        for (only, bits) in self.only.iter_mut().zip(texel) {
            let [old, new] = [*only, bits].map(f32::from_bits);
            let is_taken = match reduction {
                Reduction::Least => new < old,
                Reduction::Greatest => new > old,
            };
            *only = if is_taken { bits } else { *only };
        }
        self.count = 1;
    }

    pub(super) fn colour(&self) -> [u32; 4] {
        if self.count == 1 { self.only } else { self.sum.map(|sum| (sum as f32).to_bits()) }
    }
}

impl Axis {
    /// The texels around an address that a filter takes.
    pub(super) fn new(filter: Filter, address: i64, kernel: u32) -> Self {
        let mut weights = [0; 8];
        let (from, count) = match filter {
            Filter::Point => {
                return Self { first: address >> FRACTION, count: 1, weights: [ONE; 8] };
            }
            Filter::Linear | Filter::Anisotropic => (address - ONE / 2, 1),
            Filter::Mono => (address - i64::from(kernel) * (ONE / 2), kernel as usize),
        };
        let part = from & (ONE - 1);
        for n in 0..count {
            weights[n] += ONE - part;
            weights[n + 1] += part;
        }
        Self { first: from >> FRACTION, count: count + 1, weights }
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        (self.first..).zip(self.weights[..self.count].iter().copied())
    }
}
