//! Layouts of plain formats, read off their names.
//!
//! A name of Intel says everything: components from the least significant bit up, each with its
//! width, then what their numbers are. Those of R700 say the widths from the most significant end.
//! What a name does not say is in [`Layout::intel`]'s few exceptions.

use parallax_isa::surface::{Fetch, FormatComp, NumFormat, SrfMode};

/// What a field stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letter {
    R,
    G,
    B,
    A,
    /// Luminance.
    L,
    /// Intensity; the bit of a monochrome map too, which goes to all channels as well.
    I,
    /// Palette index.
    P,
}

/// How the bits of a field are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Unorm,
    Snorm,
    /// Signed fractions of R700 without a zero.
    SnormNoZero,
    Uint,
    Sint,
    Uscaled,
    Sscaled,
    Sfixed,
    /// 10 and 11 bits without sign, or 16, 32, 64 bits as IEEE has them.
    Float,
    /// Fraction of a shared exponent, which lies in the five topmost bits of the doubleword.
    Shared,
    Index,
    Raw,
}

/// Some bits of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) letter: Letter,
    pub(super) shift: u32,
    pub(super) bits: u32,
    pub(super) number: Number,
}

/// The smallest unit of a format: some bytes that are one or several texels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bytes of an element.
    pub(super) bytes: usize,
    /// Fields of each of its texels.
    pub(super) texels: Vec<Vec<Field>>,
    /// Red, green and blue, or luminance, are sRGB codes.
    pub(super) srgb: bool,
    /// The palette of its indices.
    pub(super) palette: Option<usize>,
}

impl Layout {
    fn of(bits: u32, texels: Vec<Vec<Field>>) -> Self {
        Self { bytes: bits as usize / 8, texels, srgb: false, palette: None }
    }

    /// Texels of one field each in a byte; the leftmost is in the least significant bits, or in the
    /// most significant ones.
    fn packed(letter: Letter, bits: u32, number: Number, reversed: bool) -> Self {
        let field = |texel| {
            let shift = if reversed { 8 - bits * (texel + 1) } else { bits * texel };
            vec![Field { letter, shift, bits, number }]
        };
        Self::of(8, (0..8 / bits).map(field).collect())
    }

    /// Several texels with a green of their own and red and blue in common; shifts of the greens,
    /// of red and of blue.
    fn common(bytes: u32, bits: u32, greens: &[u32], red: u32, blue: u32) -> Self {
        let field = |letter, shift| Field { letter, shift, bits, number: Number::Unorm };
        let texel =
            |&green| vec![field(Letter::G, green), field(Letter::R, red), field(Letter::B, blue)];
        Self::of(8 * bytes, greens.iter().map(texel).collect())
    }

    /// The layout of a format of Intel, by its name.
    pub(super) fn intel(name: &str) -> Option<Self> {
        Some(match name {
            "R1_UNORM" => Self::packed(Letter::R, 1, Number::Unorm, true),
            "MONO8" => Self::packed(Letter::I, 1, Number::Unorm, true),
            "P2_UNORM_PALETTE0" | "P2_UNORM_PALETTE1" => {
                let palette = Some(usize::from(name.ends_with('1')));
                Self { palette, ..Self::packed(Letter::P, 2, Number::Index, true) }
            }
            "RAW" => {
                let field = Field { letter: Letter::R, shift: 0, bits: 8, number: Number::Raw };
                Self::of(8, vec![vec![field]])
            }
            "Y8_UNORM" => Self::of(8, vec![vec![unorm8(Letter::G)]]),
            // Cr is red, Y green, Cb blue; the name says what is swapped in Y Cb Y Cr.
            "YCRCB_NORMAL" => Self::common(4, 8, &[0, 16], 24, 8),
            "YCRCB_SWAPUV" => Self::common(4, 8, &[0, 16], 8, 24),
            "YCRCB_SWAPY" => Self::common(4, 8, &[8, 24], 16, 0),
            "YCRCB_SWAPUVY" => Self::common(4, 8, &[8, 24], 0, 16),
            "PLANAR_420_8" => Self::common(6, 8, &[0, 8, 16, 24], 40, 32),
            "PLANAR_420_16" => Self::common(12, 16, &[0, 16, 32, 48], 80, 64),
            _ => return Self::spelt(name),
        })
    }

    /// A name that spells its layout.
    fn spelt(name: &str) -> Option<Self> {
        let mut fields: Vec<(char, u32)> = Vec::new();
        let mut pending = 0;
        let mut layout = Self::of(0, vec![Vec::new()]);
        let mut shift = 0;
        for token in name.split('_') {
            if let Some(digits) = token.strip_prefix("PALETTE") {
                layout.palette = Some(digits.parse().ok()?);
                continue;
            }
            if token == "SRGB" {
                layout.srgb = true;
                continue;
            }
            if token.len() > 1 && token.as_bytes()[1].is_ascii_digit() {
                fields.extend(components(token)?);
                continue;
            }
            for &(letter, bits) in &fields[pending..] {
                if let Some((letter, number)) = meaning(letter, token)? {
                    layout.texels[0].push(Field { letter, shift, bits, number });
                }
                shift += bits;
            }
            pending = fields.len();
        }
        if pending == 0 || pending < fields.len() || !shift.is_multiple_of(8) {
            return None;
        }
        layout.bytes = shift as usize / 8;
        Some(layout)
    }

