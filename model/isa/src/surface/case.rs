//! A case: blocks to decode and encode, pixels to test and write.

use serde::{Deserialize, Serialize};

use super::{
    channels::BorderMode,
    fetch::{Fetch, Select},
    lookup,
    operation::{Colour, DepthFormat, Key, Output, Stencil},
    pixel::{CompareFunction, TextureCoordinateMode},
    state::State,
};
use crate::Device;

/// Operations on one device, each a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Case {
    /// The device whose formats and rules are meant.
    pub device: Device,
    /// The two palettes: entries with alpha in bits 31:24, red 23:16, green 15:8, blue 7:0; at
    /// most 256 each.
    pub palettes: [Vec<u32>; 2],
    /// What is done, in order.
    pub operations: Vec<Operation>,
}

/// One step. Formats are given by their encoding on the device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Operation {
    /// Decodes a block: its texels are the state's texels.
    Decode {
        /// Encoding of the format.
        format: u16,
        /// One block.
        bytes: Vec<u8>,
        /// The border colour mode.
        border_mode: BorderMode,
        /// Whether sRGB codes are made linear.
        linearise: bool,
        /// What an R700 fetch says.
        fetch: Fetch,
        /// What an R700 fetch selects.
        select: Option<[Select; 4]>,
    },
    /// Encodes a block: it is the state's bytes.
    Encode {
        /// Encoding of the format.
        format: u16,
        /// The bits of the channels of each texel, row by row, each of the type its component is
        /// written from.
        texels: Vec<[u64; 4]>,
        /// What the format is read with on R700.
        fetch: Fetch,
    },
    /// Writes a pixel to a render target: the state's bytes.
    WritePixel {
        /// Encoding of the format.
        format: u16,
        /// Blending and all that.
        output: Output,
        /// Source 0.
        source: Colour,
        /// Source 1.
        second_source: Colour,
        /// The element before.
        stored: Vec<u8>,
    },
    /// Stencil and depth test: the result is whether both pass, byte 0 the stencil value left,
    /// bytes 4 to 7 the fragment's depth as the buffer keeps it.
    Test {
        /// The stencil test.
        stencil: Stencil,
        /// The stencil value in the buffer.
        stored_stencil: u8,
        /// The depth comparison.
        depth_function: CompareFunction,
        /// How the depth buffer keeps its numbers.
        depth_format: DepthFormat,
        /// The fragment's depth, binary32 bits.
        depth: u32,
        /// The depth in the buffer, as it keeps it.
        stored_depth: u32,
    },
    /// A G45 shadow comparison before filtering: the result is its binary32 bits.
    Shadow {
        /// Encoding of the format.
        format: u16,
        /// The comparison.
        function: CompareFunction,
        /// The texel, binary32 bits.
        texel: u32,
        /// The reference, binary32 bits.
        reference: u32,
    },
    /// A chroma key: bit n of the result is whether texel n of the block matches.
    ChromaKey {
        /// Encoding of the format.
        format: u16,
        /// One block.
        bytes: Vec<u8>,
        /// The pair to the right, for 4:2:2 formats.
        next: Option<Vec<u8>>,
        /// The key.
        key: Key,
    },
    /// A texture coordinate: the result is the texel index, plus 1 << 32 for the border colour,
    /// 2 << 32 for the mean with the border colour, 3 << 32 for the adjacent face.
    Coordinate {
        /// The mode.
        mode: TextureCoordinateMode,
        /// Texel index, inside the map or not.
        index: i32,
        /// Texels in this direction, at least 1.
        size: u32,
    },
}

impl Case {
    /// The operation that comes after a state, for people.
    #[must_use]
    pub fn describe_next(&self, state: &State) -> String {
        let next = usize::try_from(state.done).ok().and_then(|done| self.operations.get(done));
        next.map_or_else(|| "end".into(), |operation| operation.describe(self.device))
    }
}

impl Operation {
    /// The encoding of its format, if it has one.
    #[must_use]
    pub fn format(&self) -> Option<u16> {
        match self {
            Self::Decode { format, .. }
            | Self::Encode { format, .. }
            | Self::WritePixel { format, .. }
            | Self::Shadow { format, .. }
            | Self::ChromaKey { format, .. } => Some(*format),
            Self::Test { .. } | Self::Coordinate { .. } => None,
        }
    }

    /// What it is, for people: `decode R8G8B8A8_UNORM 12 34 56 78`.
    #[must_use]
    pub fn describe(&self, device: Device) -> String {
        let name = |format: u16| {
            let known = lookup::code(device, format.into()).map(|format| format.name.to_owned());
            known.unwrap_or_else(|error| format!("({error})"))
        };
        let hex = |bytes: &[u8]| {
            let bytes: Vec<_> = bytes.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
            bytes.join(" ")
        };
        match self {
            Self::Decode { format, bytes, .. } => {
                format!("decode {} {}", name(*format), hex(bytes))
            }
            Self::Encode { format, texels, .. } => {
                format!("encode {} {:x?}", name(*format), &texels[..texels.len().min(4)])
            }
            Self::WritePixel { format, source, stored, .. } => {
                format!("write {:08x?} to {} holding {}", source, name(*format), hex(stored))
            }
            Self::Test {
                stencil,
                stored_stencil,
                depth_function,
                depth_format,
                depth,
                stored_depth,
            } => {
                format!(
                    "test stencil {} {:02x} with {stored_stencil:02x}, depth {depth_function} \
                     {depth_format:?} {depth:08x} with {stored_depth:08x}",
                    stencil.function, stencil.reference
                )
            }
            Self::Shadow { format, function, texel, reference } => {
                format!("shadow {} {function} {texel:08x} with {reference:08x}", name(*format))
            }
            Self::ChromaKey { format, bytes, key, .. } => {
                format!("key {:08x} to {:08x} {} {}", key.low, key.high, name(*format), hex(bytes))
            }
            Self::Coordinate { mode, index, size } => format!("{mode} {index} of {size}"),
        }
    }
}
