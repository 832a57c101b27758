//! BC7: eight modes, named by the place of the lowest set bit.

use super::{
    output::{Picture, block},
    partitions::Partition,
};

/// The shares of the second endpoint, in 64ths, that indices of 2, 3 and 4 bits stand for.
pub(super) const WEIGHTS2: [u8; 4] = [0, 21, 43, 64];
pub(super) const WEIGHTS3: [u8; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
pub(super) const WEIGHTS4: [u8; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];

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
pub(super) fn bc7(bytes: [u8; 16]) -> Picture {
    let bits = u128::from_le_bytes(bytes);
    match bytes[0].trailing_zeros() {
        0 => divided::<0>(bits),
        1 => divided::<1>(bits),
        2 => divided::<2>(bits),
        3 => divided::<3>(bits),
        4 => separate::<4>(bits),
        5 => separate::<5>(bits),
        6 => divided::<6>(bits),
        7 => divided::<7>(bits),
        _ => Picture::default(),
    }
}

/// Four channels, red in the lowest, of 16 bits each, so that one multiplication does four.
type Lanes = u64;

/// The same number in all lanes.
const fn lanes(number: u64) -> Lanes {
    number * 0x0001_0001_0001_0001
}

/// Endpoints of so many bits (colour, alpha) as bytes: a number's uppermost bits fill the place
/// below it. Without alpha, it is 255.
#[inline(always)]
fn widen(endpoint: Lanes, [colour, alpha]: [u32; 2]) -> Lanes {
    const ALPHA: Lanes = 0xFFFF << 48;
    let widen = |lanes: Lanes, bits: u32| lanes << (8 - bits) | lanes >> (2 * bits - 8) & BYTES;
    if colour == alpha {
        return widen(endpoint, colour);
    }
    let alpha = if alpha > 0 { widen(endpoint & ALPHA, alpha) } else { 255 << 48 };
    widen(endpoint & !ALPHA, colour) | alpha
}

/// The lower half of each lane.
const BYTES: Lanes = lanes(0xFF);

/// The endpoints of all subsets.
#[inline(always)]
fn endpoints<const MODE: usize>(rest: &mut Rest) -> [Lanes; 6] {
    let mode = const { &MODES[MODE] };
    let count = 2 * mode.subsets;
    let mut endpoints = [0; 6];
    for channel in 0..if mode.alpha_bits > 0 { 4 } else { 3 } {
        let bits = if channel == 3 { mode.alpha_bits } else { mode.colour_bits };
        for endpoint in &mut endpoints[..count] {
            *endpoint |= Lanes::from(rest.take(bits)) << (16 * channel);
        }
    }
    let low_bits = match mode.low_bits {
        LowBits::None => 0,
        LowBits::PerSubset => mode.subsets,
        LowBits::PerEndpoint => count,
    };
    let extra = u32::from(low_bits > 0);
    if low_bits > 0 {
        let stored = rest.take(low_bits as u32);
        for (n, endpoint) in endpoints[..count].iter_mut().enumerate() {
            let bit = stored >> (n * low_bits / count) & 1;
            *endpoint = *endpoint << 1 | lanes(bit.into());
        }
    }
    let alpha_bits = if mode.alpha_bits > 0 { mode.alpha_bits + extra } else { 0 };
    for endpoint in &mut endpoints[..count] {
        *endpoint = widen(*endpoint, [mode.colour_bits + extra, alpha_bits]);
    }
    endpoints
}

/// What lies between two endpoints, as bytes.
#[inline(always)]
fn between([a, b]: [Lanes; 2], weight: u8) -> u32 {
    let weight = Lanes::from(weight);
    let sums = a * (64 - weight) + b * weight + lanes(32);
    let bytes = sums >> 6 & BYTES;
    let pairs = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF;
    (pairs | pairs >> 16) as u32
}

/// Modes with one index a texel.
#[inline(always)]
fn divided<const MODE: usize>(bits: u128) -> Picture {
    let mode = const { &MODES[MODE] };
    let mut rest = Rest(bits >> (MODE + 1));
    let number = rest.take(mode.partition_bits) as usize;
    let partition = match mode.subsets {
        1 => Partition::WHOLE,
        2 => Partition::two(number),
        _ => Partition::three(number),
    };
    let endpoints = endpoints::<MODE>(&mut rest);
    let stored = rest.0 as u64;
    let (weights, indices): (&[u8], u64) = match mode.index_bits {
        2 => (&WEIGHTS2, partition.indices::<2>(stored)),
        3 => (&WEIGHTS3, partition.indices::<3>(stored)),
        _ => (&WEIGHTS4, partition.indices::<4>(stored)),
    };
    let mut colours = [0; 32];
    for subset in 0..mode.subsets {
        let ends = [endpoints[2 * subset], endpoints[2 * subset + 1]];
        for (n, &weight) in weights.iter().enumerate() {
            colours[(subset << mode.index_bits) + n] = between(ends, weight);
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
fn separate<const MODE: usize>(bits: u128) -> Picture {
    let mode = const { &MODES[MODE] };
    let mut rest = Rest(bits >> (MODE + 1));
    let rotation = rest.take(mode.rotation_bits);
    let exchanged = rest.take(mode.selection_bits) == 1;
    let ends = {
        let [first, second, ..] = endpoints::<MODE>(&mut rest);
        [rotate(first, rotation), rotate(second, rotation)]
    };
    let narrow = Partition::WHOLE.indices::<2>(rest.0 as u64 & 0x7FFF_FFFF);
    let stored = (rest.0 >> 31) as u64;
    let wide = match mode.second_index_bits {
        2 => Partition::WHOLE.indices::<2>(stored),
        _ => Partition::WHOLE.indices::<3>(stored),
    };
    // What was alpha is, after the rotation, the channel before it, or still alpha.
    let apart = 0xFF << (8 * ((rotation + 3) % 4));
    let [of_narrow, of_wide] = if exchanged { [apart, !apart] } else { [!apart, apart] };
    let mut narrow_steps = [0; 4];
    for (step, weight) in narrow_steps.iter_mut().zip(WEIGHTS2) {
        *step = between(ends, weight) & of_narrow;
    }
    let mut wide_steps = [0; 8];
    let wide_weights: &[u8] = if mode.second_index_bits == 2 { &WEIGHTS2 } else { &WEIGHTS3 };
    for (step, &weight) in wide_steps.iter_mut().zip(wide_weights) {
        *step = between(ends, weight) & of_wide;
    }
    block(|x, y| {
        let n = 4 * y + x;
        let narrow = (narrow >> (2 * n) & 3) as usize;
        let wide = (wide >> (n as u32 * mode.second_index_bits)) as usize;
        let wide = wide & ((1 << mode.second_index_bits) - 1);
        narrow_steps[narrow] | wide_steps[wide & 7]
    })
}

/// Alpha exchanged with red (1), green (2) or blue (3).
#[inline(always)]
fn rotate(endpoint: Lanes, rotation: u32) -> Lanes {
    if rotation == 0 {
        return endpoint;
    }
    let lane = 16 * (rotation - 1);
    let exchange = (endpoint >> lane ^ endpoint >> 48) & 0xFF;
    endpoint ^ exchange << lane ^ exchange << 48
}
