//! Conversion of sources to the execution type and of results to the destination type
//! (G45 volume 4, section 10.4 and table 13-4).

use parallax_isa::eu::{DataType, operand::SourceModifier};
use parallax_spec::{decision, rule};

use super::number::{
    ExecutionType, FloatMode, Value, integer_of_bits, range, round_to_single, single,
};
use super::rules::count;
use crate::number::{FloatFormat, Number, Rounding};

/// The value of a source element in an execution channel: modified, then converted to the
/// execution type. A denormal source of a mathematical operation counts as zero.
#[inline]
pub(super) fn to_execution_type(
    bits: u32,
    from: DataType,
    modifier: SourceModifier,
    to: ExecutionType,
) -> Value {
    decision!("D-eu-modifier-before-conversion");
    let SourceModifier { absolute, negate } = modifier;
    if absolute || negate {
        rule!("g45.field.srcmod.order");
    }
    // Absolute value, then negation. An integer does not wrap.
    if from.is_float() {
        let float = single(bits);
        let float = if absolute { float.abs() } else { float };
        return Value::Float(if negate { -float } else { float });
    }
    if absolute || negate {
        rule!("g45.field.srcmod.extra-bit");
    }
    let integer = integer_of_bits(bits, from);
    let integer = if absolute { integer.abs() } else { integer };
    let integer = if negate { -integer } else { integer };
    match to {
        ExecutionType::Float => {
            rule!("g45.exectype.convert-one-source");
            Value::Float(integer_to_float(integer))
        }
        ExecutionType::Word | ExecutionType::Doubleword => Value::Integer(integer),
    }
}

/// Integer to binary32: the magnitude truncated to 24 bits (section 10.4.4).
fn integer_to_float(integer: i128) -> Number {
    count(match integer.unsigned_abs() {
        0 => rules!["g45.conv.i2f": "zero"],
        // Up to 2^24 every integer has 24 bits at most.
        1..=0x100_0000 => rules!["g45.conv.i2f": "exact"],
        _ => rules!["g45": "conv.i2f.trunc", "vec.i2f"],
    });
    FloatMode::Ieee.context().rounded(Number::integer(integer), FloatFormat::BINARY32)
}

/// A result in its destination type, with what conditional modifiers see of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Converted {
    /// The bits of the element, in the low bits.
    pub(super) bits: u32,
    /// The result lies outside the range of the destination type.
    pub(super) overflow: bool,
    /// The computed result was a NaN.
    pub(super) not_a_number: bool,
    /// The element is a zero whose sign is open.
    pub(super) either_zero: bool,
}

/// Brings a result to the destination type (sections 10.4 and 13.2, saturation in table 13-4).
pub(super) fn to_destination_type(
    result: Value,
    to: DataType,
    saturate: bool,
    mode: FloatMode,
) -> Converted {
    count(rules!["g45": "conv.dest-after-exec", "dw0.saturate.order"]);
    match (result, to) {
        (Value::Float(exact), DataType::F) => {
            let rounded = round_to_single(exact, mode);
            let overflow = rounded.overflow;
            Converted { overflow, ..saturate_float(rounded.bits, saturate) }
        }
        (Value::Integer(integer), DataType::F) => {
            if saturate {
                rule!("g45.conv.i2f.sat");
            }
            let number = integer_to_float(integer);
            saturate_float(round_to_single(number, mode).bits, saturate)
        }
        (Value::Integer(integer), _) => integer_to_integer(integer, to, saturate),
        (Value::Float(exact), _) => {
            decision!("D-eu-float-result-to-integer");
            let rounded = round_to_single(exact, mode).bits;
            float_to_integer(FloatFormat::BINARY32.decode(rounded.into()), to)
        }
    }
}

/// `.sat` of a float: the range 0.0 to 1.0.
fn saturate_float(bits: u32, saturate: bool) -> Converted {
    let number = FloatFormat::BINARY32.decode(bits.into());
    let not_a_number = number.is_nan();
    let mut either_zero = false;
    let clamped = if !saturate {
        bits
    } else {
        count(rules!["g45.dw0.saturate": "on", "float"]);
        if number.is_zero() {
            rule!("g45.dw0.saturate.neg-zero");
            either_zero = number.is_negative();
            0
        } else if not_a_number || number.is_negative() {
            0
        } else if number > Number::ONE {
            0x3F80_0000
        } else {
            bits
        }
    };
    Converted { bits: clamped, overflow: false, not_a_number, either_zero }
}

