//! The 64-bit compact forms of Gen12 (table eu-compaction-gen12).

use super::super::word::Word;

/// Where the bits of a table's entries go, the highest first.
type Places = &'static [(u8, u8)];

/// A group of fields, by an index of the compact form.
struct Group<const N: usize> {
    /// High and low bit of the index.
    index: (u32, u32),
    places: Places,
    entries: [u64; N],
}

impl<const N: usize> Group<N> {
    fn expand(&self, compact: u64, word: &mut Word) {
        let entry = self.entries[field(compact, self.index) as usize];
        word.scatter(entry, self.places);
    }
}

/// The bits of a field.
fn field(compact: u64, (high, low): (u32, u32)) -> u64 {
    compact >> low & ((1 << (high - low + 1)) - 1)
}

/// What both forms copy: opcode, scoreboard, destination, source 0, DebugCtrl.
fn copied(compact: u64) -> Word {
    let mut word = Word(0);
    let places = [((6, 0), (6, 0)), ((15, 8), (15, 8)), ((23, 16), (63, 56)), ((47, 40), (79, 72))];
    for (from, to) in places {
        word.scatter(field(compact, from), &[to]);
    }
    word.scatter(field(compact, (7, 7)), &[(30, 30)]);
    word
}

/// The 128-bit form of a compact instruction of two sources at most, its `CmptCtrl` bit clear;
/// nothing if its immediate has a type without a short form.
pub(super) fn expand(compact: u64) -> Option<Word> {
    let mut word = copied(compact);
    CONTROL.expand(compact, &mut word);
    DATA_TYPE.expand(compact, &mut word);
    SUBREGISTER.expand(compact, &mut word);
    SOURCE0.expand(compact, &mut word);
    let immediate = match (word.bit(46), word.bit(47)) {
        (true, _) => Some(word.bits(43, 40)),
        (false, true) => Some(word.bits(91, 88)),
        _ => None,
    };
    if let Some(code) = immediate {
        let value = full_immediate(code, (compact >> 52) as u32)?;
        // It takes the place of what the groups put there.
        word.0 = word.0 << 32 >> 32 | u128::from(value) << 96;
    } else {
        SOURCE1.expand(compact, &mut word);
        word.scatter(field(compact, (63, 56)), &[(111, 104)]);
    }
    Some(word)
}

/// An immediate of 12 bits at its full length, by the code of its type.
fn full_immediate(code: u32, short: u32) -> Option<u32> {
    const SIGN: u32 = 1 << 11;
    // Bits above a negative number.
    let extended = if short & SIGN == 0 { short } else { short | 0xFFFF_F000 };
    let twice = |half: u32| (half & 0xFFFF) * 0x1_0001;
    Some(match code {
        // UV, UD, V, VF
        0 | 2 | 4 | 8 => short,
        // UW
        1 => twice(short),
        // W
        5 => twice(extended),
        // D
        6 => extended,
        // HF, F
        9 => twice(short << 4),
        10 => short << 20,
        _ => return None,
    })
}

/// The 128-bit form of a compact instruction of three sources, its `CmptCtrl` bit clear.
pub(super) fn expand_three_sources(compact: u64) -> Word {
    let mut word = copied(compact);
    TERNARY_CONTROL.expand(compact, &mut word);
    TERNARY_SOURCE.expand(compact, &mut word);
    TERNARY_SUBREGISTER.expand(compact, &mut word);
    word.scatter(field(compact, (55, 48)), &[(127, 120)]);
    word.scatter(field(compact, (63, 56)), &[(111, 104)]);
    word
}

/// Condition or function, saturation, accumulator, mask, predicate, flag, first channel and size.
static CONTROL: Group<32> = Group {
    index: (28, 24),
    places: &[
        (95, 92),
        (34, 34),
        (33, 33),
        (32, 32),
        (31, 31),
        (28, 28),
        (27, 24),
        (23, 22),
        (21, 19),
        (18, 16),
    ],
    entries: [
        0x4, 0x3, 0x2000, 0x2004, 0x2003, 0x80004, 0x24, 0xa0004, 0x0, 0x10004, 0x13, 0x60004,
        0x20004, 0x22004, 0x40004, 0x104, 0xa0003, 0x184, 0x2001, 0x144, 0x1c4, 0x82004, 0x23,
        0x33, 0xa2004, 0x80003, 0x22000, 0x10003, 0xa0084, 0x20003, 0x8003, 0x2024,
    ],
};

/// Files, types, immediates and modes, and the stride of the destination.
static DATA_TYPE: Group<32> = Group {
    index: (34, 30),
    places: &[
        (98, 98),
        (91, 88),
        (66, 66),
        (50, 50),
        (49, 48),
        (47, 47),
        (46, 46),
        (43, 40),
        (39, 36),
        (35, 35),
    ],
    entries: [
        0xd6954, 0x6954, 0x2b54, 0x56d54, 0xd4954, 0xd2954, 0x54d54, 0x800, 0xd0954, 0x2eccc,
        0xb68cc, 0x52d54, 0x96844, 0x50d54, 0x36ccc, 0x16c44, 0x7154, 0x2cccc, 0x822, 0x2844,
        0x26c2a, 0xec22, 0x97044, 0x694c, 0x8c8cc, 0x6854, 0x2ec4c, 0x2822, 0x6834, 0x6814, 0x68d4,
        0x2954,
    ],
};

