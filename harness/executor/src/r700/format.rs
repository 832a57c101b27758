//! Data formats of vertex fetches, memory reads and texels: bytes of an element to four dwords (tables
//! of VTX_WORD1, section 10.3).

use super::decode::FormatFields;

/// Most bytes an element has.
pub(super) const LARGEST: usize = 16;

/// How the bits of an element are cut into components, from the least significant bit up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Integers of some bits, which NUM_FORMAT_ALL and FORMAT_COMP_ALL interpret.
    Integer(&'static [u32]),
    /// Floats of some bits: 10, 11 (no sign), 16, 32.
    Float(&'static [u32]),
    /// Three 9-bit fractions and a 5-bit exponent.
    SharedExponent,
    /// A float of 32 bits and an integer of 8.
    DepthStencil,
}

/// A first component that can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    Single,
    /// So many bits from 0 or, with a sign, from -1 to 1.
    Fraction {
        bits: u32,
        signed: bool,
    },
}

/// A format that elements can be read with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    layout: Layout,
    fields: FormatFields,
    /// Four bytes, each a fraction of 255, in the order of memory.
    is_plain: bool,
}

/// Bytes as fractions of 255.
const FRACTIONS: [u32; 256] = {
    let mut fractions = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        fractions[byte] = (byte as f32 / 255.0).to_bits();
        byte += 1;
    }
    fractions
};

/// The same as doubles.
const EXACT_FRACTIONS: [f64; 256] = {
    let mut fractions = [0.0; 256];
    let mut byte = 0;
    while byte < 256 {
        fractions[byte] = f32::from_bits(FRACTIONS[byte]) as f64;
        byte += 1;
    }
    fractions
};

/// A sum of texels, each of four bytes that are fractions of 255, with their weights. Weights have few bits:
/// products and sums are exact.
#[inline]
pub(super) fn weighted(texels: [[u8; 4]; 4], weights: [u32; 4]) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for (texel, weight) in texels.into_iter().zip(weights) {
        for (sum, byte) in sums.iter_mut().zip(texel) {
            *sum += f64::from(weight) * EXACT_FRACTIONS[usize::from(byte)];
        }
    }
    sums
}

/// `None` for reserved codes and those for textures only.
#[rustfmt::skip]
fn layout(code: u32) -> Option<Layout> {
    use Layout::{DepthStencil, Float, Integer, SharedExponent};
    Some(match code {
        1 => Integer(&[8]),
        2 => Integer(&[4, 4]),
        5 => Integer(&[16]),
        6 => Float(&[16]),
        7 => Integer(&[8, 8]),
        8 => Integer(&[5, 6, 5]),
        9 => Integer(&[5, 5, 6]),
        10 => Integer(&[5, 5, 5, 1]),
        11 => Integer(&[4, 4, 4, 4]),
        12 => Integer(&[1, 5, 5, 5]),
        13 => Integer(&[32]),
        14 => Float(&[32]),
        15 => Integer(&[16, 16]),
        16 => Float(&[16, 16]),
        17 => Integer(&[24, 8]),
        19 => Integer(&[8, 24]),
        22 => Float(&[11, 11, 10]),
        25 => Integer(&[10, 10, 10, 2]),
        26 => Integer(&[8, 8, 8, 8]),
        27 => Integer(&[2, 10, 10, 10]),
        28 => DepthStencil,
        29 => Integer(&[32, 32]),
        30 => Float(&[32, 32]),
        31 => Integer(&[16, 16, 16, 16]),
        32 => Float(&[16, 16, 16, 16]),
        34 => Integer(&[32, 32, 32, 32]),
        35 => Float(&[32, 32, 32, 32]),
        43 => SharedExponent,
        47 => Integer(&[32, 32, 32]),
        48 => Float(&[32, 32, 32]),
        _ => return None,
    })
}

