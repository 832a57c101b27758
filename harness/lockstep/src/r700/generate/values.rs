//! Register contents weighted to the corners of the number formats.

use crate::random::SplitMix64;

/// Binary32 numbers at which behaviour changes.
const FLOATS: [u32; 48] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7F80_0001,
    0x7FC0_0000,
    0xFFC0_0000,
    0xFFFF_FFFF,
    0x3F00_0000,
    0xBF00_0000,
    0x3EFF_FFFF,
    0x3F00_0001,
    0x3F80_0000,
    0xBF80_0000,
    0x3F7F_FFFF,
    0x3F80_0001,
    0x3FC0_0000,
    0xBFC0_0000,
    0x4000_0000,
    0xC000_0000,
    0x4020_0000,
    0x4060_0000,
    0x4080_0000,
    0x4AFF_FFFF,
    0x4B00_0000,
    0x4B00_0001,
    0x4B7F_FFFF,
    0x4EFF_FFFF,
    0x4F00_0000,
    0xCF00_0000,
    0xCF00_0001,
    0x4F7F_FFFF,
    0x4F80_0000,
    0x5F00_0000,
    0x42FE_0000,
    0xC2FC_0000,
    0xC316_0000,
    0x4380_0000,
    0x437F_8000,
    0xC380_0000,
    0x4049_0FDB,
    0xC049_0FDB,
];

/// Doublewords at which behaviour changes.
const INTEGERS: [u32; 20] = [
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    0x7F,
    0xFF,
    0x100,
    0xFFFF,
    0x1_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0x8000_0001,
    0xFFFF_FFFF,
    0xFFFF_FFFE,
    0x5555_5555,
    0xAAAA_AAAA,
    0x4000_0000,
];

/// High words of binary64 numbers at which behaviour changes.
const HIGH_WORDS: [u32; 20] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x000F_FFFF,
    0x0010_0000,
    0x8010_0000,
    0x7FEF_FFFF,
    0xFFEF_FFFF,
    0x7FF0_0000,
    0xFFF0_0000,
    0x7FF8_0000,
    0xFFF8_0000,
    0x3FF0_0000,
    0xBFF0_0000,
    0x3FE0_0000,
    0x47EF_FFFF,
    0x47F0_0000,
    0x380F_FFFF,
    0x3690_0000,
    0x4330_0000,
];

fn corner<const N: usize>(corners: &[u32; N], bits: u64) -> u32 {
    corners[(bits as u32 % N as u32) as usize]
}

/// A binary32 number.
pub(in crate::r700) fn float(random: &mut SplitMix64) -> u32 {
    let bits = random.next();
    let low = bits as u32;
    match bits >> 60 {
        // Moderate magnitudes: sums cancel, products are finite.
        0..=4 => low & 0x807F_FFFF | (119 + (bits >> 40 & 15) as u32) << 23,
        // Few significant bits: halves, integers, ties.
        5..=8 => low & 0x8070_0000 | (120 + (bits >> 40 & 15) as u32) << 23,
        9..=12 => corner(&FLOATS, bits),
        // A corner and its neighbours.
        13 => corner(&FLOATS, bits).wrapping_add((bits >> 40 & 3) as u32).wrapping_sub(1),
        14 => low,
        // Ends of the exponent range.
        _ => {
            let exponent = (bits >> 40 & 7) as u32;
            let exponent = if bits >> 44 & 1 == 0 { exponent } else { 255 - exponent };
            low & 0x807F_FFFF | exponent << 23
        }
    }
}

/// A doubleword.
pub(in crate::r700) fn integer(random: &mut SplitMix64) -> u32 {
    let bits = random.next();
    let low = bits as u32;
    match bits >> 60 {
        0..=3 => low,
        4..=7 => corner(&INTEGERS, bits),
        8..=9 => corner(&INTEGERS, bits).wrapping_add((bits >> 40 & 3) as u32).wrapping_sub(1),
        10..=11 => low & 0x1F,
        12..=13 => (low.cast_signed() >> 24).cast_unsigned(),
        14 => low >> 16,
        _ => 1 << (low & 31),
    }
}

/// The high word of a binary64 number.
pub(in crate::r700) fn high_word(random: &mut SplitMix64) -> u32 {
    let bits = random.next();
    let low = bits as u32;
    match bits >> 61 {
        0..=2 => low & 0x800F_FFFF | (1016 + (bits >> 40 & 15) as u32) << 20,
        3..=5 => corner(&HIGH_WORDS, bits),
        6 => low,
        _ => corner(&HIGH_WORDS, bits).wrapping_add((bits >> 40 & 3) as u32).wrapping_sub(1),
    }
}

/// The low word of one.
pub(in crate::r700) fn low_word(random: &mut SplitMix64) -> u32 {
    let bits = random.next();
    match bits >> 62 {
        0 => 0,
        1 => [0, 1, 0x8000_0000, 0xFFFF_FFFF][(bits & 3) as usize],
        _ => bits as u32,
    }
}

/// A small number, as a float with a fraction or as an integer: an index, mostly in range.
pub(in crate::r700) fn index(random: &mut SplitMix64, float: bool) -> u32 {
    let bits = random.next();
    let small = (bits as i64 & 63) as i32 - 24;
    let number = match bits >> 60 {
        0..=11 => small >> 1,
        12..=13 => small * 8,
        14 => [255, 256, 257, -256, -257, -255, 1 << 20, -(1 << 20)][(bits >> 8 & 7) as usize],
        _ if float => return self::float(random),
        _ => return integer(random),
    };
    if float {
        // Quarters: the halves between integers are corners of rounding.
        (number as f32 + (bits >> 16 & 3) as f32 * 0.25).to_bits()
    } else {
        number.cast_unsigned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_come_up() {
        let mut random = SplitMix64::new(7);
        let floats: Vec<_> = (0..20_000).map(|_| float(&mut random)).collect();
        assert!(FLOATS.iter().all(|corner| floats.contains(corner)));
        let words: Vec<_> = (0..20_000).map(|_| integer(&mut random)).collect();
        assert!(INTEGERS.iter().all(|corner| words.contains(corner)));
        let high: Vec<_> = (0..20_000).map(|_| high_word(&mut random)).collect();
        assert!(HIGH_WORDS.iter().all(|corner| high.contains(corner)));
    }
}
