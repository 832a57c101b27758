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
}

/// A place and what is accepted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expectation {
    /// Where.
    pub extent: Extent,
    /// What.
    pub acceptance: Acceptance,
}

impl Acceptance {
    /// Whether a result is compared exactly all the same: it is one of two, or a NaN like any other.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::AnyNan32 | Self::AnyNan64 | Self::Or(_))
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
    fn infinities_are_not_nans() {
        assert!(Acceptance::AnyNan32.accepts(0x7FC0_0000, 0xFF80_0001));
        assert!(!Acceptance::AnyNan32.accepts(0x7FC0_0000, 0x7F80_0000));
        assert!(!Acceptance::AnyNan64.accepts(0x7FF8 << 48, 0x7FF0 << 48));
    }
}
