//! Rows of elements to texels. What a format means is settled once, when a [`Decoder`] is made;
//! rows are then converted sixteen elements at a time without asking again.

use parallax_isa::{
    Device,
    surface::{BorderMode, Fetch, Natural, Select},
};

use super::{
    channels::{self, Channel, Convert, Lane, Plan},
    fetch::{swap, swap_bytes},
    layout::{Field, Layout},
    numbers::read::{self, LANES, Words},
};
use crate::simd::{Avx2, Work};

/// What the sampler or the fetch says besides the format.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The border colour mode.
    pub border_mode: BorderMode,
    /// Whether sRGB codes are made linear.
    pub linearise: bool,
    /// The palettes.
    pub palettes: [&'a [u32]; 2],
    /// What an R700 fetch says.
    pub fetch: Fetch,
    /// What an R700 fetch selects.
    pub select: Option<[Select; 4]>,
}

impl Default for View<'_> {
    fn default() -> Self {
        Self {
            border_mode: BorderMode::Dx10Ogl,
            linearise: true,
            palettes: [&[], &[]],
            fetch: Fetch::default(),
            select: None,
        }
    }
}

/// Why something cannot be done: a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub &'static str);

/// Channels that are bytes of a doubleword, each looked up: faster than conversion where there are
/// tables anyway.
#[derive(Debug, Clone)]
struct Bytewise {
    shifts: [u32; 4],
    tables: Box<[[u32; 256]; 4]>,
}

impl Bytewise {
    /// The tables of sRGB formats of four bytes.
    fn new(lanes: &[Lane; 4]) -> Option<Self> {
        let curved = |lane: &Lane| matches!(lane, Lane::Bits { convert: Convert::Table(_), .. });
        if !lanes.iter().any(curved) {
            return None;
        }
        let mut bytewise = Self { shifts: [0; 4], tables: Box::new([[0; 256]; 4]) };
        for (channel, lane) in lanes.iter().enumerate() {
            let table = &mut bytewise.tables[channel];
            match lane {
                Lane::Constant(bits) => table.fill(*bits as u32),
                Lane::Bits { word: 0, shift, mask: 0xFF, .. } => {
                    bytewise.shifts[channel] = *shift;
                    for (start, codes) in table.chunks_exact_mut(LANES).enumerate() {
                        let codes: &mut Words = codes.try_into().ok()?;
                        let words = std::array::from_fn(|n| ((start * LANES + n) as u32) << shift);
                        lane.convert(&[words, [0; LANES], [0; LANES], [0; LANES]], codes);
                    }
                }
                _ => return None,
            }
        }
        Some(bytewise)
    }

    #[inline(always)]
    fn look_up(&self, element: u32) -> [u32; 4] {
        let [r, g, b, a] = &*self.tables;
        let index = |channel: usize| (element >> self.shifts[channel] & 0xFF) as usize;
        [r[index(0)], g[index(1)], b[index(2)], a[index(3)]]
    }
}

/// A way to decode the elements of a plain format.
#[derive(Debug, Clone)]
pub struct Decoder {
    bytes: usize,
    swap: usize,
    /// The lanes of each texel of an element.
    lanes: Vec<[Lane; 4]>,
    types: [Natural; 4],
    /// Entries the palette has, if the format has indices: greater ones are refused.
    palette: Option<usize>,
    /// Four bytes are the four channels in order, fractions of 255.
    is_rgba8: bool,
    /// Tables of formats of four bytes.
    bytewise: Option<Bytewise>,
}

impl Decoder {
    /// The decoder of a plain format, by the manual's name for it.
    ///
    /// # Errors
    /// If the format has no layout, is compressed, or must not be read like this.
    pub fn new(device: Device, name: &str, view: &View) -> Result<Self, Refused> {
        let r700 = device == Device::Rv770;
        let layout = if r700 { Layout::r700(name, &view.fetch) } else { Layout::intel(name) };
        let layout = layout.ok_or(Refused("the format has no layout of its own"))?;
        let dx9 = !r700 && device != Device::Dg1 && view.border_mode == BorderMode::Dx9;
        if dx9 && channels::is_only_dx10(name) {
            return Err(Refused("the format must not be sampled in DX9 border colour mode"));
        }
        let swap = if r700 { swap(view.fetch.endian_swap) } else { 0 };
        if !layout.bytes.is_multiple_of(swap + 1) {
            return Err(Refused("an endian swap needs whole words"));
        }
        let palette = layout.palette.map(|number| view.palettes[number.min(1)]);
        let missing_is_one = dx9 && channels::is_one_in_dx9(name);
        let plan = Plan { srgb: layout.srgb && view.linearise, palette, missing_is_one };
        let select = view.select.filter(|_| r700);
        let texel = |fields: &Vec<Field>| plan.texel(fields, select);
        let channels: Vec<[Channel; 4]> = layout.texels.iter().map(texel).collect();
        let texel = |texel: &[Channel; 4]| texel.each_ref().map(|channel| channel.lane.clone());
        let tables =
            layout.bytes == 4 && channels.len() == 1 && layout.palette.is_none() && swap == 0;
        Ok(Self {
            bytewise: tables.then(|| Bytewise::new(&texel(&channels[0]))).flatten(),
            bytes: layout.bytes,
            swap,
            types: channels[0].each_ref().map(|channel| channel.natural),
            lanes: channels.into_iter().map(|texel| texel.map(|channel| channel.lane)).collect(),
            palette: palette.map(<[u32]>::len),
            is_rgba8: name == "R8G8B8A8_UNORM",
        })
    }

