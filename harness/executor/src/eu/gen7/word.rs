//! A 128-bit machine word.

/// A machine word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word(pub(super) u128);

impl Word {
    /// Bits `high:low`, at most 32 of them.
    pub(super) fn bits(self, high: u32, low: u32) -> u32 {
        (self.0 >> low) as u32 & (u32::MAX >> (31 - (high - low)))
    }

    /// Runs of bits one behind the other, the most significant first.
    pub(super) fn pieces(self, runs: &[(u32, u32)]) -> u32 {
        let join =
            |value, &(high, low): &(u32, u32)| value << (high - low + 1) | self.bits(high, low);
        runs.iter().fold(0, join)
    }

    pub(super) fn bit(self, at: u32) -> bool {
        self.bits(at, at) == 1
    }

    /// Puts the bits of a value at places, which are given from its highest bits down.
    pub(super) fn scatter(&mut self, value: u64, places: &[(u8, u8)]) {
        let mut rest = u128::from(value);
        for &(high, low) in places.iter().rev() {
            let width = high - low + 1;
            self.0 |= (rest & ((1 << width) - 1)) << low;
            rest >>= width;
        }
    }
}
