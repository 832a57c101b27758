//! One operation taken for another, or with its sources in another order.

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{ConditionalModifier as Condition, ExtendedDescriptor, MathFunction, Message},
    operand::{Region, Register, Source},
};

use super::{
    super::rewrites::{become_condition, become_opcode, modifier, negate, swap_sources, unsigned},
    Eu, Fault, rewrite,
};

/// Those of both generations.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    rewrite("first operand of add negated", |i| negate(i, Opcode::Add, 0)),
    rewrite("second operand of mul negated", |i| negate(i, Opcode::Mul, 1)),
    rewrite("first operand of mad negated", |i| negate(i, Opcode::Mad, 0)),
    rewrite("operands of cmp swapped", |i| swap_sources(i, Opcode::Cmp)),
    rewrite("operands of sel swapped", |i| swap_sources(i, Opcode::Sel)),
    rewrite("operands of shl swapped", |i| swap_sources(i, Opcode::Shl)),
    rewrite("operands of asr swapped", |i| swap_sources(i, Opcode::Asr)),
    rewrite("operands of subb swapped", |i| swap_sources(i, Opcode::Subb)),
    rewrite("width and offset of bfi1 swapped", |i| swap_sources(i, Opcode::Bfi1)),
    rewrite("width and offset of bfe swapped", |i| swap_sources(i, Opcode::Bfe)),
    rewrite("mask and insertion of bfi2 swapped", |i| swap_sources(i, Opcode::Bfi2)),
    rewrite("insertion and base of bfi2 swapped", |i| last_swapped(i, Opcode::Bfi2)),
    rewrite("addend and factor of mad swapped", |i| swap_sources(i, Opcode::Mad)),
    rewrite("ends of lrp swapped", |i| last_swapped(i, Opcode::Lrp)),
    rewrite("shr taken for asr", |i| {
        become_opcode(i, Opcode::Asr, Opcode::Shr)?;
        i.destination.data_type = unsigned(i.destination.data_type);
        all_unsigned(i)
    }),
    rewrite("bfe of a signed field taken for an unsigned one", |i| {
        let signed = i.opcode == Opcode::Bfe && i.destination.data_type == DataType::D;
        i.destination.data_type = unsigned(i.destination.data_type);
        signed.then_some(())?;
        all_unsigned(i)
    }),
    rewrite("fbh of signed numbers taken for that of unsigned ones", |i| {
        let signed = i.opcode == Opcode::Fbh && i.sources[0].data_type() == DataType::D;
        signed.then_some(())?;
        all_unsigned(i)
    }),
    rewrite("and taken for or", |i| become_opcode(i, Opcode::And, Opcode::Or)),
    rewrite("xor taken for or", |i| become_opcode(i, Opcode::Xor, Opcode::Or)),
    rewrite("not taken for mov", |i| become_opcode(i, Opcode::Not, Opcode::Mov)),
    rewrite("cmpn taken for cmp", |i| become_opcode(i, Opcode::Cmpn, Opcode::Cmp)),
    rewrite("avg taken for add", |i| become_opcode(i, Opcode::Avg, Opcode::Add)),
    rewrite("mac taken for mul", |i| become_opcode(i, Opcode::Mac, Opcode::Mul)),
    rewrite("mach taken for mul", |i| become_opcode(i, Opcode::Mach, Opcode::Mul)),
    rewrite("sada2 taken for sad2", |i| become_opcode(i, Opcode::Sada2, Opcode::Sad2)),
    rewrite("addc taken for add", |i| become_opcode(i, Opcode::Addc, Opcode::Add)),
    rewrite("subb taken for addc", |i| become_opcode(i, Opcode::Subb, Opcode::Addc)),
    rewrite("lrp taken for mad", |i| become_opcode(i, Opcode::Lrp, Opcode::Mad)),
    rewrite("line taken for pln", |i| become_opcode(i, Opcode::Pln, Opcode::Line)),
    rewrite("dp3 taken for dp4", |i| become_opcode(i, Opcode::Dp3, Opcode::Dp4)),
    rewrite("dph taken for dp4", |i| become_opcode(i, Opcode::Dph, Opcode::Dp4)),
    rewrite("dp2 taken for dp3", |i| become_opcode(i, Opcode::Dp2, Opcode::Dp3)),
    rewrite("rndu taken for rndd", |i| become_opcode(i, Opcode::Rndu, Opcode::Rndd)),
    rewrite("rndd taken for rndz", |i| become_opcode(i, Opcode::Rndd, Opcode::Rndz)),
    rewrite("rnde taken for rndz", |i| become_opcode(i, Opcode::Rnde, Opcode::Rndz)),
    rewrite("frc taken for rndd", |i| become_opcode(i, Opcode::Frc, Opcode::Rndd)),
    rewrite("lzd taken for fbh", |i| become_opcode(i, Opcode::Lzd, Opcode::Fbh)),
    rewrite("fbl taken for fbh", |i| become_opcode(i, Opcode::Fbl, Opcode::Fbh)),
    rewrite("cbit taken for fbl", |i| become_opcode(i, Opcode::Cbit, Opcode::Fbl)),
    rewrite("bfrev taken for not", |i| become_opcode(i, Opcode::Bfrev, Opcode::Not)),
    rewrite("movi taken for mov", |i| become_opcode(i, Opcode::Movi, Opcode::Mov)),
    rewrite("sel by order takes the other one", |i| {
        i.condition = match (i.opcode, i.condition) {
            (Opcode::Sel, Condition::GreaterEqual) => Condition::Less,
            (Opcode::Sel, Condition::Less) => Condition::GreaterEqual,
            _ => return None,
        };
        Some(())
    }),
    rewrite("inv taken for rsqt", |i| function(i, MathFunction::Inv, MathFunction::Rsqt)),
    rewrite("log taken for exp", |i| function(i, MathFunction::Log, MathFunction::Exp)),
    rewrite("exp taken for log", |i| function(i, MathFunction::Exp, MathFunction::Log)),
    rewrite("sqt taken for rsqt", |i| function(i, MathFunction::Sqt, MathFunction::Rsqt)),
    rewrite("rsqt taken for inv", |i| function(i, MathFunction::Rsqt, MathFunction::Inv)),
    rewrite("sin taken for cos", |i| function(i, MathFunction::Sin, MathFunction::Cos)),
    rewrite("cos taken for sin", |i| function(i, MathFunction::Cos, MathFunction::Sin)),
    rewrite("fdiv taken for pow", |i| function(i, MathFunction::Fdiv, MathFunction::Pow)),
    rewrite("idiv taken for iqot", |i| function(i, MathFunction::Idiv, MathFunction::Iqot)),
    rewrite("iqot taken for irem", |i| function(i, MathFunction::Iqot, MathFunction::Irem)),
    rewrite("irem taken for iqot", |i| function(i, MathFunction::Irem, MathFunction::Iqot)),
    rewrite("operands of fdiv swapped", |i| swap_function(i, MathFunction::Fdiv)),
    rewrite("operands of pow swapped", |i| swap_function(i, MathFunction::Pow)),
    rewrite("operands of irem swapped", |i| swap_function(i, MathFunction::Irem)),
    rewrite("signed division taken for an unsigned one", |i| {
        let divides =
            matches!(i.math, Some(MathFunction::Idiv | MathFunction::Iqot | MathFunction::Irem));
        (divides && i.destination.data_type == DataType::D).then_some(())?;
        i.destination.data_type = DataType::Ud;
        all_unsigned(i)
    }),
];

