//! Chroma keying of the G45 sampler: texels whose 8-bit channels lie within a key, and 4:2:2
//! chroma between pairs.

use parallax_isa::{
    Device,
    surface::{
        Codec, Component, Format, Layout, Name, Numeric, Source, Texel, Use, Value, operation::Key,
    },
};

use crate::number::{Exact, FloatFormat, Ratio, Rounding};
use crate::surface::{
    SurfaceError, View, channels::sources, decode, field, numbers::sign_extend, require_block,
};

/// Whether each texel of a block matches the key: every channel, taken as 8 bits, lies between
/// low and high. Of 4:2:2 formats `next` is the pair to the right, if there is one.
///
/// # Errors
/// If the format is not for chroma keying on the device or the bytes are not one block.
pub fn matches(
    device: Device,
    format: &Format,
    bytes: &[u8],
    next: Option<&[u8]>,
    view: &View,
    key: Key,
) -> Result<Vec<bool>, SurfaceError> {
    format.require(device, Use::ChromaKey)?;
    // Red, green, blue, alpha.
    let bounds = [16, 8, 0, 24].map(|lsb| [key.low, key.high].map(|k| (k >> lsb) as u8));
    let signed = format.layout.components().any(|c| c.numeric == Numeric::Snorm);
    let within = |channels: [Channel; 4]| {
        channels.iter().zip(bounds).all(|(channel, [low, high])| match channel {
            Channel::Any => true,
            Channel::Byte(value) => (low..=high).contains(value),
            Channel::Halves(value) => (2 * u16::from(low)..=2 * u16::from(high)).contains(value),
            Channel::Signed(value) => (sign_magnitude(low)..=sign_magnitude(high)).contains(value),
        })
    };
    Ok(channels(format, bytes, next, view, signed)?.into_iter().map(within).collect())
}

/// A channel as it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    /// Unsigned 8 bits.
    Byte(u8),
    /// Twice an unsigned 8-bit number or the mean of two.
    Halves(u16),
    /// -127 to 127.
    Signed(i16),
    /// Not in the format: the key has the full range.
    Any,
}

/// A key byte of a SNORM format: a sign bit and 7 bits.
fn sign_magnitude(byte: u8) -> i16 {
    // Decision D-surface-key-negative-zero.
    let magnitude = i16::from(byte & 0x7F);
    if byte & 0x80 == 0 { magnitude } else { -magnitude }
}

/// The texels' channels in 8 bits.
fn channels(
    format: &Format,
    bytes: &[u8],
    next: Option<&[u8]>,
    view: &View,
    signed: bool,
) -> Result<Vec<[Channel; 4]>, SurfaceError> {
    match &format.layout {
        Layout::Plain(all) => {
            require_block(format, bytes.len())?;
            let sources = sources(format, view.border_mode)?;
            let channel = |source| match source {
                Source::Component(name) => {
                    let own = all.iter().find(|component| component.name == name);
                    own.map_or(Channel::Any, |&component| widened(component, bytes, signed))
                }
                _ => Channel::Any,
            };
            Ok(vec![sources.map(channel)])
        }
        Layout::Subsampled(_) => {
            let [left, mut right] = pair(format, bytes, view)?;
            if let Some(next) = next {
                let [following, _] = pair(format, next, view)?;
                right = interpolated_chroma(left, right, following);
            }
            Ok([left, right].map(halves).to_vec())
        }
        layout => {
            let opaque = matches!(layout, Layout::Compressed(Codec::Bc1Rgb));
            let texels = decode(format, bytes, &View { linearise: false, ..*view })?;
            let known = if opaque { 3 } else { 4 };
            Ok(texels.into_iter().map(|texel| eight_bits(texel, known)).collect())
        }
    }
}

/// A component in 8 bits: narrow ones are widened by repeating their top bits.
fn widened(component: Component, bytes: &[u8], signed: bool) -> Channel {
    let bits = component.bits;
    let value = field::extract(bytes, component.offset, bits);
    let widen = |value: u64, width: u8, to: u8| {
        (0..to).fold(0, |wide, n| {
            let bit = value >> (width - 1 - n % width) & 1;
            wide << 1 | bit
        })
    };
    if !signed {
        return Channel::Byte(widen(value, bits, 8) as u8);
    }
    if component.numeric == Numeric::Unorm {
        return Channel::Signed(widen(value, bits, 7) as i16);
    }
    let value = sign_extend(value, bits).max(1 - (1 << (bits - 1)));
    let magnitude = widen(value.unsigned_abs(), bits - 1, 7) as i16;
    Channel::Signed(if value < 0 { -magnitude } else { magnitude })
}

/// The first `known` channels of a decoded texel as the nearest 8-bit numbers.
fn eight_bits(texel: Texel, known: usize) -> [Channel; 4] {
    // Decision D-surface-key-compressed.
    std::array::from_fn(|n| {
        if n >= known {
            return Channel::Any;
        }
        Channel::Byte(code(texel.0[n], 255) as u8)
    })
}

/// The integer nearest to a UNORM value times the greatest code there is, halves going up.
fn code(value: Value, greatest: i128) -> u64 {
    let number = FloatFormat::BINARY32.decode(value.bits).finite().expect("UNORM is finite");
    (number * Exact::integer(greatest)).to_integer(Rounding::NearestAway) as u64
}

/// Cr, Y and Cb of a texel in halves, so that means of chroma are whole numbers.
fn halves(texel: Texel) -> [Channel; 4] {
    // Decision D-surface-key-chroma.
    let twice = |value: Value| Channel::Halves(code(value, 510) as u16);
    let [cr, y, cb, _] = texel.0;
    [twice(cr), twice(y), twice(cb), Channel::Any]
}

/// The two texels of a 4:2:2 pair, both with the chroma of the left one.
fn pair(format: &Format, bytes: &[u8], view: &View) -> Result<[Texel; 2], SurfaceError> {
    let texels = decode(format, bytes, view)?;
    Ok([texels[0], texels[1]])
}

/// The odd texel of a 4:2:2 pair with chroma halfway between its own pair (`left`) and the next
/// one; at the right edge of a map there is none, and it keeps its own.
#[must_use]
pub fn interpolated_chroma(left: Texel, odd: Texel, next: Texel) -> Texel {
    let mean = |a: Value, b: Value| {
        // Both are 8-bit fractions, so their codes are exact.
        Value::float32(Ratio::new(code(a, 255) + code(b, 255), 510).single())
    };
    let [cr, _, cb, _] = [0, 1, 2, 3].map(|n| mean(left.0[n], next.0[n]));
    Texel([cr, odd.0[1], cb, odd.0[3]])
}

/// What a matching texel becomes in REPLACE_BLACK mode: nothing at all, or black luma and neutral
/// chroma.
#[must_use]
pub fn black(format: &Format) -> Texel {
    let byte = |value: u64| Value::float32(Ratio::new(value, 255).single());
    let pair = format.layout.components().any(|component| component.name == Name::Y0);
    if pair {
        return Texel([byte(0x80), byte(0x10), byte(0x80), byte(0)]);
    }
    Texel([byte(0); 4])
}
