//! Conversion of sources to the execution type and of results to the destination type
//! (G45 volume 4, section 10.4 and table 13-4).

use parallax_isa::eu::{DataType, operand::SourceModifier};

use parallax_isa::device::Generation;

use super::number::{
    ExecutionType, FloatMode, Value, float_format, integer_of_bits, range, round_to_single, single,
};
use super::settings::Settings;
use crate::number::{Context, FloatFormat, Number, Rounding};

/// The value of a source element in an execution channel: modified, then converted to the
/// execution type. A denormal source of a mathematical operation counts as zero.
#[inline]
pub(super) fn to_execution_type(
    bits: u64,
    from: DataType,
    modifier: SourceModifier,
    to: ExecutionType,
    settings: &Settings,
) -> Value {
    if settings.since(Generation::Gen7) {
        return modified(converted_source(bits, from, to, settings), modifier);
    }
    // Decision D-eu-modifier-before-conversion.
    let SourceModifier { absolute, negate } = modifier;
    // Absolute value, then negation. An integer does not wrap here: the most negative one is unspecified
    // (decision D-eu-later-modifiers).
    if from.is_float() {
        let float = single(bits);
        let float = if absolute { float.abs() } else { float };
        return Value::Float(if negate { -float } else { float });
    }
    let integer = integer_of_bits(bits, from);
    let integer = if absolute { integer.abs() } else { integer };
    let integer = if negate { -integer } else { integer };
    if to == ExecutionType::Float {
        Value::Float(integer_to_float(integer))
    } else {
        Value::Integer(integer)
    }
}

/// The value of a source element in an execution channel of Gen7 and later. Only a source of the
/// execution type itself can lose a denormal: a conversion keeps it.
#[inline(never)]
fn converted_source(bits: u64, from: DataType, to: ExecutionType, settings: &Settings) -> Value {
    let number = match (float_format(from), to.format()) {
        (Some(from), Some(to)) => {
            if from == to {
                settings.context(to).operand(bits, to)
            } else {
                from.decode(bits)
            }
        }
        (None, Some(format)) => {
            let integer = Number::integer(integer_of_bits(bits, from));
            settings.context(format).rounded(integer, format)
        }
        (_, None) => return Value::Integer(integer_of_bits(bits, from)),
    };
    let is_single = to.format() == Some(FloatFormat::BINARY32);
    Value::Float(match number {
        Number::Infinity { negative } if is_single && settings.mode == FloatMode::Alternative => {
            let largest = FloatFormat::BINARY32.decode(FloatFormat::BINARY32.largest());
            largest.with_sign(negative)
        }
        number => number,
    })
}

/// A value in the execution type with its source modifiers: absolute value, then negation.
#[inline]
pub(super) fn modified(value: Value, modifier: SourceModifier) -> Value {
    let SourceModifier { absolute, negate } = modifier;
    match value {
        Value::Integer(integer) => {
            let integer = if absolute { integer.abs() } else { integer };
            Value::Integer(if negate { -integer } else { integer })
        }
        Value::Float(float) => {
            let float = if absolute { float.abs() } else { float };
            Value::Float(if negate { -float } else { float })
        }
    }
}

/// Integer to binary32: the magnitude truncated to 24 bits (section 10.4.4).
fn integer_to_float(integer: i128) -> Number {
    FloatMode::Ieee.context().rounded(Number::integer(integer), FloatFormat::BINARY32)
}

/// A result in its destination type, with what conditional modifiers see of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Converted {
    /// The bits of the element, in the low bits.
    pub(super) bits: u64,
    /// What else there is to say of it.
    pub(super) signal: Signal,
}

/// What conditional modifiers see of a result beside its bits, or what is open about them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Signal {
    /// Nothing.
    #[default]
    None,
    /// The result lies outside the range of the destination type.
    Overflow,
    /// The computed result was a NaN.
    NotANumber,
    /// The element is a zero whose sign is open.
    EitherZero,
}

impl Signal {
    /// An overflow, if there is one.
    fn of_overflow(overflow: bool) -> Self {
        if overflow { Self::Overflow } else { Self::None }
    }
}

impl Converted {
    /// Bits that a move leaves as they are.
    pub(super) fn moved(bits: u64, not_a_number: bool) -> Self {
        Self { bits, signal: if not_a_number { Signal::NotANumber } else { Signal::None } }
    }

    /// The same of a result that perhaps lies outside the range.
    fn or_overflow(self, overflow: bool) -> Self {
        if overflow { Self { signal: Signal::Overflow, ..self } } else { self }
    }

    /// Whether the result lies outside the range of the destination type.
    pub(super) fn overflow(self) -> bool {
        self.signal == Signal::Overflow
    }

