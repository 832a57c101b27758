//! Where the fields of a machine word of Gen7 and Gen9 are (table eu-inst-fields): a column for each.
//! Those of Gen12 are in `gen12`.

use parallax_isa::Device;

use super::word::Word;

/// A generation of machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::eu) enum Generation {
    Gen7,
    Gen9,
    Gen12,
}

impl Generation {
    /// The generation of a device, if its channels have places of their own.
    pub(in crate::eu) fn of(device: Device) -> Option<Self> {
        match device {
            Device::Ivb => Some(Self::Gen7),
            Device::Skl => Some(Self::Gen9),
            Device::Dg1 => Some(Self::Gen12),
            _ => None,
        }
    }
}

/// The bits of a field, high and low, on Gen7 and on Gen9.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    gen7: (u8, u8),
    gen9: (u8, u8),
}

const fn moved(gen7: (u8, u8), gen9: (u8, u8)) -> Field {
    Field { gen7, gen9 }
}

const fn same(high: u8, low: u8) -> Field {
    moved((high, low), (high, low))
}

const fn flag(gen7: u8, gen9: u8) -> Field {
    moved((gen7, gen7), (gen9, gen9))
}

const fn always(at: u8) -> Field {
    same(at, at)
}

pub(super) const OPCODE: Field = same(6, 0);
pub(super) const ACCESS_MODE: Field = always(8);
pub(super) const MASK_CONTROL: Field = flag(9, 34);
pub(super) const QUARTER_CONTROL: Field = same(13, 12);
pub(super) const NIBBLE_CONTROL: Field = flag(47, 11);
pub(super) const THREAD_CONTROL: Field = same(15, 14);
pub(super) const PREDICATE_CONTROL: Field = same(19, 16);
pub(super) const PREDICATE_INVERSE: Field = always(20);
pub(super) const EXECUTION_SIZE: Field = same(23, 21);
/// Conditional modifier, function of `math`, or shared function.
pub(super) const CONDITION: Field = same(27, 24);
/// Accumulator write control, or branch control.
pub(super) const ACCUMULATOR_CONTROL: Field = always(28);
pub(super) const COMPACT_CONTROL: u32 = 29;
pub(super) const DEBUG_CONTROL: Field = always(30);
pub(super) const SATURATE: Field = always(31);
pub(super) const FLAG_HALF: Field = flag(89, 32);
pub(super) const FLAG_REGISTER: Field = flag(90, 33);

pub(super) const DESTINATION_FILE: Field = moved((33, 32), (36, 35));
pub(super) const DESTINATION_TYPE: Field = moved((36, 34), (40, 37));
pub(super) const DESTINATION_MODE: Field = always(63);
pub(super) const DESTINATION_STRIDE: Field = same(62, 61);
pub(super) const DESTINATION_REGISTER: Field = same(60, 53);
pub(super) const DESTINATION_SUBREGISTER: Field = same(52, 48);
pub(super) const CHANNEL_ENABLE: Field = same(51, 48);
pub(super) const DESTINATION_ADDRESS: Address =
    Address { subregister: moved((60, 58), (60, 57)), low: moved((57, 48), (56, 48)), sign: 47 };

/// The fields of source 0 or 1 of the basic form.
pub(super) struct SourceFields {
    pub(super) file: Field,
    pub(super) data_type: Field,
    /// First bit of the dword that holds the region.
    pub(super) region: u32,
    pub(super) address: Address,
}

/// Address register and offset of an indirect operand. On Gen9 the sign of the offset stands apart.
pub(super) struct Address {
    subregister: Field,
    low: Field,
    sign: u32,
}

