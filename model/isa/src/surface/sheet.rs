//! A surface in memory: rows of blocks.

use super::{
    format::Format,
    layout::{Block, Layout},
    lookup::FormatError,
};

/// Most texels a surface may have here.
pub const MOST_TEXELS: u64 = 1 << 24;

/// Size and pitch of a two-dimensional surface without levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sheet {
    /// Texels in a row; a whole number of blocks.
    pub width: u32,
    /// Rows of texels; a whole number of blocks.
    pub height: u32,
    /// Bytes from one row of blocks to the next. Of planar formats: from one row of luma to the
    /// next, and of chroma, whose plane follows.
    pub pitch: u32,
}

/// A size that is none of the format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SheetError {
    /// The format has no layout.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Width or height is zero.
    #[error("a surface of {width}x{height} texels has no texels")]
    Empty {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// More texels than [`MOST_TEXELS`].
    #[error("a surface of {width}x{height} texels has more than {MOST_TEXELS} texels")]
    TooLarge {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// A size that does not consist of whole blocks.
    #[error("{width}x{height} texels are no whole blocks of {name}, which are {}x{}", block.width, block.height)]
    PartBlocks {
        /// The format.
        name: &'static str,
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// A block of the format.
        block: Block,
    },
    /// A pitch smaller than a row.
    #[error("a pitch of {pitch} bytes is less than a row of blocks of {name}, {row} bytes")]
    Pitch {
        /// The format.
        name: &'static str,
        /// The pitch.
        pitch: u32,
        /// Bytes of a row.
        row: u64,
    },
    /// Fewer bytes than the surface takes.
    #[error("the surface takes {expected} bytes, there are {given}")]
    Short {
        /// Bytes it takes.
        expected: u64,
        /// Bytes there are.
        given: u64,
    },
}

impl Sheet {
    /// A surface whose rows follow each other closely.
    #[must_use]
    pub fn packed(format: &Format, width: u32, height: u32) -> Self {
        let pitch = u32::try_from(row_bytes(format, width)).unwrap_or(u32::MAX);
        Self { width, height, pitch }
    }

    /// Bytes the surface takes, from its first to its last.
    ///
    /// # Errors
    /// If the size is none of the format's.
    pub fn bytes(self, format: &Format) -> Result<u64, SheetError> {
        let Self { width, height, pitch } = self;
        format.require_defined()?;
        if width == 0 || height == 0 {
            return Err(SheetError::Empty { width, height });
        }
        if u64::from(width) * u64::from(height) > MOST_TEXELS {
            return Err(SheetError::TooLarge { width, height });
        }
        let block = format.block;
        let name = format.name;
        let whole = |size: u32, of: u8| size.is_multiple_of(u32::from(of));
        if !whole(width, block.width) || !whole(height, block.height) {
            return Err(SheetError::PartBlocks { name, width, height, block });
        }
        let row = row_bytes(format, width);
        if u64::from(pitch) < row {
            return Err(SheetError::Pitch { name, pitch, row });
        }
        let rows = match &format.layout {
            // Luma rows, then half as many rows of chroma.
            Layout::Planar { .. } => u64::from(height) / 2 * 3,
            _ => u64::from(height / u32::from(block.height)),
        };
        Ok(u64::from(pitch) * (rows - 1) + row)
    }

    /// Checks that `given` bytes hold the surface.
    ///
    /// # Errors
    /// If they do not, or the size is none of the format's.
    pub fn require(self, format: &Format, given: usize) -> Result<(), SheetError> {
        let (expected, given) = (self.bytes(format)?, given as u64);
        if given < expected { Err(SheetError::Short { expected, given }) } else { Ok(()) }
    }
}

/// Bytes of a row of blocks; of a row of one plane if the format is planar.
fn row_bytes(format: &Format, width: u32) -> u64 {
    match &format.layout {
        Layout::Planar { luma, .. } => u64::from(width) * u64::from(luma.bits / 8),
        _ => {
            let block = format.block;
            let blocks = u64::from(width) / u64::from(block.width.max(1));
            blocks * u64::from(block.bytes)
        }
    }
}
