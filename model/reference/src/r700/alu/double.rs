//! Double-precision operations: each takes two or four vector slots.

use parallax_isa::r700::AluOpcode;

use super::{Operands, Value};
use crate::{
    number::{Context, FloatFormat, Number, Overflow, Rounding},
    r700::number::{self, CONTEXT, NEAREST, rounded, rounded_double, words},
};

/// What a double-precision operation does for one pixel.
pub(crate) struct DoubleEffect {
    /// Results of its slots, in the order X, Y (Z, W).
    pub(crate) values: [Value; 4],
    /// Predicate: execute or skip.
    pub(crate) predicate: Option<bool>,
}

/// Output modifiers of the operation: those of its first slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// `OMOD`.
    pub(crate) scale: u32,
    /// `CLAMP`.
    pub(crate) clamp: bool,
}

/// The slots' operands: the first slot has the high words, the second (of four: the fourth) the low
/// words.
pub(crate) fn double(opcode: AluOpcode, slots: &[Operands], output: Output) -> DoubleEffect {
    let low_slot = slots.len() - 1;
    let source = |n: usize| number::double(slots[0].bits[n], slots[low_slot].bits[n]);
    let value = |result: Number| pair(modified(result, output));
    let values = match opcode {
        AluOpcode::Add64 => value(add(source(0), source(1))),
        AluOpcode::Mul64 => value(multiply(source(0), source(1))),
        AluOpcode::Muladd64 => value(multiply_add(source(0), source(1), source(2), 0)),
        AluOpcode::Muladd64M2 => value(multiply_add(source(0), source(1), source(2), 1)),
        AluOpcode::Muladd64M4 => value(multiply_add(source(0), source(1), source(2), 2)),
        AluOpcode::Muladd64D2 => value(multiply_add(source(0), source(1), source(2), -1)),
        // The table and the text disagree about what becomes of a NaN.
        AluOpcode::Fract64 if source(0).is_nan() && !output.clamp => {
            // Decision D-r700-nan64.
            either(nan64(), source(0))
        }
        AluOpcode::Fract64 => value(fraction(source(0))),
        AluOpcode::Ldexp64 => value(ldexp(source(0), slots[0].signed(1))),
        // Exact, NaNs too, where no scale works on them.
        AluOpcode::Flt32ToFlt64 if output.scale == 0 => {
            exact_pair(modified(widen(slots[0].bits[0]), output))
        }
        AluOpcode::Flt32ToFlt64 => value(widen(slots[0].bits[0])),
        AluOpcode::Flt64ToFlt32 => {
            [narrow(source(0)), Value::Undefined, Value::Undefined, Value::Undefined]
        }
        // The low word of the exponent's source stands in the second slot here.
        AluOpcode::Frexp64 => frexp(number::double(slots[0].bits[0], slots[1].bits[0])),
        AluOpcode::PredSete64 => return predicate(source(0) == source(1)),
        AluOpcode::PredSetgt64 => return predicate(source(0) > source(1)),
        _ => return predicate(source(0) >= source(1)),
    };
    DoubleEffect { values, predicate: None }
}

/// Low word to the first slot, high word to the second; the second pair of four is a copy. A NaN is
/// an operand's, which may have become quiet.
fn pair(result: Number) -> [Value; 4] {
    if !result.is_nan() {
        return exact_pair(result);
    }
    // Decision D-r700-nan64.
    either(result, result.quiet())
}

/// One of two results, word by word.
fn either(result: Number, other: Number) -> [Value; 4] {
    let ((high, low), (other_high, other_low)) = (words(result), words(other));
    let (low, high) = (Value::EitherBits(low, other_low), Value::EitherBits(high, other_high));
    [low, high, low, high]
}

/// The same, exact whatever the result is.
fn exact_pair(result: Number) -> [Value; 4] {
    let (high, low) = words(result);
    [Value::Bits(low), Value::Bits(high), Value::Bits(low), Value::Bits(high)]
}

