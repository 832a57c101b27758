//! Data types of operands (G45 volume 4, section 10.1).

use serde::{Deserialize, Serialize};

/// A data type of an operand. `V`, `Uv` and `Vf` exist as immediates only. Which generations have a
/// type is in the table `eu-type-encodings`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
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
    /// Packed vector of eight unsigned 4-bit integers, each a word once expanded.
    Uv,
    /// Half-precision float, 16 bits.
    Hf,
    /// Double-precision float, 64 bits.
    Df,
    /// Unsigned quadword, 64 bits.
    Uq,
    /// Signed quadword, 64 bits.
    Q,
}

impl DataType {
    /// Every type.
    pub const ALL: [Self; 14] = [
        Self::Ub,
        Self::B,
        Self::Uw,
        Self::W,
        Self::Ud,
        Self::D,
        Self::F,
        Self::V,
        Self::Vf,
        Self::Uv,
        Self::Hf,
        Self::Df,
        Self::Uq,
        Self::Q,
    ];

    /// Bytes of one element; for `V`, `Uv` and `Vf` of one expanded element.
    #[must_use]
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            Self::Ub | Self::B => 1,
            Self::Uw | Self::W | Self::V | Self::Uv | Self::Hf => 2,
            Self::Ud | Self::D | Self::F | Self::Vf => 4,
            Self::Uq | Self::Q | Self::Df => 8,
        }
    }

    /// The type of a suffix in assembly text, on whatever generation.
    #[must_use]
    pub fn of_suffix(suffix: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data_type| data_type.suffix() == suffix)
    }

    /// Whether elements are floats.
    #[must_use]
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F | Self::Vf | Self::Hf | Self::Df)
    }

    /// Whether elements are signed integers.
    #[must_use]
    #[inline]
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, Self::B | Self::W | Self::D | Self::V | Self::Q)
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
            Self::Uv => "uv",
            Self::Hf => "hf",
            Self::Df => "df",
            Self::Uq => "uq",
            Self::Q => "q",
        }
    }
}

/// The type that sources compute in: bytes as words, and single precision where that and half precision meet.
#[must_use]
pub fn execution_type(sources: &[DataType], destination: DataType) -> DataType {
    use DataType::{D, Df, F, Hf, Q, Vf, W};
    let has = |wanted: DataType| sources.contains(&wanted);
    if has(Df) {
        Df
    } else if has(F) || has(Vf) || has(Hf) && destination == F {
        F
    } else if has(Hf) {
        Hf
    } else {
        match sources.iter().map(|source| source.size()).max() {
            Some(8) => Q,
            Some(4) => D,
            _ => W,
        }
    }
}
