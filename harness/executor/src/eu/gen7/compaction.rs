//! The 64-bit compact forms of Gen7 and Gen9 (tables eu-compaction-gen7 and eu-compaction-gen8-9).
//!
//! Indices stand for groups of fields of the 128-bit form; the rest is copied. The layout of the
//! two-source form is that of both generations, only where the groups go differs.

use super::{fields::Generation, word::Word};

/// Where the bits of a table's entries go, the highest first.
type Places = &'static [(u8, u8)];

/// The tables of a generation.
struct Tables {
    control: [u32; 32],
    control_places: Places,
    data_type: [u32; 32],
    data_type_places: Places,
    /// First bit of the register files of the sources in the 128-bit form.
    files: [u32; 2],
}

/// The 128-bit form of a compact instruction of two sources at most, its `CmptCtrl` bit clear.
pub(super) fn expand(generation: Generation, compact: u64) -> Word {
    let tables = match generation {
        Generation::Gen7 => &GEN7,
        _ => &GEN9,
    };
    let field = |high: u32, low: u32| (compact >> low) & ((1 << (high - low + 1)) - 1);
    let entry =
        |table: &[u32; 32], high: u32, low: u32| u64::from(table[field(high, low) as usize]);
    let mut word = Word(0);
    word.scatter(entry(&tables.control, 12, 8), tables.control_places);
    word.scatter(entry(&tables.data_type, 17, 13), tables.data_type_places);
    word.scatter(entry(&SUBREGISTER, 22, 18), &[(100, 96), (68, 64), (52, 48)]);
    word.scatter(entry(&SOURCE, 34, 30), &[(88, 77)]);
    word.scatter(field(6, 0), &[(6, 0)]);
    word.scatter(field(7, 7), &[(30, 30)]);
    word.scatter(field(23, 23), &[(28, 28)]);
    word.scatter(field(27, 24), &[(27, 24)]);
    word.scatter(field(47, 40), &[(60, 53)]);
    word.scatter(field(55, 48), &[(76, 69)]);
    if tables.files.iter().any(|low| word.bits(low + 1, *low) == IMMEDIATE) {
        let value = (field(39, 35) << 8 | field(63, 56)) as u32;
        // Thirteen bits with a sign.
        let value = (value << 19).cast_signed() >> 19;
        // It takes the place of the second source's subregister too.
        word.0 &= u128::MAX >> 32;
        word.scatter(u64::from(value.cast_unsigned()), &[(127, 96)]);
    } else {
        word.scatter(entry(&SOURCE, 39, 35), &[(120, 109)]);
        word.scatter(field(63, 56), &[(108, 101)]);
    }
    word
}

/// The 128-bit form of a compact instruction of three sources (Gen9), its `CmptCtrl` bit clear.
pub(super) fn expand_three_sources(compact: u64) -> Word {
    let field = |high: u32, low: u32| (compact >> low) & ((1 << (high - low + 1)) - 1);
    let mut word = Word(0);
    word.scatter(CONTROL_3SRC[field(9, 8) as usize].into(), &[(36, 35), (34, 32), (28, 8)]);
    word.scatter(SOURCE_3SRC[field(11, 10) as usize], SOURCE_3SRC_PLACES);
    let copied = [
        ((6, 0), (6, 0)),
        ((18, 12), (62, 56)),
        ((28, 28), (64, 64)),
        ((30, 30), (30, 30)),
        ((31, 31), (31, 31)),
        ((32, 32), (85, 85)),
        ((33, 33), (106, 106)),
        ((36, 34), (75, 73)),
        ((39, 37), (96, 94)),
        ((42, 40), (117, 115)),
        ((49, 43), (82, 76)),
        ((56, 50), (103, 97)),
        ((63, 57), (124, 118)),
    ];
    for ((high, low), place) in copied {
        word.scatter(field(high, low), &[place]);
    }
    word
}

const IMMEDIATE: u32 = 3;

static GEN7: Tables = Tables {
    control: CONTROL_GEN7,
    control_places: &[(90, 89), (31, 31), (23, 8)],
    data_type: DATA_TYPE_GEN7,
    data_type_places: &[(63, 61), (46, 32)],
    files: [37, 42],
};

static GEN9: Tables = Tables {
    control: CONTROL_GEN9,
    control_places: &[(33, 31), (23, 12), (10, 9), (34, 34), (8, 8)],
    data_type: DATA_TYPE_GEN9,
    data_type_places: &[(63, 61), (94, 89), (46, 35)],
    files: [41, 89],
};

