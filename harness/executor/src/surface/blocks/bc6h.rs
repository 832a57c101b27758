//! BC6H: half floats without a sign or with it, in fourteen modes.

use std::sync::LazyLock;

use super::{
    bc7::{WEIGHTS3, WEIGHTS4},
    output::{Block, Floats, block},
    partitions::Partition,
};

/// A mode: how its endpoints are stored.
struct Mode {
    /// Two subsets rather than one.
    divided: bool,
    /// All endpoints but the first are differences from it.
    differences: bool,
    /// Bits of the first endpoint.
    bits: u32,
    /// Bits of the other endpoints' red, green and blue.
    others: [u32; 3],
    /// Where the bits are, from the lowest behind the mode up. `w` is the first endpoint, `x` the
    /// second, `y` and `z` those of the second subset. `rw9:0` are bits 0 to 9, `rw10:15` are bits
    /// 15 to 10.
    fields: &'static str,
}

/// Two subsets, differences.
const fn divided(bits: u32, others: [u32; 3], fields: &'static str) -> Mode {
    Mode { divided: true, differences: true, bits, others, fields }
}

/// One subset, differences.
const fn whole(bits: u32, others: u32, fields: &'static str) -> Mode {
    Mode { divided: false, differences: true, bits, others: [others; 3], fields }
}

/// All endpoints as they are.
const fn plain(divided: bool, bits: u32, fields: &'static str) -> Mode {
    Mode { divided, differences: false, bits, others: [bits; 3], fields }
}

