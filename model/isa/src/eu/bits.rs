//! Runs of bits of a machine word.

use std::fmt;

/// A run of neighbouring bits of a word, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits {
    /// Most significant bit.
    pub high: u8,
    /// Least significant bit.
    pub low: u8,
}

impl Bits {
    /// Number of bits.
    #[must_use]
    pub const fn width(self) -> u32 {
        (self.high - self.low) as u32 + 1
    }

    /// The largest value that fits in a run of at most 32 bits.
    pub(super) const fn largest(self) -> u32 {
        u32::MAX >> (32 - self.width())
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.high == self.low {
            write!(f, "{}", self.low)
        } else {
            write!(f, "{}:{}", self.high, self.low)
        }
    }
}

/// The bits of a word that stand in some runs, the most significant run first; at most 64 bits.
#[inline]
#[must_use]
pub fn gather(word: u128, runs: &[Bits]) -> u64 {
    runs.iter().fold(0, |value: u64, run| {
        let part = (word >> run.low) as u64 & u64::MAX >> (64 - run.width());
        value.unbounded_shl(run.width()) | part
    })
}

/// A word that has a value in some runs, the most significant run first, and zeros elsewhere.
#[inline]
pub(super) fn scatter(value: u64, runs: &[Bits]) -> u128 {
    let (mut word, mut rest) = (0, value);
    for run in runs.iter().rev() {
        word |= u128::from(rest & u64::MAX >> (64 - run.width())) << run.low;
        rest = rest.unbounded_shr(run.width());
    }
    word
}
