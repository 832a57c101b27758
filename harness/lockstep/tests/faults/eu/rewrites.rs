//! Faults of the decoding kind: another instruction than the one in the program is executed.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{Compression, ConditionalModifier as Condition, PredicateControl},
    operand::{
        Destination, DestinationRegion, Region, Register, Source, SourceModifier, VerticalStride,
    },
    register::RegisterFile,
};

use super::{Eu, Fault, rewrite};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    rewrite("first operand of add negated", |i| negate(i, Opcode::Add, 0)),
    rewrite("second operand of mul negated", |i| negate(i, Opcode::Mul, 1)),
    rewrite("operands of cmp swapped", |i| swap_sources(i, Opcode::Cmp)),
    rewrite("operands of sel swapped", |i| swap_sources(i, Opcode::Sel)),
    rewrite("operands of shl swapped", |i| swap_sources(i, Opcode::Shl)),
    rewrite("shr taken for asr", |i| {
        become_opcode(i, Opcode::Asr, Opcode::Shr)?;
        // The types of shr are unsigned.
        i.destination.data_type = unsigned(i.destination.data_type);
        for source in &mut i.sources {
            match source {
                Source::Register { data_type, .. } | Source::Immediate { data_type, .. } => {
                    *data_type = unsigned(*data_type);
                }
            }
        }
        Some(())
    }),
    rewrite("and taken for or", |i| become_opcode(i, Opcode::And, Opcode::Or)),
    rewrite("xor taken for or", |i| become_opcode(i, Opcode::Xor, Opcode::Or)),
    rewrite("rndu taken for frc", |i| become_opcode(i, Opcode::Rndu, Opcode::Frc)),
    rewrite("rnde taken for rndz", |i| become_opcode(i, Opcode::Rnde, Opcode::Rndz)),
    rewrite("cmpn taken for cmp", |i| become_opcode(i, Opcode::Cmpn, Opcode::Cmp)),
    rewrite("dp3 taken for dp4", |i| become_opcode(i, Opcode::Dp3, Opcode::Dp4)),
    rewrite("dph taken for dp4", |i| become_opcode(i, Opcode::Dph, Opcode::Dp4)),
    rewrite("dp2 taken for dp3", |i| become_opcode(i, Opcode::Dp2, Opcode::Dp3)),
    rewrite("avg taken for add", |i| become_opcode(i, Opcode::Avg, Opcode::Add)),
    rewrite("mac taken for mul", |i| become_opcode(i, Opcode::Mac, Opcode::Mul)),
    rewrite("sada2 taken for sad2", |i| become_opcode(i, Opcode::Sada2, Opcode::Sad2)),
    rewrite("not taken for mov", |i| become_opcode(i, Opcode::Not, Opcode::Mov)),
    rewrite("saturation lost", |i| i.saturate.then(|| i.saturate = false)),
    rewrite("predicate inverted", |i| {
        (i.predicate.control != PredicateControl::None)
            .then(|| i.predicate.inverse = !i.predicate.inverse)
    }),
    rewrite("predicate ignored", |i| {
        (i.predicate.control != PredicateControl::None && i.opcode != Opcode::Sel)
            .then(|| i.predicate.control = PredicateControl::None)
    }),
    rewrite("any taken for all", |i| {
        let control = match i.predicate.control {
            PredicateControl::All2H => PredicateControl::Any2H,
            PredicateControl::All4H => PredicateControl::Any4H,
            PredicateControl::All8H => PredicateControl::Any8H,
            PredicateControl::All16H => PredicateControl::Any16H,
            PredicateControl::AllV => PredicateControl::AnyV,
            _ => return None,
        };
        i.predicate.control = control;
        Some(())
    }),
    rewrite("other flag subregister", |i| {
        let used = i.predicate.control != PredicateControl::None || i.condition != Condition::None;
        used.then(|| i.flag_subregister ^= 1)
    }),
    rewrite("greater or equal taken for greater", |i| {
        become_condition(i, Condition::GreaterEqual, Condition::Greater)
    }),
    rewrite("less taken for less or equal", |i| {
        become_condition(i, Condition::Less, Condition::LessEqual)
    }),
    rewrite("equal taken for not equal", |i| {
        become_condition(i, Condition::Equal, Condition::NotEqual)
    }),
    rewrite("flag update lost", |i| {
        (i.condition != Condition::None && !matches!(i.opcode, Opcode::Cmp | Opcode::Cmpn))
            .then(|| i.condition = Condition::None)
    }),
    rewrite("negation dropped", |i| {
        modifier(i, |m| {
            if m.negate {
                m.negate = false;
                Some(())
            } else {
                None
            }
        })
    }),
    rewrite("absolute value dropped", |i| {
        modifier(i, |m| {
            if m.absolute {
                m.absolute = false;
                Some(())
            } else {
                None
            }
        })
    }),
    rewrite("NoMask ignored", |i| i.no_mask.then(|| i.no_mask = false)),
    rewrite("SecHalf ignored", |i| {
        (i.compression == Compression::SecHalf).then(|| i.compression = Compression::None)
    }),
    rewrite("second half of a compressed instruction lost", |i| {
        (i.compression == Compression::Compressed).then(|| {
            i.compression = Compression::None;
            i.execution_size /= 2;
        })
    }),
    rewrite("half of the channels", |i| {
        (i.execution_size > 1 && i.compression != Compression::Compressed)
            .then(|| i.execution_size /= 2)
    }),
    rewrite("destination one element on", |i| shift_destination(&mut i.destination)),
    rewrite("destination stride doubled", |i| match &mut i.destination.region {
        DestinationRegion::Stride(stride @ (1 | 2)) if i.execution_size > 1 => {
            *stride *= 2;
            Some(())
        }
        _ => None,
    }),
    rewrite("channel enables reversed", |i| match &mut i.destination.region {
        DestinationRegion::ChannelEnable(enable) => {
            *enable = enable.reverse_bits() >> 4;
            Some(())
        }
        DestinationRegion::Stride(_) => None,
    }),
    rewrite("swizzle rotated", |i| match &mut i.sources[0] {
        Source::Register { region: Region::Align16 { swizzle, .. }, .. } => {
            swizzle.rotate_left(1);
            Some(())
        }
        _ => None,
    }),
    rewrite("source scalar not replicated", |i| match &mut i.sources[0] {
        Source::Register { region: region @ Region::Align1 { .. }, .. }
            if *region == Region::SCALAR && i.execution_size == 8 =>
        {
            let vertical = VerticalStride::Elements(8);
            *region = Region::Align1 { vertical, width: 8, horizontal: 1 };
            Some(())
        }
        _ => None,
    }),
    rewrite("signed source read as unsigned", |i| match &mut i.sources[0] {
        Source::Register { data_type, .. } => {
            let signed = *data_type;
            *data_type = unsigned(signed);
            (*data_type != signed).then_some(())
        }
        Source::Immediate { .. } => None,
    }),
    rewrite("constant off by one", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Immediate { bits, .. } => {
                *bits = bits.wrapping_add(0x0001_0001);
                Some(())
            }
            Source::Register { .. } => None,
        })
    }),
    rewrite("address offset off by 16", |i| match &mut i.sources[0] {
        Source::Register { register: Register::Indirect { offset, .. }, .. } => {
            *offset = if *offset < 480 { *offset + 16 } else { *offset - 16 };
            Some(())
        }
        _ => None,
    }),
    rewrite("rndu taken for rndd", |i| become_opcode(i, Opcode::Rndu, Opcode::Rndd)),
    rewrite("rndd taken for rndu", |i| become_opcode(i, Opcode::Rndd, Opcode::Rndu)),
    rewrite("wrong destination type", |i| {
        i.destination.data_type = match i.destination.data_type {
            DataType::D => DataType::F,
            DataType::W => DataType::Uw,
            DataType::B => DataType::Ub,
            _ => return None,
        };
        Some(())
    }),
    rewrite("disabled channels written", |i| (!i.no_mask).then(|| i.no_mask = true)),
    rewrite("a reply goes a register behind the one that is pointed to", |i| pointed_to(i, 32)),
    rewrite("channel enables begin an element late where a reply is pointed to", |i| {
        pointed_to(i, 4)
    }),
];