/// Those of Gen7 alone.
pub(super) const GEN7: &[Fault<Eu>] = &[
    rewrite("f32to16 taken for mov", |i| become_opcode(i, Opcode::F32to16, Opcode::Mov)),
    rewrite("f16to32 taken for mov", |i| become_opcode(i, Opcode::F16to32, Opcode::Mov)),
    rewrite("the other factor of a dword product cut", |i| {
        let is_dword = |source: &Source| matches!(source.data_type(), DataType::D | DataType::Ud);
        (i.opcode == Opcode::Mul && i.sources[..2].iter().all(is_dword)).then_some(())?;
        swap_sources(i, Opcode::Mul)
    }),
    rewrite("other flag register of three sources", |i| {
        let ternary = matches!(i.opcode, Opcode::Mad | Opcode::Lrp);
        let used = i.condition != Condition::None || i.predicate != Default::default();
        (ternary && used).then(|| i.flag_register ^= 1)
    }),
];

/// Those of Gen9 alone.
pub(super) const GEN9: &[Fault<Eu>] = &[
    rewrite("factors of mach with the sign of the result", |i| {
        let data_type = i.destination.data_type;
        (i.opcode == Opcode::Mach && i.sources[0].data_type() != data_type).then_some(())?;
        of_type(&mut i.sources[0], data_type)
    }),
    rewrite("a factor of mach with the sign of the other", |i| {
        let data_type = i.sources[0].data_type();
        (i.opcode == Opcode::Mach && i.sources[1].data_type() != data_type).then_some(())?;
        of_type(&mut i.sources[1], data_type)
    }),
    rewrite("a doubleword beside a quadword without its sign", |i| {
        let is_beside = i.opcode == Opcode::Add
            && i.sources[1].data_type() == DataType::D
            && i.sources[0].data_type().size() == 8;
        is_beside.then_some(())?;
        of_type(&mut i.sources[1], DataType::Ud)
    }),
    rewrite("a narrow destination of shr taken for the type of its source", |i| {
        let from = i.sources[0].data_type();
        let is_one =
            i.opcode == Opcode::Shr && from.size() == 4 && i.destination.data_type.size() == 8;
        is_one.then(|| i.destination.data_type = from)
    }),
    rewrite("negation of a factor of madm lost", |i| match &mut i.sources[1] {
        Source::Register { modifier, .. } if i.opcode == Opcode::Madm && modifier.negate => {
            modifier.negate = false;
            Some(())
        }
        _ => None,
    }),
    rewrite("a macro register taken for an ordinary number", |i| match &mut i.sources[2] {
        Source::Register { region: Region::Align16 { swizzle, .. }, .. }
            if i.opcode == Opcode::Madm && *swizzle != [0, 2, 0, 0] =>
        {
            *swizzle = [0, 2, 0, 0];
            Some(())
        }
        _ => None,
    }),
    rewrite("numerator and denominator of a first step swapped", |i| {
        (i.math == Some(MathFunction::Invm)).then(|| i.sources.swap(0, 1))
    }),
    rewrite("flags of a first step in the other register", |i| {
        let is_first = matches!(i.math, Some(MathFunction::Invm | MathFunction::Rsqtm));
        is_first.then(|| i.flag_register ^= 1)
    }),
    rewrite("operands of csel swapped", |i| swap_sources(i, Opcode::Csel)),
    rewrite("csel looks at the second operand", |i| last_swapped(i, Opcode::Csel)),
    rewrite("csel takes zero for greater", |i| {
        become_condition(i, Condition::Greater, Condition::GreaterEqual)
    }),
    rewrite("second part of a payload a register too short", |i| match &mut i.message {
        Some(Message { extended: ExtendedDescriptor::Immediate(bits), .. })
            if matches!(i.opcode, Opcode::Sends | Opcode::Sendsc) && *bits >> 6 & 15 > 1 =>
        {
            *bits -= 1 << 6;
            Some(())
        }
        _ => None,
    }),
    rewrite("extended descriptor of another address subregister", |i| match &mut i.message {
        Some(Message { extended: ExtendedDescriptor::Address(number), .. }) => {
            *number ^= 1;
            Some(())
        }
        _ => None,
    }),
    rewrite("parts of a payload swapped", |i| swap_sources(i, Opcode::Sends)),
    rewrite("payload behind an address without the sign of its offset", |i| {
        match &mut i.sources[0] {
            Source::Register { register, .. } if i.message.is_some() => without_sign(register),
            _ => None,
        }
    }),
    rewrite("reply behind an address without the sign of its offset", |i| {
        i.message.and_then(|_| without_sign(&mut i.destination.register))
    }),
    rewrite("complement of logic lost", |i| match i.opcode {
        Opcode::And | Opcode::Or | Opcode::Xor => {
            modifier(i, |m| m.negate.then(|| m.negate = false))
        }
        _ => None,
    }),
    rewrite("64 bits taken for 32", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Register { data_type, .. } => {
                *data_type = match data_type {
                    DataType::Q => DataType::D,
                    DataType::Uq => DataType::Ud,
                    _ => return None,
                };
                Some(())
            }
            Source::Immediate { .. } => None,
        })
    }),
    rewrite("64 bits written as 32", |i| {
        i.destination.data_type = match i.destination.data_type {
            DataType::Q => DataType::D,
            DataType::Uq => DataType::Ud,
            _ => return None,
        };
        Some(())
    }),
    rewrite("half precision read as words", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Register { data_type: data_type @ DataType::Hf, .. } => {
                *data_type = DataType::W;
                Some(())
            }
            _ => None,
        })
    }),
    rewrite("half precision written as words", |i| {
        (i.destination.data_type == DataType::Hf).then(|| i.destination.data_type = DataType::W)
    }),
];

