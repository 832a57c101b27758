//! Compressed blocks against published decoders. They interpolate BC1 to BC5 in 8 bits; the others
//! agree to the bit.

use parallax_executor::surface::blocks::{Family, MOST_TEXELS, decode, decode_picture};
use rstest::rstest;

/// Pseudo-random blocks (SplitMix64), the same in every run.
struct Blocks(u64);

impl Blocks {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn block8(&mut self) -> [u8; 8] {
        self.word().to_le_bytes()
    }

    fn block16(&mut self) -> [u8; 16] {
        (u128::from(self.word()) << 64 | u128::from(self.word())).to_le_bytes()
    }
}

fn floats(family: Family, block: &[u8]) -> [[f32; 4]; 16] {
    let mut texels = [[f32::NAN; 4]; MOST_TEXELS];
    decode(family, false, block, &mut texels);
    texels[..16].try_into().expect("sixteen of 32")
}

fn picture(family: Family, block: &[u8]) -> [[u8; 4]; 16] {
    let mut texels = [[0; 4]; 16];
    assert!(decode_picture(family, block, 4, &mut texels));
    texels
}

fn bcdec(block: &[u8], decoder: fn(&[u8], &mut [u8], usize)) -> [[u8; 4]; 16] {
    let mut texels = [[0; 4]; 16];
    decoder(block, texels.as_flattened_mut(), 16);
    texels
}

fn texture2d(block: &[u8], decoder: fn(&[u8], &mut [u32])) -> [[u8; 4]; 16] {
    let mut texels = [0; 16];
    decoder(block, &mut texels);
    texels.map(|texel| {
        let [blue, green, red, alpha] = texel.to_le_bytes();
        [red, green, blue, alpha]
    })
}

/// Two pictures differ by at most two steps in any channel.
fn assert_near(family: Family, block: &[u8], theirs: &[[u8; 4]; 16]) {
    for (n, (our, their)) in picture(family, block).iter().zip(theirs).enumerate() {
        for (a, b) in our.iter().zip(their) {
            assert!(a.abs_diff(*b) <= 2, "{family:?} {block:02x?} texel {n}: {our:?} {their:?}");
        }
    }
}

#[test]
fn bc1_to_bc3_are_near_bcdec() {
    let mut blocks = Blocks(1);
    for _ in 0..20_000 {
        let (small, large) = (blocks.block8(), blocks.block16());
        assert_near(Family::Bc1, &small, &bcdec(&small, bcdec_rs::bc1));
        assert_near(Family::Bc1Rgb, &small, &texture2d(&small, texture2ddecoder::decode_bc1_block));
        assert_near(Family::Bc2, &large, &bcdec(&large, bcdec_rs::bc2));
        assert_near(Family::Bc3, &large, &bcdec(&large, bcdec_rs::bc3));
    }
}

#[rstest]
#[case(Family::Bc4, Family::Bc5, false)]
#[case(Family::Bc4Signed, Family::Bc5Signed, true)]
fn bc4_and_bc5_are_those_of_bcdec(#[case] one: Family, #[case] two: Family, #[case] signed: bool) {
    let mut blocks = Blocks(2);
    for _ in 0..20_000 {
        let block = blocks.block16();
        let mut red = [0.0; 16];
        bcdec_rs::bc4_float(&block[..8], &mut red, 4, signed);
        let mut pairs = [0.0; 32];
        bcdec_rs::bc5_float(&block, &mut pairs, 8, signed);
        let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
        // They order -128 before -127; here the two are equal.
        let low = |bytes: &[u8]| signed && bytes[..2].contains(&0x80);
        for n in 0..16 {
            let [r, g] = [0, 1].map(|channel| floats(two, &block)[n][channel]);
            if !low(&block[..8]) {
                assert!(near(floats(one, &block[..8])[n][0], red[n]), "{block:02x?}");
                assert!(near(r, pairs[2 * n]), "{block:02x?}");
            }
            assert!(low(&block[8..]) || near(g, pairs[2 * n + 1]), "{block:02x?}");
        }
    }
}

/// Every mode of BC7 with every partition.
#[rstest]
fn bc7_is_that_of_both(#[values(0, 1, 2, 3, 4, 5, 6, 7)] mode: u32) {
    let mut blocks = Blocks(3);
    for n in 0..6400_u128 {
        let random = u128::from_le_bytes(blocks.block16()) >> 14;
        let block = (((random << 6) | (n % 64)) << (mode + 1) | 1 << mode).to_le_bytes();
        let our = picture(Family::Bc7, &block);
        assert_eq!(our, bcdec(&block, bcdec_rs::bc7), "{block:02x?}");
        assert_eq!(our, texture2d(&block, texture2ddecoder::decode_bc7_block), "{block:02x?}");
    }
}

#[test]
fn a_bc7_block_without_mode_is_clear() {
    let mut block = [0xFF; 16];
    block[0] = 0;
    assert_eq!(picture(Family::Bc7, &block), [[0; 4]; 16]);
}

