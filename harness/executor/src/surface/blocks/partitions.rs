//! How BC6H and BC7 divide the texels of a block into subsets, and in which texel of each subset
//! the index is a bit short.

/// A division: the subset of each texel, two bits from the lowest up, row by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Partition {
    /// Two bits a texel.
    pub(super) subsets: u32,
    /// The texels after the first whose indices are a bit short, in order; 16 stands for none.
    pub(super) anchors: [u8; 2],
}

impl Partition {
    /// All texels in one subset.
    pub(super) const WHOLE: Self = Self { subsets: 0, anchors: [16, 16] };

    /// One of the divisions in two.
    #[inline(always)]
    pub(super) fn two(number: usize) -> Self {
        Self { subsets: TWO[number], anchors: [ANCHORS_OF_TWO[number], 16] }
    }

    /// One of the divisions in three.
    #[inline(always)]
    pub(super) fn three(number: usize) -> Self {
        Self { subsets: THREE[number], anchors: ANCHORS_OF_THREE[number] }
    }

    /// The subset of a texel.
    #[inline(always)]
    pub(super) fn subset(self, texel: usize) -> usize {
        (self.subsets >> (2 * texel) & 3) as usize
    }

    /// Indices of `BITS` bits a texel from those of the block, in which the uppermost bit of each
    /// anchor's index is left out because it is 0.
    #[inline(always)]
    pub(super) fn indices<const BITS: u32>(self, stored: u64) -> u64 {
        let [second, third] = self.anchors.map(|texel| u32::from(texel) * BITS + BITS - 1);
        insert_zero(insert_zero(insert_zero(stored, BITS - 1), second), third)
    }
}

/// Moves the bits from a place up by one; the uppermost goes.
#[inline(always)]
fn insert_zero(bits: u64, place: u32) -> u64 {
    // Places from 64 on are above all bits.
    let upper = u64::MAX.checked_shl(place).unwrap_or(0);
    bits.wrapping_add(bits & upper)
}

/// Two subsets.
const TWO: [u32; 64] = [
    0x5050_5050,
    0x4040_4040,
    0x5454_5454,
    0x5450_5040,
    0x5040_4000,
    0x5554_5450,
    0x5554_5040,
    0x5450_4000,
    0x5040_0000,
    0x5555_5450,
    0x5554_4000,
    0x5440_0000,
    0x5555_5440,
    0x5555_0000,
    0x5555_5500,
    0x5500_0000,
    0x5515_0100,
    0x0000_4054,
    0x1501_0000,
    0x0040_5054,
    0x0000_4050,
    0x1505_0100,
    0x0501_0000,
    0x4050_5054,
    0x0040_4050,
    0x0501_0100,
    0x1414_1414,
    0x0514_1450,
    0x0115_5440,
    0x0055_5500,
    0x1501_4054,
    0x0541_4150,
    0x4444_4444,
    0x5500_5500,
    0x1144_1144,
    0x0505_5050,
    0x0550_0550,
    0x1111_4444,
    0x4114_4114,
    0x4411_1144,
    0x1505_5054,
    0x0105_5040,
    0x0504_1050,
    0x0545_5150,
    0x1441_4114,
    0x5005_0550,
    0x4141_1414,
    0x0014_1400,
    0x0004_1504,
    0x0010_5410,
    0x1054_1000,
    0x0415_0400,
    0x5041_0514,
    0x4105_1450,
    0x0541_5014,
    0x1405_4150,
    0x4105_0514,
    0x4150_5014,
    0x4001_1554,
    0x5415_0140,
    0x5050_5500,
    0x0055_5050,
    0x1515_1010,
    0x5454_0404,
];

/// The second anchor of two subsets.
const ANCHORS_OF_TWO: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, //
    15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2, //
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, //
    6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
];

