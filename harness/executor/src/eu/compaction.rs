//! The 64-bit compact form (G45 volume 4, section 11.6 and Tables 13-18 and 13-19).
//!
//! Five indices stand for the control, data type, subregister and source fields of the 128-bit
//! form; the rest is copied. The tables are those of section 11.6 with the digits that the errata
//! restore.

/// The 128-bit form of a compact instruction, its `CompactCtrl` bit clear.
pub(super) fn expand(compact: u64) -> u128 {
    let field = |high: u32, low: u32| (compact >> low) & ((1 << (high - low + 1)) - 1);
    let entry =
        |table: &[u32; 32], high: u32, low: u32| u64::from(table[field(high, low) as usize]);
    let control = entry(&CONTROL, 12, 8);
    let data_type = entry(&DATA_TYPE, 17, 13);
    let subregister = entry(&SUBREGISTER, 22, 18);
    let parts = [
        (field(6, 0), 0),
        (control & 0xFFFF, 8),
        (field(27, 24), 24),
        (field(23, 23), 28),
        (field(7, 7), 30),
        (control >> 16, 31),
        (data_type & 0x7FFF, 32),
        (subregister & 0x1F, 48),
        (field(47, 40), 53),
        (data_type >> 15, 61),
        (subregister >> 5 & 0x1F, 64),
        (field(55, 48), 69),
        (entry(&SOURCE, 34, 30), 77),
        (field(28, 28), 89),
        (subregister >> 10, 96),
        (field(63, 56), 101),
        (entry(&SOURCE, 39, 35), 109),
    ];
    parts.into_iter().fold(0, |word, (bits, at)| word | u128::from(bits) << at)
}

/// Instruction bits 31 and 23:8.
const CONTROL: [u32; 32] = [
    0x0, 0x8000, 0x6000, 0x2, 0x4000, 0x2000, 0x8020, 0x8100, 0xa020, 0x102, 0x18000, 0x1102,
    0x9100, 0x100, 0x18020, 0x1100, 0x16000, 0x1a020, 0x6100, 0x4100, 0x8008, 0x8004, 0x7800,
    0x5600, 0x6010, 0x2100, 0x8024, 0x8028, 0x6006, 0xa, 0xa028, 0xa024,
];

/// Instruction bits 63:61 and 46:32.
const DATA_TYPE: [u32; 32] = [
    0x8021, 0xb5ad, 0x8231, 0xf7bd, 0xb5ac, 0x81ad, 0x8020, 0x145b1, 0xc62d, 0x8022, 0x8236,
    0x10231, 0x8232, 0x18232, 0xf7bc, 0x8128, 0x14631, 0xa529, 0x8229, 0x10236, 0x28231, 0xb62d,
    0x8109, 0xb62c, 0x34631, 0x83bd, 0x30231, 0x1812a, 0x28229, 0xb58c, 0x81a1, 0xa508,
];

/// Instruction bits 100:96, 68:64 and 52:48.
const SUBREGISTER: [u32; 32] = [
    0x0, 0x80, 0x200, 0x800, 0x20, 0x4000, 0x10, 0x1800, 0x1400, 0x100, 0x1000, 0x8, 0x40, 0x1,
    0x400, 0xa0, 0x7, 0x220, 0x3000, 0x180, 0x2, 0x4, 0x60, 0x802, 0x1cc6, 0x1d08, 0xcc6, 0x218,
    0xc84, 0x1806, 0x86, 0x230,
];

/// Instruction bits 88:77 of source 0, 120:109 of source 1.
const SOURCE: [u32; 32] = [
    0x0, 0x468, 0x588, 0x690, 0x348, 0x58a, 0x570, 0x678, 0x228, 0x28, 0x450, 0xf6c, 0x58c, 0x46c,
    0x694, 0x44c, 0x328, 0x2, 0xf4c, 0x668, 0x548, 0x4, 0x2c, 0x46a, 0x38, 0x558, 0x120, 0x580,
    0x404, 0x438, 0x160, 0xf74,
];

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::expand;

    /// One wrong bit in any entry is found: each entry stands for the bits of the model's table, which is
    /// read from `g45-compaction`.
    #[rstest]
    #[case::control(8)]
    #[case::data_type(13)]
    #[case::subregister(18)]
    #[case::source_0(30)]
    #[case::source_1(35)]
    fn entries_are_those_of_the_table(#[case] index_at: u32) {
        for index in 0..32 {
            let word = 1 << 29 | index << index_at;
            let (expected, actual) = (parallax_isa::eu::compaction::expand(word), expand(word));
            assert_eq!(actual, expected, "entry {index}: {:032x}", actual ^ expected);
        }
    }
}
