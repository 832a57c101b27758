//! BC1 to BC5: endpoints of a block and what lies between them.

use super::output::{Block, Floats, Output, Texel, block, divisor, red, red_green};

/// What the fourth code of a block with three colours is, and whether there are such blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fourth {
    /// Black with alpha 0.
    Transparent,
    /// Black with alpha 1.
    Opaque,
    /// There are always four colours.
    Colour,
}

/// The colours of the four codes: two endpoints of 5, 6 and 5 bits, and, if the first is the
/// greater, two colours between; otherwise one and black.
#[inline(always)]
fn colours<O: Output>(endpoints: u32, fourth: Fourth) -> [Texel<O>; 4] {
    let [first, second] = [endpoints & 0xFFFF, endpoints >> 16];
    let rgb = |[red, green, blue]: [u32; 3], alpha| {
        [
            O::colour::<{ divisor::FIVE_BITS }>(red),
            O::colour::<{ divisor::SIX_BITS }>(green),
            O::colour::<{ divisor::FIVE_BITS }>(blue),
            alpha,
        ]
    };
    let split = |colour: u32| [colour >> 11, colour >> 5 & 63, colour & 31];
    let [a, b] = [split(first), split(second)];
    // Over six times the greatest code.
    let between = |of_a: u32, of_b: u32| {
        rgb(std::array::from_fn(|channel| of_a * a[channel] + of_b * b[channel]), O::ONE)
    };
    let [zero, one] = [O::linear::<1>(0), O::ONE];
    if fourth == Fourth::Colour || first > second {
        return [between(6, 0), between(0, 6), between(4, 2), between(2, 4)];
    }
    let black = [zero, zero, zero, if fourth == Fourth::Opaque { one } else { zero }];
    [between(6, 0), between(0, 6), between(3, 3), black]
}

#[inline(always)]
fn coloured<O: Output>(bits: u64, fourth: Fourth) -> Block<O> {
    let colours = colours::<O>(bits as u32, fourth);
    let codes = (bits >> 32) as u32;
    block(|x, y| colours[(codes >> (2 * (4 * y + x)) & 3) as usize])
}

/// BC1, with a transparent colour or without.
#[inline(always)]
pub(super) fn bc1<O: Output>(bytes: [u8; 8], fourth: Fourth) -> Block<O> {
    coloured::<O>(u64::from_le_bytes(bytes), fourth)
}

/// BC2: 4 bits of alpha a texel, then colours.
#[inline(always)]
pub(super) fn bc2<O: Output>(bytes: [u8; 16]) -> Block<O> {
    let [alpha, colour] = halves(bytes);
    let mut texels = coloured::<O>(colour, Fourth::Colour);
    for (n, texel) in texels.as_flattened_mut().iter_mut().enumerate() {
        texel[3] = O::linear::<15>((alpha >> (4 * n) & 15) as u32);
    }
    texels
}

/// BC3: a BC4 block of alpha, then colours.
#[inline(always)]
pub(super) fn bc3<O: Output>(bytes: [u8; 16]) -> Block<O> {
    let [alpha, colour] = halves(bytes);
    let mut texels = coloured::<O>(colour, Fourth::Colour);
    let steps = unsigned_steps(alpha).map(O::linear::<STEPS_OF_BYTES>);
    for (n, texel) in texels.as_flattened_mut().iter_mut().enumerate() {
        texel[3] = steps[code(alpha, n)];
    }
    texels
}

/// The two halves of a block.
#[inline(always)]
pub(super) fn halves(bytes: [u8; 16]) -> [u64; 2] {
    let bits = u128::from_le_bytes(bytes);
    [bits as u64, (bits >> 64) as u64]
}

/// The divisor of steps between endpoints of 255ths: sevenths and fifths of the way.
const STEPS_OF_BYTES: u32 = 255 * 35;

/// The divisor of steps between endpoints of 127ths.
const STEPS_OF_SIGNED: i32 = 127 * 35;

/// Thirty-fifths of the second endpoint that the eight codes have, the rest being of the first.
const SEVENTHS: [i32; 8] = [0, 35, 5, 10, 15, 20, 25, 30];
const FIFTHS: [i32; 6] = [0, 35, 7, 14, 21, 28];

/// The numbers of the eight codes, in thirty-fifths of the endpoints' unit: six between the
/// endpoints if the first is the greater, otherwise four, the least and the greatest number.
#[inline(always)]
fn steps([a, b]: [i32; 2], least: i32, greatest: i32) -> [i32; 8] {
    let between = |part: i32| (35 - part) * a + part * b;
    if a > b {
        return SEVENTHS.map(between);
    }
    let [n0, n1, n2, n3, n4, n5] = FIFTHS.map(between);
    [n0, n1, n2, n3, n4, n5, 35 * least, 35 * greatest]
}

/// The 3-bit code of texel `n`, behind the endpoints.
#[inline(always)]
fn code(bits: u64, n: usize) -> usize {
    (bits >> (16 + 3 * n) & 7) as usize
}

#[inline(always)]
fn unsigned_steps(bits: u64) -> [u32; 8] {
    let endpoints = [bits, bits >> 8].map(|endpoint| i32::from(endpoint as u8));
    steps(endpoints, 0, 255).map(|step| step as u32)
}

/// One unsigned channel: 16 numbers.
#[inline(always)]
fn unsigned<O: Output>(bits: u64) -> [O::Channel; 16] {
    let numbers = unsigned_steps(bits).map(O::linear::<STEPS_OF_BYTES>);
    std::array::from_fn(|n| numbers[code(bits, n)])
}

/// One signed channel. -128 counts as -127, in the comparison of endpoints also.
#[inline(always)]
fn signed(bits: u64) -> [f32; 16] {
    let endpoint = |bits: u64| i32::from(bits as i8).max(-127);
    let steps = steps([endpoint(bits), endpoint(bits >> 8)], -127, 127);
    let numbers = steps.map(|step| step as f32 / STEPS_OF_SIGNED as f32);
    std::array::from_fn(|n| numbers[code(bits, n)])
}

/// BC4: red alone.
#[inline(always)]
pub(super) fn bc4<O: Output>(bytes: [u8; 8]) -> Block<O> {
    red::<O>(unsigned::<O>(u64::from_le_bytes(bytes)))
}

/// BC4 with endpoints from -1 to 1.
#[inline(always)]
pub(super) fn bc4_signed(bytes: [u8; 8]) -> Block<Floats> {
    red::<Floats>(signed(u64::from_le_bytes(bytes)))
}

/// BC5: a BC4 block of red and one of green.
#[inline(always)]
pub(super) fn bc5<O: Output>(bytes: [u8; 16]) -> Block<O> {
    let [red, green] = halves(bytes).map(unsigned::<O>);
    red_green::<O>(red, green)
}

/// BC5 with endpoints from -1 to 1.
#[inline(always)]
pub(super) fn bc5_signed(bytes: [u8; 16]) -> Block<Floats> {
    let [red, green] = halves(bytes).map(signed);
    red_green::<Floats>(red, green)
}
