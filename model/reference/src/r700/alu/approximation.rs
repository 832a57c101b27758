//! Approximations of the Trans unit. The model computes the exact value to well beyond single
//! precision, in fixed point, and rounds once; how far hardware may be from it is data
//! ([`ACCURACY`]).

use parallax_isa::r700::{AluOpcode, Profile};

use super::{Accuracy, Effect, Operands, Value};
use crate::{
    number::{
        Exact, Number,
        elementary::{FRACTION, PI, exponential, fixed, logarithm, root, sine},
    },
    r700::number::{MAX_FLOAT, SIGN, nan, rounded, single},
};

/// Stated accuracy of each approximation.
const ACCURACY: [(AluOpcode, Accuracy); 7] = [
    (AluOpcode::RecipIeee, Accuracy::Units(1)),
    (AluOpcode::RecipsqrtIeee, Accuracy::Units(1)),
    (AluOpcode::SqrtIeee, Accuracy::Units(1)),
    (AluOpcode::ExpIeee, Accuracy::Units(1)),
    (AluOpcode::LogIeee, Accuracy::Units(1)),
    // Near a multiple of half a turn the reduced angle decides.
    (AluOpcode::Sin, Accuracy::Relative { power: -20, least: Some(-40) }),
    (AluOpcode::Cos, Accuracy::Relative { power: -20, least: Some(-40) }),
];

/// The accuracy of the sine of a small angle, which is about the angle itself.
const SMALL: Accuracy = Accuracy::Relative { power: -20, least: None };

fn approximate(opcode: AluOpcode, value: Number) -> Value {
    // Decision D-r700-approximations.
    let row = ACCURACY.iter().find(|(listed, _)| *listed == opcode);
    let accuracy = row.map_or(Accuracy::Units(0), |(_, accuracy)| *accuracy);
    Value::Approximate(rounded(value), accuracy)
}

fn exact(value: Number) -> Value {
    Value::Float(value)
}

/// The forms that end in `_CLAMPED`: the largest finite number instead of infinity.
fn clamped(value: Value) -> Value {
    match value {
        Value::Float(value) if value.is_infinite() => {
            let sign = if value.is_negative() { SIGN } else { 0 };
            exact(single(sign | MAX_FLOAT))
        }
        other => other,
    }
}

/// The forms that end in `_FF`: zero instead of infinity.
fn flushed(value: Value) -> Value {
    match value {
        Value::Float(value) if value.is_infinite() => {
            exact(Number::ZERO.with_sign(value.is_negative()))
        }
        other => other,
    }
}

fn reciprocal(source: Number) -> Value {
    if source.is_nan() {
        exact(nan())
    } else if source.is_zero() {
        exact(Number::INFINITY.with_sign(source.is_negative()))
    } else if source.is_infinite() {
        exact(Number::ZERO.with_sign(source.is_negative()))
    } else if source == Number::ONE {
        exact(Number::ONE)
    } else {
        let (significand, exponent) = parts(source);
        let quotient = Exact::quotient(1, significand as u64).scaled(-exponent);
        let quotient = Number::Finite(quotient).with_sign(source.is_negative());
        approximate(AluOpcode::RecipIeee, quotient)
    }
}

/// `RECIP_IEEE`: 1 / src0.
pub(super) fn recip_ieee(s: &Operands) -> Effect {
    reciprocal(s.float(0)).into()
}

/// `RECIP_CLAMPED`: 1 / src0, never infinite.
pub(super) fn recip_clamped(s: &Operands) -> Effect {
    clamped(reciprocal(s.float(0))).into()
}

/// `RECIP_FF`: 1 / src0, zero where it is infinite.
pub(super) fn recip_ff(s: &Operands) -> Effect {
    flushed(reciprocal(s.float(0))).into()
}

/// Significand (24 bits) and exponent of a finite number that is not zero: its magnitude is
/// significand * 2^exponent.
fn parts(value: Number) -> (u128, i32) {
    let number = value.finite().unwrap_or(Exact::ZERO);
    (number.significand, number.exponent)
}

/// The same with an even exponent: the significand may have 25 bits.
fn even_parts(value: Number) -> (u128, i32) {
    let (significand, exponent) = parts(value);
    if exponent % 2 == 0 { (significand, exponent) } else { (significand << 1, exponent - 1) }
}

/// value * 2^exponent, rounded.
fn rounded_from(value: i128, exponent: i32) -> Number {
    rounded(Number::integer(value).scaled(exponent))
}

fn square_root(source: Number) -> Value {
    if source.is_nan() || source.is_negative() && !source.is_zero() {
        exact(nan())
    } else if source.is_zero() || source.is_infinite() || source == Number::ONE {
        exact(source)
    } else {
        let (significand, exponent) = even_parts(source);
        approximate(
            AluOpcode::SqrtIeee,
            rounded_from(root(significand << 100) as i128, exponent / 2 - 50),
        )
    }
}

/// `SQRT_IEEE`: the square root of src0.
pub(super) fn sqrt_ieee(s: &Operands) -> Effect {
    square_root(s.float(0)).into()
}

fn reciprocal_root(source: Number) -> Value {
    if source.is_nan() || source.is_negative() && !source.is_zero() {
        exact(nan())
    } else if source.is_zero() {
        exact(Number::INFINITY.with_sign(source.is_negative()))
    } else if source.is_infinite() {
        exact(Number::ZERO)
    } else if source == Number::ONE {
        exact(Number::ONE)
    } else {
        let (significand, exponent) = even_parts(source);
        let inverse = (1 << 126) / significand;
        approximate(
            AluOpcode::RecipsqrtIeee,
            rounded_from(root(inverse) as i128, -63 - exponent / 2),
        )
    }
}

