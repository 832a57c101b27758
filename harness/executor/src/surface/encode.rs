//! Texels to rows of elements, sixteen at a time.

use parallax_isa::{
    Device,
    surface::{Fetch, Natural},
};

use super::{
    channels::natural,
    decode::Refused,
    element::copy_element,
    fetch::{swap, swap_bytes},
    layout::{Field, Layout, Letter, Number},
    numbers::{
        read::{LANES, Words},
        srgb::{self, Curve},
        write,
    },
};
use crate::simd::{Avx2, Work};

/// How a channel becomes the bits of a field.
#[derive(Debug, Clone, Copy)]
enum Convert {
    Keep,
    Unorm,
    /// A fraction of one bit, a half of which is 0.
    Bit,
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
#[derive(Debug, Clone, Copy)]
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
#[derive(Debug, Clone)]
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
        let swap = if r700 { swap(fetch.endian_swap) } else { 0 };
        if !layout.bytes.is_multiple_of(swap + 1) {
            return Err(Refused("an endian swap needs whole words"));
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut types = [Natural::Absent; 4];
        for (texel, fields) in layout.texels.iter().enumerate() {
            for field in fields {
                let part = part(field, texel, layout.srgb);
                types[part.channel] = natural(field.number, field.bits);
                // What texels share is that of the first.
                if !parts.iter().any(|other| other.shift == part.shift) {
                    parts.push(part);
                }
            }
        }
        let shared = layout.texels[0][0].number == Number::Shared;
        Ok(Self { bytes: layout.bytes, texels: layout.texels.len(), swap, parts, shared, types })
    }

    /// The encoder of targets of messages from Gen7 on, where halves go to the even code: of more than one bit
    /// that is the upper one. Integers that are not clamped keep their low bits.
    pub(crate) fn of_target(name: &str, clamps_integers: bool) -> Result<Self, Refused> {
        let mut encoder = Self::new(Device::Dg1, name, &Fetch::default())?;
        for part in &mut encoder.parts {
            part.convert = match part.convert {
                Convert::Unorm if part.bits == 1 => Convert::Bit,
                Convert::Uint | Convert::Sint if !clamps_integers => Convert::Keep,
                convert => convert,
            };
        }
        Ok(encoder)
    }

    /// The bits of an element that some channels are in: bit 0 stands for red.
    pub(crate) fn bits_of(&self, channels: u32) -> u128 {
        let parts = self.parts.iter().filter(|part| channels >> part.channel & 1 == 1);
        parts.fold(0, |bits, part| bits | u128::from(u32::MAX >> (32 - part.bits)) << part.shift)
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
        match Avx2::detect() {
            Some(avx2) => avx2.run(self, texels, bytes),
            None => self.run(texels, bytes),
        }
    }

    #[inline(always)]
    fn rows_of(&self, texels: &[[u32; 4]], bytes: &mut [u8]) {
        let chunks = bytes.chunks_mut(self.bytes * LANES).zip(texels.chunks(self.texels * LANES));
        for (bytes, texels) in chunks {
            let elements = (bytes.len() / self.bytes).min(texels.len() / self.texels);
            let bytes = &mut bytes[..elements * self.bytes];
            if self.shared {
                for (element, texel) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(texels) {
                    let [r, g, b, _] = texel.map(f32::from_bits);
                    *element = write::shared([r, g, b]).to_le_bytes();
                }
            } else {
                let mut words = [[0; LANES]; 4];
                for part in &self.parts {
                    let mut channel = [0; LANES];
                    let places = texels.iter().skip(part.texel).step_by(self.texels);
                    for (slot, texel) in channel.iter_mut().zip(places) {
                        *slot = texel[part.channel];
                    }
                    part.put(&channel, &mut words);
                }
                if self.bytes == 4 {
                    // What most are: a word each.
                    let elements = bytes.as_chunks_mut::<4>().0.iter_mut();
                    elements
                        .zip(words[0])
                        .for_each(|(element, word)| *element = word.to_le_bytes());
                } else {
                    for (lane, element) in bytes.chunks_exact_mut(self.bytes).enumerate() {
                        let quarters = words.map(|word| word[lane].to_le_bytes());
                        copy_element(&quarters.as_flattened()[..self.bytes], element);
                    }
                }
            }
            if self.swap > 0 {
                swap_bytes(bytes, self.swap);
            }
        }
    }

