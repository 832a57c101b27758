//! Decisions of a generator, taken from bytes.
//!
//! The bytes come from a fuzzer, from proptest or from a random number generator: the same bytes
//! always give the same case, and when they run out every decision takes its first option, so
//! that any bytes at all give a case.

/// A source of decisions.
#[derive(Debug)]
pub struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    /// Decisions from these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Whether the bytes have run out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
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

    /// The next bytes; zeros where they have run out.
    #[inline]
    fn take<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        match self.bytes.split_first_chunk() {
            Some((taken, rest)) => {
                self.bytes = rest;
                *taken
            }
            None => {
                let mut taken = [0; SIZE];
                taken[..self.bytes.len()].copy_from_slice(self.bytes);
                self.bytes = &[];
                taken
            }
        }
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
