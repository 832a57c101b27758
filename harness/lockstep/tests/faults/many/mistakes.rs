//! The mistakes of an engine of Gen9 that its author has just got to run, as public simulators have them.

use parallax_isa::Step;
use parallax_isa::eu::{
    Case, DataType, Instruction, Opcode, State,
    instruction::{ConditionalModifier as Condition, MathFunction, PredicateControl},
    operand::{Region, Register, Source, VerticalStride},
    register::REGISTER_BYTES,
};
use parallax_lockstep::eu::{Eu, instruction_at};

use crate::{
    fault_injection::{
        Fault,
        eu::{disturb, rewrite},
    },
    faults::eu::values::{changed, element, float},
};

/// Mistakes that one instruction makes with some operands, or several with some types.
const OWN: &[Fault<Eu>] = &[
    disturb("exp to the base e", |i, before, after| {
        function(i, before, after, MathFunction::Exp, f32::exp);
    }),
    disturb("natural logarithm", |i, before, after| {
        function(i, before, after, MathFunction::Log, f32::ln);
    }),
    disturb("frc keeps the sign", |i, before, after| {
        if i.opcode == Opcode::Frc {
            floats(i, before, after, |x, right| if x < 0.0 { x.fract() } else { right });
        }
    }),
    disturb("shift counts of 32 and more shift everything out", |i, before, after| {
        if matches!(i.opcode, Opcode::Shl | Opcode::Shr) && i.destination.data_type.size() == 4 {
            for channel in 0..i.execution_size {
                if element(i, 1, channel, before).is_some_and(|count| count & 0x3F >= 32) {
                    changed(i, channel, before, after, |_| 0);
                }
            }
        }
    }),
    disturb("asr of :ud shifts the sign in", |i, before, after| {
        let types = [i.destination.data_type, i.sources[0].data_type()];
        if i.opcode == Opcode::Asr && types[0].size() == 4 && types[1] == DataType::Ud {
            for channel in 0..i.execution_size {
                let [a, b] = [0, 1].map(|index| element(i, index, channel, before));
                let (Some(a), Some(b)) = (a, b) else { continue };
                let shifted = (a as u32).cast_signed() >> (b & 31);
                changed(i, channel, before, after, |_| u64::from(shifted.cast_unsigned()));
            }
        }
    }),
    rewrite("not gives its source", |i| (i.opcode == Opcode::Not).then(|| i.opcode = Opcode::Mov)),
    rewrite("packed floats in another order", |i| {
        immediate(i, |data_type, bits| {
            (*data_type == DataType::Vf).then(|| *bits = (*bits as u32).swap_bytes().into())
        })
    }),
    rewrite("packed signed vector not extended", |i| {
        immediate(i, |data_type, _| (*data_type == DataType::V).then(|| *data_type = DataType::Uv))
    }),
    disturb("sel by order writes the flag register", |i, _, after| {
        if i.opcode == Opcode::Sel && i.condition != Condition::None {
            for channel in 0..i.execution_size {
                set_flag(i, channel, after, channel % 2 == 0);
            }
        }
    }),
    rewrite("cmp of :ud compared as signed", |i| {
        (i.opcode == Opcode::Cmp).then_some(())?;
        retype(i, DataType::Ud, DataType::D)
    }),
    rewrite("sel of :ud compared as signed", |i| {
        (i.opcode == Opcode::Sel && i.condition != Condition::None).then_some(())?;
        retype(i, DataType::Ud, DataType::D)
    }),
    rewrite("negation in logic dropped", |i| {
        is_logic(i).then_some(())?;
        modified(i, |_| true)
    }),
    rewrite("modifiers of words dropped", |i| {
        (!is_logic(i)).then_some(())?;
        modified(i, |data_type| data_type == DataType::W)
    }),
    disturb("a NaN is not unequal", |i, before, after| {
        if i.opcode == Opcode::Cmp && i.condition == Condition::NotEqual && is_of_floats(i) {
            for channel in 0..i.execution_size {
                let values = [0, 1].map(|index| float(i, index, channel, before));
                if values.iter().flatten().any(|value| value.is_nan()) {
                    set_flag(i, channel, after, false);
                }
            }
        }
    }),
    rewrite("f0.1 taken for f1.0", |i| {
        let uses = i.predicate.control != PredicateControl::None || i.condition != Condition::None;
        let is_it =
            uses && (i.flag_register, i.flag_subregister) == (0, 1) && i.execution_size < 32;
        is_it.then(|| (i.flag_register, i.flag_subregister) = (1, 0))
    }),
    disturb("narrow cmp clears the flags of other channels", |i, _, after| {
        if i.opcode == Opcode::Cmp && matches!(i.execution_size, 1 | 4) {
            for channel in i.execution_size..16 - i.first_channel % 16 {
                set_flag(i, channel, after, false);
            }
        }
    }),
    rewrite("rows of 16 elements repeat 8", |i| {
        i.sources.iter_mut().find_map(|source| match source {
            Source::Register {
                region: Region::Align1 { vertical, width: width @ 16, horizontal: 1 },
                ..
            } => {
                (*vertical, *width) = (VerticalStride::Elements(0), 8);
                Some(())
            }
            _ => None,
        })
    }),
    Fault::answer("dies of operands that straddle a register", |case, before, step| {
        assert!(!next(case, before).is_some_and(|i| straddles(&i)), "operand out of its register");
        step
    }),
    rewrite("mov :f <- :ud converts signed numbers", |i| {
        (i.opcode == Opcode::Mov && i.destination.data_type == DataType::F).then_some(())?;
        retype(i, DataType::Ud, DataType::D)
    }),
    disturb("floats out of range convert to 80000000h", |i, before, after| {
        let types = [i.destination.data_type, i.sources[0].data_type()];
        if i.opcode == Opcode::Mov && types == [DataType::D, DataType::F] {
            for channel in 0..i.execution_size {
                if float(i, 0, channel, before).is_some_and(|x| x >= 2_147_483_648.0) {
                    changed(i, channel, before, after, |_| 0x8000_0000);
                }
            }
        }
    }),
    rewrite("signed quotients taken for unsigned ones", |i| {
        matches!(i.math, Some(MathFunction::Iqot | MathFunction::Irem)).then_some(())?;
        i.destination.data_type = DataType::Ud;
        retype(i, DataType::D, DataType::Ud)
    }),
    Fault::answer("dies of divisions by zero", |case, before, step: Step| {
        if let Some(i) = next(case, before)
            && matches!(i.math, Some(MathFunction::Iqot | MathFunction::Irem | MathFunction::Idiv))
        {
            let divisors = (0..i.execution_size).filter_map(|c| element(&i, 1, c, before));
            assert!(divisors.into_iter().all(|divisor| divisor != 0), "division by zero");
        }
        step
    }),
    rewrite("subregister of coefficients ignored", |i| {
        matches!(i.opcode, Opcode::Line | Opcode::Pln).then_some(())?;
        match &mut i.sources[0] {
            Source::Register { register: Register::Direct { subregister, .. }, .. }
                if *subregister > 0 =>
            {
                *subregister = 0;
                Some(())
            }
            _ => None,
        }
    }),
    disturb("second half of pln reads the first half's coordinates", |i, before, after| {
        if i.opcode == Opcode::Pln && i.execution_size == 16 {
            for channel in 8..16 {
                let coordinate = float(i, 1, channel - 8, before).unwrap_or_default().to_bits();
                changed(i, channel, before, after, |_| u64::from(coordinate));
            }
        }
    }),
    disturb("a NaN is not saturated", |i, before, after| {
        if i.saturate && is_of_floats(i) && i.destination.data_type == DataType::F {
            for channel in 0..i.execution_size {
                let values = [0, 1].map(|index| float(i, index, channel, before));
                if values.iter().flatten().any(|value| value.is_nan()) {
                    let nan = |bits| if bits == 0 { 0x7FC0_0000 } else { bits };
                    changed(i, channel, before, after, nan);
                }
            }
        }
    }),
    disturb("flags of what was not saturated yet", |i, before, after| {
        let is_plain = i.no_mask && i.predicate.control == PredicateControl::None;
        if i.saturate && is_plain && is_of_floats(i) && i.destination.data_type == DataType::F {
            for channel in 0..i.execution_size {
                let Some(result) = not_saturated(i, channel, before) else { continue };
                let flag = match i.condition {
                    Condition::Equal => result == 0.0,
                    Condition::NotEqual => result != 0.0,
                    Condition::Less => result < 0.0,
                    Condition::GreaterEqual => result >= 0.0,
                    _ => continue,
                };
                set_flag(i, channel, after, flag);
            }
        }
    }),
    disturb("integers are added as floats", |i, before, after| {
        let types = [i.destination.data_type, i.sources[0].data_type(), i.sources[1].data_type()];
        if i.opcode == Opcode::Add && types == [DataType::F, DataType::D, DataType::D] {
            for channel in 0..i.execution_size {
                let [a, b] = [0, 1].map(|index| integer(i, index, channel, before));
                let (Some(a), Some(b)) = (a, b) else { continue };
                let sum = a as f32 + b as f32;
                let sum = if i.saturate { sum.clamp(0.0, 1.0) } else { sum };
                changed(i, channel, before, after, |_| u64::from(sum.to_bits()));
            }
        }
    }),
];

