//! Rows of elements to texels. What a format means is settled once, when a [`Decoder`] is made;
//! rows are then converted sixteen elements at a time without asking again.

use parallax_isa::{
    Device,
    surface::{BorderMode, EndianSwap, Fetch, Natural, Select},
};

use super::{
    layout::{Field, Layout, Letter, Number},
    numbers::{
        read::{self, LANES, Words},
        srgb,
    },
    simd,
};

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

/// Where the bits of one channel come from.
#[derive(Debug, Clone)]
enum Lane {
    /// The same for all texels.
    Constant(u64),
    /// Some bits of a doubleword of the element.
    Bits { word: usize, shift: u32, mask: u32, convert: Convert },
    /// A quadword of the element, by its first byte.
    Quad(usize),
}

/// What becomes of the bits.
#[derive(Debug, Clone)]
enum Convert {
    Keep,
    Unorm(u32),
    Unorm32,
    Snorm(u32),
    Snorm32,
    SnormNoZero(u32),
    SnormNoZero32,
    Sint(u32),
    Uscaled,
    Sscaled(u32),
    Sfixed,
    Half,
    Small(u32),
    Shared,
    Table(Box<[u32]>),
}

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
        if dx9 && ONLY_DX10.contains(&name) {
            return Err(Refused("the format must not be sampled in DX9 border colour mode"));
        }
        let swap = if r700 { swap(view.fetch.endian_swap) } else { 0 };
        if !layout.bytes.is_multiple_of(swap + 1) {
            return Err(Refused("an endian swap needs whole words"));
        }
        let palette = layout.palette.map(|number| view.palettes[number.min(1)]);
        let missing_is_one = dx9 && ONE_IN_DX9.contains(&name);
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
            1 => simd::decode::<1>(self, bytes, texels),
            2 => simd::decode::<2>(self, bytes, texels),
            3 => simd::decode::<3>(self, bytes, texels),
            4 => simd::decode::<4>(self, bytes, texels),
            6 => simd::decode::<6>(self, bytes, texels),
            8 => simd::decode::<8>(self, bytes, texels),
            12 => simd::decode::<12>(self, bytes, texels),
            _ => simd::decode::<16>(self, bytes, texels),
        }
        Ok(())
    }

    /// Rows of elements of a size: whole chunks where they lie, the rest from a copy.
    #[inline(always)]
    pub(super) fn rows_of<const BYTES: usize>(&self, bytes: &[u8], texels: &mut [[u32; 4]]) {
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
        let chunks = bytes.as_chunks::<BYTES>().0.chunks(LANES);
        for (chunk, texels) in chunks.zip(texels.chunks_mut(many * LANES)) {
            let mut copy = [[0; BYTES]; LANES];
            let elements = match <&[[u8; BYTES]; LANES]>::try_from(chunk) {
                Ok(elements) if self.swap == 0 => elements,
                _ => {
                    copy[..chunk.len()].copy_from_slice(chunk);
                    if self.swap > 0 {
                        swap_bytes(copy.as_flattened_mut(), self.swap);
                    }
                    &copy
                }
            };
            let mut words = [[0; LANES]; 4];
            for (number, words) in words.iter_mut().enumerate().take(BYTES.div_ceil(4)) {
                load(elements, 4 * number, words);
            }
            for (first, lanes) in self.lanes.iter().enumerate() {
                let mut channels = [[0; LANES]; 4];
                for (channel, lane) in channels.iter_mut().zip(lanes) {
                    lane.convert(&words, channel);
                }
                match <&mut [[u32; 4]; LANES]>::try_from(&mut *texels) {
                    Ok(texels) if many == 1 => interleave(&channels, texels),
                    _ => {
                        let places = texels.iter_mut().skip(first).step_by(many);
                        for (lane, texel) in places.enumerate() {
                            *texel = channels.map(|channel| channel[lane]);
                        }
                    }
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

/// Channels one after the other to texels.
#[inline(always)]
fn interleave([r, g, b, a]: &[Words; 4], texels: &mut [[u32; 4]; LANES]) {
    for lane in 0..LANES {
        texels[lane] = [r[lane], g[lane], b[lane], a[lane]];
    }
}

/// Doublewords of sixteen elements, from a byte of each on; zeros behind their end.
#[inline(always)]
fn load<const BYTES: usize>(elements: &[[u8; BYTES]; LANES], from: usize, words: &mut Words) {
    for (word, element) in words.iter_mut().zip(elements) {
        let mut bytes = [0; 4];
        for (n, byte) in bytes.iter_mut().enumerate() {
            if from + n < BYTES {
                *byte = element[from + n];
            }
        }
        *word = u32::from_le_bytes(bytes);
    }
}

/// Bits of an address that an endian swap flips.
pub(super) fn swap(swap: EndianSwap) -> usize {
    match swap {
        EndianSwap::None => 0,
        EndianSwap::In16 => 1,
        EndianSwap::In32 => 3,
    }
}

/// Reverses the bytes of each word.
pub(super) fn swap_bytes(bytes: &mut [u8], swap: usize) {
    for word in bytes.chunks_exact_mut(swap + 1) {
        word.reverse();
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

/// Formats that the G45 manual has in its channel mapping for DX10/OGL alone.
const ONLY_DX10: [&str; 28] = [
    "R32G32B32_SINT",
    "R32G32B32_UINT",
    "R32G32_SINT",
    "R32G32_UINT",
    "R32_FLOAT_X8X24_TYPELESS",
    "X32_TYPELESS_G8X24_UINT",
    "L32A32_FLOAT",
    "R16G16_SINT",
    "R16G16_UINT",
    "R32_SINT",
    "R32_UINT",
    "R24_UNORM_X8_TYPELESS",
    "X24_TYPELESS_G8_UINT",
    "R8G8_SINT",
    "R8G8_UINT",
    "R16_UNORM",
    "R16_SNORM",
    "R16_SINT",
    "R16_UINT",
    "R8_UNORM",
    "R8_SNORM",
    "R8_SINT",
    "R8_UINT",
    "R1_UNORM",
    "BC4_UNORM",
    "BC4_SNORM",
    "BC5_UNORM",
    "BC5_SNORM",
];

/// Formats whose missing green and blue read as 1 in DX9 border colour mode.
const ONE_IN_DX9: [&str; 8] = [
    "R32G32_FLOAT",
    "R16G16_UNORM",
    "R16G16_SNORM",
    "R16G16_FLOAT",
    "R32_FLOAT",
    "R8G8_UNORM",
    "R8G8_SNORM",
    "R16_FLOAT",
];

/// Whether a format must not be read in DX9 border colour mode on G45 and its forerunners.
pub(super) fn is_only_dx10(name: &str) -> bool {
    ONLY_DX10.contains(&name)
}

/// One channel of one texel of an element.
#[derive(Debug, Clone)]
struct Channel {
    natural: Natural,
    lane: Lane,
}

impl Channel {
    const ABSENT: Self = Self { natural: Natural::Absent, lane: Lane::Constant(0) };

    fn float(bits: u32) -> Self {
        Self { natural: Natural::Float32, lane: Lane::Constant(bits.into()) }
    }
}

/// What decides the channels besides the fields.
struct Plan<'a> {
    srgb: bool,
    palette: Option<&'a [u32]>,
    missing_is_one: bool,
}

impl Plan<'_> {
    fn texel(&self, fields: &[Field], select: Option<[Select; 4]>) -> [Channel; 4] {
        let channels = std::array::from_fn(|channel| self.channel(fields, channel));
        let Some(select) = select else { return channels };
        select.map(|select| match select {
            Select::X | Select::Y | Select::Z | Select::W => {
                channels[usize::from(select.code())].clone()
            }
            Select::Zero => Channel::float(0),
            Select::One => Channel::float(1.0_f32.to_bits()),
            Select::Mask => Channel::ABSENT,
        })
    }

    /// A channel, 0 red to 3 alpha: from a field, from the palette, or what stands for a missing one.
    fn channel(&self, fields: &[Field], channel: usize) -> Channel {
        let feeds = |field: &&Field| match field.letter {
            Letter::R => channel == 0,
            Letter::G => channel == 1,
            Letter::B => channel == 2,
            Letter::A => channel == 3,
            Letter::L => channel < 3,
            Letter::I => true,
            Letter::P => false,
        };
        if let Some(field) = fields.iter().find(feeds) {
            return self.field(field, channel);
        }
        if let Some(field) = fields.iter().find(|field| field.letter == Letter::P) {
            let entries = self.palette.unwrap_or_default();
            let table = (0..1 << field.bits).map(|index: usize| {
                let entry = entries.get(index).copied().unwrap_or_default();
                let code = entry >> [16, 8, 0, 24][channel] & 0xFF;
                (code as f32 / 255.0).to_bits()
            });
            let convert = Convert::Table(table.collect());
            return Channel { natural: Natural::Float32, lane: bits(field, convert) };
        }
        let one = channel == 3 || self.missing_is_one && channel > 0;
        let natural = natural(fields[0].number, fields[0].bits);
        let bits = match natural {
            Natural::Float32 => 1.0_f32.to_bits().into(),
            Natural::Float64 => 1.0_f64.to_bits(),
            _ => 1,
        };
        match fields[0].number {
            Number::Raw => Channel::ABSENT,
            _ => Channel { natural, lane: Lane::Constant(if one { bits } else { 0 }) },
        }
    }

    fn field(&self, field: &Field, channel: usize) -> Channel {
        use Number::{
            Float, Index, Raw, Sfixed, Shared, Sint, Snorm, SnormNoZero, Sscaled, Uint, Unorm,
            Uscaled,
        };
        let natural = natural(field.number, field.bits);
        if field.bits == 64 {
            return Channel { natural, lane: Lane::Quad(field.shift as usize / 8) };
        }
        let curve = srgb::curve(field.bits).filter(|_| self.srgb && channel < 3);
        let convert = match (field.number, field.bits) {
            (Unorm, _) if let Some(curve) = curve => Convert::Table(curve.light.as_slice().into()),
            (Unorm, 32) => Convert::Unorm32,
            (Unorm, width) => Convert::Unorm(width),
            (Snorm, 32) => Convert::Snorm32,
            (Snorm, width) => Convert::Snorm(width),
            (SnormNoZero, 32) => Convert::SnormNoZero32,
            (SnormNoZero, width) => Convert::SnormNoZero(width),
            (Sint, width) => Convert::Sint(width),
            (Uscaled, _) => Convert::Uscaled,
            (Sscaled, width) => Convert::Sscaled(width),
            (Sfixed, _) => Convert::Sfixed,
            (Float, 16) => Convert::Half,
            (Float, width @ (10 | 11)) => Convert::Small(width),
            (Shared, _) => Convert::Shared,
            (Float | Uint | Raw | Index, _) => Convert::Keep,
        };
        Channel { natural, lane: bits(field, convert) }
    }
}

fn bits(field: &Field, convert: Convert) -> Lane {
    let mask = u32::MAX >> (32 - field.bits);
    Lane::Bits { word: field.shift as usize / 32, shift: field.shift % 32, mask, convert }
}

/// The type a number is read as.
pub(super) fn natural(number: Number, bits: u32) -> Natural {
    match number {
        Number::Raw if bits == 64 => Natural::Raw64,
        Number::Float if bits == 64 => Natural::Float64,
        Number::Uint | Number::Raw | Number::Index => Natural::Uint32,
        Number::Sint => Natural::Sint32,
        _ => Natural::Float32,
    }
}
