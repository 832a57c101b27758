//! EAC: a base and multiples of a row of modifiers, as 8-bit alpha or as an 11-bit channel.
//!
//! Blocks are big-endian 64-bit words: base 63:56, multiplier 55:52, row 51:48, then 3 bits a texel
//! down the columns.

use super::{
    bc, etc,
    output::{Block, Floats, Output, red, red_green},
};

/// The modifiers of codes 0 to 3; each of codes 4 to 7 is the negative of one, less 1.
const MODIFIERS: [[i32; 4]; 16] = [
    [-3, -6, -9, -15],
    [-3, -7, -10, -13],
    [-2, -5, -8, -13],
    [-2, -4, -6, -13],
    [-3, -6, -8, -12],
    [-3, -7, -9, -11],
    [-4, -7, -8, -11],
    [-3, -5, -8, -11],
    [-2, -6, -8, -10],
    [-2, -5, -8, -10],
    [-2, -4, -8, -10],
    [-2, -5, -7, -10],
    [-3, -4, -7, -10],
    [-1, -2, -3, -10],
    [-4, -6, -8, -9],
    [-3, -5, -7, -9],
];

/// The numbers of the eight codes from what a modifier becomes.
#[inline(always)]
fn steps<T: Copy>(word: u64, number: impl Fn(i32) -> T) -> [T; 8] {
    let [a, b, c, d] = MODIFIERS[(word >> 48 & 15) as usize];
    [a, b, c, d, -a - 1, -b - 1, -c - 1, -d - 1].map(number)
}

/// The multiplier of the modifiers.
#[inline(always)]
fn multiplier(word: u64) -> i32 {
    (word >> 52 & 15) as i32
}

/// Texels row by row, from the numbers of the codes.
#[inline(always)]
fn texels<T: Copy>(word: u64, steps: [T; 8]) -> [T; 16] {
    std::array::from_fn(|n| {
        let down = 4 * (n % 4) + n / 4;
        steps[(word >> (45 - 3 * down) & 7) as usize]
    })
}

/// Eights of 11-bit numbers: a multiplier of 0 stands for an eighth.
#[inline(always)]
fn eights(word: u64) -> i32 {
    match multiplier(word) {
        0 => 1,
        whole => 8 * whole,
    }
}

/// An unsigned 11-bit channel: the base is in the middle of its eight.
#[inline(always)]
fn unsigned(bytes: [u8; 8]) -> [f32; 16] {
    let word = u64::from_be_bytes(bytes);
    let (base, factor) = (8 * i32::from(bytes[0]) + 4, eights(word));
    let number = |modifier: i32| (base + factor * modifier).clamp(0, 2047);
    texels(word, steps(word, |modifier| number(modifier) as f32 / 2047.0))
}

/// A signed 11-bit channel. A base of -128 counts as -127.
#[inline(always)]
fn signed(bytes: [u8; 8]) -> [f32; 16] {
    let word = u64::from_be_bytes(bytes);
    let (base, factor) = (8 * i32::from(bytes[0] as i8).max(-127), eights(word));
    let number = |modifier: i32| (base + factor * modifier).clamp(-1023, 1023);
    texels(word, steps(word, |modifier| number(modifier) as f32 / 1023.0))
}

#[inline(always)]
fn pair(bytes: [u8; 16], channel: fn([u8; 8]) -> [f32; 16]) -> Block<Floats> {
    let [first, second] = bc::halves(bytes).map(|half| channel(half.to_le_bytes()));
    red_green::<Floats>(first, second)
}

/// EAC_R11.
#[inline(always)]
pub(super) fn r11(bytes: [u8; 8]) -> Block<Floats> {
    red::<Floats>(unsigned(bytes))
}

/// EAC_SIGNED_R11.
#[inline(always)]
pub(super) fn r11_signed(bytes: [u8; 8]) -> Block<Floats> {
    red::<Floats>(signed(bytes))
}

/// EAC_RG11.
#[inline(always)]
pub(super) fn rg11(bytes: [u8; 16]) -> Block<Floats> {
    pair(bytes, unsigned)
}

/// EAC_SIGNED_RG11.
#[inline(always)]
pub(super) fn rg11_signed(bytes: [u8; 16]) -> Block<Floats> {
    pair(bytes, signed)
}

/// ETC2_EAC_RGBA8: alpha, then an ETC2 block.
#[inline(always)]
pub(super) fn etc2_alpha<O: Output>(bytes: [u8; 16]) -> Block<O> {
    let [alpha, colour] = bc::halves(bytes).map(u64::to_le_bytes);
    let word = u64::from_be_bytes(alpha);
    let (base, factor) = (i32::from(alpha[0]), multiplier(word));
    let number = |modifier: i32| (base + factor * modifier).clamp(0, 255) as u32;
    let alphas = texels(word, steps(word, |modifier| O::linear::<255>(number(modifier))));
    let mut texels = etc::etc2::<O>(colour);
    for (texel, alpha) in texels.as_flattened_mut().iter_mut().zip(alphas) {
        texel[3] = alpha;
    }
    texels
}
