//! Compressed formats against published decoders. Where they differ, `decisions.md` says who is
//! right (D-surface-bc-exact, D-surface-third-opinions).

use parallax_isa::surface::named;
use parallax_reference::surface::{View, decode};
use rstest::rstest;

/// Pseudo-random blocks (xorshift), so that every run is the same.
struct Blocks(u64);

impl Blocks {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn block<const BYTES: usize>(&mut self) -> [u8; BYTES] {
        let mut block = [0; BYTES];
        for part in block.chunks_mut(8) {
            let word = self.next().to_le_bytes();
            part.copy_from_slice(&word[..part.len()]);
        }
        block
    }
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// The texels of a block as floats.
fn ours(name: &str, bytes: &[u8]) -> Vec<[f32; 4]> {
    let format = named(None, name).unwrap_or_else(|error| panic!("{error}")).1;
    let texels = decode(format, bytes, &View::default()).unwrap_or_else(|error| panic!("{error}"));
    texels.iter().map(|t| t.bits().map(|bits| f32::from_bits(bits as u32))).collect()
}

/// The texels of a block as bytes; they must be whole bytes.
fn our_bytes(name: &str, bytes: &[u8]) -> Vec<[u8; 4]> {
    let whole = |value: f32| {
        let scaled = value * 255.0;
        assert!((scaled - scaled.round()).abs() < 1e-4, "{name}: {value} is no byte");
        scaled.round() as u8
    };
    ours(name, bytes).into_iter().map(|texel| texel.map(whole)).collect()
}

/// Every texel of two decoders within `tolerance` 255ths.
fn assert_near(name: &str, block: &[u8], theirs: &[[u8; 4]], tolerance: f32) {
    for (n, (our, their)) in ours(name, block).iter().zip(theirs).enumerate() {
        for channel in 0..4 {
            let difference = (our[channel] * 255.0 - f32::from(their[channel])).abs();
            assert!(
                difference <= tolerance,
                "{name} {block:02X?} texel {n}: {our:?} and {their:?} differ by {difference}"
            );
        }
    }
}

fn bcdec<const BYTES: usize>(
    block: [u8; BYTES],
    decoder: fn(&[u8], &mut [u8], usize),
) -> Vec<[u8; 4]> {
    let mut out = [0; 64];
    decoder(&block, &mut out, 16);
    out.chunks(4).map(|texel| [texel[0], texel[1], texel[2], texel[3]]).collect()
}

fn texture2d(block: &[u8], decoder: fn(&[u8], &mut [u32])) -> Vec<[u8; 4]> {
    let mut out = [0; 16];
    decoder(block, &mut out);
    let rgba = |texel: u32| {
        let [b, g, r, a] = texel.to_le_bytes();
        [r, g, b, a]
    };
    out.into_iter().map(rgba).collect()
}

/// Red, green, blue and alpha of one block, by the crate `dds`.
fn dds(block: &[u8], format: dds::Format) -> Vec<[f32; 4]> {
    let mut texels = [0_u8; 4 * 4 * 16];
    let size = dds::Size::new(4, 4);
    let image = dds::ImageViewMut::new(&mut texels, size, dds::ColorFormat::RGBA_F32);
    let image = image.expect("a picture of one block");
    dds::decode(&mut &*block, image, format, &dds::DecodeOptions::default()).expect("one block");
    let channel = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let texel = |bytes: &[u8]| [0, 4, 8, 12].map(|at| channel(&bytes[at..at + 4]));
    texels.chunks(16).map(texel).collect()
}

/// Exact colours and 8-bit ones differ by the widening (under half a step) and the rounding of
/// what lies between (under one step).
const EIGHT_BITS: f32 = 1.5;

/// A block of BC2 or BC3 whose first colour is the greater, so that there are four by any reading;
/// nothing if both are the same.
fn with_four_colours(mut block: [u8; 16]) -> Option<[u8; 16]> {
    let colour = |block: &[u8], at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
    if colour(&block, 8) < colour(&block, 10) {
        let (first, second) = block.split_at_mut(10);
        first[8..].swap_with_slice(&mut second[..2]);
    }
    (colour(&block, 8) != colour(&block, 10)).then_some(block)
}

#[test]
fn bc1_to_bc3_agree_within_a_step() {
    let mut blocks = Blocks(SEED);
    for _ in 0..4000 {
        let block: [u8; 8] = blocks.block();
        assert_near("BC1_UNORM", &block, &bcdec(block, bcdec_rs::bc1), EIGHT_BITS);
        assert_near(
            "BC1_UNORM",
            &block,
            &texture2d(&block, texture2ddecoder::decode_bc1a_block),
            EIGHT_BITS,
        );
        assert_near(
            "DXT1_RGB",
            &block,
            &texture2d(&block, texture2ddecoder::decode_bc1_block),
            EIGHT_BITS,
        );
        let block: [u8; 16] = blocks.block();
        assert_near("BC2_UNORM", &block, &bcdec(block, bcdec_rs::bc2), EIGHT_BITS);
        assert_near("BC3_UNORM", &block, &bcdec(block, bcdec_rs::bc3), EIGHT_BITS);
        // texture2ddecoder lets BC2 and BC3 have three colours; here the block has four anyway.
        if let Some(block) = with_four_colours(block) {
            assert_near(
                "BC2_UNORM",
                &block,
                &texture2d(&block, texture2ddecoder::decode_bc2_block),
                EIGHT_BITS,
            );
            assert_near(
                "BC3_UNORM",
                &block,
                &texture2d(&block, texture2ddecoder::decode_bc3_block),
                EIGHT_BITS,
            );
        }
    }
}

/// Equal endpoints, ordered endpoints, the ends of the range.
#[test]
fn bc4_and_bc5_agree() {
    let mut blocks = Blocks(SEED);
    let corners = [0_u8, 1, 126, 127, 128, 129, 254, 255];
    for n in 0..4000 {
        let mut block: [u8; 16] = blocks.block();
        if n < 64 {
            block[0] = corners[n / 8];
            block[1] = corners[n % 8];
        }
        let half: [u8; 8] = block[..8].try_into().expect("eight bytes");
        for signed in [false, true] {
            let names =
                if signed { ["BC4_SNORM", "BC5_SNORM"] } else { ["BC4_UNORM", "BC5_UNORM"] };
            let mut red = [0.0; 16];
            bcdec_rs::bc4_float(&half, &mut red, 4, signed);
            for (our, their) in ours(names[0], &half).iter().zip(red) {
                assert!((our[0] - their).abs() < 1e-6, "{} {half:02X?}: {our:?} {their}", names[0]);
            }
            let mut pair = [0.0; 32];
            bcdec_rs::bc5_float(&block, &mut pair, 8, signed);
            for (our, their) in ours(names[1], &block).iter().zip(pair.chunks(2)) {
                assert!((our[0] - their[0]).abs() < 1e-6 && (our[1] - their[1]).abs() < 1e-6);
            }
        }
        let theirs = texture2d(&half, texture2ddecoder::decode_bc4_block);
        for (our, their) in ours("BC4_UNORM", &half).iter().zip(theirs) {
            assert!((our[0] * 255.0 - f32::from(their[0])).abs() <= 1.0);
        }
    }
}

/// Every mode of BC7, with every partition; bit for bit.
#[rstest]
fn bc7_agrees(#[values(0, 1, 2, 3, 4, 5, 6, 7)] mode: u32) {
    let mut blocks = Blocks(SEED);
    for n in 0..3000_u128 {
        let random = u128::from_le_bytes(blocks.block());
        // The partition follows the mode number; every one of them comes up in turn.
        let partition = if mode < 4 || mode == 7 { n % 64 } else { random >> 100 & 63 };
        let block = (random << 6 | partition) << (mode + 1) | 1 << mode;
        let block = block.to_le_bytes();
        let our = our_bytes("BC7_UNORM", &block);
        assert_eq!(our, bcdec(block, bcdec_rs::bc7), "{block:02X?}");
        assert_eq!(our, texture2d(&block, texture2ddecoder::decode_bc7_block), "{block:02X?}");
    }
}

/// A block of no mode is transparent black.
#[test]
fn reserved_bc7_blocks_are_zero() {
    let mut block = [0xFF; 16];
    block[0] = 0;
    assert_eq!(our_bytes("BC7_UNORM", &block), [[0; 4]; 16]);
}

/// Every mode of BC6H, signed and unsigned, with every partition; bit for bit.
#[rstest]
#[case(0b00, 2)]
#[case(0b01, 2)]
#[case(0b00010, 5)]
#[case(0b00110, 5)]
#[case(0b01010, 5)]
#[case(0b01110, 5)]
#[case(0b10010, 5)]
#[case(0b10110, 5)]
#[case(0b11010, 5)]
#[case(0b11110, 5)]
#[case(0b00011, 5)]
#[case(0b00111, 5)]
#[case(0b01011, 5)]
#[case(0b01111, 5)]
#[case(0b10011, 5)]
#[case(0b10111, 5)]
#[case(0b11011, 5)]
#[case(0b11111, 5)]
fn bc6h_agrees(#[case] mode: u128, #[case] bits: u32) {
    let mut blocks = Blocks(SEED);
    for n in 0..2000_u128 {
        let random = u128::from_le_bytes(blocks.block()) >> bits << bits;
        let two_regions = random & !(31 << 77) | (n % 32) << 77;
        let block = (two_regions | mode).to_le_bytes();
        for (name, signed) in [("BC6H_UF16", false), ("BC6H_SF16", true)] {
            let mut theirs = [0_u16; 48];
            bcdec_rs::bc6h_half(&block, &mut theirs, 12, signed);
            for (our, their) in ours(name, &block).iter().zip(theirs.chunks(3)) {
                let their: Vec<_> =
                    their.iter().map(|&h| half::f16::from_bits(h).to_f32().to_bits()).collect();
                let our: Vec<_> = our[..3].iter().map(|c| c.to_bits()).collect();
                assert_eq!(our, their, "{name} {block:02X?}");
            }
        }
    }
}

/// The second opinion of BC6H and the third of the others; none of channels that BC4 and BC5 lack,
/// since `dds` makes grey of BC4.
#[rstest]
#[case("BC1_UNORM", dds::Format::BC1_UNORM, 4, EIGHT_BITS)]
#[case("BC2_UNORM", dds::Format::BC2_UNORM, 4, EIGHT_BITS)]
#[case("BC3_UNORM", dds::Format::BC3_UNORM, 4, EIGHT_BITS)]
#[case("BC4_UNORM", dds::Format::BC4_UNORM, 1, 0.001)]
#[case("BC4_SNORM", dds::Format::BC4_SNORM, 1, 0.001)]
#[case("BC5_UNORM", dds::Format::BC5_UNORM, 2, 0.001)]
#[case("BC5_SNORM", dds::Format::BC5_SNORM, 2, 0.001)]
#[case("BC6H_UF16", dds::Format::BC6H_UF16, 3, 0.0)]
#[case("BC6H_SF16", dds::Format::BC6H_SF16, 3, 0.0)]
#[case("BC7_UNORM", dds::Format::BC7_UNORM, 4, 0.001)]
fn dds_agrees(
    #[case] name: &str,
    #[case] format: dds::Format,
    #[case] channels: usize,
    #[case] tolerance: f32,
) {
    let mut blocks = Blocks(SEED);
    let bytes = if name.contains("BC1") || name.contains("BC4") { 8 } else { 16 };
    let mut differing = 0;
    for _ in 0..20_000 {
        let mut block = blocks.block();
        if name == "BC3_UNORM" {
            // dds lets BC3 have three colours.
            let Some(ordered) = with_four_colours(block) else { continue };
            block = ordered;
        }
        let block = &block[..bytes];
        let theirs = dds(block, format);
        for (our, mut their) in ours(name, block).into_iter().zip(theirs) {
            if name.contains("SNORM") {
                // They give -1 to 1 as 0 to 1.
                their = their.map(|share| 2.0 * share - 1.0);
            }
            let near = |channel: usize| {
                let (our, their) = (our[channel], their[channel]);
                our.to_bits() == their.to_bits() || ((our - their) * 255.0).abs() <= tolerance
            };
            if !(0..channels).all(near) {
                differing += 1;
                if differing < 5 {
                    println!("{name} {block:02x?}: {our:?} and {their:?}");
                }
            }
        }
    }
    assert_eq!(differing, 0, "texels of {name}");
}

/// ETC1 and ETC2, bit for bit; random blocks reach every mode.
#[rstest]
#[case("ETC1_RGB8", texture2ddecoder::decode_etc1_block)]
#[case("ETC2_RGB8", texture2ddecoder::decode_etc2_rgb_block)]
#[case("ETC2_RGB8_PTA", texture2ddecoder::decode_etc2_rgba1_block)]
fn etc_agrees(#[case] name: &str, #[case] decoder: fn(&[u8], &mut [u32])) {
    let mut blocks = Blocks(SEED);
    for _ in 0..20_000 {
        let block: [u8; 8] = blocks.block();
        let mut theirs = texture2d(&block, decoder);
        // They keep the colour of transparent texels, which is black by the specification.
        theirs.iter_mut().filter(|texel| texel[3] == 0).for_each(|texel| *texel = [0; 4]);
        assert_eq!(our_bytes(name, &block), theirs, "{name} {block:02X?}");
    }
}

#[test]
fn etc2_with_eac_alpha_agrees() {
    let mut blocks = Blocks(SEED);
    for _ in 0..10_000 {
        let block: [u8; 16] = blocks.block();
        let theirs = texture2d(&block, texture2ddecoder::decode_etc2_rgba8_block);
        assert_eq!(our_bytes("ETC2_EAC_RGBA8", &block), theirs, "{block:02X?}");
    }
}

/// The 11-bit channels have the codes and tables of 8-bit alpha: where the multiplier is not 0,
/// their upper 8 bits are that alpha.
#[test]
fn eac_channels_agree_with_eac_alpha() {
    let mut blocks = Blocks(SEED);
    for _ in 0..10_000 {
        let mut block: [u8; 8] = blocks.block();
        block[1] |= 0x10;
        let alpha = |block: &[u8; 8]| -> Vec<u8> {
            texture2d(block, texture2ddecoder::decode_etc2_a8_block).iter().map(|t| t[3]).collect()
        };
        for (our, their) in ours("EAC_R11", &block).iter().zip(alpha(&block)) {
            assert_eq!((our[0] * 2047.0).round() as i32 >> 3, i32::from(their), "{block:02X?}");
        }
        // Signed values are those of a base moved by 128, without the half step.
        let mut moved = block;
        moved[0] = block[0].wrapping_add(128);
        for (our, their) in ours("EAC_SIGNED_R11", &block).iter().zip(alpha(&moved)) {
            let value = (our[0] * 1023.0).round() as i32;
            let inside = (1..255).contains(&their);
            assert!(!inside || value == (i32::from(their) - 128) * 8 || block[0] == 0x80);
        }
    }
}

/// Multiplier 0 adds the modifier itself, an eighth of a step.
#[test]
fn eac_multiplier_zero() {
    let block = [100, 0x00, 0, 0, 0, 0, 0, 0];
    assert_eq!((ours("EAC_R11", &block)[0][0] * 2047.0).round(), 804.0 - 3.0);
    assert_eq!((ours("EAC_SIGNED_R11", &block)[0][0] * 1023.0).round(), 800.0 - 3.0);
    let both = ours("EAC_RG11", &[100, 0, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0])[5];
    assert_eq!(both.map(|c| (c * 2047.0).round()), [801.0, 1601.0, 0.0, 2047.0]);
    assert_eq!(ours("EAC_SIGNED_RG11", &[0x80; 16])[0][2..], [0.0, 1.0]);
}

/// sRGB blocks are linear ones by the curve, but for alpha.
#[test]
fn srgb_blocks_are_linear_ones_curved() {
    let mut blocks = Blocks(SEED);
    let curve = |c: f32| {
        let c = f64::from(c);
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    for _ in 0..100 {
        let block: [u8; 16] = blocks.block();
        for (linear, srgb) in [
            ("BC3_UNORM", "BC3_UNORM_SRGB"),
            ("BC7_UNORM", "BC7_UNORM_SRGB"),
            ("ETC2_EAC_RGBA8", "ETC2_EAC_SRGB8_A8"),
        ] {
            for (a, b) in ours(linear, &block).iter().zip(ours(srgb, &block)) {
                for channel in 0..3 {
                    assert!((curve(a[channel]) - f64::from(b[channel])).abs() < 1e-6);
                }
                assert_eq!(a[3], b[3]);
            }
        }
    }
}