    /// Bytes of an element.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Texels of an element.
    #[must_use]
    pub fn texels(&self) -> usize {
        self.lanes.len()
    }

    /// Types of the four channels.
    #[must_use]
    pub fn types(&self) -> [Natural; 4] {
        self.types
    }

    /// Whether channels have 64 bits, so that only [`Decoder::rows64`] gives them.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.types.iter().any(|natural| natural.bits() == 64)
    }

    /// Decodes elements that follow each other to channels of 32 bits. Texels for which there are no
    /// bytes are left alone.
    ///
    /// # Errors
    /// If an index lies outside the palette.
    ///
    /// # Panics
    /// If channels have 64 bits.
    pub fn rows(&self, bytes: &[u8], texels: &mut [[u32; 4]]) -> Result<(), Refused> {
        assert!(!self.is_wide(), "channels of 64 bits");
        self.check_indices(bytes)?;
        match self.bytes {
            1 => self.decode::<1>(bytes, texels),
            2 => self.decode::<2>(bytes, texels),
            3 => self.decode::<3>(bytes, texels),
            4 => self.decode::<4>(bytes, texels),
            6 => self.decode::<6>(bytes, texels),
            8 => self.decode::<8>(bytes, texels),
            12 => self.decode::<12>(bytes, texels),
            _ => self.decode::<16>(bytes, texels),
        }
        Ok(())
    }

    /// Rows of elements of a size, by code for the processor at hand.
    fn decode<const BYTES: usize>(&self, bytes: &[u8], texels: &mut [[u32; 4]]) {
        let rows = Rows::<BYTES>(self);
        match Avx2::detect() {
            Some(avx2) => avx2.run(&rows, bytes, texels),
            None => rows.run(bytes, texels),
        }
    }

    /// Rows of elements of a size: whole chunks where they lie, the rest from a copy.
    #[inline(always)]
    fn rows_of<const BYTES: usize>(&self, bytes: &[u8], texels: &mut [[u32; 4]]) {
        if self.is_rgba8 {
            for (texel, element) in texels.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *texel = element.map(|byte| (f32::from(byte) / 255.0).to_bits());
            }
            return;
        }
        if let Some(tables) = &self.bytewise {
            for (texel, element) in texels.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *texel = tables.look_up(u32::from_le_bytes(*element));
            }
            return;
        }
        let many = self.lanes.len();
        let mut words = [[0; LANES]; 4];
        let mut channels = [[0; LANES]; 4];
        let chunks = bytes.as_chunks::<BYTES>().0.chunks(LANES);
        for (chunk, texels) in chunks.zip(texels.chunks_mut(many * LANES)) {
            let mut copy;
            let elements = match <&[[u8; BYTES]; LANES]>::try_from(chunk) {
                Ok(elements) if self.swap == 0 => elements,
                _ => {
                    copy = [[0; BYTES]; LANES];
                    copy[..chunk.len()].copy_from_slice(chunk);
                    if self.swap > 0 {
                        swap_bytes(copy.as_flattened_mut(), self.swap);
                    }
                    &copy
                }
            };
            load::<BYTES, 0>(elements, &mut words[0]);
            load::<BYTES, 4>(elements, &mut words[1]);
            load::<BYTES, 8>(elements, &mut words[2]);
            load::<BYTES, 12>(elements, &mut words[3]);
            for (first, lanes) in self.lanes.iter().enumerate() {
                for (channel, lane) in channels.iter_mut().zip(lanes) {
                    lane.convert(&words, channel);
                }
                if many == 1 {
                    interleave(&channels, texels);
                    continue;
                }
                let places = texels.iter_mut().skip(first).step_by(many);
                for (lane, texel) in places.enumerate() {
                    *texel = channels.map(|channel| channel[lane]);
                }
            }
        }
    }

    /// Decodes elements that follow each other, each channel in 64 bits.
    ///
    /// # Errors
    /// If an index lies outside the palette.
    pub fn rows64(&self, bytes: &[u8], texels: &mut [[u64; 4]]) -> Result<(), Refused> {
        if self.is_wide() {
            for (element, texel) in bytes.chunks_exact(self.bytes).zip(texels) {
                *texel = self.lanes[0].each_ref().map(|lane| lane.quad(element));
            }
            return Ok(());
        }
        for (bytes, texels) in
            bytes.chunks(self.bytes * LANES).zip(texels.chunks_mut(self.texels() * LANES))
        {
            let mut narrow = [[0; 4]; 8 * LANES];
            self.rows(bytes, &mut narrow)?;
            for (texel, narrow) in texels.iter_mut().zip(narrow) {
                *texel = narrow.map(u64::from);
            }
        }
        Ok(())
    }

    /// Refuses indices outside the palette.
    fn check_indices(&self, bytes: &[u8]) -> Result<(), Refused> {
        let Some(entries) = self.palette else { return Ok(()) };
        let index = |element: &[u8], lanes: &[Lane; 4]| match &lanes[0] {
            Lane::Bits { shift, mask, .. } => {
                let element =
                    element.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
                (element >> shift & mask) as usize
            }
            _ => 0,
        };
        let outside =
            |element: &[u8]| self.lanes.iter().any(|lanes| index(element, lanes) >= entries);
        if bytes.chunks_exact(self.bytes).any(outside) {
            return Err(Refused("an index lies outside the palette"));
        }
        Ok(())
    }
}

