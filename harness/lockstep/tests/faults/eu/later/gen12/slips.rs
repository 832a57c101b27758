//! Slips that few instructions show: one condition of one operation, one type, one half of a register.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{ConditionalModifier as Condition, MathFunction, PredicateControl},
    operand::{DestinationRegion, Register, Source},
    register::ArfKind,
};

use super::{super::super::rewrites::swap_sources, Eu, Fault, disturb, rewrite};

/// Conditions, predicates and flags.
pub(super) const CONDITIONS: &[Fault<Eu>] = &[
    rewrite("csel by less or equal for less", |i| {
        compares(i, Opcode::Csel, Condition::Less, Condition::LessEqual)
    }),
    rewrite("csel by less for less or equal", |i| {
        compares(i, Opcode::Csel, Condition::LessEqual, Condition::Less)
    }),
    rewrite("csel by greater or equal for greater", |i| {
        compares(i, Opcode::Csel, Condition::Greater, Condition::GreaterEqual)
    }),
    rewrite("csel by greater for greater or equal", |i| {
        compares(i, Opcode::Csel, Condition::GreaterEqual, Condition::Greater)
    }),
    rewrite("csel by not equal for equal", |i| {
        compares(i, Opcode::Csel, Condition::Equal, Condition::NotEqual)
    }),
    rewrite("csel by equal for not equal", |i| {
        compares(i, Opcode::Csel, Condition::NotEqual, Condition::Equal)
    }),
    rewrite("minimum taken for maximum", |i| {
        compares(i, Opcode::Sel, Condition::GreaterEqual, Condition::Less)
    }),
    rewrite("maximum taken for minimum", |i| {
        compares(i, Opcode::Sel, Condition::Less, Condition::GreaterEqual)
    }),
    rewrite("cmp by less for less or equal", |i| {
        compares(i, Opcode::Cmp, Condition::LessEqual, Condition::Less)
    }),
    rewrite("cmp by greater or equal for greater", |i| {
        compares(i, Opcode::Cmp, Condition::Greater, Condition::GreaterEqual)
    }),
    rewrite("cmpn by less for less or equal", |i| {
        compares(i, Opcode::Cmpn, Condition::LessEqual, Condition::Less)
    }),
    rewrite("condition of add by greater for greater or equal", |i| {
        compares(i, Opcode::Add, Condition::GreaterEqual, Condition::Greater)
    }),
    rewrite("condition of and by equal for not equal", |i| {
        compares(i, Opcode::And, Condition::NotEqual, Condition::Equal)
    }),
    rewrite("other half of the flag register for 8 channels of a comparison", |i| {
        let compares = matches!(i.opcode, Opcode::Cmp | Opcode::Cmpn) && i.execution_size <= 8;
        compares.then(|| i.flag_subregister ^= 1)
    }),
    rewrite("other flag register for sel", |i| {
        (i.opcode == Opcode::Sel && is_predicated(i)).then(|| i.flag_register ^= 1)
    }),
    rewrite("other flag register for logic", |i| {
        (is_logic(i) && is_predicated(i)).then(|| i.flag_register ^= 1)
    }),
    rewrite("predicate of logic inverted", |i| {
        (is_logic(i) && is_predicated(i)).then(|| i.predicate.inverse = !i.predicate.inverse)
    }),
    rewrite("predicate of a move ignored under NoMask", |i| {
        (i.opcode == Opcode::Mov && i.no_mask && is_predicated(i))
            .then(|| i.predicate.control = PredicateControl::None)
    }),
    disturb("upper half of f0 not written by 32 channels", |i, before, after| {
        if i.execution_size == 32 {
            after.flag[1] = before.flag[1];
        }
    }),
    disturb("upper half of f1 not written by 32 channels", |i, before, after| {
        if i.execution_size == 32 {
            after.flag[3] = before.flag[3];
        }
    }),
];

