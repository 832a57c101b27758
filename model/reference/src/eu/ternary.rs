//! Arithmetic of three sources on Gen7 and later: `mad`, `lrp`, `csel`; and the two conversions of
//! half precision that Gen7 has instead of a type.

use parallax_isa::eu::{DataType, instruction::AccessMode, operand::Source};

use super::{
    arithmetic::Fusion,
    compare::has_order,
    condition::PreSignals,
    execution::Execution,
    movement::is_raw_move,
    number::{FloatMode, Value},
    result::Computed,
    sum,
    thread::Executed,
};
use crate::number::{Context, Denormals, FloatFormat, Number};

/// `mad`: dst = src1 * src2 + src0, rounded once.
pub(super) fn mad(x: &mut Execution) -> Executed {
    // Decision D-eu-later-sums.
    let [addend, a, b] = [x.source(0)?, x.source(1)?, x.source(2)?];
    x.multiply_add([&a, &b, &addend], Fusion::Fused)
}

/// `dp4a` (Gen12): dst = src0 and the products of the bytes of src1 and src2, which have a sign where
/// their doubleword has one. What an accumulator has beyond a doubleword is not said.
pub(super) fn dp4a(x: &mut Execution) -> Executed {
    let [addend, a, b] = [x.source(0)?, x.source(1)?, x.source(2)?];
    let types = [1, 2].map(|index| x.instruction.sources[index].data_type());
    let is_defined = !(0..3).any(|index| x.is_accumulator(index));
    x.each(|n| {
        let [first, second] = [(&a[n], types[0]), (&b[n], types[1])]
            .map(|(operand, data_type)| bytes_of(operand.bits as u32, data_type));
        let products: i128 = first.into_iter().zip(second).map(|(a, b)| a * b).sum();
        let sum = Computed::integer(addend[n].integer() + products);
        Computed { defined: is_defined, accumulator_bits: Some(32), ..sum }
            .of(&[&addend[n], &a[n], &b[n]])
    })
}

/// The four numbers in a doubleword.
fn bytes_of(doubleword: u32, data_type: DataType) -> [i128; 4] {
    let is_signed = data_type == DataType::D;
    doubleword.to_le_bytes().map(|byte| match is_signed {
        true => i128::from(byte.cast_signed()),
        false => i128::from(byte),
    })
}

/// `lrp`: dst = src0 * src1 + (1 - src0) * src2.
pub(super) fn lrp(x: &mut Execution) -> Executed {
    let [weight, a, b] = [x.source(0)?, x.source(1)?, x.source(2)?];
    let settings = x.settings;
    x.each(|n| {
        let sources = [&weight[n], &a[n], &b[n]];
        let [w, a, b] = sources.map(|source| source.float());
        if let Some(nan) = [w, a, b].into_iter().find(|number| number.is_nan()) {
            // In every form of the formula each operand is a term or a factor of one.
            return Computed::float(nan).of(&sources);
        }
        if !(w.is_finite() && a.is_finite() && b.is_finite()) {
            // Which of the two forms of the formula is computed decides what infinities give.
            return Computed::UNDEFINED;
        }
        // src0 * src1 + src2 - src0 * src2, whatever the order.
        let terms = [w.times(a), b, -(w.times(b))];
        sum::of_any_order(&terms, 4, &settings).of(&sources)
    })
}

/// `csel` (Gen8 and later): dst = src0 where the condition holds between src2 and zero, else src1.
pub(super) fn csel(x: &mut Execution) -> Executed {
    let [a, b, tested] = [x.source(0)?, x.source(1)?, x.source(2)?];
    let modifier = x.instruction.condition;
    if !has_order(modifier) {
        return x.each(|_| Computed::UNDEFINED);
    }
    let is_plain = [0, 1].map(|index| is_raw_move(x, index));
    x.each(|n| {
        let zero = match tested[n].value {
            Value::Integer(_) => Value::Integer(0),
            Value::Float(_) => Value::Float(Number::ZERO),
        };
        let first = PreSignals::of(tested[n].value, zero).compare(modifier);
        let chosen = if first { &a[n] } else { &b[n] };
        // Whether the chosen operand is moved or computed is not said: a denormal may be its zero.
        let raw = is_plain[usize::from(!first)].then_some(chosen.bits);
        Computed { raw, or_flushed: true, ..Computed::exact(chosen.value) }
            .of(&[&a[n], &b[n], &tested[n]])
    })
}

/// `f32to16` (Gen7): the low word of each doubleword slot = src0 in half precision; in Align16 the high
/// word becomes 0.
pub(super) fn f32to16(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    let is_alternative = x.mode == FloatMode::Alternative;
    let context = x.settings.context(FloatFormat::BINARY16);
    let context = Context { output: Denormals::Kept, ..context };
    let saturate = x.instruction.saturate;
    let half = |n: usize| {
        let number = source[n].float();
        let number = if saturate { saturated(number) } else { number.quiet() };
        let bits = context.round(number, FloatFormat::BINARY16).bits;
        let defined = source[n].defined && !is_alternative;
        // The destination is an integer, so that it has no flags of the number.
        let flags_defined = false;
        Computed {
            raw: Some(bits),
            is_half_nan: number.is_nan(),
            defined,
            flags_defined,
            ..Computed::float(number)
        }
    };
    if x.instruction.access_mode == AccessMode::Align16 {
        let mut in_slots = *x.instruction;
        in_slots.destination.data_type = DataType::Ud;
        return Execution { thread: x.thread, instruction: &in_slots, ..*x }.each(half);
    }
    x.each(half)
}

/// A number brought to the range from 0 to 1.
fn saturated(number: Number) -> Number {
    if number.is_nan() || number.is_negative() || number.is_zero() {
        Number::ZERO
    } else if number > Number::ONE {
        Number::ONE
    } else {
        number
    }
}

/// `f16to32` (Gen7): dst = the number that the low word of src0 is in half precision.
pub(super) fn f16to32(x: &mut Execution) -> Executed {
    let source = x.source(0)?;
    x.settings = x.settings.of_conversion();
    // A modifier of a word that stands for a float: of which of the two, is not said.
    let is_modified = matches!(x.instruction.sources[0], Source::Register { modifier, .. }
        if modifier != Default::default())
        || x.is_accumulator(0)
        || x.mode == FloatMode::Alternative;
    x.each(|n| {
        let number = FloatFormat::BINARY16.decode(source[n].bits & 0xFFFF);
        let defined = source[n].defined && !is_modified;
        Computed { defined, ..Computed::float(number) }
    })
}