    /// The words of elements of one texel each, whose channels are given: no more than one texel's fields, none
    /// of them shared, in the order of the processor.
    pub(super) fn words(&self, channels: &[Words; 4]) -> [Words; 4] {
        let mut words = [[0; LANES]; 4];
        match Avx2::detect() {
            Some(avx2) => avx2.run(&Channels(self), channels, &mut words),
            None => Channels(self).run(channels, &mut words),
        }
        words
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

impl Work for Encoder {
    type Input = [[u32; 4]];
    type Output = [u8];

    #[inline(always)]
    fn run(&self, texels: &[[u32; 4]], bytes: &mut [u8]) {
        self.rows_of(texels, bytes);
    }
}

/// An encoder of texels whose channels are apart.
struct Channels<'e>(&'e Encoder);

impl Work for Channels<'_> {
    type Input = [Words; 4];
    type Output = [Words; 4];

    #[inline(always)]
    fn run(&self, channels: &[Words; 4], words: &mut [Words; 4]) {
        for part in &self.0.parts {
            part.put(&channels[part.channel], words);
        }
    }
}

impl Part {
    /// Puts a channel of some texels into the words of their elements.
    #[inline(always)]
    fn put(&self, channel: &Words, words: &mut [Words; 4]) {
        let codes = self.codes(channel);
        for (word, code) in words[self.shift as usize / 32].iter_mut().zip(codes) {
            *word |= code << (self.shift % 32);
        }
    }

    pub(super) fn range(&self) -> Range {
        match self.convert {
            Convert::Unorm | Convert::Bit | Convert::Curve(_) => Range::Unsigned,
            Convert::Snorm | Convert::SnormNoZero => Range::Signed,
            _ => Range::None,
        }
    }

    /// The bits a channel becomes.
    pub(super) fn code(&self, channel: u32) -> u32 {
        self.codes(&[channel])[0]
    }

    /// The bits that a channel of some texels becomes.
    #[inline(always)]
    fn codes<const N: usize>(&self, channel: &[u32; N]) -> [u32; N] {
        let bits = self.bits;
        match self.convert {
            Convert::Keep => channel.map(|channel| channel & u32::MAX >> (32 - bits)),
            // Asked once, not for each number.
            Convert::Unorm if bits == 32 => numbers(channel, |number| write::unorm(number, 32)),
            Convert::Unorm => numbers(channel, |number| write::unorm(number, bits)),
            Convert::Bit => numbers(channel, |number| u32::from(number > 0.5)),
            Convert::Snorm => numbers(channel, |number| write::snorm(number, bits)),
            Convert::SnormNoZero => numbers(channel, |number| write::snorm_no_zero(number, bits)),
            Convert::Uint => channel.map(|channel| write::uint(channel, bits)),
            Convert::Sint => channel.map(|channel| write::sint(channel.cast_signed(), bits)),
            Convert::Uscaled => numbers(channel, |number| write::uscaled(number, bits)),
            Convert::Sscaled => numbers(channel, |number| write::sscaled(number, bits)),
            Convert::Sfixed => numbers(channel, write::sfixed),
            Convert::Half => numbers(channel, write::half),
            Convert::Small => numbers(channel, |number| write::small(number, bits)),
            Convert::Curve(curve) => numbers(channel, |number| curve.code(number)),
        }
    }
}

#[inline(always)]
fn numbers<const N: usize>(channel: &[u32; N], convert: impl Fn(f32) -> u32) -> [u32; N] {
    let mut codes = [0; N];
    for (code, bits) in codes.iter_mut().zip(channel) {
        *code = convert(f32::from_bits(*bits));
    }
    codes
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