/// Channels and types.
pub(super) const TYPES: &[Fault<Eu>] = &[
    rewrite("channel offset 4 for 12", |i| offset(i, 12, 4)),
    rewrite("channel offset 8 for 4", |i| offset(i, 4, 8)),
    rewrite("channel offset 0 for 16", |i| offset(i, 16, 0)),
    rewrite("channel offset 16 for 24", |i| offset(i, 24, 16)),
    rewrite("channel offset 20 for 28", |i| offset(i, 28, 20)),
    rewrite("saturation of bytes lost", |i| unsaturated(i, DataType::B)),
    rewrite("saturation of unsigned bytes lost", |i| unsaturated(i, DataType::Ub)),
    rewrite("saturation of words lost", |i| unsaturated(i, DataType::W)),
    rewrite("saturation of unsigned words lost", |i| unsaturated(i, DataType::Uw)),
    rewrite("saturation of doublewords lost", |i| unsaturated(i, DataType::D)),
    rewrite("saturation of unsigned doublewords lost", |i| unsaturated(i, DataType::Ud)),
    rewrite("saturation of half precision lost", |i| unsaturated(i, DataType::Hf)),
    rewrite("saturation of single precision lost", |i| unsaturated(i, DataType::F)),
    rewrite("a byte written as one with a sign", |i| saturates_as(i, DataType::Ub, DataType::B)),
    rewrite("a word written as one without a sign", |i| saturates_as(i, DataType::W, DataType::Uw)),
    rewrite("a doubleword written as one without a sign", |i| {
        saturates_as(i, DataType::D, DataType::Ud)
    }),
    rewrite("first source of avg with the other sign", |i| source_as(i, Opcode::Avg, 0)),
    rewrite("second source of avg with the other sign", |i| source_as(i, Opcode::Avg, 1)),
    rewrite("first source of add with the other sign", |i| source_as(i, Opcode::Add, 0)),
    rewrite("second source of cmp with the other sign", |i| source_as(i, Opcode::Cmp, 1)),
    rewrite("first source of cmp with the other sign", |i| source_as(i, Opcode::Cmp, 0)),
    rewrite("what asr shifts with the other sign", |i| source_as(i, Opcode::Asr, 0)),
    rewrite("source of a move with the other sign", |i| source_as(i, Opcode::Mov, 0)),
    rewrite("shl by four bits of the count", |i| four_bits(i, Opcode::Shl)),
    rewrite("shr by four bits of the count", |i| four_bits(i, Opcode::Shr)),
    rewrite("asr by four bits of the count", |i| four_bits(i, Opcode::Asr)),
    rewrite("rol by four bits of the count", |i| four_bits(i, Opcode::Rol)),
    rewrite("ror by four bits of the count", |i| four_bits(i, Opcode::Ror)),
    rewrite("an immediate word without its sign", |i| immediate(i, DataType::W, DataType::Uw)),
    rewrite("an immediate word with a sign", |i| immediate(i, DataType::Uw, DataType::W)),
    rewrite("packed unsigned vector read as signed", |i| immediate(i, DataType::Uv, DataType::V)),
    rewrite("elements of a destination of stride 4 side by side", |i| {
        let region = &mut i.destination.region;
        (*region == DestinationRegion::Stride(4) && i.execution_size > 1)
            .then(|| *region = DestinationRegion::Stride(1))
    }),
    rewrite("modifiers of math lost", |i| match &mut i.sources[0] {
        Source::Register { modifier, .. }
            if i.opcode == Opcode::Math && *modifier != Default::default() =>
        {
            *modifier = Default::default();
            Some(())
        }
        _ => None,
    }),
    rewrite("sqt taken for inv", |i| {
        (i.math == Some(MathFunction::Inv)).then(|| i.math = Some(MathFunction::Sqt))
    }),
];