    /// The layout of a data format of R700, by its name and what the fetch says.
    pub(super) fn r700(name: &str, fetch: &Fetch) -> Option<Self> {
        use Number::{Float, Shared, Uint};
        let chosen = chosen(fetch);
        let name = name.strip_prefix("FMT_")?;
        match name {
            "1" => return Some(Self::packed(Letter::R, 1, chosen, false)),
            "1_REVERSED" => return Some(Self::packed(Letter::R, 1, chosen, true)),
            "GB_GR" => return Some(Self::common(4, 8, &[8, 24], 0, 16)),
            "BG_RG" => return Some(Self::common(4, 8, &[0, 16], 8, 24)),
            "X24_8_32_FLOAT" => {
                let red = Field { letter: Letter::R, shift: 0, bits: 32, number: Float };
                let green = Field { letter: Letter::G, shift: 32, bits: 8, number: Uint };
                return Some(Self::of(64, vec![vec![red, green]]));
            }
            _ => {}
        }
        let (widths, number) = match name.rsplit_once('_') {
            Some((widths, "FLOAT")) => (widths, Float),
            Some((widths, "SHAREDEXP")) => (widths.strip_prefix("5_")?, Shared),
            _ => (name, chosen),
        };
        let widths: Option<Vec<u32>> = widths.split('_').map(|width| width.parse().ok()).collect();
        let letters = [Letter::R, Letter::G, Letter::B, Letter::A];
        let mut fields = Vec::new();
        let mut shift = 0;
        for (letter, bits) in letters.into_iter().zip(widths?.into_iter().rev()) {
            if number == Float && ![10, 11, 16, 32].contains(&bits) {
                return None;
            }
            fields.push(Field { letter, shift, bits, number });
            shift += bits;
        }
        Some(Self::of(shift.next_multiple_of(8), vec![fields]))
    }
}

fn unorm8(letter: Letter) -> Field {
    Field { letter, shift: 0, bits: 8, number: Number::Unorm }
}

/// `B5G6R5` as letters and widths.
fn components(token: &str) -> Option<Vec<(char, u32)>> {
    let mut found: Vec<(char, u32)> = Vec::new();
    for c in token.chars() {
        match (c.to_digit(10), found.last_mut()) {
            (None, _) => found.push((c, 0)),
            (Some(digit), Some((_, bits))) => *bits = *bits * 10 + digit,
            (Some(_), None) => return None,
        }
    }
    found.iter().all(|&(_, bits)| bits > 0).then_some(found)
}

/// What a component of a name is under a word for numbers; nothing for pads and the shared exponent.
#[expect(clippy::option_option, reason = "no meaning at all, or the meaning of nothing")]
fn meaning(letter: char, word: &str) -> Option<Option<(Letter, Number)>> {
    let letter = match letter {
        'R' => Letter::R,
        'G' => Letter::G,
        'B' => Letter::B,
        'A' => Letter::A,
        'L' => Letter::L,
        'I' => Letter::I,
        'P' => return Some(Some((Letter::P, Number::Index))),
        'X' | 'E' => return Some(None),
        _ => return None,
    };
    let number = match word {
        "UNORM" => Number::Unorm,
        "SNORM" => Number::Snorm,
        "UINT" => Number::Uint,
        "SINT" => Number::Sint,
        "USCALED" => Number::Uscaled,
        "SSCALED" => Number::Sscaled,
        "SFIXED" => Number::Sfixed,
        "FLOAT" => Number::Float,
        "SHAREDEXP" => Number::Shared,
        "PASSTHRU" => Number::Raw,
        "TYPELESS" => return Some(None),
        _ => return None,
    };
    Some(Some((letter, number)))
}

/// The numbers an R700 fetch asks for.
fn chosen(fetch: &Fetch) -> Number {
    let signed = fetch.format_comp == FormatComp::Signed;
    match (fetch.num_format, signed, fetch.srf_mode) {
        (NumFormat::Norm, false, _) => Number::Unorm,
        (NumFormat::Norm, true, SrfMode::ZeroClampMinusOne) => Number::Snorm,
        (NumFormat::Norm, true, SrfMode::NoZero) => Number::SnormNoZero,
        (NumFormat::Int, false, _) => Number::Uint,
        (NumFormat::Int, true, _) => Number::Sint,
        (NumFormat::Scaled, false, _) => Number::Uscaled,
        (NumFormat::Scaled, true, _) => Number::Sscaled,
    }
}
