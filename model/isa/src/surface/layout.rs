//! Where the components of a texel lie and how their bits are to be read.

use std::fmt;

/// Declares an enumeration of words of the tables: a row a member, its word, other words that the tables
/// have for it, and what it is.
macro_rules! words {
    (
        $(#[$outer:meta])*
        pub enum $type:ident {
            $($member:ident $word:literal $($also:literal)* => $is:literal;)*
        }
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        pub enum $type {
            $(#[doc = $is] $member,)*
        }

        impl $type {
            /// Every member by each of its words.
            const WORDS: &[(&str, Self)] =
                &[$(($word, Self::$member), $(($also, Self::$member),)*)*];

            /// The word of the tables and of `format list`.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$member => $word,)*
                }
            }
        }
    };
}

words! {
    /// What a component stands for, as the manuals' format names have it.
    pub enum Name {
        R "R" => "Red (X of a fetch).";
        G "G" => "Green (Y of a fetch).";
        B "B" => "Blue (Z of a fetch).";
        A "A" => "Alpha (W of a fetch).";
        L "L" => "Luminance: red, green and blue at once.";
        I "I" => "Intensity: all four channels at once.";
        Y "Y" => "Luma.";
        Cb "Cb" => "Blue chrominance.";
        Cr "Cr" => "Red chrominance.";
        Y0 "Y0" => "Luma of the left texel of a pair.";
        Y1 "Y1" => "Luma of the right texel of a pair.";
        G0 "G0" => "Green of the left texel of a pair.";
        G1 "G1" => "Green of the right texel of a pair.";
        P "P" => "Index into a palette.";
        E "E" => "Exponent that the other components share.";
        T "T" => "Bit of a monochrome map.";
        X "X" => "Nothing: ignored on reads.";
    }
}

words! {
    /// How the bits of a component are read.
    pub enum Numeric {
        Unorm "unorm" => "Unsigned, all ones being 1.";
        Snorm "snorm" => "Two's complement, the greatest being 1 and the two least -1.";
        SnormNoZero "snorm-no-zero" => "Two's complement without a zero: code x stands for (2x + 1) / (2ⁿ - 1).";
        Uint "uint" => "Unsigned integer, kept.";
        Sint "sint" => "Two's complement integer, kept.";
        Uscaled "uscaled" => "Unsigned integer made a float of the same value.";
        Sscaled "sscaled" => "Two's complement integer made a float of the same value.";
        Sfixed "sfixed" => "Two's complement with 16 bits after the binary point.";
        Float "float" => "IEEE binary16, binary32 or binary64.";
        Ufloat "ufloat" => "Float without sign: 5 exponent bits, bias 15, the rest fraction.";
        Mantissa "mant" => "Mantissa of a shared exponent.";
        Exponent "exp" => "The shared exponent.";
        Index "index" => "Palette index.";
        Bit "bit" => "Bit of a monochrome map.";
        Raw "raw" => "Bits passed on unconverted.";
        Chosen "num" => "Chosen by the fetch: one of the normalised, integer and scaled kinds.";
        Pad "pad" "void" => "Ignored.";
    }
}

/// One component of a texel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Component {
    /// What it stands for.
    pub name: Name,
    /// How it is read.
    pub numeric: Numeric,
    /// Width in bits, 1 to 64.
    pub bits: u8,
    /// Least significant bit, counted in the element as one little-endian number.
    pub offset: u16,
}

/// A compressed family; blocks are 4x4 texels, those of FXT1 8x4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Codec {
    /// BC1 with one bit of alpha.
    Bc1,
    /// BC1 whose alpha is always 1.
    Bc1Rgb,
    /// BC2: BC1 colours, explicit alpha.
    Bc2,
    /// BC3: BC1 colours, interpolated alpha.
    Bc3,
    /// BC4: one interpolated channel.
    Bc4 {
        /// Endpoints are SNORM.
        signed: bool,
    },
    /// BC5: two interpolated channels.
    Bc5 {
        /// Endpoints are SNORM.
        signed: bool,
    },
    /// BC6H: half floats.
    Bc6h {
        /// Endpoints are signed.
        signed: bool,
    },
    /// BC7.
    Bc7,
    /// 3dfx FXT1.
    Fxt1,
    /// ETC1.
    Etc1,
    /// ETC2 RGB.
    Etc2,
    /// ETC2 RGB with one bit of alpha.
    Etc2PunchThrough,
    /// ETC2 RGB behind an EAC block of alpha.
    Etc2Eac,
    /// EAC, one 11-bit channel.
    EacR11 {
        /// Values are signed.
        signed: bool,
    },
    /// EAC, two 11-bit channels.
    EacRg11 {
        /// Values are signed.
        signed: bool,
    },
}

/// What the bytes of a block are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Layout {
    /// One texel: its components from the least significant bit up.
    Plain(Vec<Component>),
    /// Several texels in a byte, one component each.
    Packed {
        /// The component; its offset is 0.
        component: Component,
        /// The leftmost texel lies in the most significant bits.
        most_significant_first: bool,
    },
    /// Two texels that share two components.
    Subsampled(Vec<Component>),
    /// 2x2 texels: four of the first component row by row, then once the others, which the four
    /// share. In memory the two parts lie in different planes.
    Planar {
        /// The component of each texel.
        luma: Component,
        /// The components shared by the four texels.
        chroma: Vec<Component>,
    },
    /// A compressed block.
    Compressed(Codec),
    /// Nothing that could be decoded: reserved, or not laid out by the manual.
    Undefined,
}

