//! Data types of operands (G45 volume 4, section 10.1).

use serde::{Deserialize, Serialize};

/// A data type of an operand. `V` and `Vf` exist as immediates only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DataType {
    /// Unsigned byte.
    Ub,
    /// Signed byte.
    B,
    /// Unsigned word, 16 bits.
    Uw,
    /// Signed word, 16 bits.
    W,
    /// Unsigned doubleword, 32 bits.
    Ud,
    /// Signed doubleword, 32 bits.
    D,
    /// Single-precision float.
    F,
    /// Packed vector of eight signed 4-bit integers, each a word once expanded.
    V,
    /// Packed vector of four restricted 8-bit floats, each a single-precision float once expanded.
    Vf,
}

impl DataType {
    /// The types a register operand can have.
    pub const REGISTER: [Self; 7] =
        [Self::Ub, Self::B, Self::Uw, Self::W, Self::Ud, Self::D, Self::F];

    /// Bytes of one element; for `V` and `Vf` of one expanded element.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Ub | Self::B => 1,
            Self::Uw | Self::W | Self::V => 2,
            Self::Ud | Self::D | Self::F | Self::Vf => 4,
        }
    }

    /// Whether elements are floats.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F | Self::Vf)
    }

    /// Whether elements are signed integers.
    #[must_use]
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, Self::B | Self::W | Self::D | Self::V)
    }

    /// The suffix in assembly text, without the colon: `ud`.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Ub => "ub",
            Self::B => "b",
            Self::Uw => "uw",
            Self::W => "w",
            Self::Ud => "ud",
            Self::D => "d",
            Self::F => "f",
            Self::V => "v",
            Self::Vf => "vf",
        }
    }
}