    /// Whether the computed result was a NaN.
    pub(super) fn is_nan(self) -> bool {
        self.signal == Signal::NotANumber
    }
}

/// Brings a result to the destination type (sections 10.4 and 13.2, saturation in table 13-4).
pub(super) fn to_destination_type(
    result: Value,
    from: ExecutionType,
    to: DataType,
    saturate: bool,
    settings: &Settings,
) -> Converted {
    if settings.since(Generation::Gen7) {
        return converted_result(result, from, to, saturate, settings);
    }
    let mode = settings.mode;
    match (result, to) {
        (Value::Float(exact), DataType::F) => {
            let rounded = round_to_single(exact, mode);
            saturate_float(rounded.bits, FloatFormat::BINARY32, saturate)
                .or_overflow(rounded.overflow)
        }
        (Value::Integer(integer), DataType::F) => {
            let number = integer_to_float(integer);
            let bits = round_to_single(number, mode).bits;
            saturate_float(bits, FloatFormat::BINARY32, saturate)
        }
        (Value::Integer(integer), _) => integer_to_integer(integer, to, saturate),
        (Value::Float(exact), _) => {
            // Decision D-eu-float-result-to-integer.
            let rounded = round_to_single(exact, mode).bits;
            float_to_integer(FloatFormat::BINARY32.decode(rounded), to)
        }
    }
}

/// Brings a result to the destination type on Gen7 and later: rounded in the execution type, then
/// converted; only where single precision meets a half-precision destination it is rounded once.
fn converted_result(
    result: Value,
    from: ExecutionType,
    to: DataType,
    saturate: bool,
    settings: &Settings,
) -> Converted {
    let Value::Float(exact) = result else {
        let integer = result.integer();
        let Some(format) = float_format(to) else {
            return integer_to_integer(integer, to, saturate);
        };
        let rounded = settings.context(format).round(Number::integer(integer), format);
        return saturate_float(rounded.bits, format, saturate).or_overflow(rounded.overflow);
    };
    let own = from.format().unwrap_or(FloatFormat::BINARY32);
    let to_format = float_format(to);
    let is_rounded_once = to_format == Some(own)
        || own == FloatFormat::BINARY32 && to_format == Some(FloatFormat::BINARY16);
    let number = if is_rounded_once {
        exact.quiet()
    } else {
        settings.context(own).rounded(exact.quiet(), own)
    };
    let Some(format) = to_format else {
        return float_to_integer(number, to);
    };
    let rounded = settings.context_between(from, format).round(number, format);
    saturate_float(rounded.bits, format, saturate).or_overflow(rounded.overflow)
}

/// `.sat` of a float: the range 0.0 to 1.0.
fn saturate_float(bits: u64, format: FloatFormat, saturate: bool) -> Converted {
    let number = format.decode(bits);
    let mut signal = if number.is_nan() { Signal::NotANumber } else { Signal::None };
    let clamped = if !saturate {
        bits
    } else {
        if number.is_zero() {
            if number.is_negative() {
                signal = Signal::EitherZero;
            }
            0
        } else if number.is_nan() || number.is_negative() {
            0
        } else if number > Number::ONE {
            Context::IEEE.round(Number::ONE, format).bits
        } else {
            bits
        }
    };
    Converted { bits: clamped, signal }
}

/// Integer to integer: clamped with `.sat`, else the low bits.
fn integer_to_integer(integer: i128, to: DataType, saturate: bool) -> Converted {
    let (least, greatest) = range(to);
    let overflow = integer < least || integer > greatest;
    let kept = if saturate { integer.clamp(least, greatest) } else { integer };
    Converted { bits: kept as u64 & element_mask(to), signal: Signal::of_overflow(overflow) }
}

/// Float to integer: truncated toward zero, clamped to the type's range with and without `.sat`
/// (table 10-17).
fn float_to_integer(number: Number, to: DataType) -> Converted {
    let (least, greatest) = range(to);
    let (integer, signal) = match number {
        Number::Nan { .. } => (0, Signal::NotANumber),
        Number::Infinity { negative } => {
            (if negative { least } else { greatest }, Signal::Overflow)
        }
        Number::Finite(number) => {
            let integer = number.to_integer(Rounding::TowardZero);
            let clamped = integer.clamp(least, greatest);
            (clamped, Signal::of_overflow(clamped != integer))
        }
    };
    Converted { bits: integer as u64 & element_mask(to), signal }
}

/// The bits of an element in its 64.
pub(super) const fn element_mask(data_type: DataType) -> u64 {
    u64::MAX >> (64 - 8 * data_type.size())
}