/// The layouts that texels can have besides.
fn texel_layout(code: u32) -> Option<Layout> {
    Some(match code {
        3 => Layout::Integer(&[2, 3, 3]),
        21 => Layout::Integer(&[11, 11, 10]),
        23 => Layout::Integer(&[10, 11, 11]),
        24 => Layout::Float(&[10, 11, 11]),
        44 => Layout::Integer(&[8, 8, 8]),
        45 => Layout::Integer(&[16, 16, 16]),
        46 => Layout::Float(&[16, 16, 16]),
        code => layout(code)?,
    })
}

impl Format {
    /// `None` for codes without a layout and fields without a meaning.
    pub(super) fn of(fields: FormatFields) -> Option<Self> {
        Self::with(layout(fields.data_format)?, fields)
    }

    /// The same for texels.
    pub(super) fn of_texel(fields: FormatFields) -> Option<Self> {
        Self::with(texel_layout(fields.data_format)?, fields)
    }

    fn with(layout: Layout, fields: FormatFields) -> Option<Self> {
        let defined = fields.num_format < 3 && fields.endian_swap < 3;
        let FormatFields { data_format, num_format, signed, endian_swap, .. } = fields;
        let is_plain = !signed && (data_format, num_format, endian_swap) == (26, 0, 0);
        defined.then_some(Self { layout, fields, is_plain })
    }

    /// Reads the element at a byte address. `byte` gives the bytes of memory; components that the
    /// format lacks are zero.
    pub(super) fn read(&self, address: u64, byte: impl Fn(u64) -> u8) -> [u32; 4] {
        let swap = [0, 1, 3][self.fields.endian_swap as usize];
        let mut bytes = [0; LARGEST];
        for (place, at) in bytes[..self.bytes()].iter_mut().zip(address..) {
            *place = byte(at ^ swap);
        }
        self.components(u128::from_le_bytes(bytes))
    }

    /// Reads an element by its number; bytes beyond the end are zero.
    pub(super) fn read_from(&self, bytes: &[u8], number: usize) -> [u32; 4] {
        if self.is_plain
            && let Some(&[x, y, z, w]) = bytes.as_chunks().0.get(number)
        {
            return [x, y, z, w].map(|byte: u8| FRACTIONS[usize::from(byte)]);
        }
        let byte = |at: u64| usize::try_from(at).ok().and_then(|at| bytes.get(at)).copied();
        self.read((number * self.bytes()) as u64, |at| byte(at).unwrap_or(0))
    }

