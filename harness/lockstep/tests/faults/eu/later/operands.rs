//! Operands that lie elsewhere, or are read or written as something else.

use parallax_isa::eu::{
    DataType, Instruction,
    instruction::Descriptor,
    operand::{DestinationRegion, Region, Register, Source, VerticalStride},
    register::{ArfKind, RegisterFile},
};

use super::{
    super::rewrites::{modifier, shift_destination, unsigned},
    Eu, Fault, rewrite,
};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    rewrite("negation dropped", |i| modifier(i, |m| m.negate.then(|| m.negate = false))),
    rewrite("absolute value dropped", |i| modifier(i, |m| m.absolute.then(|| m.absolute = false))),
    rewrite("absolute value of the negated one", |i| {
        modifier(i, |m| (m.absolute && m.negate).then(|| m.negate = false))
    }),
    rewrite("destination one element on", |i| shift_destination(&mut i.destination)),
    rewrite("destination one register on", |i| match &mut i.destination.register {
        Register::Direct { file: RegisterFile::Grf, number, .. } if *number < 120 => {
            *number += 1;
            Some(())
        }
        _ => None,
    }),
    rewrite("destination stride doubled", |i| match &mut i.destination.region {
        DestinationRegion::Stride(stride @ (1 | 2)) if i.execution_size > 1 => {
            *stride *= 2;
            Some(())
        }
        _ => None,
    }),
    rewrite("channel enables reversed", |i| match &mut i.destination.region {
        DestinationRegion::ChannelEnable(enable) if i.destination.data_type.size() < 8 => {
            *enable = enable.reverse_bits() >> 4;
            Some(())
        }
        _ => None,
    }),
    rewrite("swizzle of the first source rotated", |i| rotated(i, 0)),
    rewrite("swizzle of the second source rotated", |i| rotated(i, 1)),
    rewrite("swizzle of the third source rotated", |i| rotated(i, 2)),
    rewrite("third source one element on", |i| match &mut i.sources[2] {
        Source::Register {
            register: Register::Direct { file: RegisterFile::Grf, subregister, .. },
            data_type,
            region: Region::Align16 { vertical: VerticalStride::Elements(0), .. },
            ..
        } => {
            *subregister = (*subregister + data_type.size() as u8) % 32;
            Some(())
        }
        _ => None,
    }),
    rewrite("one element of three sources taken for four", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Register {
                register: Register::Direct { file: RegisterFile::Grf, subregister: 0, .. },
                region: Region::Align16 { vertical: vertical @ VerticalStride::Elements(0), .. },
                ..
            } => {
                *vertical = VerticalStride::Elements(4);
                Some(())
            }
            _ => None,
        })
    }),
    rewrite("source scalar not replicated", |i| match &mut i.sources[0] {
        Source::Register { region, .. } if *region == Region::SCALAR && i.execution_size == 8 => {
            *region = Region::PACKED8;
            Some(())
        }
        _ => None,
    }),
    rewrite("horizontal stride halved", |i| {
        strides(i, |_, _, horizontal| (*horizontal > 1).then(|| *horizontal /= 2))
    }),
    rewrite("vertical stride halved", |i| {
        strides(i, |vertical, _, _| (*vertical > 1).then(|| *vertical /= 2))
    }),
    rewrite("rows half as wide", |i| strides(i, |_, width, _| (*width > 2).then(|| *width /= 2))),
    rewrite("signed source read as unsigned", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Register { data_type, .. } => {
                let signed = *data_type;
                *data_type = unsigned(signed);
                (*data_type != signed).then_some(())
            }
            Source::Immediate { .. } => None,
        })
    }),
    rewrite("packed signed vector read as unsigned", |i| {
        immediate(i, |data_type, _| (*data_type == DataType::V).then(|| *data_type = DataType::Uv))
    }),
    rewrite("packed floats in another order", |i| {
        immediate(i, |data_type, bits| {
            (*data_type == DataType::Vf).then(|| *bits = (*bits as u32).swap_bytes().into())
        })
    }),
    rewrite("lowest bit of an immediate inverted", |i| {
        immediate(i, |data_type, bits| {
            *bits ^= if data_type.size() == 2 { 0x1_0001 } else { 1 };
            Some(())
        })
    }),
    rewrite("highest bit of an immediate inverted", |i| {
        immediate(i, |data_type, bits| {
            *bits ^= match data_type.size() {
                8 => 1 << 63,
                2 if !matches!(data_type, DataType::V | DataType::Uv) => 0x8000_8000,
                _ => 1 << 31,
            };
            Some(())
        })
    }),
    rewrite("address offset off by 16", |i| indirect(i, |_, offset| step(offset))),
    rewrite("address offset without its sign", |i| {
        indirect(i, |_, offset| (*offset < 0).then(|| *offset &= 0x1FF))
    }),
    rewrite("another address subregister", |i| {
        indirect(i, |subregister, _| (*subregister > 0).then(|| *subregister -= 1))
    }),
    rewrite("one address for all rows", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Register { region: Region::Align1 { vertical, width, horizontal }, .. }
                if *vertical == VerticalStride::PerRowAddress =>
            {
                *vertical = VerticalStride::Elements(*width * *horizontal);
                Some(())
            }
            _ => None,
        })
    }),
    rewrite("address offset of the destination off by 16", |i| match &mut i.destination.register {
        Register::Indirect { offset, .. } => step(offset),
        Register::Direct { .. } => None,
    }),
    rewrite("f0 read for f1", |i| architecture(i, ArfKind::Flag, |number| number ^ 1)),
    rewrite("sr0 read for cr0", |i| {
        architecture(i, ArfKind::Control, |_| ArfKind::State.code() << 4)
    }),
    rewrite("wrong destination type", |i| {
        i.destination.data_type = match i.destination.data_type {
            DataType::D => DataType::F,
            DataType::W => DataType::Uw,
            DataType::B => DataType::Ub,
            _ => return None,
        };
        Some(())
    }),
    rewrite("payload one register on", |i| match &mut i.sources[0] {
        Source::Register { register: Register::Direct { number, .. }, .. }
            if i.message.is_some() =>
        {
            *number += 1;
            Some(())
        }
        _ => None,
    }),
    rewrite("payload a register too short", |i| {
        descriptor(i, |d| (d >> 25 & 15 > 1).then(|| d - (1 << 25)))
    }),
    rewrite("reply a register too long", |i| {
        descriptor(i, |d| (1..8).contains(&(d >> 20 & 31)).then(|| d + (1 << 20)))
    }),
    rewrite("reply a register too short", |i| {
        descriptor(i, |d| (d >> 20 & 31 > 1).then(|| d - (1 << 20)))
    }),
    rewrite("function control off by one bit", |i| descriptor(i, |d| Some(d ^ 1))),
    rewrite("highest bit of the function control lost", |i| {
        descriptor(i, |d| (d >> 15 & 1 == 1).then_some(d & !(1 << 15)))
    }),
    rewrite("another shared function", |i| {
        i.message.as_mut().map(|message| message.shared_function ^= 1)
    }),
];

