//! EAC: a base and multiples of a row of modifiers, as 8-bit alpha or as an 11-bit channel.
//!
//! Blocks are big-endian 64-bit words: base 63:56, multiplier 55:52, row 51:48, then 3 bits a texel
//! down the columns.

use super::{
    bc, etc,
    output::{Block, Floats, Picture, block, red, red_green},
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

/// The code of texel `n`, counted row by row.
#[inline(always)]
fn code(word: u64, n: usize) -> usize {
    let down = 4 * (n % 4) + n / 4;
    (word >> (45 - 3 * down) & 7) as usize
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
fn unsigned_steps(word: u64) -> [f32; 8] {
    let (base, factor) = (8 * (word >> 56) as i32 + 4, eights(word));
    steps(word, |modifier| (base + factor * modifier).clamp(0, 2047) as f32 / 2047.0)
}

/// A signed 11-bit channel. A base of -128 counts as -127.
#[inline(always)]
fn signed_steps(word: u64) -> [f32; 8] {
    let (base, factor) = (8 * ((word as i64 >> 56) as i32).max(-127), eights(word));
    steps(word, |modifier| (base + factor * modifier).clamp(-1023, 1023) as f32 / 1023.0)
}

/// One channel in red.
#[inline(always)]
fn one(bytes: [u8; 8], steps: fn(u64) -> [f32; 8]) -> Block<Floats> {
    let word = u64::from_be_bytes(bytes);
    let steps = steps(word);
    block(|x, y| red::<Floats>(steps[code(word, 4 * y + x)]))
}

/// Two channels in red and green.
#[inline(always)]
fn two(bytes: [u8; 16], steps: fn(u64) -> [f32; 8]) -> Block<Floats> {
    let [reds, greens] = bc::halves(bytes).map(u64::swap_bytes);
    let (red_steps, green_steps) = (steps(reds), steps(greens));
    block(|x, y| {
        let n = 4 * y + x;
        red_green::<Floats>(red_steps[code(reds, n)], green_steps[code(greens, n)])
    })
}

/// EAC_R11.
#[inline(always)]
pub(super) fn r11(bytes: [u8; 8]) -> Block<Floats> {
    one(bytes, unsigned_steps)
}

/// EAC_SIGNED_R11.
#[inline(always)]
pub(super) fn r11_signed(bytes: [u8; 8]) -> Block<Floats> {
    one(bytes, signed_steps)
}

/// EAC_RG11.
#[inline(always)]
pub(super) fn rg11(bytes: [u8; 16]) -> Block<Floats> {
    two(bytes, unsigned_steps)
}

/// EAC_SIGNED_RG11.
#[inline(always)]
pub(super) fn rg11_signed(bytes: [u8; 16]) -> Block<Floats> {
    two(bytes, signed_steps)
}

/// ETC2_EAC_RGBA8: alpha, then an ETC2 block.
#[inline(always)]
pub(super) fn etc2_alpha(bytes: [u8; 16]) -> Picture {
    let [alphas, colours] = bc::halves(bytes);
    let word = alphas.swap_bytes();
    let (base, factor) = ((word >> 56) as i32, multiplier(word));
    let number = |modifier: i32| (base + factor * modifier).clamp(0, 255) as u32;
    let steps = steps(word, |modifier| number(modifier) << 24);
    let texels = etc::etc2_without_alpha(colours.to_le_bytes());
    block(|x, y| texels[y][x] | steps[code(word, 4 * y + x)])
}
