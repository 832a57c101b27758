//! The compressed families: which module decodes which.

mod bc;
mod bc6h;
mod bc7;
mod eac;
mod etc;
mod fxt1;
mod partitions;

use parallax_isa::surface::{Codec, Name};

use super::numbers::{Number, read};
use crate::number::Ratio;

/// The texels of a block, row by row, each with the components the codec has.
pub(super) fn decode(codec: Codec, bytes: &[u8]) -> Vec<Vec<(Name, Number)>> {
    match codec {
        Codec::Bc1 => named(codec, bc::bc1(block(bytes)).map(rgba)),
        Codec::Bc1Rgb => named(codec, bc::bc1(block(bytes)).map(rgba)),
        Codec::Bc2 => named(codec, bc::bc2(block(bytes)).map(rgba)),
        Codec::Bc3 => named(codec, bc::bc3(block(bytes)).map(rgba)),
        Codec::Bc4 { signed } => named(codec, bc::bc4(block(bytes), signed).map(|r| [exact(r)])),
        Codec::Bc5 { signed } => {
            let [red, green] = [half_block(bytes, 0), half_block(bytes, 1)];
            named(codec, pairs(bc::bc4(red, signed), bc::bc4(green, signed)))
        }
        Codec::Bc6h { signed } => {
            let half = |bits: u16| read::half(u64::from(bits));
            named(codec, bc6h::decode(block(bytes), signed).map(|rgb| rgb.map(half)))
        }
        Codec::Bc7 => named(codec, bc7::decode(block(bytes)).map(|rgba| rgba.map(byte))),
        Codec::Fxt1 => named(codec, fxt1::decode(block(bytes)).map(rgba)),
        Codec::Etc1 => named(codec, etc::etc1(block(bytes)).map(|rgb| rgb.map(byte))),
        Codec::Etc2 => named(codec, etc::etc2(block(bytes)).map(|rgb| rgb.map(byte))),
        Codec::Etc2PunchThrough => {
            named(codec, etc::etc2_punch_through(block(bytes)).map(|rgba| rgba.map(byte)))
        }
        Codec::Etc2Eac => {
            let alpha = eac::alpha(half_block(bytes, 0));
            let colour = etc::etc2(half_block(bytes, 1));
            let texel = |n: usize| {
                let [r, g, b] = colour[n];
                [r, g, b, alpha[n]].map(byte)
            };
            named(codec, std::array::from_fn::<_, 16, _>(texel))
        }
        Codec::EacR11 { signed } => {
            named(codec, eac::eleven_bits(block(bytes), signed).map(|r| [exact(r)]))
        }
        Codec::EacRg11 { signed } => {
            let [red, green] = [half_block(bytes, 0), half_block(bytes, 1)];
            named(codec, pairs(eac::eleven_bits(red, signed), eac::eleven_bits(green, signed)))
        }
    }
}

/// The bytes as a block; their number has been checked.
fn block<const BYTES: usize>(bytes: &[u8]) -> [u8; BYTES] {
    bytes.try_into().expect("one block")
}

/// The first or second half of a 16-byte block.
fn half_block(bytes: &[u8], half: usize) -> [u8; 8] {
    block(&bytes[8 * half..8 * half + 8])
}

fn exact(number: Ratio) -> Number {
    Number::Exact(number)
}

fn rgba(texel: [Ratio; 4]) -> [Number; 4] {
    texel.map(Number::Exact)
}

/// An 8-bit fraction.
fn byte(value: u8) -> Number {
    read::unorm(u64::from(value), 8)
}

fn pairs(red: [Ratio; 16], green: [Ratio; 16]) -> [[Number; 2]; 16] {
    std::array::from_fn(|n| [red[n], green[n]].map(Number::Exact))
}

/// Gives the channels of each texel the names the codec has for them; further ones are dropped.
fn named<const TEXELS: usize, const CHANNELS: usize>(
    codec: Codec,
    texels: [[Number; CHANNELS]; TEXELS],
) -> Vec<Vec<(Name, Number)>> {
    let names = codec.components();
    texels.map(|channels| names.iter().copied().zip(channels).collect()).to_vec()
}
