//! BC1 to BC5: endpoints of a block and what lies between them.

use super::output::{Block, Floats, Output, alpha, block, merged, red, red_green};

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

/// The colours of the four codes, with alpha, between two endpoints of 5, 6 and 5 bits.
#[inline(always)]
fn colours<O: Output>(endpoints: u32, fourth: Fourth, alpha: O::Channel) -> [O::Texel; 4] {
    let [first, second] = [endpoints & 0xFFFF, endpoints >> 16];
    let split = |colour: u32| [colour >> 11, colour >> 5 & 63, colour & 31];
    let [a, b] = [split(first), split(second)];
    let four = fourth == Fourth::Colour || first > second;
    let clear = !four && fourth == Fourth::Transparent;
    let last_alpha = if clear { O::Channel::default() } else { alpha };
    O::between([a, b], four, [alpha, alpha, alpha, last_alpha])
}

/// The 2-bit code of texel `n`, behind the endpoints.
#[inline(always)]
fn colour_code(bits: u64, n: usize) -> usize {
    (bits >> (32 + 2 * n) & 3) as usize
}

/// BC1, with a transparent colour or without.
#[inline(always)]
pub(super) fn bc1<O: Output>(bytes: [u8; 8], fourth: Fourth) -> Block<O> {
    let bits = u64::from_le_bytes(bytes);
    let colours = colours::<O>(bits as u32, fourth, O::ONE);
    block(|x, y| colours[colour_code(bits, 4 * y + x)])
}

/// The colours of BC2 and BC3, without alpha.
#[inline(always)]
fn without_alpha<O: Output>(bits: u64) -> impl Fn(usize) -> O::Texel {
    let colours = colours::<O>(bits as u32, Fourth::Colour, O::Channel::default());
    move |n| colours[colour_code(bits, n)]
}

/// BC2: 4 bits of alpha a texel, then colours.
#[inline(always)]
pub(super) fn bc2<O: Output>(bytes: [u8; 16]) -> Block<O> {
    let [alphas, colours] = halves(bytes);
    let number = |n: usize| O::linear::<15>((alphas >> (4 * n) & 15) as u32);
    merged::<O>(without_alpha::<O>(colours), |n| alpha::<O>(number(n)))
}

/// BC3: a BC4 block of alpha, then colours.
#[inline(always)]
pub(super) fn bc3<O: Output>(bytes: [u8; 16]) -> Block<O> {
    let [alphas, colours] = halves(bytes);
    let steps = unsigned_steps::<O>(alphas).map(alpha::<O>);
    merged::<O>(without_alpha::<O>(colours), |n| steps[code(alphas, n)])
}

/// The two halves of a block.
#[inline(always)]
pub(super) fn halves(bytes: [u8; 16]) -> [u64; 2] {
    let bits = u128::from_le_bytes(bytes);
    [bits as u64, (bits >> 64) as u64]
}

/// The divisor of steps between endpoints of 127ths: sevenths and fifths of the way.
const STEPS_OF_SIGNED: f32 = 127.0 * 35.0;

/// What the numbers of the eight codes have of both endpoints, in thirty-fifths: four are between
/// the endpoints, or, if the first is the greater, six.
const OF_FIRST: [[i16; 8]; 2] = [[35, 0, 28, 21, 14, 7, 0, 0], [35, 0, 30, 25, 20, 15, 10, 5]];
const OF_SECOND: [[i16; 8]; 2] = [[0, 35, 7, 14, 21, 28, 0, 0], [0, 35, 5, 10, 15, 20, 25, 30]];

/// The numbers of the eight codes, in thirty-fifths of the endpoints' unit; the last two without
/// part of an endpoint are the least and the greatest.
#[inline(always)]
fn steps([a, b]: [i16; 2], least: i16, greatest: i16) -> [i16; 8] {
    let six = usize::from(a > b);
    let ends = [[0, 0, 0, 0, 0, 0, 35 * least, 35 * greatest], [0; 8]];
    let (of_first, of_second, ends) = (&OF_FIRST[six], &OF_SECOND[six], &ends[six]);
    let mut steps = [0; 8];
    for (n, step) in steps.iter_mut().enumerate() {
        *step = of_first[n] * a + of_second[n] * b + ends[n];
    }
    steps
}

/// The 3-bit code of texel `n`, behind the endpoints.
#[inline(always)]
fn code(bits: u64, n: usize) -> usize {
    (bits >> (16 + 3 * n) & 7) as usize
}

#[inline(always)]
fn unsigned_steps<O: Output>(bits: u64) -> [O::Channel; 8] {
    let endpoints = [bits, bits >> 8].map(|endpoint| i16::from(endpoint as u8));
    O::thirty_fifths(steps(endpoints, 0, 255).map(|step| step as u16))
}

/// Numbers between signed endpoints. -128 counts as -127, in the comparison of endpoints also.
#[inline(always)]
fn signed_steps(bits: u64) -> [f32; 8] {
    let endpoint = |bits: u64| i16::from(bits as i8).max(-127);
    let steps = steps([endpoint(bits), endpoint(bits >> 8)], -127, 127);
    steps.map(|step| f32::from(step) / STEPS_OF_SIGNED)
}

/// One channel in red.
#[inline(always)]
fn one<O: Output>(bits: u64, steps: fn(u64) -> [O::Channel; 8]) -> Block<O> {
    let steps = steps(bits);
    block(|x, y| red::<O>(steps[code(bits, 4 * y + x)]))
}

/// Two channels in red and green.
#[inline(always)]
fn two<O: Output>(bytes: [u8; 16], steps: fn(u64) -> [O::Channel; 8]) -> Block<O> {
    let [reds, greens] = halves(bytes);
    let (red_steps, green_steps) = (steps(reds), steps(greens));
    block(|x, y| {
        let n = 4 * y + x;
        red_green::<O>(red_steps[code(reds, n)], green_steps[code(greens, n)])
    })
}

/// BC4: red alone.
#[inline(always)]
pub(super) fn bc4<O: Output>(bytes: [u8; 8]) -> Block<O> {
    one::<O>(u64::from_le_bytes(bytes), unsigned_steps::<O>)
}

/// BC4 with endpoints from -1 to 1.
#[inline(always)]
pub(super) fn bc4_signed(bytes: [u8; 8]) -> Block<Floats> {
    one::<Floats>(u64::from_le_bytes(bytes), signed_steps)
}

/// BC5: a BC4 block of red and one of green.
#[inline(always)]
pub(super) fn bc5<O: Output>(bytes: [u8; 16]) -> Block<O> {
    two::<O>(bytes, unsigned_steps::<O>)
}

/// BC5 with endpoints from -1 to 1.
#[inline(always)]
pub(super) fn bc5_signed(bytes: [u8; 16]) -> Block<Floats> {
    two::<Floats>(bytes, signed_steps)
}
