//! Results with an instruction's output modifiers (section 4.9).

use parallax_isa::{
    Acceptance,
    r700::{Alu, AluOpcode},
};

use super::{
    alu::{Accuracy, Value},
    number::{SIGN, add, bits, nan, number, rounded},
};
use crate::number::Number;

/// A result after output modifiers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// Its bits; `None` leaves what is there.
    pub(super) bits: Option<u32>,
    /// What else is accepted.
    pub(super) acceptance: Option<Acceptance>,
}

impl Output {
    /// A result that may be anything.
    pub(super) const UNDEFINED: Self = Self { bits: None, acceptance: Some(Acceptance::Undefined) };

    const fn exact(bits: u32) -> Self {
        Self { bits: Some(bits), acceptance: None }
    }

    const fn about(bits: u32, acceptance: Acceptance) -> Self {
        Self { bits: Some(bits), acceptance: Some(acceptance) }
    }

    /// A result with an instruction's output modifiers. Those of double-precision operations are
    /// applied where the operation is computed.
    pub(super) fn of(opcode: AluOpcode, alu: Alu, value: &Value) -> Self {
        let whole = opcode.double_slots() == 0 || opcode == AluOpcode::Flt64ToFlt32;
        let scale = if whole { alu.omod() } else { 0 };
        let clamp = whole && alu.clamp() == 1;
        let modified = |number: Number| modified(number, scale, clamp);
        match *value {
            Value::Float(value) => Self::number(modified(value)),
            Value::Copy(bits) if scale == 0 && !clamp => Self::exact(bits),
            Value::Copy(bits) => Self::number(modified(number(bits))),
            Value::Either(value, other) => {
                let (value, other) = (bits(modified(value)), bits(modified(other)));
                if value == other {
                    Self::exact(value)
                } else {
                    Self::about(value, Acceptance::Or(u64::from(other)))
                }
            }
            Value::Approximate(value, accuracy) => {
                let result = bits(modified(value));
                // What modifiers make of the ends is what they make of the range.
                let distance = |end: Number| ordered(bits(modified(end))).abs_diff(ordered(result));
                match range(value, accuracy).map(distance).into_iter().max() {
                    Some(units @ 1..) => Self::about(result, Acceptance::Ulp32(units)),
                    _ => Self::exact(result),
                }
            }
            Value::Bits(bits) => Self::exact(bits),
            Value::EitherBits(bits, other) if bits == other => Self::exact(bits),
            Value::EitherBits(bits, other) => Self::about(bits, Acceptance::Or(other.into())),
            Value::ApproximateBits(bits, units) => Self::about(bits, Acceptance::Ulp32(units)),
            Value::Undefined => Self::UNDEFINED,
        }
    }

    fn number(value: Number) -> Self {
        if value.is_nan() {
            Self::about(bits(nan()), Acceptance::AnyNan32)
        } else {
            Self::exact(bits(value))
        }
    }
}

/// The least and the greatest number within an accuracy of a value.
fn range(value: Number, accuracy: Accuracy) -> [Number; 2] {
    match accuracy {
        Accuracy::Units(units) => {
            // A result that is too small is a zero of its sign, and exactly that.
            let steps = if value.is_zero() { 0 } else { units };
            let magnitude = bits(value.abs());
            let below = (magnitude - steps).max(LEAST_NORMAL.min(magnitude));
            [below, magnitude + steps].map(|bits| number(bits).with_sign(value.is_negative()))
        }
        Accuracy::Relative { power, least } => {
            let part = value.abs().scaled(power);
            let least = least.map_or(Number::ZERO, |least| Number::ONE.scaled(least));
            let difference = if part < least { least } else { part };
            [add(value, -difference), add(value, difference)]
        }
    }
}

/// Least normal single.
const LEAST_NORMAL: u32 = 0x0080_0000;

/// Singles as integers in the same order, neighbours one apart.
fn ordered(bits: u32) -> i32 {
    let magnitude = (bits & !SIGN).cast_signed();
    if bits & SIGN == 0 { magnitude } else { -magnitude }
}

/// Scale, then clamp to [0, 1]; the clamp makes +0 of a NaN and of -0.
fn modified(value: Number, scale: u32, clamp: bool) -> Number {
    // Decision D-r700-float.
    let power = [0, 1, 2, -1][scale as usize & 3];
    let scaled = if power == 0 { value } else { rounded(value.scaled(power)) };
    if !clamp {
        return scaled;
    }
    if scaled > Number::ONE {
        Number::ONE
    } else if scaled > Number::ZERO {
        scaled
    } else {
        // -0 and NaN too.
        Number::ZERO
    }
}