/// Both generations: instruction bits 100:96, 68:64 and 52:48.
const SUBREGISTER: [u32; 32] = [
    0x0, 0x1, 0x8, 0xf, 0x10, 0x80, 0x100, 0x180, 0x200, 0x210, 0x280, 0x1000, 0x1001, 0x1081,
    0x1082, 0x1083, 0x1084, 0x1087, 0x1088, 0x108e, 0x108f, 0x1180, 0x11e8, 0x2000, 0x2180, 0x3000,
    0x3c87, 0x4000, 0x5000, 0x6000, 0x7000, 0x701c,
];

/// Flag register, saturation and bits 23:8.
const CONTROL_GEN7: [u32; 32] = [
    0x2, 0x4000, 0x4001, 0x4002, 0x4003, 0x4004, 0x4005, 0x4007, 0x4008, 0x4009, 0x400d, 0x6000,
    0x6001, 0x6002, 0x6003, 0x6004, 0x6005, 0x6007, 0x6009, 0x600d, 0x6010, 0x6100, 0x8000, 0x8002,
    0x8004, 0x8100, 0x16000, 0x16010, 0x18000, 0x18100, 0x28000, 0x28100,
];

/// Destination stride, files and types.
const DATA_TYPE_GEN7: [u32; 32] = [
    0x8001, 0x8020, 0x8021, 0x8061, 0x80bd, 0x82fd, 0x83a1, 0x83a5, 0x83bd, 0x8421, 0x8c20, 0x8c21,
    0x94a5, 0x9ca4, 0x9ca5, 0xf3bd, 0xf79d, 0xf7bc, 0xf7bd, 0xffbc, 0x20c, 0x803d, 0x80a5, 0x8420,
    0x94a4, 0x9c84, 0xa509, 0xdfbd, 0xffbd, 0xbdac, 0xa528, 0xad28,
];

/// Bits 88:77 of source 0, 120:109 of source 1.
const SOURCE: [u32; 32] = [
    0x0, 0x2, 0x10, 0x12, 0x18, 0x20, 0x28, 0x48, 0x50, 0x70, 0x78, 0x300, 0x302, 0x308, 0x310,
    0x312, 0x320, 0x328, 0x338, 0x340, 0x342, 0x348, 0x350, 0x360, 0x368, 0x370, 0x371, 0x378,
    0x468, 0x469, 0x46a, 0x588,
];

/// Flag register, saturation, controls, mask control and access mode.
const CONTROL_GEN9: [u32; 32] = [
    0x2, 0x4000, 0x4001, 0x4002, 0x4003, 0x4004, 0x4005, 0x4007, 0x4008, 0x4009, 0x400d, 0x6000,
    0x6001, 0x6002, 0x6003, 0x6004, 0x6005, 0x6007, 0x6009, 0x600d, 0x6010, 0x6100, 0x8000, 0x8002,
    0x8004, 0x8100, 0x16000, 0x16010, 0x18000, 0x18100, 0x28000, 0x28100,
];

/// Destination stride, files and types.
const DATA_TYPE_GEN9: [u32; 32] = [
    0x40001, 0x40040, 0x40041, 0x400c1, 0x4015d, 0x405dd, 0x40741, 0x40745, 0x4075d, 0x41041,
    0x43040, 0x43041, 0x45145, 0x47144, 0x47145, 0x5c75d, 0x5d71d, 0x5d75c, 0x5d75d, 0x5f75c,
    0x40c, 0x4005d, 0x40145, 0x41040, 0x45144, 0x47104, 0x49209, 0x5775d, 0x5f75d, 0x4f34c,
    0x49248, 0x4b248,
];

/// Types of sources, flag register, mask control and bits 28:8.
const CONTROL_3SRC: [u32; 4] = [0x806001, 0x6001, 0x8001, 0x8021];

/// Swizzles, modifiers, types and the destination of three-source instructions.
const SOURCE_3SRC: [u64; 4] = [0x7272720f000, 0x7272720f002, 0x7272720f008, 0x7272720f020];

const SOURCE_3SRC_PLACES: Places =
    &[(126, 125), (105, 104), (84, 84), (83, 83), (114, 107), (93, 86), (72, 65), (55, 37)];
