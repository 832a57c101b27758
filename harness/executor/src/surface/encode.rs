//! Texels to rows of elements.

use parallax_isa::{
    Device,
    surface::{Fetch, Natural},
};

use super::{
    decode::{self, Refused},
    layout::{Field, Layout, Letter, Number},
    srgb::{self, Curve},
    write,
};

/// How a channel becomes the bits of a field.
#[derive(Clone, Copy)]
enum Convert {
    Keep,
    Unorm,
    Snorm,
    SnormNoZero,
    Uint,
    Sint,
    Uscaled,
    Sscaled,
    Sfixed,
    Half,
    Small,
    Curve(&'static Curve),
}

/// One field of an element and the channel it is written from.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) texel: usize,
    pub(super) channel: usize,
    pub(super) shift: u32,
    pub(super) bits: u32,
    convert: Convert,
}

/// What a field can hold, as far as clamps around blending ask.
#[derive(Clone, Copy)]
pub(super) enum Range {
    /// 0 to 1.
    Unsigned,
    /// -1 to 1.
    Signed,
    /// Any number.
    None,
}

/// A way to encode the elements of a plain format.
#[derive(Clone)]
pub struct Encoder {
    bytes: usize,
    texels: usize,
    swap: usize,
    pub(super) parts: Vec<Part>,
    /// Red, green and blue share an exponent.
    pub(super) shared: bool,
    types: [Natural; 4],
}

impl Encoder {
    /// The encoder of a plain format, by the manual's name for it.
    ///
    /// # Errors
    /// If the format has no layout or cannot be written.
    pub fn new(device: Device, name: &str, fetch: &Fetch) -> Result<Self, Refused> {
        let r700 = device == Device::Rv770;
        let layout = if r700 { Layout::r700(name, fetch) } else { Layout::intel(name) };
        let layout = layout.ok_or(Refused("the format has no layout of its own"))?;
        if layout.palette.is_some() {
            return Err(Refused("palette indices cannot be written"));
        }
        let swap = if r700 { decode::swap(fetch.endian_swap) } else { 0 };
        if !layout.bytes.is_multiple_of(swap + 1) {
            return Err(Refused("an endian swap needs whole words"));
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut types = [Natural::Absent; 4];
        for (texel, fields) in layout.texels.iter().enumerate() {
            for field in fields {
                let part = part(field, texel, layout.srgb);
                types[part.channel] = decode::natural(field.number, field.bits);
                // What texels share is that of the first.
                if !parts.iter().any(|other| other.shift == part.shift) {
                    parts.push(part);
                }
            }
        }
        let shared = layout.texels[0][0].number == Number::Shared;
        Ok(Self { bytes: layout.bytes, texels: layout.texels.len(), swap, parts, shared, types })
    }

    /// Bytes of an element.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Texels of an element.
    #[must_use]
    pub fn texels(&self) -> usize {
        self.texels
    }

    /// The types channels are written from; those that are not written are absent.
    #[must_use]
    pub fn types(&self) -> [Natural; 4] {
        self.types
    }

    /// Encodes texels to elements that follow each other. Elements for which there are no texels are
    /// left alone.
    pub fn rows(&self, texels: &[[u32; 4]], bytes: &mut [u8]) {
        match self.bytes {
            1..=4 => self.rows_of(texels, bytes, |part, texel| {
                u64::from(part.code(texel[part.channel])) << part.shift
            }),
            _ => self.rows_of(texels, bytes, |part, texel| {
                u64::from(part.code(texel[part.channel])) << (part.shift % 64)
            }),
        }
    }

    #[inline(always)]
    fn rows_of(
        &self,
        texels: &[[u32; 4]],
        bytes: &mut [u8],
        bits: impl Fn(&Part, &[u32; 4]) -> u64,
    ) {
        let elements = bytes.chunks_exact_mut(self.bytes).zip(texels.chunks_exact(self.texels));
        for (element, texels) in elements {
            if self.shared {
                let [r, g, b, _] = texels[0].map(f32::from_bits);
                element.copy_from_slice(&write::shared([r, g, b]).to_le_bytes());
            } else {
                let mut words = [0; 2];
                for part in &self.parts {
                    words[part.shift as usize / 64] |= bits(part, &texels[part.texel]);
                }
                let [low, high] = words.map(u64::to_le_bytes);
                let (first, rest) = element.split_at_mut(self.bytes.min(8));
                first.copy_from_slice(&low[..first.len()]);
                rest.copy_from_slice(&high[..rest.len()]);
            }
            if self.swap > 0 {
                decode::swap_bytes(element, self.swap);
            }
        }
    }

    /// Encodes texels whose channels are given in 64 bits each.
    pub fn rows64(&self, texels: &[[u64; 4]], bytes: &mut [u8]) {
        if self.types.iter().all(|natural| natural.bits() <= 32) {
            let elements = bytes.chunks_exact_mut(self.bytes);
            for (element, texels) in elements.zip(texels.chunks_exact(self.texels)) {
                let mut narrow = [[0; 4]; 8];
                for (narrow, texel) in narrow.iter_mut().zip(texels) {
                    *narrow = texel.map(|bits| bits as u32);
                }
                self.rows(&narrow[..self.texels], element);
            }
            return;
        }
        for (element, texel) in bytes.chunks_exact_mut(self.bytes).zip(texels) {
            for part in &self.parts {
                let first = part.shift as usize / 8;
                element[first..first + 8].copy_from_slice(&texel[part.channel].to_le_bytes());
            }
        }
    }
}

impl Part {
    pub(super) fn range(&self) -> Range {
        match self.convert {
            Convert::Unorm | Convert::Curve(_) => Range::Unsigned,
            Convert::Snorm | Convert::SnormNoZero => Range::Signed,
            _ => Range::None,
        }
    }

