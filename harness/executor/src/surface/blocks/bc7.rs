//! BC7: eight modes, named by the place of the lowest set bit.

use super::{
    output::{Block, Output, Texel, block},
    partition::Partition,
};

/// The shares of the second endpoint, in 64ths, that indices of 2, 3 and 4 bits stand for.
pub(super) const WEIGHTS2: [u16; 4] = [0, 21, 43, 64];
pub(super) const WEIGHTS3: [u16; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
pub(super) const WEIGHTS4: [u16; 16] =
    [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];

/// Which endpoints share a lowest bit stored apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LowBits {
    None,
    /// Both endpoints of a subset.
    PerSubset,
    /// None: each has its own.
    PerEndpoint,
}

/// The fields of a mode, in the order in which they follow the mode number; channels of endpoints
/// come red, green, blue, alpha, each for all endpoints.
struct Mode {
    subsets: usize,
    partition_bits: u32,
    rotation_bits: u32,
    selection_bits: u32,
    colour_bits: u32,
    alpha_bits: u32,
    low_bits: LowBits,
    index_bits: u32,
    second_index_bits: u32,
}

#[rustfmt::skip]
const MODES: [Mode; 8] = {
    use LowBits::{None, PerEndpoint, PerSubset};
    const fn mode(
        [subsets, partition_bits, rotation_bits, selection_bits]: [u32; 4],
        [colour_bits, alpha_bits]: [u32; 2],
        low_bits: LowBits,
        [index_bits, second_index_bits]: [u32; 2],
    ) -> Mode {
        Mode {
            subsets: subsets as usize, partition_bits, rotation_bits, selection_bits, colour_bits,
            alpha_bits, low_bits, index_bits, second_index_bits,
        }
    }
    [
        mode([3, 4, 0, 0], [4, 0], PerEndpoint, [3, 0]),
        mode([2, 6, 0, 0], [6, 0], PerSubset, [3, 0]),
        mode([3, 6, 0, 0], [5, 0], None, [2, 0]),
        mode([2, 6, 0, 0], [7, 0], PerEndpoint, [2, 0]),
        mode([1, 0, 2, 1], [5, 6], None, [2, 3]),
        mode([1, 0, 2, 0], [7, 8], None, [2, 2]),
        mode([1, 0, 0, 0], [7, 7], PerEndpoint, [4, 0]),
        mode([2, 6, 0, 0], [5, 5], PerEndpoint, [2, 0]),
    ]
};

/// The bits that are still to be read.
struct Rest(u128);

impl Rest {
    #[inline(always)]
    fn take(&mut self, count: u32) -> u32 {
        let bits = self.0 as u32 & ((1 << count) - 1);
        self.0 >>= count;
        bits
    }
}

/// A block. One without a mode is black with alpha 0.
#[inline(always)]
pub(super) fn bc7<O: Output>(bytes: [u8; 16]) -> Block<O> {
    let bits = u128::from_le_bytes(bytes);
    match bytes[0].trailing_zeros() {
        0 => divided::<O, 0>(bits),
        1 => divided::<O, 1>(bits),
        2 => divided::<O, 2>(bits),
        3 => divided::<O, 3>(bits),
        4 => separate::<O, 4>(bits),
        5 => separate::<O, 5>(bits),
        6 => divided::<O, 6>(bits),
        7 => divided::<O, 7>(bits),
        _ => [[[O::linear::<1>(0); 4]; 4]; 4],
    }
}

/// The endpoints of all subsets as bytes.
#[inline(always)]
fn endpoints<const MODE: usize>(rest: &mut Rest) -> [[u16; 4]; 6] {
    let mode = const { &MODES[MODE] };
    let count = 2 * mode.subsets;
    let mut endpoints = [[0; 4]; 6];
    for channel in 0..if mode.alpha_bits > 0 { 4 } else { 3 } {
        let bits = if channel == 3 { mode.alpha_bits } else { mode.colour_bits };
        for endpoint in &mut endpoints[..count] {
            endpoint[channel] = rest.take(bits) as u16;
        }
    }
    let low_bits = match mode.low_bits {
        LowBits::None => 0,
        LowBits::PerSubset => mode.subsets,
        LowBits::PerEndpoint => count,
    };
    if low_bits > 0 {
        let stored = rest.take(low_bits as u32) as u16;
        for (n, endpoint) in endpoints[..count].iter_mut().enumerate() {
            let bit = stored >> (n * low_bits / count) & 1;
            *endpoint = endpoint.map(|channel| channel << 1 | bit);
        }
    }
    let extra = u32::from(low_bits > 0);
    let (colour_bits, alpha_bits) = (mode.colour_bits + extra, mode.alpha_bits + extra);
    for endpoint in &mut endpoints[..count] {
        let [red, green, blue, alpha] = *endpoint;
        *endpoint = [
            widen(red, colour_bits),
            widen(green, colour_bits),
            widen(blue, colour_bits),
            if mode.alpha_bits > 0 { widen(alpha, alpha_bits) } else { 255 },
        ];
    }
    endpoints
}