/// `RECIPSQRT_IEEE`: 1 / the square root of src0.
pub(super) fn recipsqrt_ieee(s: &Operands) -> Effect {
    reciprocal_root(s.float(0)).into()
}

/// `RECIPSQRT_CLAMPED`: 1 / the square root of src0, never infinite.
pub(super) fn recipsqrt_clamped(s: &Operands) -> Effect {
    clamped(reciprocal_root(s.float(0))).into()
}

/// `RECIPSQRT_FF`: 1 / the square root of src0, zero where it is infinite.
pub(super) fn recipsqrt_ff(s: &Operands) -> Effect {
    flushed(reciprocal_root(s.float(0))).into()
}

/// `EXP_IEEE`: 2 to the power src0.
pub(super) fn exp_ieee(s: &Operands) -> Effect {
    let source = s.float(0);
    let limit = Number::integer(128);
    if source.is_nan() {
        return exact(nan()).into();
    }
    if source >= limit {
        return exact(Number::INFINITY).into();
    }
    if source < Number::integer(-126) {
        return exact(Number::ZERO).into();
    }
    let source = fixed(source);
    let (whole, fraction) = (source >> FRACTION, source & ((1 << FRACTION) - 1));
    let value = rounded_from(exponential(fraction) as i128, whole as i32 - FRACTION as i32);
    if fraction == 0 {
        return exact(value).into();
    }
    approximate(AluOpcode::ExpIeee, value).into()
}

fn log2(source: Number) -> Value {
    if source.is_zero() {
        return exact(-Number::INFINITY);
    }
    if source.is_nan() || source.is_negative() {
        return exact(nan());
    }
    if source.is_infinite() {
        return exact(source);
    }
    let (significand, exponent) = parts(source);
    let fraction = logarithm(significand << (FRACTION - 23));
    let value = (i128::from(exponent + 23) << FRACTION) + fraction;
    let value = rounded_from(value, -(FRACTION as i32));
    if fraction == 0 { exact(value) } else { approximate(AluOpcode::LogIeee, value) }
}

/// `LOG_IEEE`: the logarithm of src0 to base 2.
pub(super) fn log_ieee(s: &Operands) -> Effect {
    log2(s.float(0)).into()
}

/// `LOG_CLAMPED`: the logarithm of src0 to base 2, never minus infinity.
pub(super) fn log_clamped(s: &Operands) -> Effect {
    match log2(s.float(0)) {
        Value::Float(value) if value == -Number::INFINITY => clamped(Value::Float(value)).into(),
        other => other.into(),
    }
}

/// Largest single below pi: the manual's domain of sine and cosine.
const LARGEST_ANGLE: u32 = 0x4049_0FDA;

/// Below two to the minus this many radians or turns the sine of an angle is the angle, within less
/// than any accuracy.
const SMALL_ANGLE: i32 = 14;

/// Largest magnitude of an angle in turns that is looked at: above it the number is whole.
const WHOLE: i32 = 24;

/// The angle of an argument in radians, -pi to pi, in fixed point: the manual takes radians, hardware
/// takes turns. `None` outside of the manual's domain.
fn angle(source: Number, profile: Profile) -> Option<i128> {
    match profile {
        Profile::Manual => (source.abs() <= single(LARGEST_ANGLE)).then(|| fixed(source)),
        Profile::Silicon => {
            if source.is_infinite() {
                return None;
            }
            let whole = source.abs() >= Number::ONE.scaled(WHOLE);
            let turns = if whole { 0 } else { fixed(source) & ((1 << FRACTION) - 1) };
            let half = 1 << (FRACTION - 1);
            let turns = if turns > half { turns - (1 << FRACTION) } else { turns };
            Some((turns * 2 * PI) >> FRACTION)
        }
    }
}

fn trigonometric(opcode: AluOpcode, s: &Operands, function: fn(i128) -> i128) -> Effect {
    let source = s.float(0);
    if source.is_nan() {
        return exact(nan()).into();
    }
    match angle(source, s.profile) {
        None => Value::Undefined.into(),
        Some(angle) => {
            approximate(opcode, rounded_from(function(angle), -(FRACTION as i32))).into()
        }
    }
}

/// `SIN`: the sine of src0.
pub(super) fn sin(s: &Operands) -> Effect {
    let source = s.float(0);
    if source.is_zero() {
        return exact(source).into();
    }
    if source.abs() < Number::ONE.scaled(-SMALL_ANGLE) {
        // Decision D-r700-approximations.
        let angle = match s.profile {
            Profile::Manual => source,
            Profile::Silicon => source.times(Number::integer(2 * PI).scaled(-(FRACTION as i32))),
        };
        return Value::Approximate(rounded(angle), SMALL).into();
    }
    trigonometric(AluOpcode::Sin, s, |angle| {
        // sin x = sin(pi - x)
        if angle > PI / 2 {
            sine(PI - angle)
        } else if angle < -PI / 2 {
            sine(-PI - angle)
        } else {
            sine(angle)
        }
    })
}

/// `COS`: the cosine of src0.
pub(super) fn cos(s: &Operands) -> Effect {
    if s.float(0).is_zero() {
        return exact(Number::ONE).into();
    }
    // cos x = sin(pi/2 - |x|)
    trigonometric(AluOpcode::Cos, s, |angle| sine(PI / 2 - angle.abs()))
}
