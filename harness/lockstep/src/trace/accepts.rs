//! What is accepted at a place, as it stands in files.

use parallax_isa::{Acceptance, Range32};
use serde::{Deserialize, Serialize};

/// [`Acceptance`] as it stands in files: variants are only ever added at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Accepts {
    Undefined,
    AnyNan32,
    AnyNan64,
    Ulp32(u32),
    Ulp64(u64),
    Or(u64),
    Within32(u32, u32),
    AnyNan16,
    NonZero,
}

impl From<Acceptance> for Accepts {
    fn from(acceptance: Acceptance) -> Self {
        match acceptance {
            Acceptance::Undefined => Self::Undefined,
            Acceptance::AnyNan32 => Self::AnyNan32,
            Acceptance::AnyNan64 => Self::AnyNan64,
            Acceptance::Ulp32(most) => Self::Ulp32(most),
            Acceptance::Ulp64(most) => Self::Ulp64(most),
            Acceptance::Or(other) => Self::Or(other),
            Acceptance::Within32(Range32 { low, high }) => Self::Within32(low, high),
            Acceptance::AnyNan16 => Self::AnyNan16,
            Acceptance::NonZero => Self::NonZero,
        }
    }
}

impl From<Accepts> for Acceptance {
    fn from(accepts: Accepts) -> Self {
        match accepts {
            Accepts::Undefined => Self::Undefined,
            Accepts::AnyNan32 => Self::AnyNan32,
            Accepts::AnyNan64 => Self::AnyNan64,
            Accepts::Ulp32(most) => Self::Ulp32(most),
            Accepts::Ulp64(most) => Self::Ulp64(most),
            Accepts::Or(other) => Self::Or(other),
            Accepts::Within32(low, high) => Self::Within32(Range32 { low, high }),
            Accepts::AnyNan16 => Self::AnyNan16,
            Accepts::NonZero => Self::NonZero,
        }
    }
}