/// Three subsets.
const THREE: [u32; 64] = [
    0xAA68_5050,
    0x6A5A_5040,
    0x5A5A_4200,
    0x5450_A0A8,
    0xA5A5_0000,
    0xA0A0_5050,
    0x5555_A0A0,
    0x5A5A_5050,
    0xAA55_0000,
    0xAA55_5500,
    0xAAAA_5500,
    0x9090_9090,
    0x9494_9494,
    0xA4A4_A4A4,
    0xA9A5_9450,
    0x2A0A_4250,
    0xA594_5040,
    0x0A42_5054,
    0xA5A5_A500,
    0x55A0_A0A0,
    0xA8A8_5454,
    0x6A6A_4040,
    0xA4A4_5000,
    0x1A1A_0500,
    0x0050_A4A4,
    0xAAA5_9090,
    0x1469_6914,
    0x6969_1400,
    0xA085_85A0,
    0xAA82_1414,
    0x50A4_A450,
    0x6A5A_0200,
    0xA9A5_8000,
    0x5090_A0A8,
    0xA8A0_9050,
    0x2424_2424,
    0x00AA_5500,
    0x2492_4924,
    0x2449_9224,
    0x50A5_0A50,
    0x500A_A550,
    0xAAAA_4444,
    0x6666_0000,
    0xA5A0_A5A0,
    0x50A0_50A0,
    0x6928_6928,
    0x44AA_AA44,
    0x6666_6600,
    0xAA44_4444,
    0x54A8_54A8,
    0x9580_9580,
    0x9696_9600,
    0xA854_54A8,
    0x8095_9580,
    0xAA14_1414,
    0x9696_0000,
    0xAAAA_1414,
    0xA050_50A0,
    0xA0A5_A5A0,
    0x9600_0000,
    0x4080_4080,
    0xA9A8_A9A8,
    0xAAAA_AA44,
    0x2A4A_5254,
];

/// The anchors of the second and the third of three subsets, the one that comes first before the
/// other.
const ANCHORS_OF_THREE: [[u8; 2]; 64] = [
    [3, 15],
    [3, 8],
    [8, 15],
    [3, 15],
    [8, 15],
    [3, 15],
    [3, 15],
    [8, 15],
    [8, 15],
    [8, 15],
    [6, 15],
    [6, 15],
    [6, 15],
    [5, 15],
    [3, 15],
    [3, 8],
    [3, 15],
    [3, 8],
    [8, 15],
    [3, 15],
    [3, 15],
    [3, 8],
    [6, 15],
    [8, 10],
    [3, 5],
    [8, 15],
    [6, 8],
    [6, 10],
    [8, 15],
    [5, 15],
    [10, 15],
    [8, 15],
    [8, 15],
    [3, 15],
    [3, 15],
    [5, 10],
    [6, 10],
    [8, 10],
    [8, 9],
    [10, 15],
    [6, 15],
    [3, 15],
    [8, 15],
    [5, 15],
    [3, 15],
    [6, 15],
    [6, 15],
    [8, 15],
    [3, 15],
    [3, 15],
    [5, 15],
    [5, 15],
    [5, 15],
    [8, 15],
    [5, 15],
    [10, 15],
    [5, 15],
    [10, 15],
    [8, 15],
    [13, 15],
    [3, 15],
    [12, 15],
    [3, 15],
    [3, 8],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every subset has an anchor of its own, the first one texel 0.
    #[test]
    fn anchors_lie_in_their_subsets() {
        for number in 0..64 {
            let two = Partition::two(number);
            assert_eq!(two.subset(0), 0);
            assert_eq!(two.subset(two.anchors[0].into()), 1, "{number}");
            let three = Partition::three(number);
            let mut subsets = three.anchors.map(|texel| three.subset(texel.into()));
            assert!(three.anchors[0] < three.anchors[1]);
            subsets.sort_unstable();
            assert_eq!((three.subset(0), subsets), (0, [1, 2]), "{number}");
        }
    }

    #[test]
    fn indices_are_widened_at_anchors() {
        let all_ones = u64::MAX;
        assert_eq!(Partition::WHOLE.indices::<4>(all_ones), !8);
        let partition = Partition { subsets: 0, anchors: [3, 15] };
        let expected = (1_u64 << 45 | 1 << 9 | 1 << 0) << 2;
        assert_eq!(
            partition.indices::<3>(all_ones >> 19) & 0xFFFF_FFFF_FFFF,
            !expected & 0xFFFF_FFFF_FFFF
        );
    }
}