fn all_unsigned(i: &mut Instruction) -> Option<()> {
    for source in &mut i.sources {
        match source {
            Source::Register { data_type, .. } | Source::Immediate { data_type, .. } => {
                *data_type = unsigned(*data_type);
            }
        }
    }
    Some(())
}

fn last_swapped(i: &mut Instruction, opcode: Opcode) -> Option<()> {
    (i.opcode == opcode).then(|| i.sources.swap(1, 2))
}

fn function(i: &mut Instruction, from: MathFunction, to: MathFunction) -> Option<()> {
    (i.math == Some(from)).then(|| i.math = Some(to))
}

fn swap_function(i: &mut Instruction, function: MathFunction) -> Option<()> {
    if i.math != Some(function) {
        return None;
    }
    swap_sources(i, Opcode::Math)
}

/// The offset of an address as one that has no sign.
fn without_sign(register: &mut Register) -> Option<()> {
    match register {
        Register::Indirect { offset, .. } if *offset < 0 => {
            *offset &= 0x1FF;
            Some(())
        }
        _ => None,
    }
}

/// Another type of a source in registers.
fn of_type(source: &mut Source, wanted: DataType) -> Option<()> {
    match source {
        Source::Register { data_type, .. } => {
            *data_type = wanted;
            Some(())
        }
        Source::Immediate { .. } => None,
    }
}