/// All of them.
pub(crate) fn mistakes() -> Vec<Fault<Eu>> {
    OWN.to_vec()
}

fn is_logic(i: &Instruction) -> bool {
    matches!(i.opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not)
}

fn is_of_floats(i: &Instruction) -> bool {
    let has = i.sources[..2].iter().filter(|source| !is_null(source));
    has.clone().count() > 0 && has.into_iter().all(|source| source.data_type() == DataType::F)
}

fn is_null(source: &Source) -> bool {
    matches!(source, Source::Register { register, .. } if register.is_null())
}

/// The instruction that is executed in a state.
fn next(case: &Case, state: &State) -> Option<Instruction> {
    instruction_at(case, state.ip)
}

/// Whether a source starts within a register and ends in the next one.
fn straddles(i: &Instruction) -> bool {
    i.sources.iter().any(|source| match source {
        Source::Register {
            register: Register::Direct { subregister, .. },
            region: Region::Align1 { vertical: VerticalStride::Elements(down), width, horizontal },
            data_type,
            ..
        } => {
            let [down, width, across] = [*down, *width, *horizontal].map(usize::from);
            let width = width.max(1);
            let rows = usize::from(i.execution_size).div_ceil(width);
            let last = (rows - 1) * down + (width - 1) * across;
            let start = usize::from(*subregister);
            start > 0 && start + (last + 1) * data_type.size() > REGISTER_BYTES
        }
        _ => false,
    })
}