/// [`Decoder::rows_of`].
struct Rows<'a, const BYTES: usize>(&'a Decoder);

impl<const BYTES: usize> Work for Rows<'_, BYTES> {
    type Input = [u8];
    type Output = [[u32; 4]];

    #[inline(always)]
    fn run(&self, bytes: &[u8], texels: &mut [[u32; 4]]) {
        self.0.rows_of::<BYTES>(bytes, texels);
    }
}

/// Channels one after the other to texels. That their number is open keeps the compiler from unrolling
/// the loop, which it turns into better vector code than sixteen texels written out.
#[inline(always)]
fn interleave([r, g, b, a]: &[Words; 4], texels: &mut [[u32; 4]]) {
    for ((((texel, r), g), b), a) in texels.iter_mut().zip(r).zip(g).zip(b).zip(a) {
        *texel = [*r, *g, *b, *a];
    }
}

/// A doubleword of each of sixteen elements, from the same byte on. That it is known at compile time
/// keeps the compiler from loading the bytes one by one.
#[inline(always)]
fn load<const BYTES: usize, const FROM: usize>(elements: &[[u8; BYTES]; LANES], words: &mut Words) {
    if FROM < BYTES {
        for (word, element) in words.iter_mut().zip(elements) {
            *word = doubleword(&element[FROM..]);
        }
    }
}

/// The first four bytes, with zeros behind the end.
#[inline(always)]
fn doubleword(bytes: &[u8]) -> u32 {
    if let Some(whole) = bytes.first_chunk() {
        return u32::from_le_bytes(*whole);
    }
    match *bytes {
        [low, middle, high] => u32::from_le_bytes([low, middle, high, 0]),
        [low, high] => u16::from_le_bytes([low, high]).into(),
        [byte] => byte.into(),
        _ => 0,
    }
}

impl Lane {
    #[inline(always)]
    fn convert(&self, words: &[Words; 4], bits: &mut Words) {
        let (word, shift, mask, convert) = match self {
            Self::Constant(constant) => {
                *bits = [*constant as u32; LANES];
                return;
            }
            Self::Quad(_) => return,
            Self::Bits { word, shift, mask, convert } => (*word, *shift, *mask, convert),
        };
        for (bits, word) in bits.iter_mut().zip(&words[word]) {
            *bits = word >> shift & mask;
        }
        match convert {
            Convert::Keep => {}
            Convert::Unorm(width) => read::unorm(bits, *width),
            Convert::Unorm32 => read::unorm32(bits),
            Convert::Snorm(width) => read::snorm(bits, *width),
            Convert::Snorm32 => read::snorm32(bits),
            Convert::SnormNoZero(width) => read::snorm_no_zero(bits, *width),
            Convert::SnormNoZero32 => read::snorm_no_zero32(bits),
            Convert::Sint(width) => read::sint(bits, *width),
            Convert::Uscaled => read::uscaled(bits),
            Convert::Sscaled(width) => read::sscaled(bits, *width),
            Convert::Sfixed => read::sfixed(bits),
            Convert::Half => read::half(bits),
            Convert::Small(width) => read::small(bits, *width),
            Convert::Shared => {
                let mut exponents = words[word];
                exponents.iter_mut().for_each(|word| *word >>= 27);
                read::shared(bits, &exponents);
            }
            Convert::Table(entries) => read::table(bits, entries),
        }
    }

    fn quad(&self, element: &[u8]) -> u64 {
        match self {
            Self::Constant(bits) => *bits,
            Self::Quad(first) => {
                let bytes = element[*first..].first_chunk().expect("fields lie inside elements");
                u64::from_le_bytes(*bytes)
            }
            Self::Bits { .. } => 0,
        }
    }
}
