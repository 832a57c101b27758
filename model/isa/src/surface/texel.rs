//! What decoding a texel gives: four channels in their natural types.

/// The type of a channel's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Natural {
    /// IEEE binary32.
    Float32,
    /// Unsigned 32-bit integer.
    Uint32,
    /// Two's complement 32-bit integer.
    Sint32,
    /// IEEE binary64.
    Float64,
    /// 64 bits passed on unconverted.
    Raw64,
    /// No value: the format has no such channel, and no default for it.
    Absent,
}

impl Natural {
    /// Width of a value, in bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Float32 | Self::Uint32 | Self::Sint32 => 32,
            Self::Float64 | Self::Raw64 => 64,
            Self::Absent => 0,
        }
    }
}

/// One channel's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Value {
    /// How its bits are to be read.
    pub natural: Natural,
    /// The bits; those above the width of the type are zero.
    pub bits: u64,
}

impl Value {
    /// No value.
    pub const ABSENT: Self = Self { natural: Natural::Absent, bits: 0 };

    /// A binary32 number by its bits.
    #[must_use]
    pub const fn float32(bits: u32) -> Self {
        Self { natural: Natural::Float32, bits: bits as u64 }
    }

    /// A binary64 number by its bits.
    #[must_use]
    pub const fn float64(bits: u64) -> Self {
        Self { natural: Natural::Float64, bits }
    }

    /// An unsigned integer.
    #[must_use]
    pub const fn uint32(value: u32) -> Self {
        Self { natural: Natural::Uint32, bits: value as u64 }
    }

    /// A signed integer.
    #[must_use]
    pub const fn sint32(value: i32) -> Self {
        Self { natural: Natural::Sint32, bits: value as u32 as u64 }
    }

    /// Unconverted bits.
    #[must_use]
    pub const fn raw64(bits: u64) -> Self {
        Self { natural: Natural::Raw64, bits }
    }
}

/// Red, green, blue and alpha (x, y, z, w of a vertex or a fetch).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Texel(pub [Value; 4]);

impl Texel {
    /// The bits of the four channels.
    #[must_use]
    pub fn bits(self) -> [u64; 4] {
        self.0.map(|value| value.bits)
    }
}