    /// The bits a channel becomes.
    #[inline]
    pub(super) fn code(&self, channel: u32) -> u32 {
        let number = f32::from_bits(channel);
        match self.convert {
            Convert::Keep => channel & u32::MAX >> (32 - self.bits),
            Convert::Unorm => write::unorm(number, self.bits),
            Convert::Snorm => write::snorm(number, self.bits),
            Convert::SnormNoZero => write::snorm_no_zero(number, self.bits),
            Convert::Uint => write::uint(channel, self.bits),
            Convert::Sint => write::sint(channel.cast_signed(), self.bits),
            Convert::Uscaled => write::uscaled(number, self.bits),
            Convert::Sscaled => write::sscaled(number, self.bits),
            Convert::Sfixed => write::sfixed(number),
            Convert::Half => write::half(number),
            Convert::Small => write::small(number, self.bits),
            Convert::Curve(curve) => curve.code(number),
        }
    }
}

fn part(field: &Field, texel: usize, srgb: bool) -> Part {
    let channel = match field.letter {
        Letter::R | Letter::L | Letter::I | Letter::P => 0,
        Letter::G => 1,
        Letter::B => 2,
        Letter::A => 3,
    };
    let curve = srgb::curve(field.bits).filter(|_| srgb && channel < 3);
    let convert = match (field.number, field.bits) {
        (Number::Unorm, _) => curve.map_or(Convert::Unorm, Convert::Curve),
        (Number::Snorm, _) => Convert::Snorm,
        (Number::SnormNoZero, _) => Convert::SnormNoZero,
        (Number::Uint, _) => Convert::Uint,
        (Number::Sint, _) => Convert::Sint,
        (Number::Uscaled, _) => Convert::Uscaled,
        (Number::Sscaled, _) => Convert::Sscaled,
        (Number::Sfixed, _) => Convert::Sfixed,
        (Number::Float, 16) => Convert::Half,
        (Number::Float, 10 | 11) => Convert::Small,
        _ => Convert::Keep,
    };
    Part { texel, channel, shift: field.shift, bits: field.bits.min(32), convert }
}
