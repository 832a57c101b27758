//! Surface formats and pixel operations: what texels mean, from the layouts in `parallax-isa`.
//!
//! Everything is computed with whole numbers and fractions and rounded once, to binary32, at the
//! end; there is one generic decoder for formats whose components lie side by side, and a module
//! per compressed family.

mod blocks;
pub mod channels;
pub mod compression;
mod decode;
pub(crate) mod encode;
mod engine;
mod fetch;
mod field;
mod float;
mod numbers;
pub mod pixels;
mod sheet;

use parallax_isa::surface::{
    BorderMode, Component, EndianSwap, Format, FormatError, Natural, SheetError,
};

pub use decode::{View, decode, linearise};
pub use encode::{encode, natural_types};
pub(crate) use engine::open_after_write;
pub use engine::{Observer, Reference, SurfaceStep};
pub use sheet::decode_sheet;

/// Texels that cannot be decoded or encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// The format cannot be used.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Not a size the format has.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// A map without texels.
    #[error("a map has at least one texel in each direction")]
    EmptyMap,
    /// Not the bytes of one block.
    #[error("a block of {name} is {expected} byte{} ({width}x{height} texels), not {given}", plural(*expected))]
    Length {
        /// The format.
        name: &'static str,
        /// Bytes of a block.
        expected: usize,
        /// Texels in a row of a block.
        width: u8,
        /// Rows of a block.
        height: u8,
        /// Bytes given.
        given: usize,
    },
    /// Not the texels of one block.
    #[error("a block of {name} has {expected} texel{}, not {given}", plural(*expected))]
    TexelCount {
        /// The format.
        name: &'static str,
        /// Texels of a block.
        expected: usize,
        /// Texels given.
        given: usize,
    },
    /// A border colour mode the format is not listed for.
    #[error("{name} must not be sampled in {} border colour mode", mode.name())]
    BorderMode {
        /// The format.
        name: &'static str,
        /// The mode.
        mode: BorderMode,
    },
    /// An index beyond a palette.
    #[error("the texel has index {index} into palette {palette}, which has {entries} entries")]
    Palette {
        /// 0 or 1.
        palette: usize,
        /// The index.
        index: usize,
        /// Entries given.
        entries: usize,
    },
    /// A channel of a type the component is not made from.
    #[error("component {component} is written from {wanted:?}, not from {given:?}")]
    WrongType {
        /// The component.
        component: Component,
        /// The type it is written from.
        wanted: Natural,
        /// The type given.
        given: Natural,
    },
    /// Something no device writes.
    #[error("{0} cannot be written")]
    NotWritable(String),
    /// A byte swap in words larger than the element.
    #[error("{} needs whole words; the element has {bytes} byte{}", swap.name(), plural(*bytes))]
    EndianSwap {
        /// The swap.
        swap: EndianSwap,
        /// Bytes of the element.
        bytes: usize,
    },
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Checks that `given` bytes are one block.
fn require_block(format: &Format, given: usize) -> Result<(), SurfaceError> {
    let expected = usize::from(format.block.bytes);
    if given == expected {
        return Ok(());
    }
    let (name, width, height) = (format.name, format.block.width, format.block.height);
    Err(SurfaceError::Length { name, expected, width, height, given })
}
