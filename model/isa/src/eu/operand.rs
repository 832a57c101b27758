//! Operands: registers, regions, modifiers and immediates (G45 volume 4, sections 11.4 and 13.2).

use serde::{Deserialize, Serialize};

use super::{
    generation::Generation,
    register::{ArfKind, RegisterFile},
    types::DataType,
};

/// Register number of the null register in the ARF.
pub const NULL: u8 = 0;

/// Which register, or which bytes of the register file, an operand starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Register {
    /// Named in the instruction.
    Direct {
        /// Register file.
        file: RegisterFile,
        /// Register number as encoded, 0 to 255; in the ARF the high nibble is the kind. Bit 7 of
        /// an MRF destination is the Compr4 mark.
        number: u8,
        /// Byte offset in the register, 0 to 31 (a multiple of 16 in Align16).
        subregister: u8,
    },
    /// Named by the address register.
    Indirect {
        /// Register file; the manual allows the GRF, and the MRF as a destination on some devices.
        file: RegisterFile,
        /// Subregister of `a0`, 0 to 7, from Gen8 on to 15.
        address_subregister: u8,
        /// Byte offset added to the address, -512 to 511 (a multiple of 16 in Align16).
        offset: i16,
    },
}

impl Register {
    /// The null register.
    pub const NULL: Self = Self::Direct { file: RegisterFile::Arf, number: NULL, subregister: 0 };

    /// The register file.
    #[must_use]
    pub const fn file(self) -> RegisterFile {
        match self {
            Self::Direct { file, .. } | Self::Indirect { file, .. } => file,
        }
    }

    /// The kind of architecture register named in a generation, if it is one.
    #[must_use]
    pub fn arf_on(self, generation: Generation) -> Option<ArfKind> {
        match self {
            Self::Direct { file: RegisterFile::Arf, number, .. } => ArfKind::on(generation, number),
            _ => None,
        }
    }

    /// The kind of architecture register named on Gen4 and Gen4.5, if it is one.
    #[must_use]
    pub fn arf(self) -> Option<ArfKind> {
        match self {
            Self::Direct { file: RegisterFile::Arf, number, .. } => {
                ArfKind::of_register_number(number)
            }
            _ => None,
        }
    }

    /// Whether it is the null register.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.arf() == Some(ArfKind::Null)
    }
}

/// Vertical stride of a source region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VerticalStride {
    /// Elements between the starts of neighbouring rows: 0, 1, 2, 4, 8, 16 or 32.
    Elements(u8),
    /// Each row starts at its own address subregister: Vx1, or VxH where the width is 1.
    PerRowAddress,
}

/// How the channels of a source map to elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Region {
    /// `<vertical; width, horizontal>`.
    Align1 {
        /// Vertical stride.
        vertical: VerticalStride,
        /// Elements in a row: 1, 2, 4, 8 or 16.
        width: u8,
        /// Elements between neighbours of a row: 0, 1, 2 or 4.
        horizontal: u8,
    },
    /// `<vertical>.swizzle`: rows of four elements.
    Align16 {
        /// Vertical stride, 0 or 4 elements. 0 in an instruction with three sources is RepCtrl: the
        /// element at the subregister for all channels, whatever the swizzle.
        vertical: VerticalStride,
        /// For each channel of a group of four, which channel (0 x … 3 w) it reads.
        swizzle: [u8; 4],
    },
}

impl Region {
    /// `<0;1,0>`: one element for all channels.
    pub const SCALAR: Self =
        Self::Align1 { vertical: VerticalStride::Elements(0), width: 1, horizontal: 0 };

    /// `<8;8,1>`: eight packed elements a row.
    pub const PACKED8: Self =
        Self::Align1 { vertical: VerticalStride::Elements(8), width: 8, horizontal: 1 };
}

/// Changes to a source value before the operation: absolute value first, then negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct SourceModifier {
    /// `(abs)`.
    pub absolute: bool,
    /// `-`.
    pub negate: bool,
}

/// A source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Source {
    /// Elements of a register region.
    Register {
        /// Where the region starts.
        register: Register,
        /// Element type, never `V` or `Vf`.
        data_type: DataType,
        /// How channels map to elements.
        region: Region,
        /// Absolute value and negation.
        modifier: SourceModifier,
    },
    /// A constant in the instruction.
    Immediate {
        /// Type, never a byte type.
        data_type: DataType,
        /// The bits of the field: 64 for a 64-bit type, else 32. A 16-bit value stands in both
        /// halves of those.
        bits: u64,
    },
}

impl Source {
    /// What stands for a source that an instruction does not have.
    pub const ABSENT: Self = Self::null(DataType::Ud);

    /// `null` of a type.
    #[must_use]
    pub const fn null(data_type: DataType) -> Self {
        Self::Register {
            register: Register::NULL,
            data_type,
            region: Region::SCALAR,
            modifier: SourceModifier { absolute: false, negate: false },
        }
    }

    /// Element type.
    #[must_use]
    pub const fn data_type(&self) -> DataType {
        match *self {
            Self::Register { data_type, .. } | Self::Immediate { data_type, .. } => data_type,
        }
    }
}

/// A destination operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Destination {
    /// Where the region starts.
    pub register: Register,
    /// Element type, never `V` or `Vf`.
    pub data_type: DataType,
    /// Layout, by access mode.
    pub region: DestinationRegion,
}

/// How channels map to destination elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DestinationRegion {
    /// Align1: elements between neighbouring channels, 1, 2 or 4 (0 is encodable, not legal).
    Stride(u8),
    /// Align16: which channels of each group of four are written; bit 0 is x.
    ChannelEnable(u8),
}

impl Destination {
    /// `null` of a type, Align1.
    #[must_use]
    pub const fn null(data_type: DataType) -> Self {
        Self { register: Register::NULL, data_type, region: DestinationRegion::Stride(1) }
    }
}
