//! FXT1, as 3dfx published it: 8x4 texels in 128 bits, four kinds of blocks.
//!
//! Colours have 5 bits a channel, red in the uppermost. Codes of texels come first, those of the
//! left 4x4 half before those of the right.

use super::output::{Output, block};

/// A block of 8x4 texels by rows.
type Wide<O> = [[<O as Output>::Texel; 8]; 4];

/// A block's bits and what is read from them.
#[derive(Clone, Copy)]
struct Bits(u128);

impl Bits {
    #[inline(always)]
    fn get(self, low: u32, count: u32) -> u32 {
        (self.0 >> low) as u32 & ((1 << count) - 1)
    }

    /// Red, green and blue of the colour at a bit.
    #[inline(always)]
    fn colour(self, low: u32) -> [u32; 3] {
        [self.get(low + 10, 5), self.get(low + 5, 5), self.get(low, 5)]
    }

    /// The colour at 15-bit place `n` behind the codes.
    #[inline(always)]
    fn nth(self, n: u32) -> [u32; 3] {
        self.colour(64 + 15 * n)
    }
}

/// The place of a texel among the codes.
#[inline(always)]
fn place(x: usize, y: usize) -> u32 {
    (16 * (x / 4) + 4 * y + x % 4) as u32
}

/// The kind of block is in its uppermost bits.
pub(super) fn fxt1<O: Output>(bytes: [u8; 16]) -> Wide<O> {
    let bits = Bits(u128::from_le_bytes(bytes));
    match bits.get(125, 3) {
        0b000 | 0b001 => high::<O>(bits),
        0b010 => chroma::<O>(bits),
        0b011 => alpha::<O>(bits),
        _ => mixed::<O>(bits),
    }
}

#[inline(always)]
fn clear<O: Output>() -> O::Texel {
    O::Texel::default()
}

/// A colour of 186ths: sixths of 31sts.
#[inline(always)]
fn opaque<O: Output>(sixths: [u32; 3]) -> O::Texel {
    let [red, green, blue] = sixths.map(O::colour::<186>);
    O::texel([red, green, blue, O::ONE])
}

#[inline(always)]
fn mix<const N: usize>(a: [u32; N], b: [u32; N], of_a: u32, of_b: u32) -> [u32; N] {
    std::array::from_fn(|channel| of_a * a[channel] + of_b * b[channel])
}

/// CC_HIGH: 3-bit codes; seven colours in a line, and nothing.
fn high<O: Output>(bits: Bits) -> Wide<O> {
    let (first, last) = (bits.colour(96), bits.colour(111));
    let colours: [O::Texel; 8] = std::array::from_fn(|code| match code as u32 {
        7 => clear::<O>(),
        sixths => opaque::<O>(mix(first, last, 6 - sixths, sixths)),
    });
    block(|x, y| colours[bits.get(3 * place(x, y), 3) as usize])
}

/// CC_CHROMA: 2-bit codes; four colours.
fn chroma<O: Output>(bits: Bits) -> Wide<O> {
    let colours: [O::Texel; 4] =
        std::array::from_fn(|code| opaque::<O>(bits.nth(code as u32).map(|channel| 6 * channel)));
    block(|x, y| colours[bits.get(2 * place(x, y), 2) as usize])
}

/// CC_ALPHA: three colours with alpha, and nothing; or, with lerp, four in a line that ends for
/// both halves in the second colour, and begins for the right half in the third.
fn alpha<O: Output>(bits: Bits) -> Wide<O> {
    let colour = |n: u32| {
        let [red, green, blue] = bits.nth(n);
        [red, green, blue, bits.get(109 + 5 * n, 5)]
    };
    // In thirds of 31sts.
    let texel = |[red, green, blue, alpha]: [u32; 4]| {
        let [red, green, blue] = [red, green, blue].map(O::colour::<93>);
        O::texel([red, green, blue, O::linear::<93>(alpha)])
    };
    let halves: [[O::Texel; 4]; 2] = if bits.get(124, 1) == 1 {
        [0, 2].map(|first| {
            let line = |thirds| texel(mix(colour(first), colour(1), 3 - thirds, thirds));
            [line(0), line(1), line(2), line(3)]
        })
    } else {
        let whole = |n| texel(colour(n).map(|channel| 3 * channel));
        [[whole(0), whole(1), whole(2), clear::<O>()]; 2]
    };
    block(|x, y| halves[x / 4][bits.get(2 * place(x, y), 2) as usize])
}

/// CC_MIXED: a pair of colours for each half, the second with 6 bits of green. Without alpha the
/// first has them too, the last one the exclusive or with the upper bit of the half's first code,
/// and there are two colours between; with alpha there is one, and nothing.
fn mixed<O: Output>(bits: Bits) -> Wide<O> {
    let with_alpha = bits.get(124, 1) == 1;
    let halves: [[O::Texel; 4]; 2] = std::array::from_fn(|half| {
        let half = half as u32;
        let (first, second) = (bits.nth(2 * half), bits.nth(2 * half + 1));
        let last_bit = bits.get(125 + half, 1);
        let second_green = second[1] << 1 | last_bit;
        // Red and blue in parts of 31sts, green in parts of 31 * 63.
        let texel = |parts: u32, of_first: u32, first_green: u32| {
            let of_second = parts - of_first;
            let [red, _, blue] = mix(first, second, of_first, of_second);
            let green = of_first * first_green + of_second * 31 * second_green;
            let scale = 6 / parts;
            let [red, blue] = [red, blue].map(|channel| O::colour::<186>(scale * channel));
            O::texel([red, O::colour::<{ 31 * 63 * 6 }>(scale * green), blue, O::ONE])
        };
        if with_alpha {
            let green = 63 * first[1];
            [texel(2, 2, green), texel(2, 1, green), texel(2, 0, green), clear::<O>()]
        } else {
            let upper_bit = bits.get(32 * half + 1, 1);
            let green = 31 * (first[1] << 1 | (last_bit ^ upper_bit));
            [3, 2, 1, 0].map(|of_first| texel(3, of_first, green))
        }
    });
    block(|x, y| halves[x / 4][bits.get(2 * place(x, y), 2) as usize])
}
