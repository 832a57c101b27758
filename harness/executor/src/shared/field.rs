//! Fields of states, by doubleword and bits.

/// Some bits of a doubleword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    dword: u8,
    low: u8,
    bits: u8,
}

impl Field {
    /// A field that a generation does not have: it reads as 0.
    pub(super) const NONE: Self = Self { dword: 0, low: 0, bits: 0 };

    pub(super) const fn new(dword: u8, high: u8, low: u8) -> Self {
        Self { dword, low, bits: high - low + 1 }
    }

    pub(super) fn read(self, dwords: &[u32]) -> u32 {
        let mask = u32::MAX.checked_shr(32 - u32::from(self.bits)).unwrap_or(0);
        dwords[usize::from(self.dword)] >> self.low & mask
    }

    /// Whether a flag is set.
    pub(super) fn is_set(self, dwords: &[u32]) -> bool {
        self.read(dwords) != 0
    }

    /// A number in two's complement.
    pub(super) fn signed(self, dwords: &[u32]) -> i32 {
        let unused = 32 - u32::from(self.bits);
        (self.read(dwords) << unused).cast_signed() >> unused
    }
}
