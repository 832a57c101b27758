//! Ranges of bits of a descriptor.

/// A range of bits, with the bits that stand elsewhere and go before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) high: u8,
    pub(super) low: u8,
    pub(super) above: Option<u8>,
}

/// Bits `high:low`.
pub(super) const fn bits(high: u8, low: u8) -> Bits {
    Bits { high, low, above: None }
}

impl Bits {
    /// The same with one bit more, which counts most.
    pub(super) const fn below(self, bit: u8) -> Self {
        Self { above: Some(bit), ..self }
    }

    /// Their value.
    pub(super) const fn of(self, word: u32) -> u32 {
        let width = self.high - self.low + 1;
        let value = word >> self.low & (u32::MAX >> (32 - width));
        match self.above {
            Some(bit) => (word >> bit & 1) << width | value,
            None => value,
        }
    }
}
