//! Decisions of a generator, taken from bytes.
//!
//! The bytes come from a fuzzer, from proptest or from a random number generator: the same bytes
//! always give the same case, and when they run out every decision takes its first option, so
//! that any bytes at all give a case.

use arbitrary::Unstructured;

use crate::random::SplitMix64;

/// A source of decisions.
#[derive(Debug)]
pub struct Choices<'a> {
    bytes: Unstructured<'a>,
    /// The bytes that other pieces of the case are decided by, where they are divided.
    behind: &'a [u8],
    /// Bytes of a part; 0 where they are not divided.
    part: usize,
}

impl<'a> Choices<'a> {
    /// Decisions from these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: Unstructured::new(bytes), behind: &[], part: 0 }
    }

    /// Decisions from bytes that are divided into parts of a size: each piece of the case is decided by a part of
    /// its own, so that a change of one byte changes one piece. A fuzzer gets along better with that. A
    /// piece that takes more than its part goes on with first options.
    #[must_use]
    pub fn in_parts(bytes: &'a [u8], size: usize) -> Self {
        let (first, behind) = bytes.split_at(bytes.len().min(size));
        Self { bytes: Unstructured::new(first), behind, part: size }
    }

    /// A piece of the case begins, an instruction say: with random numbers of its own, or none where the bytes
    /// are not divided, which changes nothing.
    pub fn piece(&mut self) -> Option<SplitMix64> {
        if self.part == 0 {
            return None;
        }
        let (next, behind) = self.behind.split_at(self.behind.len().min(self.part));
        (self.bytes, self.behind) = (Unstructured::new(next), behind);
        Some(SplitMix64::new(self.byte().into()))
    }

    /// Whether the bytes have run out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.behind.is_empty()
    }

    /// A number from 0 up to but not including `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        match bound {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % bound,
            257..=65_536 => usize::from(u16::from_be_bytes(self.take())) % bound,
            _ => u64::from_be_bytes(self.take()) as usize % bound,
        }
    }

    /// One of several options.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'o, T>(&mut self, options: &'o [T]) -> &'o T {
        &options[self.below(options.len())]
    }

    /// True in about `times` of 256 cases; false when the bytes have run out.
    pub fn sometimes(&mut self, times: u8) -> bool {
        self.byte() > 255 - times
    }

    /// Eight bits.
    #[inline]
    pub fn byte(&mut self) -> u8 {
        let [byte] = self.take();
        byte
    }

    /// 32 bits.
    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// 64 bits.
    pub fn seed(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// The 64 bits that come next, which stay.
    pub fn next_seed(&self) -> u64 {
        let mut seed = [0; 8];
        let size = self.bytes.len().min(8);
        seed[..size].copy_from_slice(self.bytes.peek_bytes(size).unwrap_or_default());
        u64::from_le_bytes(seed)
    }

    /// The next bytes; zeros where they have run out.
    #[inline]
    fn take<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        let mut taken = [0; SIZE];
        // It never fails: what is missing stays zero.
        let _ = self.bytes.fill_buffer(&mut taken);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_bytes_the_first_option_is_taken() {
        let mut choices = Choices::new(&[]);
        assert_eq!(*choices.pick(&['a', 'b']), 'a');
        assert!(!choices.sometimes(255));
        assert_eq!(choices.below(100_000), 0);
        assert!(choices.is_empty());
    }
}