/// Subregisters of both sources and of the destination.
static SUBREGISTER: Group<32> = Group {
    index: (39, 35),
    places: &[(103, 99), (71, 67), (55, 51)],
    entries: [
        0x0, 0x4000, 0x1000, 0x3000, 0x80, 0x2000, 0x5000, 0x8, 0x100, 0x6000, 0x7000, 0x200, 0x4,
        0x300, 0x280, 0x180, 0x380, 0x1c, 0x10, 0xc, 0x18, 0x14, 0x2, 0x140, 0x40, 0x84, 0x5c,
        0x42, 0x18c, 0x20, 0x60, 0x6300,
    ],
};

/// Region and modifiers of source 0.
static SOURCE0: Group<16> = Group {
    index: (51, 48),
    places: &[(87, 84), (83, 81), (80, 80), (65, 64), (45, 44)],
    entries: [
        0x464, 0x0, 0x466, 0x465, 0x2, 0x200, 0x240, 0x340, 0x224, 0x300, 0x226, 0x344, 0x467,
        0x100, 0x1, 0xf10,
    ],
};

/// Region and modifiers of source 1.
static SOURCE1: Group<16> = Group {
    index: (55, 52),
    places: &[(121, 120), (119, 116), (115, 113), (112, 112), (97, 96)],
    entries: [
        0x119, 0x0, 0x919, 0x800, 0x519, 0x8d0, 0x80, 0x89, 0x889, 0xd0, 0xd1, 0xc0, 0xd19, 0x400,
        0xc00, 0x8d1,
    ],
};

/// The controls, with the types of the four operands.
static TERNARY_CONTROL: Group<32> = Group {
    index: (28, 24),
    places: &[
        (95, 92),
        (90, 88),
        (82, 80),
        (50, 50),
        (48, 48),
        (42, 40),
        (39, 39),
        (38, 36),
        (34, 34),
        (33, 33),
        (32, 32),
        (31, 31),
        (28, 28),
        (27, 24),
        (23, 23),
        (22, 22),
        (21, 19),
        (18, 16),
    ],
    entries: [
        0x4a540004, 0x4a540003, 0x48540003, 0x4a542003, 0x48542003, 0x48540013, 0x4a540013,
        0x48542013, 0x4a542013, 0x4a542004, 0x48540004, 0x4a550004, 0x4a540024, 0x48542004,
        0x4a542000, 0x4a550003, 0x48542033, 0x48542023, 0x4a542033, 0x4a542023, 0x48540023,
        0x48540033, 0x4a540023, 0x4a540033, 0x48550004, 0x4a552004, 0x4a542024, 0x4a442000,
        0x48540024, 0x4a550024, 0x4a542002, 0x48550003,
    ],
};

/// Files, regions, modifiers and immediates of three sources.
static TERNARY_SOURCE: Group<32> = Group {
    index: (34, 30),
    places: &[
        (114, 114),
        (113, 112),
        (98, 98),
        (97, 96),
        (91, 91),
        (87, 86),
        (85, 84),
        (83, 83),
        (66, 66),
        (65, 64),
        (47, 47),
        (46, 46),
        (45, 44),
        (43, 43),
        (35, 35),
    ],
    entries: [
        0x12c300, 0x12c242, 0x16c343, 0x12c343, 0x160143, 0x16c34b, 0x14c343, 0x10c300, 0x16c300,
        0x16cb43, 0x16e343, 0x160100, 0x10c343, 0x12e300, 0x12e343, 0x12c34b, 0x120143, 0x12c308,
        0x120100, 0x16e300, 0x12cb00, 0x14c300, 0x12cb43, 0x16cb4b, 0x14c34b, 0x16e34b, 0x162143,
        0x160943, 0x16c308, 0x16cb00, 0x120943, 0x14cb43,
    ],
};

/// Subregisters of three sources and of the destination.
static TERNARY_SUBREGISTER: Group<32> = Group {
    index: (39, 35),
    places: &[(119, 115), (103, 99), (71, 67), (55, 51)],
    entries: [
        0x0, 0x20000, 0x180, 0xa0000, 0x80380, 0x60000, 0x40000, 0x2000, 0x1000, 0xc0000, 0x80000,
        0xe0000, 0x6000, 0x80, 0x4000, 0x3000, 0x5000, 0x7000, 0x100, 0x200, 0x300, 0x280, 0x380,
        0xc0380, 0x20100, 0x20180, 0x40180, 0x80300, 0x80280, 0x60080, 0xa0380, 0x40080,
    ],
};
