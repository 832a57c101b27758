//! Data formats of fetches and memory reads (section 10.3): bytes to components.

use std::sync::LazyLock;

use parallax_spec::tables::surface::DataFormat;

use super::number::{CONTEXT, bits};
use crate::number::{Context, Denormals, Exact, FloatFormat, Number};

/// What a component is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A number as the instruction says.
    Number,
    /// A float whatever the instruction says.
    Float,
    /// An unsigned integer whatever the instruction says.
    Integer,
    /// A mantissa that shares the exponent with the others.
    Mantissa,
}

/// A component of a format: a bit field of the element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Which of X, Y, Z, W.
    pub element: usize,
    /// What it is.
    pub kind: FieldKind,
    /// Least significant bit.
    pub low: usize,
    /// Width.
    pub width: usize,
}

impl Field {
    /// Its bits in an element.
    #[must_use]
    pub fn of(self, element: u128) -> u32 {
        (element >> self.low & (u128::MAX >> (128 - self.width))) as u32
    }
}

/// A format that fetches can read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Format {
    bits: usize,
    fields: Vec<Field>,
}

/// Bits of the exponent that mantissas share, at the top of the element.
const SHARED_EXPONENT: usize = 5;

/// The formats of `r700-data-formats.csv` that vertex fetches can read.
static FORMATS: LazyLock<Vec<Option<Format>>> = LazyLock::new(|| formats_for("vertex_buffer"));

/// Those that texture fetches can read.
static TEXTURE_FORMATS: LazyLock<Vec<Option<Format>>> = LazyLock::new(|| formats_for("sampling"));

fn formats_for(usage: &str) -> Vec<Option<Format>> {
    let mut formats = vec![None; 64];
    for row in DataFormat::all() {
        if row.uses.contains(usage) {
            formats[usize::from(row.code)] = parse(&row);
        }
    }
    formats
}

/// A layout `R:num8@0;G:num8@8;…`; `None` where it is something else.
fn parse(row: &DataFormat) -> Option<Format> {
    let bits: usize = row.bits?.into();
    let mut fields = Vec::new();
    for part in row.channels.split(';') {
        let (name, rest) = part.split_once(':')?;
        let (kind, low) = rest.split_once('@')?;
        let (kind, width) = kind.split_at(kind.find(|c: char| c.is_ascii_digit())?);
        let kind = match kind {
            "pad" | "exp" => continue,
            "num" => FieldKind::Number,
            "float" | "ufloat" => FieldKind::Float,
            "uint" => FieldKind::Integer,
            "mant" => FieldKind::Mantissa,
            _ => return None,
        };
        let element = ["R", "G", "B", "A"].iter().position(|element| *element == name)?;
        fields.push(Field { element, kind, low: low.parse().ok()?, width: width.parse().ok()? });
    }
    (bits.is_multiple_of(8) && !fields.is_empty()).then_some(Format { bits, fields })
}

/// Whether the format of a code is modelled.
pub(super) fn is_modelled(code: u32) -> bool {
    format(code).is_some()
}

/// The format of a code, if it is modelled.
fn format(code: u32) -> Option<&'static Format> {
    FORMATS.get(code as usize)?.as_ref()
}

/// Bytes of a texel of a data format, if textures of it are modelled.
pub(super) fn texel_bytes(code: u32) -> Option<usize> {
    Some(TEXTURE_FORMATS.get(code as usize)?.as_ref()?.bits / 8)
}

/// A first component that comparisons know, with its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstComponent {
    /// A single.
    Float,
    /// A fraction from 0 to 1.
    Unsigned(u32),
    /// One from -1 to 1.
    Signed(u32),
}

/// How data are to be read: a format and its numbers.
#[derive(Debug, Clone, Copy)]
pub struct Interpretation {
    /// `DATA_FORMAT`.
    pub code: u32,
    format: &'static Format,
    /// `NUM_FORMAT_ALL`.
    pub numbers: u32,
    /// `FORMAT_COMP_ALL`.
    pub signed: bool,
    /// `SRF_MODE_ALL`.
    pub no_zero: bool,
    /// `ENDIAN_SWAP`.
    pub swap: u32,
}

impl Interpretation {
    /// From `DATA_FORMAT`, `NUM_FORMAT_ALL`, `FORMAT_COMP_ALL`, `SRF_MODE_ALL`, `ENDIAN_SWAP`.
    pub(super) fn of([code, numbers, signed, mode, swap]: [u32; 5]) -> Option<Self> {
        if numbers > 2 || swap > 2 {
            return None;
        }
        let format = format(code)?;
        Some(Self { code, format, numbers, signed: signed == 1, no_zero: mode == 1, swap })
    }