/// Accumulators.
pub(super) const ACCUMULATORS: &[Fault<Eu>] = &[
    rewrite("acc1 for acc0", |i| numbered(i, |number| (number == 0).then_some(1))),
    rewrite("the other accumulator of a pair", |i| {
        numbered(i, |number| (number > 1).then_some(number ^ 1))
    }),
    rewrite("acc0 and acc1 for acc2 and acc3", |i| {
        numbered(i, |number| (number & 6 == 2).then_some(number & 1))
    }),
    rewrite("two bits of an accumulator's number", |i| {
        numbered(i, |number| (number > 3).then_some(number & 3))
    }),
    rewrite("acc4 for acc6", |i| numbered(i, |number| (number & 6 == 6).then_some(number & 5))),
    disturb("acc2 and acc3 not written", |_, before, after| {
        after.accumulator[2..4].copy_from_slice(&before.accumulator[2..4]);
    }),
    disturb("acc4 to acc7 not written", |_, before, after| {
        after.accumulator[4..].copy_from_slice(&before.accumulator[4..]);
    }),
    disturb("second accumulator of a pair not written", |_, before, after| {
        for number in [3, 5, 7] {
            after.accumulator[number] = before.accumulator[number];
        }
    }),
    disturb("a further accumulator updated without being named", |i, _, after| {
        if i.accumulator_write {
            after.accumulator[2][0] ^= 1;
        }
    }),
];

/// Products of four bytes.
pub(super) const PRODUCTS: &[Fault<Eu>] = &[
    rewrite("addend of dp4a with the other sign", |i| {
        (i.saturate || i.condition != Condition::None).then(|| source_as(i, Opcode::Dp4a, 0))?
    }),
    rewrite("bytes of the second source with the other sign", |i| source_as(i, Opcode::Dp4a, 1)),
    rewrite("bytes of the third source with the other sign", |i| source_as(i, Opcode::Dp4a, 2)),
    rewrite("saturation of dp4a lost", |i| {
        (i.opcode == Opcode::Dp4a && i.saturate).then(|| i.saturate = false)
    }),
    rewrite("addend and factor of dp4a exchanged", |i| swap_sources(i, Opcode::Dp4a)),
];

fn is_predicated(i: &Instruction) -> bool {
    i.predicate.control != PredicateControl::None
}

fn is_logic(i: &Instruction) -> bool {
    matches!(i.opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not)
}

fn compares(i: &mut Instruction, opcode: Opcode, from: Condition, to: Condition) -> Option<()> {
    (i.opcode == opcode && i.condition == from).then(|| i.condition = to)
}

/// Takes channels for others.
fn offset(i: &mut Instruction, from: u8, to: u8) -> Option<()> {
    (i.first_channel == from && !i.no_mask).then(|| i.first_channel = to)
}

fn unsaturated(i: &mut Instruction, data_type: DataType) -> Option<()> {
    (i.saturate && i.destination.data_type == data_type).then(|| i.saturate = false)
}

/// Saturates to the numbers of another type.
fn saturates_as(i: &mut Instruction, from: DataType, to: DataType) -> Option<()> {
    (i.saturate && i.destination.data_type == from).then(|| i.destination.data_type = to)
}

/// Reads a source of an operation as if it had a sign, or none.
fn source_as(i: &mut Instruction, opcode: Opcode, index: usize) -> Option<()> {
    if i.opcode != opcode {
        return None;
    }
    super::operations::resigned(i, index)
}

/// Takes four bits of a constant count.
fn four_bits(i: &mut Instruction, opcode: Opcode) -> Option<()> {
    match &mut i.sources[1] {
        Source::Immediate { bits, .. } if i.opcode == opcode && *bits & 0x10 != 0 => {
            *bits &= !0x10_0010;
            Some(())
        }
        _ => None,
    }
}

/// Reads an immediate as one of another type.
fn immediate(i: &mut Instruction, from: DataType, to: DataType) -> Option<()> {
    i.sources.iter_mut().find_map(|source| match source {
        Source::Immediate { data_type, .. } if *data_type == from => {
            *data_type = to;
            Some(())
        }
        _ => None,
    })
}

/// Takes an accumulator for another one.
fn numbered(i: &mut Instruction, other: fn(u8) -> Option<u8>) -> Option<()> {
    let change = |register: &mut Register| {
        let is_accumulator = register.arf() == Some(ArfKind::Accumulator);
        match register {
            Register::Direct { number, .. } if is_accumulator => {
                other(*number & 0xF).map(|other| *number = *number & 0xF0 | other)
            }
            _ => None,
        }
    };
    let of_source = i.sources.iter_mut().find_map(|source| match source {
        Source::Register { register, .. } => change(register),
        Source::Immediate { .. } => None,
    });
    // Both stay the same accumulator.
    change(&mut i.destination.register).or(of_source)
}
