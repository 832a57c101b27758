//! Surface formats and pixel operations: names, encodings, layouts and uses as data, and the
//! vocabulary of what is done to pixels.
//!
//! What the formats and operations *mean* is said in `parallax-reference` and in
//! `parallax-executor`.

mod by_generation;
pub mod case;
pub mod channels;
pub mod coded;
pub mod compression;
pub mod fetch;
pub mod format;
pub mod layout;
pub mod lookup;
pub mod operation;
pub mod pixel;
pub mod rules;
pub mod sheet;
pub mod state;
pub mod texel;

pub use case::{Case, Operation};
pub use channels::{BorderMode, ChannelMap, Source};
pub use fetch::{EndianSwap, Fetch, FormatComp, NumFormat, Select, SrfMode};
pub use format::{ColorSpace, Document, Format, Use};
pub use layout::{Block, Codec, Component, Layout, Name, Numeric};
pub use lookup::{FormatError, catalogue, code, message_format, message_formats, named};
pub use sheet::{Sheet, SheetError};
pub use state::State;
pub use texel::{Natural, Texel, Value};

use crate::Machine;

/// Blocks decoded and encoded, pixels tested and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {}

impl Machine for Surface {
    const NAME: &'static str = "surface";
    type Case = Case;
    type State = State;
}
