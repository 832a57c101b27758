//! Conditional flags (G45 volume 4, section 11.8).

use std::cmp::Ordering;

use parallax_isa::eu::{DataType, instruction::ConditionalModifier};

use super::{
    convert::Converted,
    number::{Value, float_format, integer_of_bits},
};
use crate::number::Number;

/// What the final result of an instruction other than `cmp` and `cmpn` shows: the post-conditional
/// signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PostSignals {
    /// `post_sign`: the sign of the final result.
    pub(super) sign: bool,
    /// `post_zero`: the final result is zero.
    pub(super) zero: bool,
    /// `OF`: the result was outside the range of the destination type.
    pub(super) overflow: bool,
    /// `INC`: a round instruction's result needs an increment.
    pub(super) increment: bool,
    /// `NC`: the computed result is a NaN.
    pub(super) not_a_number: bool,
}

impl PostSignals {
    /// The signals of a converted result.
    pub(super) fn of(
        converted: &Converted,
        data_type: DataType,
        increment: bool,
        keeps_denormals: bool,
    ) -> Self {
        let Converted { bits, .. } = *converted;
        let (overflow, not_a_number) = (converted.overflow(), converted.is_nan());
        let (sign, zero) = if let Some(format) = float_format(data_type) {
            let number = format.decode(bits);
            let denormal = !keeps_denormals && format.is_denormal(bits);
            (number.is_negative(), number.is_zero() || denormal)
        } else {
            let integer = integer_of_bits(bits, data_type);
            (integer < 0, integer == 0)
        };
        Self { sign, zero, overflow, increment, not_a_number }
    }

    /// The flag value of a conditional modifier.
    pub(super) fn condition(self, modifier: ConditionalModifier) -> bool {
        let Self { sign, zero, overflow, increment, not_a_number: nan } = self;
        match modifier {
            ConditionalModifier::None => false,
            ConditionalModifier::Equal => zero && !nan,
            ConditionalModifier::NotEqual => !zero || nan,
            ConditionalModifier::Greater => !sign && !zero && !nan,
            ConditionalModifier::GreaterEqual => (!sign || zero) && !nan,
            ConditionalModifier::Less => sign && !zero && !nan,
            ConditionalModifier::LessEqual => (sign || zero) && !nan,
            ConditionalModifier::RoundIncrement => increment && !overflow,
            ConditionalModifier::Overflow => overflow,
            ConditionalModifier::Unordered => nan,
        }
    }
}

/// What the difference of two sources shows before it is clamped, normalised or converted: the
/// pre-conditional signals of `cmp` and `cmpn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PreSignals {
    /// `pre_sign`: the difference is negative.
    pub(super) sign: bool,
    /// `pre_zero`: the sources are equal.
    pub(super) zero: bool,
    /// `NS0`, `NS1`: the source is a NaN.
    pub(super) source_is_nan: [bool; 2],
}

impl PreSignals {
    /// The signals of two sources: those of the exact difference. Infinities of the same sign are
    /// equal.
    pub(super) fn of(source0: Value, source1: Value) -> Self {
        match (source0, source1) {
            (Value::Integer(a), Value::Integer(b)) => {
                Self { sign: a < b, zero: a == b, source_is_nan: [false; 2] }
            }
            (Value::Float(a), Value::Float(b)) => {
                let order = order(a, b);
                Self {
                    sign: order == Some(Ordering::Less),
                    zero: order == Some(Ordering::Equal),
                    source_is_nan: [a.is_nan(), b.is_nan()],
                }
            }
            _ => unreachable!("both sources are in the execution type"),
        }
    }

    /// The flag value of a conditional modifier on `cmp`.
    pub(super) fn compare(self, modifier: ConditionalModifier) -> bool {
        let Self { sign, zero, source_is_nan } = self;
        let nan = source_is_nan[0] || source_is_nan[1];
        match modifier {
            ConditionalModifier::Equal => zero && !nan,
            ConditionalModifier::NotEqual => !zero || nan,
            ConditionalModifier::Greater => !sign && !zero && !nan,
            ConditionalModifier::GreaterEqual => (!sign || zero) && !nan,
            ConditionalModifier::Less => sign && !zero && !nan,
            ConditionalModifier::LessEqual => (sign || zero) && !nan,
            ConditionalModifier::None
            | ConditionalModifier::RoundIncrement
            | ConditionalModifier::Overflow
            | ConditionalModifier::Unordered => false,
        }
    }

    /// The flag value of a conditional modifier on `cmpn`: a NaN in source 1 decides for source 0.
    pub(super) fn compare_nan(self, modifier: ConditionalModifier) -> bool {
        match self.source_is_nan {
            [_, true] => modifier != ConditionalModifier::NotEqual,
            [true, false] => modifier == ConditionalModifier::NotEqual,
            [false, false] => self.compare(modifier),
        }
    }
}

/// How two floats compare; `None` where one is a NaN. Zeros are equal, and so are infinities of the
/// same sign.
fn order(a: Number, b: Number) -> Option<Ordering> {
    let same_sign = a.is_negative() == b.is_negative();
    match (a, b) {
        _ if a.is_zero() && b.is_zero() => Some(Ordering::Equal),
        (Number::Infinity { .. }, Number::Infinity { .. }) if same_sign => Some(Ordering::Equal),
        _ => a.partial_cmp(&b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConditionalModifier as Modifier;

    /// A row of the truth table: signals, then flags; empty where a context has no such signal.
    #[derive(serde::Deserialize)]
    #[expect(non_snake_case, reason = "the columns have the manual's names")]
    struct Row {
        context: String,
        sign: u8,
        zero: u8,
        NS0: Option<u8>,
        NS1: Option<u8>,
        OF: Option<u8>,
        INC: Option<u8>,
        NC: Option<u8>,
        e: String,
        ne: String,
        g: String,
        ge: String,
        l: String,
        le: String,
        r: String,
        o: String,
        u: String,
    }

    #[test]
    fn flags_follow_the_truth_table() {
        let rows = parallax_spec::tables::rows::<Row>("g45-flag-truth");
        assert_eq!(rows.len(), 64);
        for row in rows {
            let set = |bit: Option<u8>| bit == Some(1);
            let (sign, zero) = (row.sign == 1, row.zero == 1);
            let pre = PreSignals { sign, zero, source_is_nan: [set(row.NS0), set(row.NS1)] };
            let post = PostSignals {
                sign,
                zero,
                overflow: set(row.OF),
                increment: set(row.INC),
                not_a_number: set(row.NC),
            };
            let cells = [
                (Modifier::Equal, &row.e),
                (Modifier::NotEqual, &row.ne),
                (Modifier::Greater, &row.g),
                (Modifier::GreaterEqual, &row.ge),
                (Modifier::Less, &row.l),
                (Modifier::LessEqual, &row.le),
                (Modifier::RoundIncrement, &row.r),
                (Modifier::Overflow, &row.o),
                (Modifier::Unordered, &row.u),
            ];
            for (modifier, cell) in cells {
                let flag = match row.context.as_str() {
                    "CMP" => pre.compare(modifier),
                    "CMPN" => pre.compare_nan(modifier),
                    _ => post.condition(modifier),
                };
                // "1 (masked)": what the tables say for two NaNs, which nobody relies on.
                if let Some(expected) = cell.chars().next() {
                    assert_eq!(flag, expected == '1', "{} {pre:?} {modifier:?}", row.context);
                }
            }
        }
    }
}
