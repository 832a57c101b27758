//! Numbers worth writing: near the middle between two codes, at the ends of ranges, of every class.

use parallax_isa::surface::{Codec, Format, Layout, Natural};

use crate::{choices::Choices, corners::FLOATS};

/// Greatest codes of the normalised integers there are, by width.
const WIDTHS: [u32; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 23, 24, 31, 32];

/// 16-bit patterns at the corners of binary16 and of integers.
const HALVES: [u16; 14] = [
    0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7C01, 0x7E00, 0xFFFF, 0x7FFF, 0x0001, 0x83FF,
    0x0400, 0x8001,
];

/// Bytes at the ends of ranges, and on both sides of where the curve of sRGB begins.
const ENDS: [u8; 10] = [0x00, 0xFF, 0x80, 0x7F, 0x01, 0xFE, 0x81, 0x3C, 0x0A, 0x0B];

/// Bits of a value of a type.
pub(in crate::surface) fn value(choices: &mut Choices, natural: Natural) -> u64 {
    match natural {
        Natural::Float32 => float(choices).into(),
        Natural::Float64 => match choices.below(3) {
            0 => choices.seed(),
            1 => f64::from(f32::from_bits(float(choices))).to_bits(),
            _ => *choices.pick(&[0, 1 << 63, 0x7FF << 52, 0x7FF8 << 48, 0x7FF << 52 | 1, 1]),
        },
        Natural::Uint32 | Natural::Sint32 => integer(choices).into(),
        Natural::Raw64 => choices.seed(),
        Natural::Absent => 0,
    }
}

/// Bits of a binary32 number.
pub(in crate::surface) fn float(choices: &mut Choices) -> u32 {
    match choices.below(8) {
        0 => *choices.pick(&FLOATS),
        1 => choices.word(),
        // Near the middle between two codes.
        2 | 3 => {
            let width = *choices.pick(&WIDTHS);
            let greatest = 2_f64.powi(width as i32) - 1.0;
            let code = (f64::from(choices.word()) / f64::from(u32::MAX) * greatest).floor();
            let near = ((code + 0.5) / greatest) as f32;
            let sign = u32::from(choices.byte() & 1) << 31;
            near.to_bits().wrapping_add_signed(choices.below(5) as i32 - 2) | sign
        }
        // Small floats and the middle between two of them, some of them next to a power of two.
        4 => {
            let exponent = 127 - 30 + choices.below(48) as u32;
            let digits = if choices.sometimes(48) { 0xFFF } else { choices.word() & 0xFFF };
            let fraction = digits << 11;
            let sign = u32::from(choices.byte() & 1) << 31;
            (sign | exponent << 23 | fraction).wrapping_add_signed(choices.below(3) as i32 - 1)
        }
        // Integers and halves of them.
        5 => (f64::from(integer(choices).cast_signed()) as f32 / 2.0).to_bits(),
        // Between 0 and 1, evenly.
        _ => (choices.word() as f32 / 4_294_967_296.0).to_bits(),
    }
}

/// Bits of four binary32 numbers none of which is much larger than the others, down to where a shared exponent
/// has no smaller one: by chance all of a texel are seldom small.
pub(in crate::surface) fn of_one_size(choices: &mut Choices) -> [u32; 4] {
    let largest = 127 + 16 - choices.below(42) as u32;
    [(); 4].map(|()| {
        let exponent = largest - choices.below(4) as u32;
        // Few digits lie in the middle between two codes.
        let fraction = choices.word() >> 9;
        let fraction = if choices.sometimes(128) { fraction & 0x7F_C000 } else { fraction };
        exponent << 23 | fraction
    })
}

/// A 32-bit integer, mostly near a power of two.
pub(in crate::surface) fn integer(choices: &mut Choices) -> u32 {
    match choices.below(3) {
        0 => choices.word(),
        1 => {
            let power = 1u32 << choices.below(32);
            let near = power.wrapping_add_signed(choices.below(3) as i32 - 1);
            if choices.sometimes(128) { near.wrapping_neg() } else { near }
        }
        _ => choices.word() >> choices.below(32),
    }
}

/// Bytes of an element or block of a format. Of blocks each mode comes, however few have it at random, and each
/// end of the range of the numbers that the others start from.
pub(in crate::surface) fn element(choices: &mut Choices, format: &Format) -> Vec<u8> {
    let mut bytes = bytes(choices, format.block.bytes.into());
    let Layout::Compressed(codec) = &format.layout else { return bytes };
    if choices.sometimes(64) {
        return bytes;
    }
    match codec {
        // The number of zeros below the lowest one; eight are reserved.
        Codec::Bc7 => {
            let mode = choices.below(9);
            bytes[0] = ((u32::from(bytes[0]) | 1) << mode) as u8;
        }
        Codec::Bc6h { .. } => bytes[0] = bytes[0] & !31 | choices.below(32) as u8,
        _ => {
            for half in bytes.chunks_mut(8) {
                half[0] = *choices.pick(&ENDS);
                if choices.sometimes(128) {
                    half[1] = *choices.pick(&ENDS);
                }
            }
        }
    }
    bytes
}

/// Bytes of an element: at random, or all alike, or each at an end of its range.
pub(in crate::surface) fn bytes(choices: &mut Choices, count: usize) -> Vec<u8> {
    match choices.below(5) {
        // Corners of binary16 and of 16-bit integers.
        0 if count.is_multiple_of(2) => {
            (0..count / 2).flat_map(|_| choices.pick(&HALVES).to_le_bytes()).collect()
        }
        0 | 1 => (0..count).map(|_| *choices.pick(&ENDS)).collect(),
        // One bit off from all zeros or all ones.
        2 => {
            let mut bytes = vec![if choices.sometimes(128) { 0xFF } else { 0 }; count];
            let bit = choices.below(8 * count);
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        }
        _ => (0..count).map(|_| choices.byte()).collect(),
    }
}
