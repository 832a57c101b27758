//! BC6H (public: Direct3D 11 functional specification): half floats, in 14 modes.

use super::{
    bc7::{Bits, indices, weight},
    partitions::Partition,
};

/// A mode: the bits of the first endpoint, those of the others by channel, whether the others are
/// differences, and where every bit is.
struct Mode {
    endpoint_bits: u32,
    other_bits: [u32; 3],
    differences: bool,
    regions: usize,
    /// The fields after the mode number from the least significant bit up. `g2[4]` is bit 4 of
    /// green of endpoint 2, `r0[9:0]` ten bits, the least first; `r0[10:15]` the greatest first.
    layout: &'static str,
}

/// The mode of a block's lowest bits: two bits if they are 0 or 1, else five.
#[rustfmt::skip]
fn mode(number: u32) -> Option<Mode> {
    let two = |endpoint_bits, other_bits, layout| {
        Some(Mode { endpoint_bits, other_bits, differences: number != 0b11110, regions: 2, layout })
    };
    let one = |endpoint_bits, other, layout| {
        Some(Mode { endpoint_bits, other_bits: [other; 3], differences: number != 0b00011, regions: 1, layout })
    };
    match number {
        0b00 => two(10, [5, 5, 5], "g2[4] b2[4] b3[4] r0[9:0] g0[9:0] b0[9:0] r1[4:0] g3[4] g2[3:0] \
            g1[4:0] b3[0] g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
        0b01 => two(7, [6, 6, 6], "g2[5] g3[4] g3[5] r0[6:0] b3[0] b3[1] b2[4] g0[6:0] b2[5] b3[2] \
            g2[4] b0[6:0] b3[3] b3[5] b3[4] r1[5:0] g2[3:0] g1[5:0] g3[3:0] b1[5:0] b2[3:0] r2[5:0] r3[5:0]"),
        0b00010 => two(11, [5, 4, 4], "r0[9:0] g0[9:0] b0[9:0] r1[4:0] r0[10] g2[3:0] g1[3:0] g0[10] \
            b3[0] g3[3:0] b1[3:0] b0[10] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
        0b00110 => two(11, [4, 5, 4], "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10] g3[4] g2[3:0] g1[4:0] \
            g0[10] g3[3:0] b1[3:0] b0[10] b3[1] b2[3:0] r2[3:0] b3[0] b3[2] r3[3:0] g2[4] b3[3]"),
        0b01010 => two(11, [4, 4, 5], "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10] b2[4] g2[3:0] g1[3:0] \
            g0[10] b3[0] g3[3:0] b1[4:0] b0[10] b2[3:0] r2[3:0] b3[1] b3[2] r3[3:0] b3[4] b3[3]"),
        0b01110 => two(9, [5, 5, 5], "r0[8:0] b2[4] g0[8:0] g2[4] b0[8:0] b3[4] r1[4:0] g3[4] g2[3:0] \
            g1[4:0] b3[0] g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
        0b10010 => two(8, [6, 5, 5], "r0[7:0] g3[4] b2[4] g0[7:0] b3[2] g2[4] b0[7:0] b3[3] b3[4] r1[5:0] \
            g2[3:0] g1[4:0] b3[0] g3[3:0] b1[4:0] b3[1] b2[3:0] r2[5:0] r3[5:0]"),
        0b10110 => two(8, [5, 6, 5], "r0[7:0] b3[0] b2[4] g0[7:0] g2[5] g2[4] b0[7:0] g3[5] b3[4] r1[4:0] \
            g3[4] g2[3:0] g1[5:0] g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
        0b11010 => two(8, [5, 5, 6], "r0[7:0] b3[1] b2[4] g0[7:0] b2[5] g2[4] b0[7:0] b3[5] b3[4] r1[4:0] \
            g3[4] g2[3:0] g1[4:0] b3[0] g3[3:0] b1[5:0] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"),
        0b11110 => two(6, [6, 6, 6], "r0[5:0] g3[4] b3[0] b3[1] b2[4] g0[5:0] g2[5] b2[5] b3[2] g2[4] \
            b0[5:0] g3[5] b3[3] b3[5] b3[4] r1[5:0] g2[3:0] g1[5:0] g3[3:0] b1[5:0] b2[3:0] r2[5:0] r3[5:0]"),
        0b00011 => one(10, 10, "r0[9:0] g0[9:0] b0[9:0] r1[9:0] g1[9:0] b1[9:0]"),
        0b00111 => one(11, 9, "r0[9:0] g0[9:0] b0[9:0] r1[8:0] r0[10] g1[8:0] g0[10] b1[8:0] b0[10]"),
        0b01011 => one(12, 8, "r0[9:0] g0[9:0] b0[9:0] r1[7:0] r0[10:11] g1[7:0] g0[10:11] b1[7:0] b0[10:11]"),
        0b01111 => one(16, 4, "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10:15] g1[3:0] g0[10:15] b1[3:0] b0[10:15]"),
        _ => None,
    }
}

/// A colour: red, green, blue.
type Rgb = [i32; 3];

/// The texels of a block, row by row, as binary16 red, green, blue. A block of a reserved mode is
/// all 0.
pub(super) fn decode(block: [u8; 16], signed: bool) -> [[u16; 3]; 16] {
    let mut bits = Bits::new(u128::from_le_bytes(block));
    let mut number = bits.take(2);
    if number >= 2 {
        number |= bits.take(3) << 2;
    }
    let Some(mode) = mode(number) else { return [[0; 3]; 16] };
    let endpoints = endpoints(&mode, &mut bits, signed);
    let (partition, index_bits) = if mode.regions == 2 {
        (Partition::new(2, bits.take(5) as usize), 3)
    } else {
        (Partition::new(1, 0), 4)
    };
    let indices = indices(&mut bits, index_bits, partition);
    std::array::from_fn(|texel| {
        let region = 2 * partition.subset(texel);
        let (a, b) = (endpoints[region], endpoints[region + 1]);
        let weight = weight(indices[texel], index_bits).cast_signed();
        std::array::from_fn(|channel| {
            let between = (a[channel] * (64 - weight) + b[channel] * weight + 32) >> 6;
            finish(between, signed)
        })
    })
}

/// The endpoints, widened to 16 bits (and a sign).
fn endpoints(mode: &Mode, bits: &mut Bits, signed: bool) -> [Rgb; 4] {
    let mut fields = read_fields(mode.layout, bits);
    let width = mode.endpoint_bits;
    let (first, others) = fields.split_first_mut().expect("four endpoints");
    if signed {
        *first = first.map(|value| sign_extend(value, width));
    }
    for other in &mut others[..2 * mode.regions - 1] {
        for (channel, value) in other.iter_mut().enumerate() {
            if mode.differences {
                let sum = first[channel] + sign_extend(*value, mode.other_bits[channel]);
                *value = sum & ((1 << width) - 1);
            }
            if signed {
                *value = sign_extend(*value, width);
            }
        }
    }
    fields.map(|colour| colour.map(|value| unquantize(value, width, signed)))
}

/// The bits a layout names, gathered into endpoints.
fn read_fields(layout: &str, bits: &mut Bits) -> [Rgb; 4] {
    let mut endpoints = [[0; 3]; 4];
    for field in layout.split_whitespace() {
        let (name, range) = field.trim_end_matches(']').split_once('[').expect("a field");
        let channel = match name.as_bytes()[0] {
            b'r' => 0,
            b'g' => 1,
            _ => 2,
        };
        let endpoint = usize::from(name.as_bytes()[1] - b'0');
        let (left, right) = range.split_once(':').unwrap_or((range, range));
        let [left, right] = [left, right].map(|text| text.parse::<i32>().expect("a bit number"));
        // The bit written last is read first.
        let step = (left - right).signum();
        for n in 0..=(left - right).abs() {
            endpoints[endpoint][channel] |= bits.take(1).cast_signed() << (right + n * step);
        }
    }
    endpoints
}

fn sign_extend(value: i32, width: u32) -> i32 {
    value << (32 - width) >> (32 - width)
}

/// An endpoint widened to 16 bits, or 15 and a sign.
fn unquantize(value: i32, width: u32, signed: bool) -> i32 {
    if !signed {
        return match value {
            value if width >= 15 => value,
            0 => 0,
            value if value == (1 << width) - 1 => 0xFFFF,
            value => ((value << 16) + 0x8000) >> width,
        };
    }
    let magnitude = match value.abs() {
        magnitude if width >= 16 => magnitude,
        0 => 0,
        magnitude if magnitude >= (1 << (width - 1)) - 1 => 0x7FFF,
        magnitude => ((magnitude << 15) + 0x4000) >> (width - 1),
    };
    if value < 0 { -magnitude } else { magnitude }
}

/// An interpolated number as the bits of a binary16, scaled so that infinity is not reached.
fn finish(value: i32, signed: bool) -> u16 {
    if !signed {
        return ((value * 31) >> 6) as u16;
    }
    let magnitude = ((value.abs() * 31) >> 5) as u16;
    // Decision D-surface-bc6h-zero.
    // The sign is put on the finished integer, of which there is only one zero.
    if value < 0 && magnitude > 0 { 0x8000 | magnitude } else { magnitude }
}