    /// The same for texels.
    pub(super) fn of_texels([code, numbers, signed, mode, swap]: [u32; 5]) -> Option<Self> {
        let format = TEXTURE_FORMATS.get(code as usize)?.as_ref()?;
        Some(Self { code, format, numbers, signed: signed == 1, no_zero: mode == 1, swap })
    }

    /// Bytes of an element.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.format.bits / 8
    }

    /// What `ENDIAN_SWAP` does to byte addresses: they are exclusive-ored with it.
    pub(super) fn exchange(self) -> usize {
        match self.swap {
            0 => 0,
            1 => 1,
            _ => 3,
        }
    }

    /// Whether the format has floats narrower than a register: of a NaN in one, all that is said is
    /// that it stays one.
    pub(super) fn widens_floats(self) -> bool {
        self.fields().any(|field| field.kind == FieldKind::Float && field.width < 32)
    }

    /// Whether a component is an integer that is no number of a fraction.
    pub(super) fn has_integers(self) -> bool {
        self.fields().any(|field| match field.kind {
            FieldKind::Number => self.numbers == 1,
            FieldKind::Integer => true,
            FieldKind::Float | FieldKind::Mantissa => false,
        })
    }

    /// The first component, if comparisons know it (decision D-r700-compare).
    pub(super) fn first_component(self) -> Option<FirstComponent> {
        let first = self.first()?;
        let width = first.width as u32;
        match (first.kind, self.numbers, self.signed) {
            (FieldKind::Float, ..) if width == 32 => Some(FirstComponent::Float),
            (FieldKind::Number, 0, false) if width <= 24 => Some(FirstComponent::Unsigned(width)),
            (FieldKind::Number, 0, true) if (2..=24).contains(&width) && !self.no_zero => {
                Some(FirstComponent::Signed(width))
            }
            _ => None,
        }
    }

    /// The components of the format.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        self.format.fields.iter()
    }

    fn first(self) -> Option<&'static Field> {
        self.fields().find(|field| field.element == 0)
    }

    /// The bits of the first component of an element.
    pub(super) fn first_field(self, element: Option<u128>) -> u32 {
        self.first().zip(element).map_or(0, |(first, element)| first.of(element))
    }

    /// An element, given its bytes by number after `ENDIAN_SWAP`.
    pub(super) fn element(self, byte: impl Fn(usize) -> u8) -> u128 {
        (0..self.bytes()).fold(0, |all, n| all | u128::from(byte(n)) << (8 * n))
    }

    /// The components of an element; those the format lacks are zero, and all where there is none.
    pub(super) fn components(self, element: Option<u128>) -> [u32; 4] {
        let mut components = [0; 4];
        let Some(element) = element else { return components };
        for field in self.fields() {
            let number = field.of(element);
            components[field.element] = match field.kind {
                FieldKind::Number => self.number(field.width, number),
                FieldKind::Float => float(field.width, number),
                FieldKind::Integer => number,
                FieldKind::Mantissa => {
                    let exponent = (element >> (self.format.bits - SHARED_EXPONENT)) as i32;
                    bits(Number::integer(number.into()).scaled(exponent - 24))
                }
            };
        }
        components
    }

    fn number(self, width: usize, field: u32) -> u32 {
        let integer = if self.signed {
            let shift = 32 - width as u32;
            i128::from((field << shift).cast_signed() >> shift)
        } else {
            i128::from(field)
        };
        match self.numbers {
            0 => bits(self.normalised(integer, width)),
            1 => integer as u32,
            _ => bits(Number::integer(integer)),
        }
    }

    fn normalised(self, integer: i128, width: usize) -> Number {
        let (numerator, denominator) = if !self.signed {
            (integer, (1 << width) - 1)
        } else if self.no_zero {
            (2 * integer + 1, (1 << width) - 1)
        } else {
            // One bit has only 0 and the most negative code.
            let most = ((1 << (width - 1)) - 1).max(1);
            (integer.max(-most), most)
        };
        let magnitude = Exact::quotient(numerator.unsigned_abs(), denominator as u64);
        Number::Finite(magnitude).with_sign(numerator < 0)
    }
}

/// A float of some width as a single.
fn float(width: usize, field: u32) -> u32 {
    match width {
        32 => field,
        16 => single(FloatFormat::BINARY16, field),
        _ => single(FloatFormat::unsigned(width as u32), field),
    }
}

/// A narrower float as a single: exact, denormals too.
fn single(format: FloatFormat, field: u32) -> u32 {
    let exact = Context { input: Denormals::Kept, output: Denormals::Kept, ..CONTEXT };
    let number = exact.operand(field.into(), format).quiet();
    exact.round(number, FloatFormat::BINARY32).bits as u32
}
