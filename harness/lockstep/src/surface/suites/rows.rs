//! The suite `rows`: many elements or blocks at once, which is how an executor is used and timed, while
//! the suite `formats` has it decode and encode one after the other.

use parallax_executor::surface::{
    Decoder, Encoder, Refused, View,
    blocks::{self, Family},
};
use parallax_isa::{
    Device,
    surface::{BorderMode, ColorSpace, Fetch, Format, Layout, Natural, Texel},
};
use parallax_reference::surface as model;
use parallax_rules::surface::{Block, observe_block};

use super::super::generate::{decode_fetch, numbers, pick_format};
use crate::{
    choices::Choices,
    random::SplitMix64,
    suite::Suite,
    suites::comparison::{Comparison, ComparisonSuite, Counts, Mismatch},
};

/// Elements of a plain format of a device to channels of some width.
type Decode<Channel> = fn(Device, &str, &View, &[u8], &mut [[Channel; 4]]) -> Result<(), Refused>;
/// Channels of 32 bits to elements of a plain format of a device.
type Encode = fn(Device, &str, &Fetch, &[[u32; 4]], &mut [u8]) -> Result<(), Refused>;
/// Rows of blocks to a surface of so many texels a row; of light, if sRGB codes are linearised.
type Surface = fn(Family, bool, &[u8], usize, &mut [[f32; 4]]) -> bool;
/// The same to the nearest of 256 steps; false for families that have more of them.
type Picture = fn(Family, &[u8], usize, &mut [[u8; 4]]) -> bool;

/// What decodes and encodes many elements at once.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Elements to channels of 32 bits.
    pub decode: Decode<u32>,
    /// Elements to channels of up to 64 bits.
    pub decode_wide: Decode<u64>,
    /// Channels to elements.
    pub encode: Encode,
    /// Blocks to a surface of floats.
    pub surface: Surface,
    /// Blocks to a surface of bytes.
    pub picture: Picture,
}

impl Rows {
    /// The executor's.
    pub const EXECUTOR: Self = Self {
        decode: |device, name, view, bytes, texels| {
            Decoder::new(device, name, view)?.rows(bytes, texels)
        },
        decode_wide: |device, name, view, bytes, texels| {
            Decoder::new(device, name, view)?.rows64(bytes, texels)
        },
        encode: |device, name, fetch, texels, bytes| {
            Encoder::new(device, name, fetch)?.rows(texels, bytes);
            Ok(())
        },
        surface: blocks::decode_surface,
        picture: blocks::decode_picture,
    };
}

/// The suite `rows` on a device, with what decodes and encodes rows beside the reference.
pub fn rows(device: Device, rows: Rows) -> impl Suite {
    ComparisonSuite::new("rows", device, move |device| Comparisons::new(device, rows))
}

/// Rows of a case.
const ROWS: u64 = 4;
/// Most rows of a case, where both engines refuse the first ones: a case compares something.
const MOST_ROWS: u64 = 8 * ROWS;
/// Most elements of a row of a plain format: more than two vectors.
const LONGEST: usize = 40;
/// Most blocks in a row, more than a strip of the executor's has, and most rows of blocks.
const MOST_BLOCKS: [usize; 2] = [20, 2];

type Compared = Result<(), Box<Mismatch>>;

/// Rows of formats of a device.
struct Comparisons {
    device: Device,
    rows: Rows,
    bytes: Vec<u8>,
}

impl Comparisons {
    fn new(device: Device, rows: Rows) -> Self {
        Self { device, rows, bytes: vec![0; 1 << 13] }
    }
}

impl Comparison for Comparisons {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Compared {
        let Self { device, rows, bytes } = self;
        SplitMix64::new(seed).fill(bytes);
        let mut choices = Choices::new(bytes);
        let palettes = [(); 2]
            .map(|()| (0..256).map(|n: u32| n.wrapping_mul(0x9E37_79B9)).collect::<Vec<_>>());
        let palettes = palettes.each_ref().map(Vec::as_slice);
        for number in 0..MOST_ROWS {
            if number >= ROWS && counts.comparisons > 0 {
                break;
            }
            let format = pick_format(*device, &mut choices, &|_| true);
            let row = Row { device: *device, format, rows: *rows, palettes };
            match format.layout {
                Layout::Compressed(_) => row.blocks(&mut choices, counts)?,
                _ => row.elements(&mut choices, counts)?,
            }
        }
        Ok(())
    }
}

/// A row of a format.
struct Row<'p> {
    device: Device,
    format: &'static Format,
    rows: Rows,
    palettes: [&'p [u32]; 2],
}

