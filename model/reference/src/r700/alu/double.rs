//! Double-precision operations: each takes two or four vector slots.

use std::cmp::Ordering;

use parallax_isa::r700::AluOpcode;
use parallax_spec::decision;
use rustc_apfloat::{
    Float, FloatConvert, Round,
    ieee::{Double, Single},
};

use super::{Operands, Value};
use crate::r700::number::{self, NEAREST, SIGN, number as single_number, words, zero_double};

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
    let value = |result: Double| pair(modified(result, output));
    let values = match opcode {
        AluOpcode::Add64 => value(add(source(0), source(1))),
        AluOpcode::Mul64 => value(multiply(source(0), source(1))),
        AluOpcode::Muladd64 => value(multiply_add(source(0), source(1), source(2), 0)),
        AluOpcode::Muladd64M2 => value(multiply_add(source(0), source(1), source(2), 1)),
        AluOpcode::Muladd64M4 => value(multiply_add(source(0), source(1), source(2), 2)),
        AluOpcode::Muladd64D2 => value(multiply_add(source(0), source(1), source(2), -1)),
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

/// Low word to the first slot, high word to the second; the second pair of four is a copy.
fn pair(result: Double) -> [Value; 4] {
    let (high, low) = words(result);
    if result.is_nan() {
        decision!("D-r700-nan64");
        let values = [Value::Open(low), Value::AnyNan(high)];
        return [values[0], values[1], values[0], values[1]];
    }
    exact_pair(result)
}

/// The same, exact whatever the result is.
fn exact_pair(result: Double) -> [Value; 4] {
    let (high, low) = words(result);
    [Value::Bits(low), Value::Bits(high), Value::Bits(low), Value::Bits(high)]
}

/// 0 in both words where the comparison holds, all bits where it does not.
fn predicate(condition: bool) -> DoubleEffect {
    let value = Value::Bits(if condition { 0 } else { u32::MAX });
    DoubleEffect { values: [value; 4], predicate: Some(condition) }
}

/// Scale, then clamp.
fn modified(value: Double, output: Output) -> Double {
    let power = [0, 1, 2, -1][output.scale as usize & 3];
    let scaled = if power == 0 { value } else { flushed(value.scalbn_r(power, NEAREST)) };
    if !output.clamp {
        return scaled;
    }
    let (zero, one) = (zero_double(0), Double::from_i128(1).value);
    if scaled > one {
        one
    } else if scaled > zero {
        scaled
    } else {
        // -0 and NaN too.
        zero
    }
}

fn flushed(value: Double) -> Double {
    let (high, low) = words(value);
    Double::from_bits(u128::from(high) << 32 | u128::from(low))
}

/// The constant NaN of the tables.
fn nan64() -> Double {
    Double::from_bits(0xFFF8 << 48)
}

/// The NaN of an operand, quiet.
fn propagated(value: Double) -> Double {
    Double::from_bits(value.to_bits() | 1 << 51)
}

/// The NaN the tables propagate from two operands: the first one's.
fn nan_of(a: Double, b: Double) -> Option<Double> {
    [a, b].into_iter().find(|operand| operand.is_nan()).map(propagated)
}

/// `ADD_64`: table 9.1.
fn add(a: Double, b: Double) -> Double {
    if let Some(nan) = nan_of(a, b) {
        return nan;
    }
    let sum = a.add_r(b, NEAREST).value;
    if sum.is_nan() { nan64() } else { flushed(sum) }
}

/// `MUL_64`: table 9.7.
fn multiply(a: Double, b: Double) -> Double {
    if let Some(nan) = nan_of(a, b) {
        return nan;
    }
    let product = a.mul_r(b, NEAREST).value;
    if product.is_nan() { nan64() } else { flushed(product) }
}

/// `MULADD_64*`: tables 9.8 and 9.9, product and sum rounded, the sum scaled.
fn multiply_add(a: Double, b: Double, c: Double, power: i32) -> Double {
    let sum = add(multiply(a, b), c);
    if sum.is_nan() { sum } else { flushed(sum.scalbn_r(power, NEAREST)) }
}

/// `FRACT_64`: src0 - FLOOR(src0), below 1.0.
fn fraction(source: Double) -> Double {
    if source.is_nan() || source.is_infinite() {
        return nan64();
    }
    let floor = source.round_to_integral(Round::TowardNegative).value;
    let one = Double::from_i128(1).value;
    let fraction = flushed(source.sub_r(floor, NEAREST).value);
    match fraction.partial_cmp(&one) {
        Some(Ordering::Less) if fraction.is_zero() => zero_double(0),
        Some(Ordering::Less) => fraction,
        _ => one.next_down().value,
    }
}

/// `LDEXP_64`: src0 * 2^src1, made of its fields.
fn ldexp(source: Double, power: i128) -> Double {
    let bits = source.to_bits();
    let sign = ((bits >> 32) as u32) & SIGN;
    if source.is_nan() {
        return propagated(source);
    }
    if source.is_infinite() {
        return source;
    }
    if source.is_zero() {
        return zero_double(sign);
    }
    let exponent = (bits >> 52 & 0x7FF) as i128 + power;
    if exponent >= 0x7FF {
        Double::from_bits(u128::from(sign) << 32 | 0x7FF << 52)
    } else if exponent <= 0 {
        zero_double(sign)
    } else {
        Double::from_bits(bits & !(0x7FF << 52) | (exponent as u128) << 52)
    }
}

/// `FREXP_64`: exponent to the second slot, fraction of 0.5 to 1.0 to the third and fourth.
fn frexp(source: Double) -> [Value; 4] {
    let bits = source.to_bits();
    let (fraction, exponent) = if source.is_nan() {
        (propagated(source), -1)
    } else if source.is_infinite() {
        (nan64(), -1)
    } else if source.is_zero() {
        (source, 0)
    } else {
        let exponent = (bits >> 52 & 0x7FF) as i32 - 1022;
        (Double::from_bits(bits & !(0x7FF << 52) | 0x3FE << 52), exponent)
    };
    let [low, high, ..] = pair(fraction);
    [Value::Undefined, Value::Bits(exponent.cast_unsigned()), low, high]
}

/// `FLT32_TO_FLT64`: exact; a NaN keeps its payload.
fn widen(bits: u32) -> Double {
    let source = single_number(bits);
    if source.is_nan() {
        let fraction = u128::from(bits & 0x7F_FFFF) << 29;
        return Double::from_bits(u128::from(bits & SIGN) << 32 | 0x7FF << 52 | fraction);
    }
    let wide: Double = source.convert_r(NEAREST, &mut false).value;
    wide
}

/// `FLT64_TO_FLT32`: nearest; a NaN becomes the NaN of its sign.
fn narrow(source: Double) -> Value {
    if source.is_nan() {
        let sign = if source.is_negative() { SIGN } else { 0 };
        return Value::Float(number::single(sign | 0x7FC0_0000));
    }
    let narrow: Single = source.convert_r(NEAREST, &mut false).value;
    Value::Float(number::rounded(narrow))
}