/// Integer to integer: clamped with `.sat`, else the low bits.
fn integer_to_integer(integer: i128, to: DataType, saturate: bool) -> Converted {
    let (least, greatest) = range(to);
    let overflow = integer < least || integer > greatest;
    let kept = if saturate {
        count(rules!["g45.dw0.saturate": "on", "int"]);
        integer.clamp(least, greatest)
    } else {
        rule!("g45.dw0.saturate.off-int");
        integer
    };
    let bits = kept as u32 & element_mask(to);
    Converted { bits, overflow, not_a_number: false, either_zero: false }
}

/// Float to integer: truncated toward zero, clamped to the type's range with and without `.sat`
/// (table 10-17).
fn float_to_integer(number: Number, to: DataType) -> Converted {
    let (least, greatest) = range(to);
    let (rules, integer, overflow) = match number {
        Number::Nan { .. } => (rules!["g45": "vec.f2i", "conv.f2i.nan"], 0, false),
        Number::Infinity { negative: true } => {
            (rules!["g45": "vec.f2i", "conv.f2i.neginf"], least, true)
        }
        Number::Infinity { negative: false } => {
            (rules!["g45": "vec.f2i", "conv.f2i.posinf"], greatest, true)
        }
        Number::Finite(number) => match number.to_integer(Rounding::TowardZero) {
            integer if integer > greatest => {
                (rules!["g45": "vec.f2i", "conv.f2i.sat-neutral", "conv.f2i.above"], greatest, true)
            }
            integer if integer < least => {
                (rules!["g45": "vec.f2i", "conv.f2i.sat-neutral", "conv.f2i.below"], least, true)
            }
            0 => (rules!["g45": "vec.f2i", "conv.f2i.sat-neutral", "conv.f2i.zero"], 0, false),
            integer => {
                (rules!["g45": "vec.f2i", "conv.f2i.sat-neutral", "conv.f2i.trunc"], integer, false)
            }
        },
    };
    count(rules);
    let bits = integer as u32 & element_mask(to);
    Converted { bits, overflow, not_a_number: number.is_nan(), either_zero: false }
}

/// The bits of an element in its 32.
pub(super) const fn element_mask(data_type: DataType) -> u32 {
    u32::MAX >> (32 - 8 * data_type.size())
}

/// Counts the rule of the integer conversion a plain `mov` performs.
pub(super) fn count_integer_conversion(from: DataType, to: DataType, saturate: bool) {
    if from.is_float() || to.is_float() {
        return;
    }
    let signed = (from.is_signed_integer(), to.is_signed_integer());
    count(match (from.size().cmp(&to.size()), signed, saturate) {
        (std::cmp::Ordering::Less, (false, _), _) => rules!["g45": "conv.i2i.zext"],
        (std::cmp::Ordering::Less, (true, true), _) => rules!["g45": "conv.i2i.sext"],
        (std::cmp::Ordering::Less, (true, false), false) => rules!["g45": "conv.i2i.s2u-wide"],
        (std::cmp::Ordering::Less, (true, false), true) => rules!["g45": "conv.i2i.s2u-wide-sat"],
        (std::cmp::Ordering::Equal, (false, true), false) => {
            rules!["g45": "conv.i2i.u2s-same-wrap"]
        }
        (std::cmp::Ordering::Equal, (false, true), true) => rules!["g45": "conv.i2i.u2s-same-sat"],
        (std::cmp::Ordering::Equal, (true, false), _) => rules!["g45": "conv.i2i.s2u-same"],
        (std::cmp::Ordering::Equal, _, _) => rules![],
        (std::cmp::Ordering::Greater, _, false) => rules!["g45": "conv.i2i.narrow"],
        (std::cmp::Ordering::Greater, _, true) => rules!["g45": "conv.i2i.narrow-sat"],
    });
}
