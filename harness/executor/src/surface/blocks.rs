//! Compressed blocks: which family a format belongs to, and blocks decoded to four floats a texel.

mod bc;
mod bc6h;
mod bc7;
mod eac;
mod etc;
mod fxt1;
mod output;
mod partitions;
pub(crate) mod sampled;

use bc::Fourth;
use output::{Bytes, Floats, Light, Output};

/// A compressed family. Blocks are 4x4 texels, those of [`Family::Fxt1`] 8x4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// BC1; the transparent colour has alpha 0.
    Bc1,
    /// BC1 whose alpha is always 1 (DXT1_RGB).
    Bc1Rgb,
    /// BC2.
    Bc2,
    /// BC3.
    Bc3,
    /// BC4, unsigned.
    Bc4,
    /// BC4, signed.
    Bc4Signed,
    /// BC5, unsigned.
    Bc5,
    /// BC5, signed.
    Bc5Signed,
    /// BC6H, unsigned.
    Bc6h,
    /// BC6H, signed.
    Bc6hSigned,
    /// BC7.
    Bc7,
    /// FXT1.
    Fxt1,
    /// ETC1.
    Etc1,
    /// ETC2 RGB.
    Etc2,
    /// ETC2 RGB with punch-through alpha.
    Etc2PunchThrough,
    /// EAC alpha, then ETC2 RGB.
    Etc2Eac,
    /// EAC, one unsigned 11-bit channel.
    EacR11,
    /// EAC, one signed 11-bit channel.
    EacR11Signed,
    /// EAC, two unsigned 11-bit channels.
    EacRg11,
    /// EAC, two signed 11-bit channels.
    EacRg11Signed,
}

/// Families by the names of their formats.
const NAMES: [(&str, Family); 33] = [
    ("BC1_UNORM", Family::Bc1),
    ("BC1_UNORM_SRGB", Family::Bc1),
    ("FMT_BC1", Family::Bc1),
    ("DXT1_RGB", Family::Bc1Rgb),
    ("DXT1_RGB_SRGB", Family::Bc1Rgb),
    ("BC2_UNORM", Family::Bc2),
    ("BC2_UNORM_SRGB", Family::Bc2),
    ("FMT_BC2", Family::Bc2),
    ("BC3_UNORM", Family::Bc3),
    ("BC3_UNORM_SRGB", Family::Bc3),
    ("FMT_BC3", Family::Bc3),
    ("BC4_UNORM", Family::Bc4),
    ("BC4_SNORM", Family::Bc4Signed),
    ("FMT_BC4", Family::Bc4),
    ("BC5_UNORM", Family::Bc5),
    ("BC5_SNORM", Family::Bc5Signed),
    ("FMT_BC5", Family::Bc5),
    ("BC6H_UF16", Family::Bc6h),
    ("BC6H_SF16", Family::Bc6hSigned),
    ("BC7_UNORM", Family::Bc7),
    ("BC7_UNORM_SRGB", Family::Bc7),
    ("FXT1", Family::Fxt1),
    ("ETC1_RGB8", Family::Etc1),
    ("ETC2_RGB8", Family::Etc2),
    ("ETC2_SRGB8", Family::Etc2),
    ("ETC2_RGB8_PTA", Family::Etc2PunchThrough),
    ("ETC2_SRGB8_PTA", Family::Etc2PunchThrough),
    ("ETC2_EAC_RGBA8", Family::Etc2Eac),
    ("ETC2_EAC_SRGB8_A8", Family::Etc2Eac),
    ("EAC_R11", Family::EacR11),
    ("EAC_SIGNED_R11", Family::EacR11Signed),
    ("EAC_RG11", Family::EacRg11),
    ("EAC_SIGNED_RG11", Family::EacRg11Signed),
];

/// Most texels of a block.
pub const MOST_TEXELS: usize = 32;

impl Family {
    /// The family of a format, by the manual's name for it.
    #[must_use]
    pub fn named(format: &str) -> Option<Self> {
        NAMES.iter().find(|(name, _)| *name == format).map(|&(_, family)| family)
    }

