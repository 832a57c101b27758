//! What a surface operation leaves: texels, bytes, a result.

use bytemuck::{Pod, Zeroable};

use super::texel::{Natural, Texel};
use crate::Image;

/// Texels of the largest block.
pub const TEXELS: usize = 32;

/// Bytes of the largest block.
pub const BYTES: usize = 32;

/// The effect of the last operation; what it does not set is zero, but for the count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    /// Bits of the channels of each texel.
    pub texels: [[u64; 4]; TEXELS],
    /// Types of the channels of each texel: one more than the place in [`Natural`], 0 for texels
    /// the block does not have.
    pub types: [[u8; 4]; TEXELS],
    /// Bytes written.
    pub bytes: [u8; BYTES],
    /// A number, if the operation gives one.
    pub result: u64,
    /// Operations done.
    pub done: u64,
}

impl State {
    /// Sets a texel and the types of its channels.
    pub fn set_texel(&mut self, index: usize, texel: Texel) {
        self.texels[index] = texel.bits();
        self.types[index] = texel.0.map(|value| value.natural as u8 + 1);
    }
}

impl Default for State {
    fn default() -> Self {
        Self::zeroed()
    }
}

/// The order of [`Natural`] that [`State::types`] counts by.
const _: () = assert!(Natural::Float32 as u8 == 0 && Natural::Absent as u8 == 5);

impl Image for State {
    fn place(offset: usize) -> String {
        let channel = |n: usize| ["red", "green", "blue", "alpha"][n % 4];
        let types = size_of::<[[u64; 4]; TEXELS]>();
        let bytes = types + size_of::<[[u8; 4]; TEXELS]>();
        let result = bytes + BYTES;
        let done = result + 8;
        match offset {
            _ if offset < types => {
                let value = offset / 8;
                format!("texel {} {} byte {}", value / 4, channel(value), offset % 8)
            }
            _ if offset < bytes => {
                let value = offset - types;
                format!("type of texel {} {}", value / 4, channel(value))
            }
            _ if offset < result => format!("byte {}", offset - bytes),
            _ if offset < done => format!("result byte {}", offset - result),
            _ => format!("operations done byte {}", offset - done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names() {
        assert_eq!(State::place(0), "texel 0 red byte 0");
        assert_eq!(State::place(32 + 8 + 3), "texel 1 green byte 3");
        assert_eq!(State::place(1024 + 7), "type of texel 1 alpha");
        assert_eq!(State::place(1024 + 128 + 5), "byte 5");
        assert_eq!(State::place(1024 + 128 + 32 + 7), "result byte 7");
        assert_eq!(State::place(size_of::<State>() - 1), "operations done byte 7");
    }
}