/// A number of at least 4 bits as a byte: its uppermost bits fill the place below.
#[inline(always)]
fn widen(number: u16, bits: u32) -> u16 {
    number << (8 - bits) | number >> (2 * bits - 8)
}

/// What lies between two endpoints.
#[inline(always)]
fn between(ends: [[u16; 4]; 2], weight: u16) -> [u8; 4] {
    std::array::from_fn(|channel| {
        let [a, b] = ends.map(|end| end[channel]);
        ((a * (64 - weight) + b * weight + 32) >> 6) as u8
    })
}

/// A colour and alpha of bytes.
#[inline(always)]
fn texel<O: Output>([red, green, blue, alpha]: [u8; 4]) -> Texel<O> {
    let colour = |channel| O::colour::<255>(u32::from(channel));
    [colour(red), colour(green), colour(blue), O::linear::<255>(u32::from(alpha))]
}

/// Modes with one index a texel.
#[inline(always)]
fn divided<O: Output, const MODE: usize>(bits: u128) -> Block<O> {
    let mode = const { &MODES[MODE] };
    let mut rest = Rest(bits >> (MODE + 1));
    let number = rest.take(mode.partition_bits) as usize;
    let partition = match mode.subsets {
        1 => Partition::WHOLE,
        2 => Partition::two(number),
        _ => Partition::three(number),
    };
    let endpoints = endpoints::<MODE>(&mut rest);
    let weights: &[u16] = match mode.index_bits {
        2 => &WEIGHTS2,
        3 => &WEIGHTS3,
        _ => &WEIGHTS4,
    };
    let indices = match mode.index_bits {
        2 => partition.indices::<2>(rest.0 as u64),
        3 => partition.indices::<3>(rest.0 as u64),
        _ => partition.indices::<4>(rest.0 as u64),
    };
    let mut colours = [[O::Channel::default(); 4]; 32];
    for subset in 0..mode.subsets {
        let ends = [endpoints[2 * subset], endpoints[2 * subset + 1]];
        for (n, &weight) in weights.iter().enumerate() {
            colours[(subset << mode.index_bits) + n] = texel::<O>(between(ends, weight));
        }
    }
    block(|x, y| {
        let n = 4 * y + x;
        let index = (indices >> (n as u32 * mode.index_bits)) as usize;
        let index = index & ((1 << mode.index_bits) - 1);
        colours[(partition.subset(n) << mode.index_bits | index) & 31]
    })
}

/// Modes with an index for colour and one for alpha, of which the selection bit changes the parts;
/// then alpha changes places with a channel of colour.
#[inline(always)]
fn separate<O: Output, const MODE: usize>(bits: u128) -> Block<O> {
    let mode = const { &MODES[MODE] };
    let mut rest = Rest(bits >> (MODE + 1));
    let rotation = rest.take(mode.rotation_bits);
    let exchanged = rest.take(mode.selection_bits) == 1;
    let [first, second, ..] = endpoints::<MODE>(&mut rest);
    let narrow = Partition::WHOLE.indices::<2>(rest.0 as u64 & 0x7FFF_FFFF);
    let stored = (rest.0 >> 31) as u64;
    let narrow_weights = |n: usize| WEIGHTS2[(narrow >> (2 * n) & 3) as usize];
    let other_weights = |n: usize| {
        if mode.second_index_bits == 3 {
            WEIGHTS3[(Partition::WHOLE.indices::<3>(stored) >> (3 * n) & 7) as usize]
        } else {
            WEIGHTS2[(Partition::WHOLE.indices::<2>(stored) >> (2 * n) & 3) as usize]
        }
    };
    block(|x, y| {
        let n = 4 * y + x;
        let (mut of_colour, mut of_alpha) = (narrow_weights(n), other_weights(n));
        if exchanged {
            std::mem::swap(&mut of_colour, &mut of_alpha);
        }
        let [red, green, blue, _] = between([first, second], of_colour);
        let [_, _, _, alpha] = between([first, second], of_alpha);
        texel::<O>(match rotation {
            0 => [red, green, blue, alpha],
            1 => [alpha, green, blue, red],
            2 => [red, alpha, blue, green],
            _ => [red, green, alpha, blue],
        })
    })
}