    /// Elements of four bytes each of which is a fraction of 255, if these are such.
    pub(super) fn plain<'a>(&self, bytes: &'a [u8]) -> Option<&'a [[u8; 4]]> {
        self.is_plain.then_some(bytes.as_chunks().0)
    }

    /// Whether components are integers, which are not filtered.
    pub(super) fn keeps_integers(&self) -> bool {
        match self.layout {
            Layout::Integer(_) => self.fields.num_format == 1,
            Layout::DepthStencil => true,
            Layout::Float(_) | Layout::SharedExponent => false,
        }
    }

    /// What the first component is to a comparison, if it can be compared.
    pub(super) fn depth(&self) -> Option<Depth> {
        let FormatFields { num_format, signed, no_zero, .. } = self.fields;
        match self.layout {
            Layout::Float([32, ..]) | Layout::DepthStencil => Some(Depth::Single),
            Layout::Integer(&[bits @ 2..=24, ..]) if num_format == 0 && !(signed && no_zero) => {
                Some(Depth::Fraction { bits, signed })
            }
            Layout::Integer(&[1, ..]) if num_format == 0 && !signed => {
                Some(Depth::Fraction { bits: 1, signed })
            }
            _ => None,
        }
    }

    /// The first dword at a byte address, whatever it means.
    pub(super) fn raw(&self, address: u64, byte: impl Fn(u64) -> u8) -> u32 {
        let swap = [0, 1, 3][self.fields.endian_swap as usize];
        let bytes = [0, 1, 2, 3]
            .map(|n: u64| if n < self.bytes() as u64 { byte((address + n) ^ swap) } else { 0 });
        u32::from_le_bytes(bytes)
    }

    /// Bytes of an element.
    pub(super) fn bytes(&self) -> usize {
        match self.layout {
            Layout::Integer(widths) | Layout::Float(widths) => {
                widths.iter().sum::<u32>() as usize / 8
            }
            Layout::SharedExponent => 4,
            Layout::DepthStencil => 8,
        }
    }

    fn components(&self, element: u128) -> [u32; 4] {
        let mut components = [0; 4];
        let mut low = 0;
        let mut take = |width: u32| {
            let value = (element >> low) as u32 & u32::MAX >> (32 - width);
            low += width;
            value
        };
        match self.layout {
            Layout::Integer(widths) => {
                for (component, &width) in components.iter_mut().zip(widths) {
                    *component = self.integer(take(width), width);
                }
            }
            Layout::Float(widths) => {
                for (component, &width) in components.iter_mut().zip(widths) {
                    *component = widen_float(take(width), width);
                }
            }
            Layout::SharedExponent => {
                let fractions = [take(9), take(9), take(9)];
                let scale = f32::from_bits((take(5) + 127 - 24) << 23);
                for (component, fraction) in components.iter_mut().zip(fractions) {
                    *component = (fraction as f32 * scale).to_bits();
                }
            }
            Layout::DepthStencil => components[..2].copy_from_slice(&[take(32), take(8)]),
        }
        components
    }

    /// An integer component of some bits.
    fn integer(&self, bits: u32, width: u32) -> u32 {
        let unused = 32 - width;
        let value = if self.fields.signed {
            i64::from((bits << unused).cast_signed() >> unused)
        } else {
            i64::from(bits)
        };
        let largest =
            if self.fields.signed { (1_i64 << (width - 1)) - 1 } else { (1 << width) - 1 };
        match self.fields.num_format {
            0 if self.fields.signed && self.fields.no_zero => {
                quotient(2 * value + 1, (1 << width) - 1)
            }
            // The most negative integer is -1.0 as its neighbour is.
            0 if value < -largest => (-1.0_f32).to_bits(),
            0 if value == 0 => 0,
            0 => quotient(value, largest),
            1 => value as u32,
            _ => (value as f32).to_bits(),
        }
    }
}

/// The quotient of integers of at most 34 bits, rounded once to nearest even.
fn quotient(numerator: i64, denominator: i64) -> u32 {
    const SCALE: f32 = 1.0 / (1_u128 << 64) as f32;
    const EXACT: i64 = 1 << f32::MANTISSA_DIGITS;
    if numerator.abs() < EXACT && denominator < EXACT {
        return (numerator as f32 / denominator as f32).to_bits();
    }
    let (magnitude, denominator) =
        (u128::from(numerator.unsigned_abs()) << 64, u128::from(denominator.unsigned_abs()));
    // The quotient has more bits than a float; that there is a rest goes into its last one.
    let rest = u128::from(!magnitude.is_multiple_of(denominator));
    let value = ((magnitude / denominator) | rest) as f32 * SCALE;
    if numerator < 0 { (-value).to_bits() } else { value.to_bits() }
}

/// A float of 10, 11, 16 or 32 bits as one of 32.
fn widen_float(bits: u32, width: u32) -> u32 {
    let fraction_bits = match width {
        32 => return bits,
        16 => 10,
        width => width - 5,
    };
    let sign = if width == 16 { bits >> 15 << 31 } else { 0 };
    let exponent = bits >> fraction_bits & 0x1F;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let magnitude = match exponent {
        // A denormal counts 2^-14 parts.
        0 => (fraction as f32 * f32::from_bits((127 - 14 - fraction_bits) << 23)).to_bits(),
        31 => 0x7F80_0000 | fraction << (23 - fraction_bits),
        exponent => (exponent + 112) << 23 | fraction << (23 - fraction_bits),
    };
    sign | magnitude
}