/// Sets the flag of a channel.
fn set_flag(i: &Instruction, channel: u8, state: &mut State, flag: bool) {
    let bit = 1 << ((i.first_channel + channel) % 16);
    let register = &mut state.flag[usize::from(2 * i.flag_register + i.flag_subregister)];
    *register = if flag { *register | bit } else { *register & !bit };
}

/// Gives each channel of an instruction from float to float another result, made of its source and the right one.
fn floats(i: &Instruction, before: &State, after: &mut State, result: fn(f32, f32) -> f32) {
    let types = [i.destination.data_type, i.sources[0].data_type()];
    if types == [DataType::F; 2] && !i.saturate {
        for channel in 0..i.execution_size {
            let Some(x) = float(i, 0, channel, before) else { continue };
            let wrong = |right| u64::from(result(x, f32::from_bits(right as u32)).to_bits());
            changed(i, channel, before, after, wrong);
        }
    }
}

/// The same for a function of extended math.
fn function(
    i: &Instruction,
    before: &State,
    after: &mut State,
    function: MathFunction,
    wrong: fn(f32) -> f32,
) {
    let types = [i.destination.data_type, i.sources[0].data_type()];
    if i.math == Some(function) && types == [DataType::F; 2] && !i.saturate {
        for channel in 0..i.execution_size {
            let Some(x) = float(i, 0, channel, before) else { continue };
            changed(i, channel, before, after, |_| u64::from(wrong(x).to_bits()));
        }
    }
}

/// What some operations on floats come to before saturation.
fn not_saturated(i: &Instruction, channel: u8, before: &State) -> Option<f32> {
    let source = |index| float(i, index, channel, before);
    match i.opcode {
        Opcode::Mov => source(0),
        Opcode::Add => Some(source(0)? + source(1)?),
        Opcode::Mul => Some(source(0)? * source(1)?),
        _ => None,
    }
}

/// A doubleword with its modifiers.
fn integer(i: &Instruction, index: usize, channel: u8, state: &State) -> Option<i64> {
    let value = i64::from((element(i, index, channel, state)? as u32).cast_signed());
    let Source::Register { modifier, .. } = i.sources[index] else { return Some(value) };
    let value = if modifier.absolute { value.abs() } else { value };
    Some(if modifier.negate { -value } else { value })
}

/// Changes an immediate.
fn immediate(i: &mut Instruction, change: fn(&mut DataType, &mut u64) -> Option<()>) -> Option<()> {
    i.sources.iter_mut().find_map(|source| match source {
        Source::Immediate { data_type, bits } => change(data_type, bits),
        Source::Register { .. } => None,
    })
}

/// Gives all sources of a type another one.
fn retype(i: &mut Instruction, from: DataType, to: DataType) -> Option<()> {
    let mut changed = None;
    for source in &mut i.sources {
        match source {
            Source::Register { data_type, .. } | Source::Immediate { data_type, .. }
                if *data_type == from =>
            {
                *data_type = to;
                changed = Some(());
            }
            _ => {}
        }
    }
    changed
}

/// Drops the modifiers of sources of some types.
fn modified(i: &mut Instruction, is: fn(DataType) -> bool) -> Option<()> {
    let mut changed = None;
    for source in &mut i.sources {
        if let Source::Register { modifier, data_type, .. } = source
            && is(*data_type)
            && (modifier.negate || modifier.absolute)
        {
            *modifier = Default::default();
            changed = Some(());
        }
    }
    changed
}