    /// Bytes of a block.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Bc1 | Self::Bc1Rgb | Self::Bc4 | Self::Bc4Signed => 8,
            Self::Etc1 | Self::Etc2 | Self::Etc2PunchThrough => 8,
            Self::EacR11 | Self::EacR11Signed => 8,
            Self::Bc2 | Self::Bc3 | Self::Bc5 | Self::Bc5Signed | Self::Bc6h => 16,
            Self::Bc6hSigned | Self::Bc7 | Self::Fxt1 | Self::Etc2Eac => 16,
            Self::EacRg11 | Self::EacRg11Signed => 16,
        }
    }

    /// Texels in a row of a block; four rows make a block.
    #[must_use]
    pub const fn width(self) -> usize {
        if matches!(self, Self::Fxt1) { 8 } else { 4 }
    }

    /// Channels the family has no data for are 0, alpha 1. This many have data.
    #[must_use]
    pub const fn channels(self) -> usize {
        match self {
            Self::Bc4 | Self::Bc4Signed | Self::EacR11 | Self::EacR11Signed => 1,
            Self::Bc5 | Self::Bc5Signed | Self::EacRg11 | Self::EacRg11Signed => 2,
            Self::Bc1Rgb | Self::Bc6h | Self::Bc6hSigned | Self::Etc1 | Self::Etc2 => 3,
            _ => 4,
        }
    }

    /// Whether its channels are 255ths.
    const fn has_bytes(self) -> bool {
        matches!(self, Self::Bc7 | Self::Etc1 | Self::Etc2 | Self::Etc2PunchThrough | Self::Etc2Eac)
    }

    /// Whether its channels are fractions from 0 to 1 that 8 bits can show.
    const fn has_byte_steps(self) -> bool {
        !matches!(
            self,
            Self::Bc4Signed
                | Self::Bc5Signed
                | Self::Bc6h
                | Self::Bc6hSigned
                | Self::EacR11
                | Self::EacR11Signed
                | Self::EacRg11
                | Self::EacRg11Signed
        )
    }
}

/// Decodes one block: its texels row by row, red, green, blue and alpha each. With `linearise`,
/// red, green and blue are sRGB codes and become light; each result is rounded once. True: every
/// family is decoded.
///
/// # Panics
/// If there are not [`Family::bytes`] bytes, or fewer texels than the block has.
pub fn decode(family: Family, linearise: bool, block: &[u8], texels: &mut [[f32; 4]]) -> bool {
    let width = family.width();
    decode_surface(family, linearise, block, width, &mut texels[..4 * width])
}

/// Decodes rows of blocks that follow each other closely to a surface of `width` texels in a row.
/// True: every family is decoded.
///
/// # Panics
/// If `width` is not a multiple of the blocks' width, or `bytes` and `texels` do not fit.
pub fn decode_surface(
    family: Family,
    linearise: bool,
    bytes: &[u8],
    width: usize,
    texels: &mut [[f32; 4]],
) -> bool {
    match family {
        Family::Bc4Signed => rows::<Floats, _, _>(bc::bc4_signed, family, bytes, width, texels),
        Family::Bc5Signed => rows::<Floats, _, _>(bc::bc5_signed, family, bytes, width, texels),
        Family::Bc6h => rows::<Floats, _, _>(bc6h::bc6h::<false>, family, bytes, width, texels),
        Family::Bc6hSigned => {
            rows::<Floats, _, _>(bc6h::bc6h::<true>, family, bytes, width, texels);
        }
        Family::EacR11 => rows::<Floats, _, _>(eac::r11, family, bytes, width, texels),
        Family::EacR11Signed => rows::<Floats, _, _>(eac::r11_signed, family, bytes, width, texels),
        Family::EacRg11 => rows::<Floats, _, _>(eac::rg11, family, bytes, width, texels),
        Family::EacRg11Signed => {
            rows::<Floats, _, _>(eac::rg11_signed, family, bytes, width, texels);
        }
        _ if family.has_bytes() && linearise => widen::<Light>(family, bytes, width, texels),
        _ if family.has_bytes() => widen::<Floats>(family, bytes, width, texels),
        _ if linearise => decode_fractions::<Light>(family, bytes, width, texels),
        _ => decode_fractions::<Floats>(family, bytes, width, texels),
    }
    true
}

/// Decodes a surface to the nearest of 256 steps, for pictures. Only families whose channels are
/// fractions from 0 to 1 in about that many steps can be; returns false for the others.
///
/// # Panics
/// As [`decode_surface`].
#[must_use]
pub fn decode_picture(family: Family, bytes: &[u8], width: usize, texels: &mut [[u8; 4]]) -> bool {
    if !family.has_byte_steps() {
        return false;
    }
    match family {
        Family::Bc7 => rows::<Bytes, _, _>(bc7::bc7, family, bytes, width, texels),
        Family::Etc1 => rows::<Bytes, _, _>(etc::etc1, family, bytes, width, texels),
        Family::Etc2 => rows::<Bytes, _, _>(etc::etc2, family, bytes, width, texels),
        Family::Etc2PunchThrough => {
            rows::<Bytes, _, _>(etc::etc2_punch_through, family, bytes, width, texels);
        }
        Family::Etc2Eac => rows::<Bytes, _, _>(eac::etc2_alpha, family, bytes, width, texels),
        _ => decode_fractions::<Bytes>(family, bytes, width, texels),
    }
    true
}