fn rotated(i: &mut Instruction, index: usize) -> Option<()> {
    match &mut i.sources[index] {
        Source::Register { region: Region::Align16 { swizzle, .. }, data_type, .. }
            if data_type.size() < 8 =>
        {
            swizzle.rotate_left(1);
            Some(())
        }
        _ => None,
    }
}

fn strides(i: &mut Instruction, change: fn(&mut u8, &mut u8, &mut u8) -> Option<()>) -> Option<()> {
    i.sources.iter_mut().find_map(|source| match source {
        Source::Register {
            region:
                Region::Align1 { vertical: VerticalStride::Elements(vertical), width, horizontal },
            ..
        } => change(vertical, width, horizontal),
        _ => None,
    })
}

fn immediate(i: &mut Instruction, change: fn(&mut DataType, &mut u64) -> Option<()>) -> Option<()> {
    i.sources.iter_mut().find_map(|source| match source {
        Source::Immediate { data_type, bits } => change(data_type, bits),
        Source::Register { .. } => None,
    })
}

fn indirect(i: &mut Instruction, change: fn(&mut u8, &mut i16) -> Option<()>) -> Option<()> {
    i.sources.iter_mut().find_map(|source| match source {
        Source::Register {
            register: Register::Indirect { address_subregister, offset, .. },
            ..
        } => change(address_subregister, offset),
        _ => None,
    })
}

fn step(offset: &mut i16) -> Option<()> {
    *offset += if *offset < 400 { 16 } else { -16 };
    Some(())
}

/// Another architecture register where one of a kind is read.
fn architecture(i: &mut Instruction, kind: ArfKind, other: fn(u8) -> u8) -> Option<()> {
    i.sources.iter_mut().find_map(|source| match source {
        Source::Register { register, .. } if register.arf() == Some(kind) => match register {
            Register::Direct { number, .. } => {
                *number = other(*number);
                Some(())
            }
            Register::Indirect { .. } => None,
        },
        _ => None,
    })
}

fn descriptor(i: &mut Instruction, change: fn(u32) -> Option<u32>) -> Option<()> {
    match &mut i.message.as_mut()?.descriptor {
        Descriptor::Immediate(bits) => {
            *bits = change(*bits)?;
            Some(())
        }
        Descriptor::Address => None,
    }
}
