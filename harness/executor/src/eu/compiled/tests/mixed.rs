//! Operands of several types, with and without gaps between their elements.

use parallax_isa::eu::{DataType, register::RegisterFile};

use super::Random;
use crate::eu::instruction::{Destination, Layout, Origin, Region};

const TYPES: [DataType; 8] = [
    DataType::F,
    DataType::F,
    DataType::D,
    DataType::Ud,
    DataType::W,
    DataType::Uw,
    DataType::B,
    DataType::Ub,
];

/// Floats at the ends of integer types.
pub(in crate::eu) const ENDS: [u32; 6] =
    [0x4F00_0000, 0xCF00_0000, 0x4F7F_FFFF, 0x4F80_0000, 0x477F_FF80, 0xC700_0080];

/// A type of an operand.
pub(in crate::eu) fn data_type(random: &mut Random) -> DataType {
    TYPES[random.below(TYPES.len())]
}

/// A source of so many channels.
pub(in crate::eu) fn region(random: &mut Random, data_type: DataType, size: u8) -> Region {
    let width = size.min(8);
    let bytes = data_type.size();
    let gaps = [1, 2, 4].map(|gap| if gap * bytes > 8 { 1 } else { gap as u8 });
    let gap = gaps[random.below(3)];
    let is_one = size == 1 || random.one_in(4);
    let (vertical, width, horizontal) = if is_one { (0, 1, 0) } else { (width * gap, width, gap) };
    let at = random.below(32 / bytes) * bytes;
    let subregister = match random.below(3) {
        0 => at,
        1 => at % 4,
        _ => 0,
    };
    let number = 2 + random.below(10) as u8;
    Region {
        file: RegisterFile::Grf,
        data_type,
        origin: Origin::Direct { number, subregister: subregister as u8 },
        layout: Layout::Rows { vertical: Some(vertical), width, horizontal },
        absolute: random.one_in(10),
        negate: random.one_in(6),
    }
}

/// A destination of so many channels.
pub(in crate::eu) fn destination(
    random: &mut Random,
    data_type: DataType,
    size: u8,
) -> Destination {
    let bytes = data_type.size();
    let gaps = [1, 2, 4].map(|gap| if gap * bytes > 4 { 1 } else { gap });
    let gap = gaps[random.below(3)];
    let span = (gap * bytes * usize::from(size.min(8))).min(32);
    let within = random.below(gap) * bytes;
    let at = if random.one_in(2) { random.below(32 / span) * span } else { 0 };
    let number = 2 + random.below(10) as u8;
    Destination {
        file: RegisterFile::Grf,
        data_type,
        origin: Origin::Direct { number, subregister: (at + within) as u8 },
        stride: gap as u8,
        channel_enable: 0xF,
    }
}