/// Families of fractions from 0 to 1 that are no bytes, in any output.
fn decode_fractions<O: Output>(
    family: Family,
    bytes: &[u8],
    width: usize,
    texels: &mut [O::Stored],
) {
    match family {
        Family::Bc1 => {
            rows::<O, _, _>(
                |block| bc::bc1::<O>(block, Fourth::Transparent),
                family,
                bytes,
                width,
                texels,
            );
        }
        Family::Bc1Rgb => {
            rows::<O, _, _>(
                |block| bc::bc1::<O>(block, Fourth::Opaque),
                family,
                bytes,
                width,
                texels,
            );
        }
        Family::Bc2 => rows::<O, _, _>(bc::bc2::<O>, family, bytes, width, texels),
        Family::Bc3 => rows::<O, _, _>(bc::bc3::<O>, family, bytes, width, texels),
        Family::Bc4 => rows::<O, _, _>(bc::bc4::<O>, family, bytes, width, texels),
        Family::Bc5 => rows::<O, _, _>(bc::bc5::<O>, family, bytes, width, texels),
        Family::Fxt1 => rows::<O, _, _>(fxt1::fxt1::<O>, family, bytes, width, texels),
        _ => unreachable!("{family:?} has other numbers"),
    }
}

/// Decodes families of bytes by way of strips of a picture, whose rows are then made floats by
/// vectors.
fn widen<O: Output>(family: Family, bytes: &[u8], width: usize, texels: &mut [O::Stored]) {
    const STRIP: usize = 64;
    let row_of_blocks = check_sizes(family, bytes, width, texels.len());
    let mut picture = [[0; 4]; 4 * STRIP];
    for (blocks, texels) in
        bytes.chunks_exact(row_of_blocks).zip(texels.chunks_exact_mut(4 * width))
    {
        for (strip, blocks) in blocks.chunks(STRIP / 4 * family.bytes()).enumerate() {
            let strip_width = blocks.len() / family.bytes() * 4;
            let picture = &mut picture[..4 * strip_width];
            let decoded = decode_picture(family, blocks, strip_width, picture);
            debug_assert!(decoded, "{family:?} has no bytes");
            for (y, row) in picture.chunks_exact(strip_width).enumerate() {
                let start = y * width + strip * STRIP;
                O::of_bytes(row, &mut texels[start..start + strip_width]);
            }
        }
    }
}

/// The bytes of a row of blocks.
///
/// # Panics
/// If the sizes do not fit.
fn check_sizes(family: Family, bytes: &[u8], width: usize, texels: usize) -> usize {
    let row_of_blocks = width / family.width() * family.bytes();
    assert!(row_of_blocks > 0, "a row of {width} texels has no block");
    assert!(width.is_multiple_of(family.width()), "rows of {width} texels are no whole blocks");
    assert!(bytes.len().is_multiple_of(row_of_blocks), "the last row of blocks is cut off");
    assert_eq!(bytes.len() / row_of_blocks * 4 * width, texels, "blocks for other texels");
    row_of_blocks
}

/// Rows of blocks to rows of texels.
#[inline(always)]
fn rows<O: Output, const BYTES: usize, const WIDTH: usize>(
    decode: impl Fn([u8; BYTES]) -> [[O::Texel; WIDTH]; 4],
    family: Family,
    bytes: &[u8],
    width: usize,
    texels: &mut [O::Stored],
) {
    let blocks_in_row = check_sizes(family, bytes, width, texels.len()) / BYTES;
    let (blocks, _) = bytes.as_chunks();
    for (blocks, texels) in
        blocks.chunks_exact(blocks_in_row).zip(texels.chunks_exact_mut(4 * width))
    {
        for (column, block) in blocks.iter().enumerate() {
            for (y, row) in decode(*block).iter().enumerate() {
                let start = y * width + column * WIDTH;
                texels[start..start + WIDTH].copy_from_slice(&row.map(O::stored));
            }
        }
    }
}