/// Every mode of BC6H with every partition, and the reserved ones.
#[rstest]
#[case(Family::Bc6h, false)]
#[case(Family::Bc6hSigned, true)]
fn bc6h_is_that_of_bcdec(#[case] family: Family, #[case] signed: bool) {
    let mut blocks = Blocks(4);
    for n in 0..64_000_u128 {
        let random = u128::from_le_bytes(blocks.block16());
        let block = (random & !(31 << 77 | 31)) | ((n / 32 % 32) << 77) | (n % 32);
        let mut theirs = [0; 48];
        bcdec_rs::bc6h_half(&block.to_le_bytes(), &mut theirs, 12, signed);
        let theirs = theirs.map(|half| half::f16::from_bits(half).to_f32().to_bits());
        for (our, their) in floats(family, &block.to_le_bytes()).iter().zip(theirs.chunks(3)) {
            assert_eq!(
                our[..3].iter().map(|c| c.to_bits()).collect::<Vec<_>>(),
                their,
                "{block:x}"
            );
            assert_eq!(our[3], 1.0);
        }
    }
}

/// The least stored number of 16 bits is past the range of finite half floats.
#[test]
fn the_least_number_of_bc6h_is_infinite() {
    // One subset of 16 bits: red's uppermost bit comes first of those behind the difference.
    let block = (1_u128 << 39 | 0b01111).to_le_bytes();
    let mut theirs = [0; 48];
    bcdec_rs::bc6h_half(&block, &mut theirs, 12, true);
    assert_eq!(theirs[0], 0xFC00);
    assert_eq!(floats(Family::Bc6hSigned, &block)[0], [f32::NEG_INFINITY, 0.0, 0.0, 1.0]);
}

/// Random blocks reach every mode of ETC2.
#[rstest]
#[case(Family::Etc1, texture2ddecoder::decode_etc1_block)]
#[case(Family::Etc2, texture2ddecoder::decode_etc2_rgb_block)]
#[case(Family::Etc2PunchThrough, texture2ddecoder::decode_etc2_rgba1_block)]
fn etc_is_that_of_texture2ddecoder(#[case] family: Family, #[case] decoder: fn(&[u8], &mut [u32])) {
    let mut blocks = Blocks(5);
    for _ in 0..100_000 {
        let block = blocks.block8();
        let mut theirs = texture2d(&block, decoder);
        // They keep the colour of transparent texels; it is black.
        theirs.iter_mut().filter(|texel| texel[3] == 0).for_each(|texel| *texel = [0; 4]);
        assert_eq!(picture(family, &block), theirs, "{block:02x?}");
    }
}

#[test]
fn etc2_with_alpha_is_that_of_texture2ddecoder() {
    let mut blocks = Blocks(6);
    for _ in 0..50_000 {
        let block = blocks.block16();
        let theirs = texture2d(&block, texture2ddecoder::decode_etc2_rgba8_block);
        assert_eq!(picture(Family::Etc2Eac, &block), theirs, "{block:02x?}");
    }
}

/// Where the multiplier is not 0, the upper 8 bits of an 11-bit channel are EAC alpha.
#[test]
fn eleven_bits_continue_eight() {
    let mut blocks = Blocks(7);
    for _ in 0..20_000 {
        let mut block = blocks.block8();
        block[1] |= 0x10;
        let alpha = texture2d(&block, texture2ddecoder::decode_etc2_a8_block).map(|t| t[3]);
        let our = floats(Family::EacR11, &block).map(|t| (t[0] * 2047.0).round() as u32 >> 3);
        assert_eq!(our, alpha.map(u32::from), "{block:02x?}");
    }
}

#[test]
fn eac_corners() {
    // Multiplier 0 adds an eighth of the modifier, here -3.
    let block = [100, 0x00, 0, 0, 0, 0, 0, 0];
    let first = |family, block: &[u8]| floats(family, block)[0][0];
    assert_eq!(first(Family::EacR11, &block), (804.0 - 3.0) / 2047.0);
    assert_eq!(first(Family::EacR11Signed, &block), (800.0 - 3.0) / 1023.0);
    // -128 is -127, and there is nothing below -1.
    assert_eq!(first(Family::EacR11Signed, &[0x80, 0, 0, 0, 0, 0, 0, 0]), -1019.0 / 1023.0);
    assert_eq!(first(Family::EacR11Signed, &[0x80, 0xF0, 0, 0, 0, 0, 0, 0]), -1.0);
    assert_eq!(first(Family::EacR11, &[0xFF, 0xF0, 0xFF, 0xFF, 0, 0, 0, 0]), 1.0);
    let both = floats(Family::EacRg11, &[100, 0, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0])[5];
    assert_eq!(both, [801.0 / 2047.0, 1601.0 / 2047.0, 0.0, 1.0]);
}
