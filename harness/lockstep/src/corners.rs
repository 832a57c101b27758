//! Numbers weighted to the corners, for the generators of every machine: class boundaries of floats,
//! ends of integer ranges, neighbours of halves and powers of two.

use crate::random::SplitMix64;

/// Binary32 numbers at which behaviour changes.
pub(crate) const FLOATS: [u32; 79] = [
    // Zeros and denormals.
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x007F_FFFF,
    0x807F_FFFF,
    // The ends of the normal numbers.
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x7F00_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    // Infinities and NaNs.
    0x7F80_0000,
    0xFF80_0000,
    0x7F80_0001,
    0xFF80_0001,
    0x7FC0_0000,
    0xFFC0_0000,
    0xFFC1_2345,
    0x7FFF_FFFF,
    0xFFFF_FFFF,
    // Halves, one, small integers and what is next to them.
    0x3EFF_FFFF,
    0x3F00_0000,
    0xBF00_0000,
    0x3F00_0001,
    0x3F7F_FFFF,
    0xBF7F_FFFF,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0001,
    0xBF80_0001,
    0x3FC0_0000,
    0xBFC0_0000,
    0x4000_0000,
    0xC000_0000,
    0x4020_0000,
    0xC020_0000,
    0x4049_0FDB,
    0xC049_0FDB,
    0x4060_0000,
    0x4080_0000,
    // Where a unit in the last place is a half, one and two.
    0x4AFF_FFFF,
    0x4B00_0000,
    0x4B00_0001,
    0xCB00_0001,
    0x4B7F_FFFF,
    0x4B80_0000,
    // The ends of 8-bit and 16-bit integers.
    0xC2FC_0000,
    0x42FE_0000,
    0x42FF_0000,
    0x4300_0000,
    0xC300_0000,
    0xC301_0000,
    0xC316_0000,
    0x437F_0000,
    0x437F_8000,
    0x4380_0000,
    0xC380_0000,
    0x46FF_FE00,
    0x4700_0000,
    0xC700_0000,
    0xC700_0100,
    0x477F_FF00,
    0x4780_0000,
    // The ends of 32-bit and 64-bit integers.
    0x4EFF_FFFF,
    0x4F00_0000,
    0xCF00_0000,
    0xCF00_0001,
    0x4F7F_FFFF,
    0x4F80_0000,
    0xCF80_0000,
    0x5F00_0000,
    // The ends of binary16 and of shared exponents.
    0x3880_0000,
    0x477F_8000,
    0x477F_E000,
    0x477F_F000,
    // Products and square roots at the ends of the range.
    0x1F80_0000,
    0x3380_0000,
    0x6000_0000,
];

/// Binary32 numbers of which pairs seldom meet elsewhere: numbers and what is none, zeros of both signs, the same
/// number twice.
pub(crate) const MEETING: [u32; 8] = [
    0x0000_0000,
    0x8000_0000,
    0x7FC0_0000,
    0xFFC0_0001,
    0x3F80_0000,
    0xBF80_0000,
    0x7F80_0000,
    0x8000_0001,
];

/// Binary32 numbers that are seldom drawn elsewhere: between the greatest signed and the greatest unsigned
/// quadword, and those of which one digit is among the low 32 bits.
pub(crate) const SELDOM: [u32; 8] = [
    0x5F40_0000,
    0x5F7F_FFFF,
    0x5F80_0000,
    0xDF00_0001,
    0x5A80_0001,
    0xDA80_0003,
    0x5F00_0001,
    0x5EFF_FFFF,
];

/// Binary32 numbers whose sums and products are next to where there is no number any more, and just there.
pub(crate) const AT_THE_TOP: [u32; 8] = [
    0x7F00_0000,
    0x7F00_0000,
    0xFF00_0000,
    0xFF00_0000,
    0x7F7F_FFFF,
    0x4000_0000,
    0xC000_0000,
    0x7EFF_FFFF,
];

/// Binary32 numbers whose products are next to the smallest normal one, 2^-126: less than half a step of the
/// denormals below it, so that they round up to it; exactly half a step below; and more.
pub(crate) const AT_THE_BOTTOM: [u32; 8] = [
    // 2^-63 (1 + 2^-23) and 2^-64 (2 - 2^-22): their product is 2^-126 (1 - 2^-46).
    0x2000_0001,
    0x1FFF_FFFE,
    0xA000_0001,
    0x9FFF_FFFE,
    // 2^-64 (2 - 3 * 2^-23): just more than half a step below, with the first.
    0x1FFF_FFFD,
    // 2^-126 (2 - 2^-23) and a half: exactly half a step below.
    0x00FF_FFFF,
    0x3F00_0000,
    0xBF00_0000,
];