impl Row<'_> {
    /// Bytes of so many elements or blocks.
    fn bytes(&self, choices: &mut Choices, count: usize) -> Vec<u8> {
        let size = usize::from(self.format.block.bytes);
        // The choices of a row are few: the others vary them.
        let mut random = SplitMix64::new(choices.seed());
        let some = [(); 3].map(|()| numbers::element(choices, self.format));
        let element = |_| match random.below(8) {
            chosen @ 0..=2 => some[chosen as usize].clone(),
            _ => {
                let mut element = vec![0; size];
                random.fill(&mut element);
                element
            }
        };
        (0..count).flat_map(element).collect()
    }

    /// What the reference makes of each element or block.
    fn expected(
        &self,
        bytes: &[u8],
        view: &model::View,
    ) -> Result<Vec<Vec<Texel>>, model::SurfaceError> {
        let elements = bytes.chunks_exact(self.format.block.bytes.into());
        let decoded = elements.map(|element| self.decoded(element, view));
        decoded.collect()
    }

    /// What the reference makes of one, with the rules that decide it.
    fn decoded(&self, bytes: &[u8], view: &model::View) -> Result<Vec<Texel>, model::SurfaceError> {
        let decoded = model::decode(self.format, bytes, view)?;
        observe_block(Block {
            border_mode: view.border_mode,
            linearise: view.linearise,
            fetch: view.fetch,
            select: view.select,
            ..Block::new(self.device, self.format, bytes)
        });
        Ok(decoded)
    }

    fn mismatch(&self, what: &str, element: &[u8], expected: String, actual: String) -> Compared {
        let name = self.format.name;
        let element: String = element.iter().map(|byte| format!("{byte:02x}")).collect();
        Err(Box::new(Mismatch {
            kind: format!("{what} {name}"),
            location: what.to_owned(),
            instruction: format!("{name} {element}"),
            text: format!("{what} of {name} {element}\n  expected {expected}\n  actual   {actual}"),
            expected,
            actual,
        }))
    }

    fn elements(&self, choices: &mut Choices, counts: &mut Counts) -> Compared {
        let Self { device, format, rows, palettes } = *self;
        let fetch = decode_fetch(device, format, choices);
        let border_mode = if choices.sometimes(32) { BorderMode::Dx9 } else { BorderMode::Dx10Ogl };
        let linearise = !choices.sometimes(40);
        let bytes = {
            let count = 1 + choices.below(LONGEST);
            self.bytes(choices, count)
        };
        let size = usize::from(format.block.bytes);
        let count = bytes.len() / size * format.block.texels();
        counts.instructions += count as u64;
        let theirs = model::View { border_mode, palettes, linearise, fetch, select: None };
        let view = View { border_mode, palettes, linearise, fetch, select: None };
        let mut wide = vec![[0; 4]; count];
        let decoded = (rows.decode_wide)(device, format.name, &view, &bytes, &mut wide);
        let expected = match (self.expected(&bytes, &theirs), decoded) {
            (Ok(expected), Ok(())) => expected.concat(),
            (Err(_), Err(_)) => return Ok(()),
            (expected, decoded) => {
                let texts = (format!("{:?}", expected.map(|_| ())), format!("{decoded:?}"));
                return self.mismatch("row", &bytes[..size], texts.0, texts.1);
            }
        };
        let texel_at = |at: usize| &bytes[at / format.block.texels() * size..][..size];
        let compare = |what, actual: &[[u64; 4]]| {
            let differs = (0..count).find(|&at| !is_same(&expected[at], actual[at]));
            differs.map_or(Ok(()), |at| {
                let expected = format!("{:x?}", expected[at].bits());
                self.mismatch(what, texel_at(at), expected, format!("{:x?}", actual[at]))
            })
        };
        compare("wide row", &wide)?;
        counts.comparisons += count as u64;
        let is_narrow = |texel: &Texel| texel.0.iter().all(|value| value.natural.bits() <= 32);
        if !expected.iter().all(is_narrow) {
            return Ok(());
        }
        let mut narrow = vec![[0; 4]; count];
        if let Err(refused) = (rows.decode)(device, format.name, &view, &bytes, &mut narrow) {
            return self.mismatch("row", &bytes[..size], "texels".to_owned(), refused.to_string());
        }
        let widened: Vec<_> = narrow.iter().map(|texel| texel.map(u64::from)).collect();
        compare("row", &widened)?;
        counts.comparisons += count as u64;
        self.encoded(&fetch, &narrow, counts)
    }

    /// Texels encoded in a row, and one element after the other: how each element is written is what
    /// the suite `formats` is about.
    fn encoded(&self, fetch: &Fetch, texels: &[[u32; 4]], counts: &mut Counts) -> Compared {
        let Self { device, format, rows, .. } = *self;
        if model::natural_types(format, fetch).is_err() {
            return Ok(());
        }
        let size = usize::from(format.block.bytes);
        let refused = |refused: Refused| {
            self.mismatch("encoded row", &[], "elements".to_owned(), refused.to_string())
        };
        let encoder = match Encoder::new(device, format.name, fetch) {
            Ok(encoder) => encoder,
            Err(error) => return refused(error),
        };
        let mut row = vec![0; texels.len() / format.block.texels() * size];
        if let Err(error) = (rows.encode)(device, format.name, fetch, texels, &mut row) {
            return refused(error);
        }
        let elements = row.chunks_exact(size).zip(texels.chunks_exact(format.block.texels()));
        for (actual, texels) in elements {
            let texels: Vec<_> = texels.iter().map(|texel| texel.map(u64::from)).collect();
            let mut expected = vec![0; size];
            encoder.rows64(&texels, &mut expected);
            if expected != actual {
                let texts = (format!("{expected:02x?}"), format!("{actual:02x?}"));
                return self.mismatch("encoded row", &expected, texts.0, texts.1);
            }
            counts.comparisons += 1;
        }
        Ok(())
    }

    fn blocks(&self, choices: &mut Choices, counts: &mut Counts) -> Compared {
        let Self { format, rows, .. } = *self;
        let Some(family) = Family::named(format.name) else {
            let family = "a family".to_owned();
            return self.mismatch("blocks", &[], family, "none".to_owned());
        };
        let [across, down] = MOST_BLOCKS.map(|most| 1 + choices.below(most));
        let bytes = self.bytes(choices, across * down);
        let (block_width, size) = (family.width(), family.bytes());
        let (width, count) = (across * block_width, 4 * across * down * block_width);
        counts.instructions += count as u64;
        let linearise = !choices.sometimes(96);
        // Pictures are of the codes.
        let view = |linearise| model::View { linearise, ..model::View::default() };
        let place = |block: usize, texel: usize| {
            let (x, y) = (texel % block_width, texel / block_width);
            (block / across * 4 + y) * width + block % across * block_width + x
        };
        let compare = |what, linearise, same: &dyn Fn(&Texel, usize) -> Option<String>| {
            for (block, element) in bytes.chunks_exact(size).enumerate() {
                let expected = match self.decoded(element, &view(linearise)) {
                    Ok(expected) => expected,
                    Err(error) => {
                        let actual = "texels".to_owned();
                        return self.mismatch(what, element, error.to_string(), actual);
                    }
                };
                for (texel, expected) in expected.iter().enumerate() {
                    if let Some(actual) = same(expected, place(block, texel)) {
                        let expected = format!("{:x?}", expected.bits());
                        return self.mismatch(what, element, expected, actual);
                    }
                }
            }
            Ok(())
        };
        let mut texels = vec![[0.0; 4]; count];
        let srgb = format.color_space == ColorSpace::Srgb;
        if !(rows.surface)(family, linearise && srgb, &bytes, width, &mut texels) {
            return self.mismatch("surface", &[], "texels".to_owned(), "none".to_owned());
        }
        compare("surface", linearise, &|expected, at| {
            let actual = texels[at].map(|channel| u64::from(channel.to_bits()));
            (!is_same(expected, actual)).then(|| format!("{actual:x?}"))
        })?;
        counts.comparisons += count as u64;
        let mut picture = vec![[0; 4]; count];
        if !(rows.picture)(family, &bytes, width, &mut picture) {
            return Ok(());
        }
        compare("picture", false, &|expected, at| {
            let near =
                |n: usize| is_nearest(f32::from_bits(expected.0[n].bits as u32), picture[at][n]);
            (!(0..4).all(near)).then(|| format!("{:?}", picture[at]))
        })?;
        counts.comparisons += count as u64;
        Ok(())
    }
}

/// Whether channels have the bits of the reference's texel; any NaN is one.
fn is_same(expected: &Texel, actual: [u64; 4]) -> bool {
    expected.0.iter().zip(actual).all(|(expected, actual)| {
        let is_nan = |bits: u64| f32::from_bits(bits as u32).is_nan();
        expected.bits == actual
            || expected.natural == Natural::Float32 && is_nan(expected.bits) && is_nan(actual)
    })
}

/// Whether a byte is one of those nearest to a fraction, itself rounded to binary32.
fn is_nearest(fraction: f32, byte: u8) -> bool {
    const ROUNDED: f64 = 1e-4;
    (f64::from(fraction) * 255.0 - f64::from(byte)).abs() <= 0.5 + ROUNDED
}