/// The unsigned integer type as wide as a signed one; other types as they are.
pub(super) fn unsigned(data_type: DataType) -> DataType {
    match data_type {
        DataType::D => DataType::Ud,
        DataType::W => DataType::Uw,
        DataType::B => DataType::Ub,
        other => other,
    }
}

pub(super) fn become_opcode(i: &mut Instruction, from: Opcode, to: Opcode) -> Option<()> {
    (i.opcode == from).then(|| i.opcode = to)
}

pub(super) fn become_condition(i: &mut Instruction, from: Condition, to: Condition) -> Option<()> {
    (i.condition == from).then(|| i.condition = to)
}

pub(super) fn swap_sources(i: &mut Instruction, opcode: Opcode) -> Option<()> {
    let registers = i.sources.iter().all(|source| matches!(source, Source::Register { .. }));
    (i.opcode == opcode && registers).then(|| i.sources.swap(0, 1))
}

pub(super) fn negate(i: &mut Instruction, opcode: Opcode, index: usize) -> Option<()> {
    match &mut i.sources[index] {
        Source::Register { modifier, .. } if i.opcode == opcode => {
            modifier.negate = !modifier.negate;
            Some(())
        }
        _ => None,
    }
}

/// Changes the modifier of the first source that the change concerns.
pub(super) fn modifier(
    i: &mut Instruction,
    change: fn(&mut SourceModifier) -> Option<()>,
) -> Option<()> {
    i.sources.iter_mut().find_map(|source| match source {
        Source::Register { modifier, .. } => change(modifier),
        Source::Immediate { .. } => None,
    })
}

pub(super) fn shift_destination(destination: &mut Destination) -> Option<()> {
    let size = destination.data_type.size() as u8;
    match &mut destination.register {
        Register::Direct { file: RegisterFile::Grf, subregister, .. }
            if *subregister + size < 32
                && destination.region != DestinationRegion::ChannelEnable(0) =>
        {
            *subregister += size;
            Some(())
        }
        _ => None,
    }
}

/// Moves a posted destination that an address register points to.
fn pointed_to(i: &mut Instruction, bytes: i16) -> Option<()> {
    let size = i.destination.data_type.size() as i16;
    match &mut i.destination.register {
        Register::Indirect { offset, .. }
            if i.opcode == Opcode::Send && *offset < 480 && size <= bytes =>
        {
            *offset += bytes;
            Some(())
        }
        _ => None,
    }
}
