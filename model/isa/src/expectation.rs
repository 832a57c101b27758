//! What the reference says about a place whose result is not one exact bit pattern.
//!
//! The reference's own state after a step *is* the exact expectation for every place; only places
//! for which it would accept something else are listed, as [`Expectation`]s.

use crate::image::Extent;

/// What is accepted at a place instead of the reference's own bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptance {
    /// Anything: the manual leaves the result open.
    Undefined,
    /// Any binary32 NaN.
    AnyNan32,
    /// Any binary64 NaN.
    AnyNan64,
    /// A binary32 number at most this many units in the last place from the reference's.
    Ulp32(u32),
    /// A binary64 number at most this many units in the last place from the reference's.
    Ulp64(u64),
    /// The reference's bits or these.
    Or(u64),
    /// A binary32 number of a range.
    Within32(Range32),
    /// Any binary16 NaN.
    AnyNan16,
    /// Any bits that are not all zero: the fraction of a NaN.
    NonZero,
}

/// The binary32 numbers from one to another, without the denormal ones. Of the zeros the negative one
/// comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range32 {
    /// The bits of the least.
    pub low: u32,
    /// The bits of the greatest.
    pub high: u32,
}

impl Range32 {
    /// Whether a number is one of them.
    #[must_use]
    pub const fn contains(self, bits: u32) -> bool {
        // As integers negative numbers stand in the opposite order.
        const fn place(bits: u32) -> i32 {
            let bits = bits.cast_signed();
            if bits < 0 { bits ^ i32::MAX } else { bits }
        }
        let is_denormal = bits & 0x7F80_0000 == 0 && bits & 0x007F_FFFF != 0;
        !is_denormal && place(self.low) <= place(bits) && place(bits) <= place(self.high)
    }
}

/// A place and what is accepted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expectation {
    /// Where.
    pub extent: Extent,
    /// What.
    pub acceptance: Acceptance,
}

impl Expectation {
    /// Takes away what is written over, which is no longer open. What is left of one of two values is
    /// the same part of both; what is left of a NaN or of a number near another may be anything.
    pub const fn narrow(&mut self, written: Extent) {
        let left = self.extent.without(written);
        if left.mask == self.extent.mask {
            return;
        }
        self.acceptance = match self.acceptance {
            Acceptance::Or(other) => Acceptance::Or(other & left.mask),
            _ => Acceptance::Undefined,
        };
        self.extent = left;
    }
}

impl Acceptance {
    /// Whether a result is compared exactly all the same: it is one of two, or a NaN like any other.
    #[must_use]
    #[inline]
    pub const fn is_exact(self) -> bool {
        matches!(
            self,
            Self::AnyNan16 | Self::AnyNan32 | Self::AnyNan64 | Self::NonZero | Self::Or(_)
        )
    }

    /// Whether `actual` is accepted where the reference has `expected`; both are the bits of one
    /// extent as [`Extent::read`] gives them.
    #[must_use]
    pub fn accepts(self, expected: u64, actual: u64) -> bool {
        if expected == actual {
            return true;
        }
        match self {
            Self::Undefined => true,
            Self::AnyNan32 => actual as u32 & 0x7FFF_FFFF > 0x7F80_0000,
            Self::AnyNan64 => actual & (u64::MAX >> 1) > 0x7FF0_0000_0000_0000,
            Self::Ulp32(most) => {
                let ordered = |bits: u64| {
                    let bits = bits as u32;
                    let magnitude = i64::from(bits & 0x7FFF_FFFF);
                    if bits >> 31 == 0 { magnitude } else { -magnitude }
                };
                ordered(expected).abs_diff(ordered(actual)) <= u64::from(most)
            }
            Self::Ulp64(most) => {
                let ordered = |bits: u64| {
                    let magnitude = i128::from(bits & (u64::MAX >> 1));
                    if bits >> 63 == 0 { magnitude } else { -magnitude }
                };
                ordered(expected).abs_diff(ordered(actual)) <= u128::from(most)
            }
            Self::Or(other) => actual == other,
            Self::Within32(range) => range.contains(actual as u32),
            Self::AnyNan16 => actual as u16 & 0x7FFF > 0x7C00,
            Self::NonZero => actual != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_cross_zero() {
        assert!(Acceptance::Ulp32(2).accepts(0x0000_0001, 0x8000_0001));
        assert!(!Acceptance::Ulp32(1).accepts(0x0000_0001, 0x8000_0001));
        assert!(Acceptance::Ulp64(1).accepts(0, 1 << 63 | 1));
    }

    #[test]
    fn what_is_written_over_is_not_open() {
        let narrowed = |acceptance, written| {
            let mut open = Expectation { extent: Extent::whole(4, 4), acceptance };
            open.narrow(written);
            (open.extent.mask, open.acceptance)
        };
        let minus_zero = Acceptance::Or(0x8000_0000);
        let low = Extent::whole(3, 4);
        assert_eq!(narrowed(minus_zero, low), (0xFF00_0000, minus_zero));
        let high = Extent::whole(7, 4);
        assert_eq!(narrowed(minus_zero, high), (0x00FF_FFFF, Acceptance::Or(0)));
        assert_eq!(narrowed(Acceptance::AnyNan32, high), (0x00FF_FFFF, Acceptance::Undefined));
        assert_eq!(narrowed(Acceptance::AnyNan32, Extent::whole(8, 4)).1, Acceptance::AnyNan32);
        assert_eq!(narrowed(minus_zero, Extent::whole(4, 4)).0, 0);
    }

    #[test]
    fn infinities_are_not_nans() {
        assert!(Acceptance::AnyNan32.accepts(0x7FC0_0000, 0xFF80_0001));
        assert!(!Acceptance::AnyNan32.accepts(0x7FC0_0000, 0x7F80_0000));
        assert!(!Acceptance::AnyNan64.accepts(0x7FF8 << 48, 0x7FF0 << 48));
        assert!(Acceptance::AnyNan16.accepts(0x7E00, 0xFC01));
        assert!(!Acceptance::AnyNan16.accepts(0x7E00, 0x7C00));
        assert!(!Acceptance::AnyNan16.accepts(0x7E00, 0));
        assert!(Acceptance::NonZero.accepts(0b10_0000, 0b01_0000));
        assert!(!Acceptance::NonZero.accepts(0b10_0000, 0));
    }

    #[test]
    fn ranges_have_ends_and_signs_and_no_denormals() {
        let accepts = |low, high, bits: u32| {
            Acceptance::Within32(Range32 { low, high }).accepts(0x1234, bits.into())
        };
        // From minus two to one.
        for bits in [0xC000_0000, 0x8080_0000, 0x8000_0000, 0, 0x0080_0000, 0x3F80_0000] {
            assert!(accepts(0xC000_0000, 0x3F80_0000, bits), "{bits:08X}");
        }
        for bits in [0xC000_0001, 0x8000_0001, 1, 0x007F_FFFF, 0x3F80_0001, 0x7FC0_0000] {
            assert!(!accepts(0xC000_0000, 0x3F80_0000, bits), "{bits:08X}");
        }
        assert!(!accepts(0, 0x0080_0000, 0x8000_0000));
        assert!(!accepts(0x8080_0000, 0x8000_0000, 0));
        assert!(accepts(0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0000));
    }
}
