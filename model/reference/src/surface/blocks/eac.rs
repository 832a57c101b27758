//! EAC (public: Khronos Data Format Specification): the alpha of ETC2 and 11-bit channels.

use crate::number::Ratio;

/// What the eight codes add to the base, before multiplication, by table.
#[rustfmt::skip]
const MODIFIERS: [[i32; 8]; 16] = [
    [-3, -6,  -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5,  -8, -13, 1, 4, 7, 12],
    [-2, -4,  -6, -13, 1, 3, 5, 12],
    [-3, -6,  -8, -12, 2, 5, 7, 11],
    [-3, -7,  -9, -11, 2, 6, 8, 10],
    [-4, -7,  -8, -11, 3, 6, 7, 10],
    [-3, -5,  -8, -11, 2, 4, 7, 10],
    [-2, -6,  -8, -10, 1, 5, 7,  9],
    [-2, -5,  -8, -10, 1, 4, 7,  9],
    [-2, -4,  -8, -10, 1, 3, 7,  9],
    [-2, -5,  -7, -10, 1, 4, 6,  9],
    [-3, -4,  -7, -10, 2, 3, 6,  9],
    [-1, -2,  -3, -10, 0, 1, 2,  9],
    [-4, -6,  -8,  -9, 3, 5, 7,  8],
    [-3, -5,  -7,  -9, 2, 4, 6,  8],
];

/// A block: base, multiplier and the modifier of each texel, row by row.
struct Block {
    base: u8,
    multiplier: i32,
    modifiers: [i32; 16],
}

impl Block {
    /// The word is big-endian: base 63:56, multiplier 55:52, table 51:48, then 3-bit codes, column
    /// by column.
    fn new(bytes: [u8; 8]) -> Self {
        let word = u64::from_be_bytes(bytes);
        let table = MODIFIERS[(word >> 48 & 15) as usize];
        let modifiers = std::array::from_fn(|n| {
            let (x, y) = (n % 4, n / 4);
            table[(word >> (45 - 3 * (4 * x + y)) & 7) as usize]
        });
        Self { base: bytes[0], multiplier: (word >> 52 & 15) as i32, modifiers }
    }
}

/// 8-bit alpha: base + modifier * multiplier.
pub(super) fn alpha(bytes: [u8; 8]) -> [u8; 16] {
    let block = Block::new(bytes);
    let value = |modifier: i32| i32::from(block.base) + modifier * block.multiplier;
    block.modifiers.map(|modifier| value(modifier).clamp(0, 255) as u8)
}

/// 11-bit channel: base * 8 + 4 + modifier * multiplier * 8 over 2047; signed without the 4, over
/// 1023, with base -128 taken as -127. Multiplier 0 stands for 1/8.
pub(super) fn eleven_bits(bytes: [u8; 8], signed: bool) -> [Ratio; 16] {
    let block = Block::new(bytes);
    let step = if block.multiplier == 0 { 1 } else { block.multiplier * 8 };
    block.modifiers.map(|modifier| {
        if signed {
            let base = i32::from(block.base.cast_signed()).max(-127) * 8;
            let value = (base + modifier * step).clamp(-1023, 1023);
            Ratio::signed(i64::from(value), 1023)
        } else {
            let value = (i32::from(block.base) * 8 + 4 + modifier * step).clamp(0, 2047);
            Ratio::signed(i64::from(value), 2047)
        }
    })
}
