//! What a surface operation leaves: texels, bytes, a result.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use super::texel::{Natural, Texel};
use crate::{
    Device,
    image::{Bank, Image, Part, assert_whole},
};

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

/// The effect of an operation, on every device.
const BANKS: &[Bank] = {
    const fn bank(
        name: &'static str,
        offset: usize,
        count: usize,
        sizes: [usize; 2],
        part: fn(usize, usize) -> String,
    ) -> Bank {
        Bank::registers(name, offset, count, sizes, Part::Named(part), &Device::ALL)
    }
    &[
        bank("texel", offset_of!(State, texels), TEXELS, [32, 8], |texel, byte| {
            format!("texel {texel} {} byte {}", channel(byte / 8), byte % 8)
        }),
        bank("type", offset_of!(State, types), TEXELS, [4, 1], |texel, byte| {
            format!("type of texel {texel} {}", channel(byte))
        }),
        bank("byte", offset_of!(State, bytes), BYTES, [1, 1], |number, _| format!("byte {number}")),
        bank("result", offset_of!(State, result), 1, [8, 8], |_, byte| {
            format!("result byte {byte}")
        }),
        bank("done", offset_of!(State, done), 1, [8, 8], |_, byte| {
            format!("operations done byte {byte}")
        }),
    ]
};

const _: () = assert_whole(BANKS, size_of::<State>());

fn channel(number: usize) -> &'static str {
    ["red", "green", "blue", "alpha"][number % 4]
}

impl Image for State {
    const BANKS: &'static [Bank] = BANKS;
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
