//! The chroma key of G45: whether texels lie in a range of colours, channel by channel in 8 bits.

use parallax_isa::{
    Device,
    surface::{BorderMode, operation::Key},
};

use crate::surface::{
    blocks::sampled,
    decode::{Refused, View},
    layout::{Field, Layout, Letter, Number},
};

/// Formats that may be keyed; R8_UNORM from GM45 on.
const KEYED: [&str; 16] = [
    "B8G8R8A8_UNORM",
    "B8G8R8X8_UNORM",
    "B5G6R5_UNORM",
    "B5G5R5A1_UNORM",
    "B4G4R4A4_UNORM",
    "R8G8_SNORM",
    "L8A8_UNORM",
    "R5G5_SNORM_B6_UNORM",
    "R8_UNORM",
    "A8_UNORM",
    "L8_UNORM",
    "YCRCB_NORMAL",
    "YCRCB_SWAPUVY",
    "BC1_UNORM",
    "BC2_UNORM",
    "BC3_UNORM",
];

/// Twice a channel as the key sees it, since means are not rounded; nothing if the format lacks it.
type Channel = Option<i32>;

/// Bit n: whether texel n of a block matches.
pub(crate) fn matches(
    device: Device,
    name: &str,
    bytes: &[u8],
    next: Option<&[u8]>,
    key: Key,
) -> Result<u64, Refused> {
    let early = matches!(device, Device::Bw | Device::Cl);
    if !Device::GEN4.contains(&device) || !KEYED.contains(&name) || early && name == "R8_UNORM" {
        return Err(Refused("the format is not for chroma keys"));
    }
    let signed = name.contains("SNORM");
    let texels = match sampled::family(name, &View::default()) {
        Some(_) => decoded(device, name, bytes)?,
        None => fields(name, signed, bytes, next)?,
    };
    let matching = texels.iter().map(|texel| {
        texel.iter().zip([16, 8, 0, 24]).all(|(channel, shift)| {
            let limits = [key.low, key.high].map(|key| limit((key >> shift) as u8, signed));
            channel.is_none_or(|twice| 2 * limits[0] <= twice && twice <= 2 * limits[1])
        })
    });
    Ok(matching.enumerate().fold(0, |bits, (n, matches)| bits | u64::from(matches) << n))
}

/// A byte of the key; those for signed formats have a sign and a magnitude.
fn limit(byte: u8, signed: bool) -> i32 {
    match (signed, byte) {
        (false, byte) => byte.into(),
        (true, 0..0x80) => byte.into(),
        (true, byte) => -i32::from(byte & 0x7F),
    }
}

/// Texels of compressed blocks, to the nearest 8 bits.
fn decoded(device: Device, name: &str, bytes: &[u8]) -> Result<Vec<[Channel; 4]>, Refused> {
    let view = View { linearise: false, border_mode: BorderMode::Dx10Ogl, ..View::default() };
    let family = sampled::family(name, &view).ok_or(Refused("not compressed"))?;
    let block = sampled::decode(device, name, family, &view, bytes)?;
    // Exact until it is rounded: a single product may round up to the half on its own.
    let eight = |bits: u64| {
        let channel = f64::from(f32::from_bits(bits as u32));
        Some(2 * (channel * 255.0).round() as i32)
    };
    Ok(block.texels[..block.count].iter().map(|texel| texel.map(eight)).collect())
}

/// Texels of other formats, their fields widened to 8 bits.
fn fields(
    name: &str,
    signed: bool,
    bytes: &[u8],
    next: Option<&[u8]>,
) -> Result<Vec<[Channel; 4]>, Refused> {
    let layout = Layout::intel(name).ok_or(Refused("the format has no layout of its own"))?;
    if bytes.len() != layout.bytes || next.is_some_and(|next| next.len() != layout.bytes) {
        return Err(Refused("the bytes are not one block"));
    }
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    let pair = layout.texels.len() == 2;
    let texel = |(n, fields): (usize, &Vec<Field>)| {
        let mut channels = [None; 4];
        for field in fields {
            let code = |word: u32| word >> field.shift & u32::MAX >> (32 - field.bits);
            let value = widened(code(word(bytes)), field, signed);
            // The right texel of a pair has no chroma of its own: it has the mean.
            let lacking = next.filter(|_| pair && n == 1 && field.letter != Letter::G);
            let other = lacking.map_or(value, |next| widened(code(word(next)), field, signed));
            for (channel, slot) in channels.iter_mut().enumerate() {
                let feeds = match field.letter {
                    Letter::R => channel == 0,
                    Letter::G => channel == 1,
                    Letter::B => channel == 2,
                    Letter::A => channel == 3,
                    Letter::L => channel < 3,
                    Letter::I | Letter::P => true,
                };
                if feeds {
                    *slot = Some(value + other);
                }
            }
        }
        channels
    };
    Ok(layout.texels.iter().enumerate().map(texel).collect())
}

/// A code with its topmost bits repeated below it, as 8 bits. Those of signed formats have a sign
/// and 7 bits; a component without sign has the 7 bits alone then.
fn widened(code: u32, field: &Field, signed: bool) -> i32 {
    let bits = field.bits;
    let repeat = |code: u32, from: u32, to: u32| -> i32 {
        let mut wide = 0u32;
        let mut filled = 0;
        while filled < to {
            wide = wide << from | code;
            filled += from;
        }
        (wide >> (filled - to)).cast_signed()
    };
    match field.number {
        Number::Snorm => {
            let value = (code << (32 - bits)).cast_signed() >> (32 - bits);
            let magnitude = value.unsigned_abs().min((1 << (bits - 1)) - 1);
            repeat(magnitude, bits - 1, 7) * value.signum()
        }
        _ => repeat(code, bits, if signed { 7 } else { 8 }),
    }
}
