//! Blocks of the compressed formats, decoded by both implementations: every mode, every partition,
//! every index byte in every class of endpoints, and random ones. To the bit.
//!
//! `PARALLAX_BLOCKS=10000000` sets the number of random blocks of each family.

use parallax_executor::surface::blocks::{self, Family, MOST_TEXELS};
use parallax_isa::surface::{Format, named};
use parallax_lockstep::random::SplitMix64;
use parallax_reference::surface::{View, decode};
use rstest::rstest;

/// A format in both implementations.
struct Both {
    format: &'static Format,
    family: Family,
    linearise: bool,
}

impl Both {
    fn named(name: &str) -> Self {
        let (_, format) = named(None, name).unwrap_or_else(|error| panic!("{error}"));
        let family = Family::named(name).unwrap_or_else(|| panic!("{name} is of no family"));
        Self { format, family, linearise: name.contains("SRGB") }
    }

    /// Panics if the implementations differ.
    fn check(&self, block: &[u8]) {
        let Self { format, family, linearise } = *self;
        let view = View { linearise, ..View::default() };
        let reference = decode(format, block, &view).unwrap_or_else(|error| panic!("{error}"));
        let mut executor = [[f32::NAN; 4]; MOST_TEXELS];
        blocks::decode(family, linearise, block, &mut executor);
        assert_eq!(reference.len(), 4 * family.width());
        for (n, (reference, executor)) in reference.iter().zip(executor).enumerate() {
            let (expected, actual) = (reference.bits(), executor.map(|c| u64::from(c.to_bits())));
            let numbers = expected.map(|bits| f32::from_bits(bits as u32));
            assert!(
                expected == actual,
                "{} {block:02x?} texel {n}: reference {numbers:?}, executor {executor:?}",
                format.name
            );
        }
    }
}

fn random_blocks() -> u64 {
    std::env::var("PARALLAX_BLOCKS").map_or(1000, |count| count.parse().expect("a number"))
}

#[rstest]
fn random_blocks_decode_alike(
    #[values(
        "BC1_UNORM",
        "BC1_UNORM_SRGB",
        "DXT1_RGB",
        "DXT1_RGB_SRGB",
        "BC2_UNORM",
        "BC2_UNORM_SRGB",
        "BC3_UNORM",
        "BC3_UNORM_SRGB",
        "BC4_UNORM",
        "BC4_SNORM",
        "BC5_UNORM",
        "BC5_SNORM",
        "BC6H_UF16",
        "BC6H_SF16",
        "BC7_UNORM",
        "BC7_UNORM_SRGB",
        "FXT1",
        "ETC1_RGB8",
        "ETC2_RGB8",
        "ETC2_SRGB8",
        "ETC2_RGB8_PTA",
        "ETC2_SRGB8_PTA",
        "ETC2_EAC_RGBA8",
        "ETC2_EAC_SRGB8_A8",
        "EAC_R11",
        "EAC_SIGNED_R11",
        "EAC_RG11",
        "EAC_SIGNED_RG11"
    )]
    name: &str,
) {
    let both = Both::named(name);
    let mut random = SplitMix64::new(0x5EED);
    let mut block = vec![0; both.family.bytes()];
    for _ in 0..random_blocks() {
        random.fill(&mut block);
        both.check(&block);
    }
}

/// Every index byte at every place, for endpoints of every class: falling, rising, equal, and the
/// ends of the range with and without sign.
#[rstest]
fn every_index_byte_decodes_alike(
    #[values("BC4_UNORM", "BC4_SNORM", "BC5_UNORM", "BC5_SNORM")] name: &str,
) {
    const ENDPOINTS: [[u8; 2]; 12] = [
        [200, 100],
        [100, 200],
        [60, 20],
        [20, 60],
        [77, 77],
        [0, 0],
        [255, 255],
        [255, 0],
        [0, 255],
        [0x7F, 0x80],
        [0x80, 0x7F],
        [0x81, 0x80],
    ];
    let both = Both::named(name);
    let mut block = vec![0x5A; both.family.bytes()];
    let half = block.len() - 8;
    for endpoints in ENDPOINTS {
        block[half..half + 2].copy_from_slice(&endpoints);
        for place in 2..8 {
            for byte in 0..=255 {
                block[half + 2..].fill(0x39);
                block[half + place] = byte;
                both.check(&block);
            }
        }
    }
}