pub(super) static SOURCES: [SourceFields; 2] = [
    SourceFields {
        file: moved((38, 37), (42, 41)),
        data_type: moved((41, 39), (46, 43)),
        region: 64,
        address: Address {
            subregister: moved((76, 74), (76, 73)),
            low: moved((73, 64), (72, 64)),
            sign: 95,
        },
    },
    SourceFields {
        file: moved((43, 42), (90, 89)),
        data_type: moved((46, 44), (94, 91)),
        region: 96,
        address: Address {
            subregister: moved((108, 106), (108, 105)),
            low: moved((105, 96), (104, 96)),
            sign: 121,
        },
    },
];

/// The fields of one source of the three-source form.
pub(super) struct TernaryFields {
    pub(super) register: Field,
    pub(super) subregister: Field,
    /// Gen9: half of a dword more.
    pub(super) odd_word: u32,
    /// Four selects, x in the low bits.
    pub(super) select: Field,
    pub(super) replicate: Field,
    pub(super) negate: Field,
    pub(super) absolute: Field,
}

pub(super) static TERNARY: [TernaryFields; 3] = [
    TernaryFields {
        register: same(83, 76),
        subregister: same(75, 73),
        odd_word: 84,
        select: same(72, 65),
        replicate: always(64),
        negate: flag(37, 38),
        absolute: flag(36, 37),
    },
    TernaryFields {
        register: same(104, 97),
        subregister: same(96, 94),
        odd_word: 105,
        select: same(93, 86),
        replicate: always(85),
        negate: flag(39, 40),
        absolute: flag(38, 39),
    },
    TernaryFields {
        register: same(125, 118),
        subregister: same(117, 115),
        odd_word: 126,
        select: same(114, 107),
        replicate: always(106),
        negate: flag(41, 42),
        absolute: flag(40, 41),
    },
];
pub(super) const TERNARY_FLAG_HALF: Field = flag(33, 32);
pub(super) const TERNARY_FLAG_REGISTER: Field = flag(34, 33);
pub(super) const TERNARY_DESTINATION_TYPE: Field = moved((45, 44), (48, 46));
pub(super) const TERNARY_SOURCE_TYPE: Field = moved((43, 42), (45, 43));
/// Gen9: whether sources 1 and 2 are HF where the common type is F or HF.
pub(super) const TERNARY_HALF_SOURCES: [u32; 2] = [36, 35];
pub(super) const TERNARY_DESTINATION_REGISTER: Field = same(63, 56);
pub(super) const TERNARY_DESTINATION_SUBREGISTER: Field = same(55, 53);
pub(super) const TERNARY_CHANNEL_ENABLE: Field = same(52, 49);

pub(super) const JIP: Field = moved((111, 96), (127, 96));
pub(super) const UIP: Field = moved((127, 112), (95, 64));
pub(super) const END_OF_THREAD: Field = always(127);
pub(super) const MESSAGE_DESCRIPTOR: Field = moved((124, 96), (126, 96));

/// A machine word of a generation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Code {
    pub(super) generation: Generation,
    pub(super) word: Word,
}

impl Code {
    /// The value of a field.
    pub(super) fn get(self, field: Field) -> u32 {
        let (high, low) = match self.generation {
            Generation::Gen7 => field.gen7,
            _ => field.gen9,
        };
        self.word.bits(high.into(), low.into())
    }

    /// Whether a field of one bit is set.
    pub(super) fn is(self, field: Field) -> bool {
        self.get(field) == 1
    }

    /// Address subregister and signed offset of an indirect operand.
    pub(super) fn address(self, address: &Address) -> (u8, i16) {
        let low = self.get(address.low);
        let offset = match self.generation {
            Generation::Gen7 => low,
            _ => u32::from(self.word.bit(address.sign)) << 9 | low,
        };
        let offset = ((offset << 6) as u16).cast_signed() >> 6;
        (self.get(address.subregister) as u8, offset)
    }

    /// A signed field.
    pub(super) fn signed(self, field: Field) -> i32 {
        match self.generation {
            Generation::Gen7 => i32::from(self.get(field) as i16),
            _ => self.get(field).cast_signed(),
        }
    }
}