/// Size of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Block {
    /// Texels in a row.
    pub width: u8,
    /// Rows.
    pub height: u8,
    /// Bytes.
    pub bytes: u8,
}

impl Block {
    /// Texels in the block.
    #[must_use]
    pub const fn texels(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Reads `4x4,16`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (size, bytes) = text.split_once(',')?;
        let (width, height) = size.split_once('x')?;
        Some(Self {
            width: width.parse().ok()?,
            height: height.parse().ok()?,
            bytes: bytes.parse().ok()?,
        })
    }
}

/// The words of the tables for [`Codec`].
const CODECS: [(&str, Codec); 20] = [
    ("bc1", Codec::Bc1),
    ("bc1_rgb", Codec::Bc1Rgb),
    ("bc2", Codec::Bc2),
    ("bc3", Codec::Bc3),
    ("bc4", Codec::Bc4 { signed: false }),
    ("bc4s", Codec::Bc4 { signed: true }),
    ("bc5", Codec::Bc5 { signed: false }),
    ("bc5s", Codec::Bc5 { signed: true }),
    ("bc6h_unsigned", Codec::Bc6h { signed: false }),
    ("bc6h_signed", Codec::Bc6h { signed: true }),
    ("bc7", Codec::Bc7),
    ("fxt1", Codec::Fxt1),
    ("etc1", Codec::Etc1),
    ("etc2", Codec::Etc2),
    ("etc2_punchthrough", Codec::Etc2PunchThrough),
    ("etc2_eac", Codec::Etc2Eac),
    ("eac_r11", Codec::EacR11 { signed: false }),
    ("eac_r11s", Codec::EacR11 { signed: true }),
    ("eac_rg11", Codec::EacRg11 { signed: false }),
    ("eac_rg11s", Codec::EacRg11 { signed: true }),
];

fn word<T: Copy>(table: &[(&str, T)], wanted: &str) -> Option<T> {
    table.iter().find(|(word, _)| *word == wanted).map(|&(_, value)| value)
}

impl Name {
    /// The name of these letters.
    pub(super) fn parse(text: &str) -> Option<Self> {
        word(Self::WORDS, text)
    }
}

impl Codec {
    /// The word of the tables and of `format list`.
    #[must_use]
    pub fn word(self) -> &'static str {
        CODECS.iter().find(|(_, codec)| *codec == self).map_or("?", |(word, _)| word)
    }
}

impl Component {
    /// Reads `R:unorm8@16`; without `@16` the offset is 0.
    fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once(':')?;
        let (kind, offset) = rest.split_once('@').unwrap_or((rest, "0"));
        let digits = kind.find(|c: char| c.is_ascii_digit())?;
        Some(Self {
            name: Name::parse(name)?,
            numeric: word(Numeric::WORDS, &kind[..digits])?,
            bits: kind[digits..].parse().ok()?,
            offset: offset.parse().ok()?,
        })
    }

    fn parse_list(text: &str) -> Option<Vec<Self>> {
        text.split(';').map(Self::parse).collect()
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}{}@{}", self.name.word(), self.numeric.word(), self.bits, self.offset)
    }
}

impl Layout {
    /// Reads the `channels` column of the format tables: components from the least significant
    /// bit up, or `codec=…`, or `planes=…`, or nothing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::Undefined);
        }
        if let Some(codec) = text.strip_prefix("codec=") {
            let wanted = codec.split_once(':').map_or(codec, |(codec, _)| codec);
            return word(&CODECS, wanted).map(Self::Compressed);
        }
        if let Some(planes) = text.strip_prefix("planes=") {
            let (luma, chroma) = planes.split_once('/')?;
            let (luma, chroma) = (Component::parse(luma)?, Component::parse_list(chroma)?);
            return Some(Self::Planar { luma, chroma });
        }
        if let Some((component, order)) = text.split_once('[') {
            let component = Component::parse(component)?;
            let most_significant_first = order.contains("7-");
            return Some(Self::Packed { component, most_significant_first });
        }
        let components = Component::parse_list(text)?;
        let pair = components.iter().any(|c| matches!(c.name, Name::Y0 | Name::G0));
        Some(if pair { Self::Subsampled(components) } else { Self::Plain(components) })
    }

    /// Its components, those of every part; none if it is compressed or undefined.
    pub fn components(&self) -> impl Iterator<Item = Component> + '_ {
        let (first, rest): (Option<&Component>, &[Component]) = match self {
            Self::Plain(all) | Self::Subsampled(all) => (None, all),
            Self::Packed { component, .. } => (Some(component), &[]),
            Self::Planar { luma, chroma } => (Some(luma), chroma),
            Self::Compressed(_) | Self::Undefined => (None, &[]),
        };
        first.into_iter().chain(rest).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_print_as_they_are_written() {
        for text in ["R:unorm8@16", "E:exp5@27", "Cb:unorm16@0", "X:pad24@40"] {
            assert_eq!(Component::parse(text).expect("parses").to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_no_layout() {
        for text in ["R", "R:8@0", "Q:unorm8@0", "R:unorm8@x", "codec=bc9", "planes=R:unorm8@0"] {
            assert_eq!(Layout::parse(text), None, "{text}");
        }
    }
}