/// Modes by number; the first two have 2 bits for it, the others 5.
#[rustfmt::skip]
const MODES: [(u8, Mode); 14] = [
    (0b00, divided(10, [5; 3],
        "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 \
         rz4:0 bz3")),
    (0b01, divided(7, [6; 3],
        "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 \
         gz3:0 bx5:0 by3:0 ry5:0 rz5:0")),
    (0b00010, divided(11, [5, 4, 4],
        "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 \
         rz4:0 bz3")),
    (0b00110, divided(11, [4, 5, 4],
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 \
         bz2 rz3:0 gy4 bz3")),
    (0b01010, divided(11, [4, 4, 5],
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 \
         bz2 rz3:0 bz4 bz3")),
    (0b01110, divided(9, [5; 3],
        "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 \
         rz4:0 bz3")),
    (0b10010, divided(8, [6, 5, 5],
        "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 \
         ry5:0 rz5:0")),
    (0b10110, divided(8, [5, 6, 5],
        "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 \
         ry4:0 bz2 rz4:0 bz3")),
    (0b11010, divided(8, [5, 5, 6],
        "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 \
         ry4:0 bz2 rz4:0 bz3")),
    (0b11110, plain(true, 6,
        "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 \
         gz3:0 bx5:0 by3:0 ry5:0 rz5:0")),
    (0b00011, plain(false, 10,
        "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0")),
    (0b00111, whole(11, 9,
        "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10")),
    (0b01011, whole(12, 8,
        "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11")),
    (0b01111, whole(16, 4,
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15")),
];

/// Bits of a block that lie together in an endpoint.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Lowest bit in the block.
    from: u32,
    count: u32,
    /// Endpoint w, x, y or z and channel.
    endpoint: usize,
    channel: usize,
    /// Lowest bit in the channel.
    to: u32,
}

/// A mode with its fields' places worked out.
struct Plan {
    mode: &'static Mode,
    runs: Vec<Run>,
}

/// The plans by the five lowest bits of a block; four of them are reserved.
static PLANS: LazyLock<[Option<Plan>; 32]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let number_bits = |number: u8| if number < 2 { 2 } else { 5 };
        let is = |number: u8| code & ((1 << number_bits(number)) - 1) == usize::from(number);
        let (number, mode) = MODES.iter().find(|(number, _)| is(*number))?;
        Some(Plan { mode, runs: runs(mode.fields, number_bits(*number)) })
    })
});

/// The runs of fields that begin at a bit.
fn runs(fields: &str, mut from: u32) -> Vec<Run> {
    let mut runs = Vec::new();
    for field in fields.split_whitespace() {
        let place = |letters: &str, at| letters.find(&field[at..=at]).expect("a letter of a field");
        let (channel, endpoint) = (place("rgb", 0), place("wxyz", 1));
        let number = |text: &str| text.parse::<u32>().expect("a bit number of a field");
        let (last, first) = match field[2..].split_once(':') {
            Some((last, first)) => (number(last), number(first)),
            None => (number(&field[2..]), number(&field[2..])),
        };
        let mut run = |to, count| {
            runs.push(Run { from, count, endpoint, channel, to });
            from += count;
        };
        if last >= first {
            run(first, last - first + 1);
        } else {
            (last..=first).rev().for_each(|bit| run(bit, 1));
        }
    }
    runs
}

/// A block of half floats, made binary32; a reserved one is black. Alpha is 1.
#[inline(always)]
pub(super) fn bc6h<const SIGNED: bool>(bytes: [u8; 16]) -> Block<Floats> {
    let bits = u128::from_le_bytes(bytes);
    let Some(Plan { mode, runs }) = &PLANS[usize::from(bytes[0] & 31)] else {
        return [[[0.0, 0.0, 0.0, 1.0]; 4]; 4];
    };
    let mut stored = [[0; 3]; 4];
    for run in runs {
        let field = (bits >> run.from) as u32 & ((1 << run.count) - 1);
        stored[run.endpoint][run.channel] |= field << run.to;
    }
    let endpoints = endpoints::<SIGNED>(mode, stored);
    if mode.divided {
        let partition = Partition::two((bits >> 77) as usize & 31);
        let indices = partition.indices::<3>((bits >> 82) as u64);
        block(|x, y| {
            let n = 4 * y + x;
            let pair = 2 * partition.subset(n);
            let weight = WEIGHTS3[(indices >> (3 * n) & 7) as usize];
            texel::<SIGNED>([endpoints[pair], endpoints[pair + 1]], weight)
        })
    } else {
        let indices = Partition::WHOLE.indices::<4>((bits >> 65) as u64);
        block(|x, y| {
            let weight = WEIGHTS4[(indices >> (4 * (4 * y + x)) & 15) as usize];
            texel::<SIGNED>([endpoints[0], endpoints[1]], weight)
        })
    }
}

/// Endpoints as numbers of 16 bits.
#[inline(always)]
fn endpoints<const SIGNED: bool>(mode: &Mode, stored: [[u32; 3]; 4]) -> [[i32; 3]; 4] {
    let [first, ..] = stored;
    std::array::from_fn(|n| {
        std::array::from_fn(|channel| {
            let mut number = stored[n][channel] as i32;
            if n > 0 && mode.differences {
                let difference = extend(number, mode.others[channel]);
                number = (first[channel] as i32 + difference) & ((1 << mode.bits) - 1);
            }
            if SIGNED {
                spread_signed(extend(number, mode.bits), mode.bits)
            } else {
                spread(number, mode.bits)
            }
        })
    })
}

/// The two's complement number of so many bits.
#[inline(always)]
fn extend(number: i32, bits: u32) -> i32 {
    number << (32 - bits) >> (32 - bits)
}

/// A number of so many bits over the range of 16: the ends to the ends, the others to the middle of
/// their intervals.
#[inline(always)]
fn spread(number: i32, bits: u32) -> i32 {
    match number {
        number if bits >= 15 => number,
        0 => 0,
        number if number == (1 << bits) - 1 => 0xFFFF,
        number => ((number << 16) + 0x8000) >> bits,
    }
}

/// The same for a magnitude and a sign.
#[inline(always)]
fn spread_signed(number: i32, bits: u32) -> i32 {
    let spread = match number.abs() {
        _ if bits >= 16 => return number,
        0 => 0,
        magnitude if magnitude >= (1 << (bits - 1)) - 1 => 0x7FFF,
        magnitude => ((magnitude << 15) + 0x4000) >> (bits - 1),
    };
    if number < 0 { -spread } else { spread }
}

#[inline(always)]
fn texel<const SIGNED: bool>(ends: [[i32; 3]; 2], weight: u8) -> [f32; 4] {
    let weight = i32::from(weight);
    let [red, green, blue] = std::array::from_fn(|channel| {
        let [a, b] = ends.map(|end| end[channel]);
        let number = (a * (64 - weight) + b * weight + 32) >> 6;
        // The greatest finite half float is 31/32 of the range.
        let half = if SIGNED { (number.abs() * 31) >> 5 } else { (number * 31) >> 6 };
        let magnitude = magnitude(half as u32);
        if number < 0 && half > 0 { -magnitude } else { magnitude }
    });
    [red, green, blue, 1.0]
}

/// The number of a half float without sign, up to infinity, which is what a stored -32768 becomes:
/// the bits of its binary32 twin, whose exponent has a bias greater by 112.
#[inline(always)]
fn magnitude(half: u32) -> f32 {
    if half == 0x7C00 {
        return f32::INFINITY;
    }
    f32::from_bits(half << 13) * f32::from_bits((127 + 112) << 23)
}
