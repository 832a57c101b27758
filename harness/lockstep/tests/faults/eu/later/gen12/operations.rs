//! What operations of Gen12 do that they did not do before, or did in another way.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{ExtendedDescriptor, MathFunction, Message},
    operand::{DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride},
};

use super::{
    super::super::rewrites::{become_opcode, negate, swap_sources, unsigned},
    Eu, Fault, disturb, rewrite,
};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    rewrite("fbl of words taken for that of doublewords", |i| {
        let is_word = i.opcode == Opcode::Fbl && i.sources[0].data_type() == DataType::Uw;
        match &mut i.sources[0] {
            Source::Register { data_type, region: Region::SCALAR, .. } if is_word => {
                *data_type = DataType::Ud;
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("a byte of a product with the other sign", |i| {
        let is_byte = i.opcode == Opcode::Mul && i.sources[0].data_type().size() == 1;
        is_byte.then(|| resigned(i, 0))?
    }),
    rewrite("a float product rounded to half precision first", |i| {
        let is_mixed = i.opcode == Opcode::Mul
            && i.destination.data_type == DataType::F
            && i.sources[..2].iter().all(|source| source.data_type() == DataType::Hf);
        is_mixed.then(|| i.destination.data_type = DataType::Hf)
    }),
    rewrite("rol taken for ror", |i| become_opcode(i, Opcode::Rol, Opcode::Ror)),
    rewrite("ror taken for rol", |i| become_opcode(i, Opcode::Ror, Opcode::Rol)),
    rewrite("rol taken for shl", |i| become_opcode(i, Opcode::Rol, Opcode::Shl)),
    rewrite("ror taken for shr", |i| become_opcode(i, Opcode::Ror, Opcode::Shr)),
    rewrite("operands of rol swapped", |i| swap_sources(i, Opcode::Rol)),
    rewrite("operands of ror swapped", |i| swap_sources(i, Opcode::Ror)),
    rewrite("word of a dword product with the other sign", |i| {
        is_mixed_product(i).then(|| resigned(i, 1))?
    }),
    rewrite("upper word in a dword product", |i| {
        is_mixed_product(i).then_some(())?;
        match &mut i.sources[1] {
            Source::Register { register: Register::Direct { subregister, .. }, .. } => {
                *subregister ^= 2;
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("dword product of the lower word only", |i| {
        is_mixed_product(i).then_some(())?;
        match &mut i.sources[0] {
            Source::Register { data_type, region, .. } if *region == Region::SCALAR => {
                *data_type = DataType::Uw;
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("logarithm of the magnitude, as pow took it", |i| {
        (i.math == Some(MathFunction::Log)).then_some(())?;
        match &mut i.sources[0] {
            Source::Register { modifier, .. } if !modifier.absolute => {
                *modifier = SourceModifier { absolute: true, negate: false };
                Some(())
            }
            _ => None,
        }
    }),
    rewrite("mach without AccWrEn gives the high half", |i| {
        (i.opcode == Opcode::Mach && !i.accumulator_write).then(|| i.accumulator_write = true)
    }),
    rewrite("mach with AccWrEn gives the low half", |i| {
        (i.opcode == Opcode::Mach && i.accumulator_write).then(|| i.accumulator_write = false)
    }),
    disturb("mach leaves the high half in the accumulator", |i, before, after| {
        let channels = before.accumulator[0].iter().zip(&mut after.accumulator[0]);
        for (old, new) in channels.filter(|(old, new)| *old != *new) {
            if i.opcode == Opcode::Mach && i.accumulator_write {
                *new = *old >> 32;
            }
        }
    }),
    disturb("mach without AccWrEn writes the accumulator", |i, _, after| {
        if i.opcode == Opcode::Mach && !i.accumulator_write {
            after.accumulator[0][0] ^= 1;
        }
    }),
    rewrite("lzd of signed bytes taken for that of unsigned ones", |i| of_lzd(i, DataType::B)),
    rewrite("lzd of signed words taken for that of unsigned ones", |i| of_lzd(i, DataType::W)),
    rewrite("lzd of signed doublewords taken for that of unsigned ones", |i| {
        of_lzd(i, DataType::D)
    }),
    rewrite("lzd of bytes counts words", |i| match &mut i.sources[0] {
        Source::Register { data_type: data_type @ DataType::Ub, region, .. }
            if i.opcode == Opcode::Lzd && *region == Region::SCALAR =>
        {
            *data_type = DataType::Uw;
            Some(())
        }
        _ => None,
    }),
    rewrite("csel compares signed numbers as unsigned ones", |i| {
        let compared = i.sources[2].data_type();
        (i.opcode == Opcode::Csel && compared != unsigned(compared)).then(|| resigned(i, 2))?
    }),
    rewrite("csel compares unsigned numbers as signed ones", |i| {
        let compared = i.sources[2].data_type();
        let is_unsigned = matches!(compared, DataType::Ud | DataType::Uw);
        (i.opcode == Opcode::Csel && is_unsigned).then(|| resigned(i, 2))?
    }),
    rewrite("csel of half precision compares words", |i| match &mut i.sources[2] {
        Source::Register { data_type: data_type @ DataType::Hf, .. }
            if i.opcode == Opcode::Csel =>
        {
            *data_type = DataType::W;
            for source in &mut i.sources[..2] {
                set_type(source, DataType::W);
            }
            i.destination.data_type = DataType::W;
            Some(())
        }
        _ => None,
    }),
    rewrite("saturation of csel lost", |i| {
        (i.opcode == Opcode::Csel && i.saturate).then(|| i.saturate = false)
    }),
    rewrite("addend of an integer mad with the other sign", |i| of_mad(i, 0)),
    rewrite("first factor of an integer mad with the other sign", |i| of_mad(i, 1)),
    rewrite("second factor of an integer mad with the other sign", |i| of_mad(i, 2)),
    rewrite("first factor of mad negated", |i| negate(i, Opcode::Mad, 1)),
    rewrite("second factor of mad negated", |i| negate(i, Opcode::Mad, 2)),
    rewrite("saturation of an integer mad lost", |i| {
        (is_integer_mad(i) && i.saturate).then(|| i.saturate = false)
    }),
    rewrite("flag of an integer mad not written", |i| {
        is_integer_mad(i).then(|| i.condition = Default::default())
    }),
    rewrite("first of three sources an immediate with another bit", |i| {
        ternary_immediate(i, 0, |bits| bits ^ 0x1_0001)
    }),
    rewrite("third of three sources an immediate with another bit", |i| {
        ternary_immediate(i, 2, |bits| bits ^ 0x1_0001)
    }),
    rewrite("immediate beside two sources without its highest bit", |i| {
        ternary_immediate(i, 0, |bits| bits & 0x7FFF_7FFF)
            .or_else(|| ternary_immediate(i, 2, |bits| bits & 0x7FFF_7FFF))
    }),
    rewrite("stride of the first of three sources 1 instead of 2", |i| {
        ternary_region(i, 0, |vertical, width, horizontal| {
            (*horizontal == 2).then(|| (*horizontal, *width) = (1, *vertical))
        })
    }),
    rewrite("rows of one element of the second of three sources taken for one element", |i| {
        ternary_region(i, 1, |vertical, width, _| {
            (*vertical == 1 && *width == 1).then(|| *vertical = 0)
        })
    }),
    rewrite("one element of the first of three sources taken for eight", |i| {
        ternary_region(i, 0, |vertical, width, horizontal| {
            (*vertical == 0).then(|| (*vertical, *width, *horizontal) = (8, 8, 1))
        })
    }),
    rewrite("stride of the third of three sources 1 instead of 2", |i| {
        ternary_region(i, 2, |vertical, _, _| (*vertical == 2).then(|| *vertical = 1))
    }),
    rewrite("stride of the third of three sources 1 instead of 0", |i| {
        ternary_region(i, 2, |vertical, _, _| (*vertical == 0).then(|| *vertical = 1))
    }),
    rewrite("destination stride of three sources 1 instead of 2", |i| {
        let has_three = matches!(i.opcode, Opcode::Mad | Opcode::Csel);
        let stride = DestinationRegion::Stride(1);
        (has_three && i.destination.region == DestinationRegion::Stride(2))
            .then(|| i.destination.region = stride)
    }),
    rewrite("second part of a payload one register on", |i| match &mut i.sources[1] {
        Source::Register { register: Register::Direct { number, .. }, .. }
            if i.message.is_some() && *number > 0 =>
        {
            *number += 1;
            Some(())
        }
        _ => None,
    }),
    rewrite("second part of a payload a register too short", |i| match &mut i.message {
        Some(Message { extended: ExtendedDescriptor::Immediate(bits), .. })
            if *bits >> 6 & 15 > 1 =>
        {
            *bits -= 1 << 6;
            Some(())
        }
        _ => None,
    }),
    rewrite("parts of a payload exchanged", |i| {
        let is_null = |source: &Source| match source {
            Source::Register { register, .. } => register.is_null(),
            Source::Immediate { .. } => true,
        };
        (i.message.is_some() && !is_null(&i.sources[1])).then(|| i.sources.swap(0, 1))
    }),
];

/// A doubleword times a word.
fn is_mixed_product(i: &Instruction) -> bool {
    let [first, second] = [0, 1].map(|index| i.sources[index].data_type());
    let is_word = matches!(second, DataType::W | DataType::Uw);
    i.opcode == Opcode::Mul && matches!(first, DataType::D | DataType::Ud) && is_word
}

fn is_integer_mad(i: &Instruction) -> bool {
    i.opcode == Opcode::Mad && !i.destination.data_type.is_float()
}

fn set_type(source: &mut Source, to: DataType) {
    match source {
        Source::Register { data_type, .. } | Source::Immediate { data_type, .. } => *data_type = to,
    }
}

/// Takes a source for one of the other sign.
pub(super) fn resigned(i: &mut Instruction, index: usize) -> Option<()> {
    let other = match i.sources[index].data_type() {
        DataType::D => DataType::Ud,
        DataType::Ud => DataType::D,
        DataType::W => DataType::Uw,
        DataType::Uw => DataType::W,
        DataType::B => DataType::Ub,
        _ => return None,
    };
    set_type(&mut i.sources[index], other);
    Some(())
}

fn of_lzd(i: &mut Instruction, data_type: DataType) -> Option<()> {
    let has_type = i.opcode == Opcode::Lzd && i.sources[0].data_type() == data_type;
    has_type.then(|| resigned(i, 0))?
}

fn of_mad(i: &mut Instruction, index: usize) -> Option<()> {
    let is_word = matches!(i.sources[index].data_type(), DataType::W | DataType::Uw);
    (is_integer_mad(i) && is_word).then(|| resigned(i, index))?
}

fn ternary_immediate(i: &mut Instruction, index: usize, change: fn(u64) -> u64) -> Option<()> {
    let has_three = matches!(i.opcode, Opcode::Mad | Opcode::Csel);
    match &mut i.sources[index] {
        Source::Immediate { bits, .. } if has_three && change(*bits) != *bits => {
            *bits = change(*bits);
            Some(())
        }
        _ => None,
    }
}

fn ternary_region(
    i: &mut Instruction,
    index: usize,
    change: fn(&mut u8, &mut u8, &mut u8) -> Option<()>,
) -> Option<()> {
    let has_three = matches!(i.opcode, Opcode::Mad | Opcode::Csel);
    match &mut i.sources[index] {
        Source::Register {
            region:
                Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal },
            ..
        } if has_three => change(vertical, width, horizontal),
        _ => None,
    }
}