/// Doublewords at which behaviour changes; their low bytes and words are corners too.
const INTEGERS: [u32; 30] = [
    0,
    1,
    2,
    0x7F,
    0x80,
    0xFF,
    0x100,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x1_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0x8000_0001,
    0xFFFF_8000,
    0xFFFF_7FFF,
    0xFFFF_FF80,
    0x0080_8080,
    0x7F80_7F80,
    0x8000_7FFF,
    0xFFFF_0000,
    0x5555_5555,
    31,
    3,
    32,
    33,
    0xFFFF_FFFE,
    0xAAAA_AAAA,
    0x4000_0000,
];

/// A kind of number: how it is made from 64 random bits, without decisions that a processor would
/// have to guess.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// All ones: one of the corners; zero: the low 32 bits, shifted down and masked.
    corner: u32,
    /// Random bits that are added to a corner, less `below`: its neighbours.
    further: u32,
    below: u32,
    /// Bits the low half is shifted down, and those that stay.
    shift: u32,
    keep: u32,
    /// Lowest exponent, the random bits added to it, and whether it may be one counted from 255.
    exponent: u32,
    exponents: u32,
    either_end: u32,
}

impl Kind {
    const CORNER: Self = Self { corner: u32::MAX, ..Self::bits(0) };
    const NEIGHBOUR: Self = Self { further: 3, below: 1, ..Self::CORNER };

    /// The low half, masked.
    const fn bits(keep: u32) -> Self {
        Self {
            corner: 0,
            further: 0,
            below: 0,
            shift: 0,
            keep,
            exponent: 0,
            exponents: 0,
            either_end: 0,
        }
    }

    /// The low half, masked, with an exponent from `exponent` on.
    const fn float(keep: u32, exponent: u32, exponents: u32) -> Self {
        Self { exponent, exponents, ..Self::bits(keep) }
    }

    /// The number that random bits make, their highest four left out: those choose the kind.
    #[inline]
    fn number<const CORNERS: usize>(self, bits: u64, corners: &[u32; CORNERS]) -> u32 {
        let (low, further) = (bits as u32, (bits >> 40) as u32);
        let corner = corners[low as usize % CORNERS]
            .wrapping_add(further & self.further)
            .wrapping_sub(self.below);
        let from_above = ((bits >> 44) as u32 & self.either_end).wrapping_neg() & 0xFF;
        let exponent = (self.exponent + (further & self.exponents)) ^ from_above;
        let other = (low.cast_signed() >> self.shift).cast_unsigned() & self.keep | exponent << 23;
        corner & self.corner | other & !self.corner
    }
}

/// Kinds of binary32 numbers, by the highest four random bits.
const FLOAT_KINDS: [Kind; 16] = {
    // Moderate magnitudes: sums cancel, products are finite.
    let moderate = Kind::float(0x807F_FFFF, 119, 15);
    // Few significant bits: exact halves, integers, ties.
    let short = Kind::float(0x8070_0000, 120, 15);
    let whole_range = Kind::bits(u32::MAX);
    let ends_of_range = Kind { either_end: 1, ..Kind::float(0x807F_FFFF, 0, 7) };
    let mut kinds = [Kind::CORNER; 16];
    let mut n = 0;
    while n < 9 {
        kinds[n] = if n < 5 { moderate } else { short };
        n += 1;
    }
    kinds[13] = Kind::NEIGHBOUR;
    kinds[14] = whole_range;
    kinds[15] = ends_of_range;
    kinds
};

/// Kinds of doublewords, by the highest four random bits.
const INTEGER_KINDS: [Kind; 16] = {
    let any = Kind::bits(u32::MAX);
    let shift_count = Kind::bits(0x1F);
    let small_signed = Kind { shift: 24, ..Kind::bits(u32::MAX) };
    let word = Kind { shift: 16, ..Kind::bits(0xFFFF) };
    let two_counts = Kind::bits(0x001F_001F);
    [
        any,
        any,
        any,
        any,
        Kind::CORNER,
        Kind::CORNER,
        Kind::CORNER,
        Kind::CORNER,
        Kind::NEIGHBOUR,
        Kind::NEIGHBOUR,
        shift_count,
        shift_count,
        small_signed,
        small_signed,
        word,
        two_counts,
    ]
};

/// A binary32 number.
pub(crate) fn float(random: &mut SplitMix64) -> u32 {
    let bits = random.next();
    FLOAT_KINDS[(bits >> 60) as usize].number(bits, &FLOATS)
}

/// A doubleword.
pub(crate) fn integer(random: &mut SplitMix64) -> u32 {
    let bits = random.next();
    INTEGER_KINDS[(bits >> 60) as usize].number(bits, &INTEGERS)
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
    }
}
