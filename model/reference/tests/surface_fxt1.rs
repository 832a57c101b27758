//! FXT1, block by block by hand: no published decoder in Rust is known.

use parallax_isa::surface::named;
use parallax_reference::surface::{View, decode};

/// A block from fields `(lowest bit, value)`.
fn block(fields: &[(u32, u128)]) -> [u8; 16] {
    fields.iter().fold(0_u128, |block, &(lsb, value)| block | value << lsb).to_le_bytes()
}

fn texels(block: [u8; 16]) -> Vec<[f32; 4]> {
    let format = named(None, "FXT1").expect("exists").1;
    let texels = decode(format, &block, &View::default()).expect("decodes");
    assert_eq!(texels.len(), 32);
    texels.iter().map(|t| t.bits().map(|bits| f32::from_bits(bits as u32))).collect()
}

/// A 15-bit colour: red on top.
const fn rgb(r: u128, g: u128, b: u128) -> u128 {
    r << 10 | g << 5 | b
}

const CLEAR: [f32; 4] = [0.0; 4];

fn thirds(numerator: f64, denominator: f64) -> f32 {
    (numerator / denominator) as f32
}

/// Mode 00: seven steps and transparent; texel (x, y) of the right half is code 16 + 4y + x - 4.
#[test]
fn high_mode() {
    let codes: u128 = (0..8).fold(0, |codes, n| codes | n << (3 * n)) | 6 << (3 * 16);
    let t = texels(block(&[(0, codes), (96, rgb(31, 0, 0)), (111, rgb(0, 0, 31))]));
    assert_eq!(t[0], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(t[2], [thirds(4.0, 6.0), 0.0, thirds(2.0, 6.0), 1.0]);
    assert_eq!(t[8], [thirds(2.0, 6.0), 0.0, thirds(4.0, 6.0), 1.0], "second row, code 4");
    assert_eq!(t[8 + 2], [0.0, 0.0, 1.0, 1.0], "code 6");
    assert_eq!(t[8 + 3], CLEAR, "code 7");
    assert_eq!(t[4], [0.0, 0.0, 1.0, 1.0], "first of the right half");
}

/// Mode 010: four colours.
#[test]
fn chroma_mode() {
    let colours =
        [(64, rgb(31, 0, 0)), (79, rgb(0, 31, 0)), (94, rgb(0, 0, 31)), (109, rgb(31, 31, 31))];
    let codes = [(0, 0b11_10_01_00), (32, 0b10)];
    let t = texels(block(&[&colours[..], &codes[..], &[(125, 0b010)]].concat()));
    assert_eq!(t[0], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(t[1], [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(t[2], [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(t[3], [1.0; 4]);
    assert_eq!(t[4], [0.0, 0.0, 1.0, 1.0]);
}

/// Mode 011 without lerp: three colours with alpha, and transparent; with lerp: two colours and
/// two between.
#[test]
fn alpha_mode() {
    let colours = [(64, rgb(31, 0, 0)), (79, rgb(0, 31, 0)), (94, rgb(0, 0, 31))];
    let alphas = [(109, 31), (114, 0), (119, 15)];
    let codes = [(0, 0b11_10_01_00), (32, 0b01)];
    let fields =
        |lerp| [&colours[..], &alphas[..], &codes[..], &[(125, 0b011), (124, lerp)]].concat();
    let t = texels(block(&fields(0)));
    assert_eq!(t[0], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(t[1], [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(t[2], [0.0, 0.0, 1.0, thirds(15.0, 31.0)]);
    assert_eq!(t[3], CLEAR);
    let t = texels(block(&fields(1)));
    assert_eq!(t[0], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(t[1], [thirds(2.0, 3.0), thirds(1.0, 3.0), 0.0, thirds(2.0, 3.0)]);
    assert_eq!(t[3], [0.0, 1.0, 0.0, 0.0]);
    // Right half: from colour 2, alpha 15/31.
    assert_eq!(t[4], [0.0, thirds(1.0, 3.0), thirds(2.0, 3.0), thirds(30.0, 93.0)]);
}

/// Mode 1xx: green has a sixth bit, the first colour's flipped by the high bit of code 0.
#[test]
fn mixed_mode() {
    let colours =
        [(64, rgb(31, 0, 0)), (79, rgb(0, 31, 0)), (94, rgb(0, 0, 31)), (109, rgb(31, 31, 31))];
    let fields = |alpha, codes| {
        [&colours[..], &[(0, codes), (127, 1), (125, 1), (126, 0), (124, alpha)]].concat()
    };
    // Code 0 of the first texel has high bit 0: the first colour's green bit is 1 ^ 0.
    let t = texels(block(&fields(0, 0b11_01_00)));
    assert_eq!(t[0], [1.0, thirds(1.0, 63.0), 0.0, 1.0]);
    assert_eq!(t[1], [thirds(2.0, 3.0), thirds(65.0, 189.0), 0.0, 1.0]);
    assert_eq!(t[2], [0.0, 1.0, 0.0, 1.0]);
    // With high bit 1 (code 2) the first colour's green bit is 1 ^ 1.
    let t = texels(block(&fields(0, 0b00_10)));
    assert_eq!(t[1], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(t[0], [thirds(1.0, 3.0), thirds(2.0, 3.0), 0.0, 1.0]);
    // The right half: green bit 0, so 31 is 62 of 63.
    assert_eq!(t[4], [0.0, 0.0, 1.0, 1.0]);
    // Transparent variant: one colour between, half way, and nothing.
    let t = texels(block(&fields(1, 0b11_10_01_00)));
    assert_eq!(t[0], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(t[1], [0.5, 0.5, 0.0, 1.0]);
    assert_eq!(t[2], [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(t[3], CLEAR);
}