/// 0 in both words where the comparison holds, all bits where it does not.
fn predicate(condition: bool) -> DoubleEffect {
    let value = Value::Bits(if condition { 0 } else { u32::MAX });
    DoubleEffect { values: [value; 4], predicate: Some(condition) }
}

/// Scale, then clamp.
fn modified(value: Number, output: Output) -> Number {
    let power = [0, 1, 2, -1][output.scale as usize & 3];
    let scaled =
        if power == 0 || value.is_nan() { value } else { rounded_double(value.scaled(power)) };
    if !output.clamp {
        return scaled;
    }
    let (zero, one) = (Number::ZERO, Number::ONE);
    if scaled > one {
        one
    } else if scaled > zero {
        scaled
    } else {
        // -0 and NaN too.
        zero
    }
}

/// The constant NaN of the tables.
fn nan64() -> Number {
    number::nan()
}

/// The NaN the tables propagate from two operands: the first one's.
fn nan_of(a: Number, b: Number) -> Option<Number> {
    [a, b].into_iter().find(|operand| operand.is_nan())
}

/// `ADD_64`: table 9.1.
fn add(a: Number, b: Number) -> Number {
    if let Some(nan) = nan_of(a, b) {
        return nan;
    }
    let sum = a.plus(b, NEAREST);
    if sum.is_nan() { nan64() } else { rounded_double(sum) }
}

/// `MUL_64`: table 9.7.
fn multiply(a: Number, b: Number) -> Number {
    if let Some(nan) = nan_of(a, b) {
        return nan;
    }
    let product = a.times(b);
    if product.is_nan() { nan64() } else { rounded_double(product) }
}

/// `MULADD_64*`: tables 9.8 and 9.9, product and sum rounded, the sum scaled.
fn multiply_add(a: Number, b: Number, c: Number, power: i32) -> Number {
    let sum = add(multiply(a, b), c);
    if sum.is_nan() { sum } else { rounded_double(sum.scaled(power)) }
}

/// `FRACT_64`: src0 - FLOOR(src0), below 1.0.
fn fraction(source: Number) -> Number {
    if !source.is_finite() {
        return nan64();
    }
    let fraction = rounded_double(source.minus(source.floor(), NEAREST));
    if fraction < Number::ONE { fraction } else { FloatFormat::BINARY64.decode(BELOW_ONE) }
}

/// The double before 1.0.
const BELOW_ONE: u64 = 0x3FEF_FFFF_FFFF_FFFF;

/// `LDEXP_64`: src0 * 2^src1, made of its fields: what is too small for them is zero.
fn ldexp(source: Number, power: i128) -> Number {
    if source.is_nan() {
        return source;
    }
    let fields =
        Context { rounding: Rounding::TowardZero, overflow: Overflow::Infinity, ..CONTEXT };
    // Beyond the range of exponents, further does not matter.
    let power = power.clamp(-4096, 4096) as i32;
    fields.rounded(source.scaled(power), FloatFormat::BINARY64)
}

/// `FREXP_64`: exponent to the second slot, fraction of 0.5 to 1.0 to the third and fourth.
fn frexp(source: Number) -> [Value; 4] {
    let (fraction, exponent) = match source {
        Number::Nan { .. } => (source, -1),
        Number::Infinity { .. } => (nan64(), -1),
        Number::Finite(number) if number.is_zero() => (source, 0),
        Number::Finite(number) => {
            let exponent = number.highest_digit() + 1;
            (source.scaled(-exponent), exponent)
        }
    };
    let [low, high, ..] = pair(fraction);
    [Value::Undefined, Value::Bits(exponent.cast_unsigned()), low, high]
}

/// `FLT32_TO_FLT64`: exact; a NaN keeps its payload.
fn widen(bits: u32) -> Number {
    number::number(bits)
}

/// `FLT64_TO_FLT32`: nearest; a NaN becomes the one that table 9.3 prints for its sign.
fn narrow(source: Number) -> Value {
    if source.is_nan() {
        return Value::Copy(number::bits(Number::DEFAULT_NAN.with_sign(source.is_negative())));
    }
    Value::Float(rounded(source))
}