/// The same for EAC: classes are clamped and unclamped bases, multipliers with and without 0, every
/// row of modifiers.
#[rstest]
fn every_index_byte_of_eac_decodes_alike(
    #[values(
        "EAC_R11",
        "EAC_SIGNED_R11",
        "EAC_RG11",
        "EAC_SIGNED_RG11",
        "ETC2_EAC_RGBA8",
        "ETC2_EAC_SRGB8_A8"
    )]
    name: &str,
) {
    let both = Both::named(name);
    let mut block = vec![0xA5; both.family.bytes()];
    for base in [0, 1, 100, 0x7F, 0x80, 0x81, 0xFF] {
        for multiplier in [0x00, 0x10, 0xF0] {
            for row in 0..16 {
                block[..2].copy_from_slice(&[base, multiplier | row]);
                // Every byte at one place with every row, and at every place with one.
                let places = if row == 13 { 2..8 } else { 4..5 };
                for place in places {
                    for byte in (0..=255).step_by(if row == 13 { 1 } else { 5 }) {
                        block[2..8].fill(0xC6);
                        block[place] = byte;
                        both.check(&block);
                    }
                }
            }
        }
    }
}

/// Every mode of BC7 with every partition, rotation and index selection, and blocks of no mode.
#[rstest]
fn every_mode_of_bc7_decodes_alike(#[values("BC7_UNORM", "BC7_UNORM_SRGB")] name: &str) {
    let both = Both::named(name);
    let mut random = SplitMix64::new(7);
    let mut block = [0; 16];
    for mode in 0..=8 {
        for field in 0..64 * 16 {
            random.fill(&mut block);
            // The six bits behind the mode are the partition, or rotation and selection.
            let bits = (u128::from_le_bytes(block) >> 15 << 6) | (field % 64);
            let bits = if mode == 8 { bits << 8 } else { (bits << 1 | 1) << mode };
            both.check(&bits.to_le_bytes());
        }
    }
}

/// Every mode of BC6H with every partition, and the reserved ones.
#[rstest]
fn every_mode_of_bc6h_decodes_alike(#[values("BC6H_UF16", "BC6H_SF16")] name: &str) {
    let both = Both::named(name);
    let mut random = SplitMix64::new(6);
    let mut block = [0; 16];
    for mode in 0..32 {
        for field in 0..32 * 16 {
            random.fill(&mut block);
            let bits = u128::from_le_bytes(block) & !(31 << 77 | 31);
            both.check(&(bits | (field % 32) << 77 | mode).to_le_bytes());
        }
        // All endpoints of all ones, of all zeros, and of the sign alone.
        for fill in [0, 0xFF, 0x80, 0x7F, 0x55] {
            let bits = u128::from_le_bytes([fill; 16]) & !31;
            both.check(&(bits | mode).to_le_bytes());
        }
        // One bit of the block at a time: among others the least number of 16 bits, alone.
        for bit in 5..128 {
            both.check(&(1 << bit | mode).to_le_bytes());
        }
    }
}

/// Every mode of ETC: individual and differential, and by the overflow of red, green and blue T, H
/// and planar; with every table or distance, flipped or not.
#[rstest]
fn every_mode_of_etc_decodes_alike(
    #[values(
        "ETC1_RGB8",
        "ETC2_RGB8",
        "ETC2_SRGB8",
        "ETC2_RGB8_PTA",
        "ETC2_SRGB8_PTA",
        "ETC2_EAC_RGBA8"
    )]
    name: &str,
) {
    let both = Both::named(name);
    let mut random = SplitMix64::new(2);
    let mut block = vec![0; both.family.bytes()];
    let half = block.len() - 8;
    // Base 31 with difference 3, and 0 with -4, overflow; 16 with 1 does not.
    let sums: [u8; 3] = [31 << 3 | 3, 4, 16 << 3 | 1];
    for overflow in 0..27 {
        for tables in 0..=255 {
            random.fill(&mut block);
            block[half] = sums[overflow % 3];
            block[half + 1] = sums[overflow / 3 % 3];
            block[half + 2] = sums[overflow / 9];
            block[half + 3] = tables;
            both.check(&block);
        }
    }
}

/// Every kind of FXT1 block with every value of the bits that choose it.
#[test]
fn every_kind_of_fxt1_decodes_alike() {
    let both = Both::named("FXT1");
    let mut random = SplitMix64::new(1);
    let mut block = [0; 16];
    for kind in 0..16_u128 {
        for _ in 0..2000 {
            random.fill(&mut block);
            let bits = u128::from_le_bytes(block) << 4 >> 4 | kind << 124;
            both.check(&bits.to_le_bytes());
        }
    }
}
