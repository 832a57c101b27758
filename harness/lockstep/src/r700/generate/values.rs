//! Register contents weighted to the corners of the number formats.

use crate::{
    corners::{self, integer},
    random::SplitMix64,
};

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

/// A binary64 number, low word first: half of the time one of each class that tables of results have.
pub(in crate::r700) fn double(random: &mut SplitMix64) -> [u32; 2] {
    // In single precision the high words of the first two are NaNs: not too many of them.
    const CLASSES: [f64; 8] = [f64::INFINITY, f64::NAN, 0.0, 1.0, 5e-324, 2.5, -1.5, 3.0];
    let bits = random.next();
    if bits >> 63 == 0 {
        return [low_word(random), high_word(random)];
    }
    if bits >> 58 & 15 == 0 {
        // 2^-511 (1 + 2^-52) and 2^-512 (2 - 2^-51): their product rounds up to the smallest normal number.
        const FACTORS: [[u32; 2]; 2] = [[1, 0x2000_0000], [0xFFFF_FFFE, 0x1FFF_FFFF]];
        let [low, high] = FACTORS[(bits & 1) as usize];
        return [low, high | ((bits >> 62 & 1) as u32) << 31];
    }
    let class = CLASSES[(bits as u32 % CLASSES.len() as u32) as usize];
    let number = class.to_bits() | (bits >> 62 & 1) << 63;
    [number as u32, (number >> 32) as u32]
}

/// A binary32 number that has an integer: of any magnitude up to a little more than 32 bits hold, now and then
/// up to where none of its digits is among the low 32 bits, with a fraction where there is room for one.
pub(in crate::r700) fn whole(random: &mut SplitMix64) -> u32 {
    let bits = random.next();
    let places = (bits >> 40) as u32;
    let exponent = 126 + if places & 15 == 0 { 34 + (places >> 4) % 25 } else { places % 34 };
    let fraction = match bits >> 62 {
        // Halves, which are corners of rounding.
        0 => bits as u32 & 0x0070_0000,
        // The last digit is all that is left of some.
        _ => bits as u32 & 0x007F_FFFF | u32::from(places & 15 == 0),
    };
    bits as u32 & 0x8000_0000 | exponent << 23 | fraction
}

/// A small number, as a float with a fraction or as an integer: an index, mostly in range.
pub(in crate::r700) fn index(random: &mut SplitMix64, float: bool) -> u32 {
    let bits = random.next();
    let small = (bits as i64 & 63) as i32 - 24;
    let number = match bits >> 60 {
        0..=11 => small >> 1,
        12..=13 => small * 8,
        14 => [255, 256, 257, -256, -257, -255, 1 << 20, -(1 << 20)][(bits >> 8 & 7) as usize],
        _ if float => return corners::float(random),
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
        let high: Vec<_> = (0..20_000).map(|_| high_word(&mut random)).collect();
        assert!(HIGH_WORDS.iter().all(|corner| high.contains(corner)));
    }
}
