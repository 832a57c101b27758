//! Constants of other tools' text: expressions, special values, and the bits that they stand for.

use super::super::{
    cursor::{Cursor, Failure},
    lexer::{Kind, Place, Token},
};
use crate::eu::types::DataType;

/// The value of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// A whole number; `is_bits` if it was written in hexadecimal or binary digits.
    Whole { value: i64, is_bits: bool },
    /// A number with a fraction or exponent, or an infinity.
    Real(f64),
    /// A NaN with its payload below the quiet bit.
    Nan { is_quiet: bool, payload: u64, is_negative: bool },
}

/// Binary operators by how tightly they bind, the loosest first.
const OPERATORS: [&[&str]; 6] =
    [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

/// Deepest nesting of parentheses and signs.
const DEEPEST: usize = 64;

/// Whether a constant comes next, after signs and parentheses.
pub(super) fn is_next(cursor: &Cursor) -> bool {
    let names_one = |token: &Token| match token.kind {
        Kind::Number => true,
        Kind::Word => matches!(token.text.as_str(), "inf" | "qnan" | "snan" | "nan"),
        Kind::Punctuation => false,
    };
    let mut rest = cursor.remaining().iter();
    rest.find(|token| !["-", "~", "(", "+"].iter().any(|mark| token.is(mark)))
        .is_some_and(names_one)
}

/// An expression of numbers.
pub(super) fn expression(cursor: &mut Cursor) -> Result<Value, Failure> {
    operation(cursor, 0, 0)
}

/// A number with its signs, or an expression in parentheses.
pub(super) fn term(cursor: &mut Cursor) -> Result<Value, Failure> {
    operand(cursor, 0)
}

/// The value with its sign turned.
pub(super) fn negated(value: Value) -> Value {
    match value {
        Value::Whole { value, is_bits } => Value::Whole { value: value.wrapping_neg(), is_bits },
        Value::Real(value) => Value::Real(-value),
        Value::Nan { is_quiet, payload, is_negative } => {
            Value::Nan { is_quiet, payload, is_negative: !is_negative }
        }
    }
}

/// The value without its sign.
pub(super) fn magnitude(value: Value) -> Value {
    match value {
        Value::Whole { value, is_bits } => Value::Whole { value: value.wrapping_abs(), is_bits },
        Value::Real(value) => Value::Real(value.abs()),
        Value::Nan { is_quiet, payload, .. } => {
            Value::Nan { is_quiet, payload, is_negative: false }
        }
    }
}

fn operation(cursor: &mut Cursor, level: usize, depth: usize) -> Result<Value, Failure> {
    let Some(operators) = OPERATORS.get(level) else { return operand(cursor, depth) };
    let start = cursor.place();
    let mut left = operation(cursor, level + 1, depth)?;
    while let Some(operator) = accept_operator(cursor, operators) {
        let right = operation(cursor, level + 1, depth)?;
        left = apply(operator, left, right)
            .map_err(|message| Box::new(cursor.since(start).diagnostic(message)))?;
    }
    Ok(left)
}

fn accept_operator(cursor: &mut Cursor, operators: &[&'static str]) -> Option<&'static str> {
    for operator in operators.iter().copied() {
        let mut marks = operator.chars().map(|mark| mark.to_string()).enumerate();
        if marks.all(|(n, mark)| cursor.peek_at(n).is_some_and(|token| token.is(&mark))) {
            operator.chars().for_each(|_| {
                cursor.next();
            });
            return Some(operator);
        }
    }
    None
}

fn apply(operator: &str, left: Value, right: Value) -> Result<Value, String> {
    use Value::{Real, Whole};
    let real = |value: Value| match value {
        Whole { value, .. } => Ok(value as f64),
        Real(value) => Ok(value),
        Value::Nan { .. } => Err("a NaN is no operand of an operator".to_owned()),
    };
    if let (Whole { value: a, is_bits: first }, Whole { value: b, is_bits: second }) = (left, right)
    {
        let value = match operator {
            "|" => Some(a | b),
            "^" => Some(a ^ b),
            "&" => Some(a & b),
            "<<" => Some(a.wrapping_shl(b as u32)),
            ">>" => Some(a.wrapping_shr(b as u32)),
            "+" => Some(a.wrapping_add(b)),
            "-" => Some(a.wrapping_sub(b)),
            "*" => Some(a.wrapping_mul(b)),
            _ if b == 0 => return Err("the expression divides by zero".to_owned()),
            "/" => a.checked_div(b),
            _ => Some(a.wrapping_rem(b)),
        };
        let value = value.ok_or("the quotient does not fit into 64 bits")?;
        return Ok(Whole { value, is_bits: first || second });
    }
    let (a, b) = (real(left)?, real(right)?);
    match operator {
        "+" => Ok(Real(a + b)),
        "-" => Ok(Real(a - b)),
        "*" => Ok(Real(a * b)),
        "/" => Ok(Real(a / b)),
        _ => Err(format!("`{operator}` is for whole numbers")),
    }
}

fn operand(cursor: &mut Cursor, depth: usize) -> Result<Value, Failure> {
    if depth == DEEPEST {
        return Err(Box::new(cursor.place().diagnostic("the expression is nested too deeply")));
    }
    let start = cursor.place();
    if cursor.accept("-") {
        return Ok(negated(operand(cursor, depth + 1)?));
    }
    if cursor.accept("~") {
        let Value::Whole { value, is_bits } = operand(cursor, depth + 1)? else {
            let wrong = cursor.since(start).diagnostic("`~` is for whole numbers");
            return Err(Box::new(wrong));
        };
        return Ok(Value::Whole { value: !value, is_bits });
    }
    if cursor.accept("(") {
        let value = operation(cursor, 0, depth + 1)?;
        cursor.expect(")", "after the expression")?;
        return Ok(value);
    }
    let Some(token) = cursor.next() else { return Err(cursor.unexpected("a constant")) };
    match token.text.as_str() {
        "inf" => return Ok(Value::Real(f64::INFINITY)),
        "qnan" | "nan" | "snan" => {
            let is_quiet = token.text != "snan";
            let mut payload = u64::from(!is_quiet);
            if cursor.accept("(") {
                let Value::Whole { value, .. } = operation(cursor, 0, depth + 1)? else {
                    let wrong = cursor.since(start).diagnostic("a payload is a whole number");
                    return Err(Box::new(wrong));
                };
                payload = value.cast_unsigned();
                cursor.expect(")", "after the payload")?;
            }
            return Ok(Value::Nan { is_quiet, payload, is_negative: false });
        }
        _ => {}
    }
    number(token)
        .ok_or_else(|| Box::new(token.place.diagnostic(format!("`{}` is no number", token.text))))
}

/// A number: decimal, hexadecimal, binary, with a fraction or an exponent, or a hexadecimal float.
pub(super) fn number(token: &Token) -> Option<Value> {
    if token.kind != Kind::Number {
        return None;
    }
    let text = token.text.as_str();
    let bits = |digits: &str, radix| {
        let value = u64::from_str_radix(digits, radix).ok()?.cast_signed();
        Some(Value::Whole { value, is_bits: true })
    };
    if let Some(digits) = text.strip_prefix("0b") {
        return bits(digits, 2);
    }
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if digits.contains(['.', 'p']) => hexadecimal_float(digits).map(Value::Real),
        Some(digits) => bits(digits, 16),
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let value = text.parse::<u64>().ok()?.cast_signed();
            Some(Value::Whole { value, is_bits: false })
        }
        None => text.parse().ok().map(Value::Real),
    }
}

/// `1.8p+1`: digits in base 16, the exponent in base 2; nothing of what no double is.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent =
        exponent.parse::<i32>().ok()?.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    // In halves, as powers of two alone are infinite or zero before the number is.
    let scaled = |value: f64, by: i32| value * 2.0_f64.powi(by / 2) * 2.0_f64.powi(by - by / 2);
    let value = scaled(all as f64, exponent);
    (all as f64 as u128 == u128::from(all) && scaled(value, exponent.checked_neg()?) == all as f64)
        .then_some(value)
}

/// The constant of a type as this project's own syntax has it: its bits in hexadecimal digits.
pub(super) fn written(value: Value, data_type: DataType, place: Place) -> Result<String, Failure> {
    let bits = bits(value, data_type).map_err(|message| Box::new(place.diagnostic(message)))?;
    let suffix = data_type.suffix();
    Ok(match data_type {
        DataType::W | DataType::Uw | DataType::Hf => format!("0x{:04x}:{suffix}", bits & 0xFFFF),
        _ if data_type.size() == 8 => format!("{bits:#018x}:{suffix}"),
        _ => format!("{:#010x}:{suffix}", bits & 0xFFFF_FFFF),
    })
}

/// Exponent bits and fraction bits of a float type.
const fn shape(data_type: DataType) -> Option<(u32, u32)> {
    match data_type {
        DataType::Hf => Some((5, 10)),
        DataType::F => Some((8, 23)),
        DataType::Df => Some((11, 52)),
        _ => None,
    }
}

fn bits(value: Value, data_type: DataType) -> Result<u64, String> {
    let Some((exponent, fraction)) = shape(data_type) else {
        return match value {
            Value::Whole { value, .. } => Ok(value.cast_unsigned()),
            _ => Err(format!("a constant of type `{}` is a whole number", data_type.suffix())),
        };
    };
    Ok(match value {
        Value::Whole { value: 0, .. } => 0,
        Value::Whole { value, is_bits: true } => value.cast_unsigned(),
        Value::Whole { .. } => {
            return Err("a float has a point or an exponent, such as 2.0, or is its bits in \
                        hexadecimal digits"
                .to_owned());
        }
        Value::Real(value) => match data_type {
            DataType::Df => value.to_bits(),
            DataType::F => (value as f32).to_bits().into(),
            _ => half(value).into(),
        },
        Value::Nan { is_quiet, payload, is_negative } => {
            let quiet = 1_u64 << (fraction - 1);
            if payload >= quiet {
                return Err(format!(
                    "the payload {payload:#x} has more than {} bits",
                    fraction - 1
                ));
            }
            (u64::from(is_negative) << (exponent + fraction))
                | (((1 << exponent) - 1) << fraction)
                | (u64::from(is_quiet) * quiet)
                | payload
        }
    })
}

/// The nearest half float, ties to even; infinity beyond the largest.
fn half(value: f64) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7E00;
    }
    // The unit in the last place: 2^-24 for denormals, 10 bits below the leading one otherwise.
    let leading = i32::try_from(magnitude.to_bits() >> 52).unwrap_or_default() - 1023;
    let unit = leading.max(-14) - 10;
    let units = (magnitude * 2.0_f64.powi(-unit)).round_ties_even();
    let code = if magnitude.is_infinite() || leading > 15 {
        0x7C00
    } else {
        // A carry out of the fraction goes into the exponent.
        u16::try_from(unit + 24).unwrap_or_default() * 0x400 + units as u16
    };
    sign | code.min(0x7C00)
}

/// At most six significant digits, with an exponent where it is large or small.
pub(super) fn six_digits(value: f64) -> String {
    if !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" });
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        let text = format!("{value:.decimals$}");
        let Some((whole, fraction)) = text.split_once('.') else { return format!("{text}.0") };
        return match fraction.trim_end_matches('0') {
            "" => format!("{whole}.0"),
            fraction => format!("{whole}.{fraction}"),
        };
    }
    with_exponent(digits.trim_end_matches('0').trim_end_matches('.'), exponent)
}

/// A digit before the point, six behind it, and an exponent.
pub(super) fn six_decimals(value: f64) -> String {
    let scientific = format!("{value:.6e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    with_exponent(digits, exponent.parse().unwrap_or(0))
}

/// An exponent of two digits at least, with its sign.
fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1p-3", Some(0.125))]
    #[case("1.8p+1", Some(3.0))]
    #[case(".8", Some(0.5))]
    #[case("0p0", Some(0.0))]
    #[case("1p-1074", Some(5e-324))]
    #[case("1.fffffffffffffp1023", Some(f64::MAX))]
    #[case("1p-1075", None)]
    #[case("3p-1075", None)]
    #[case("1p1024", None)]
    #[case("20000000000001p0", None)]
    #[case("ffffffffffffffffp0", None)]
    #[case("1p-2147483648", None)]
    #[case("p1", None)]
    #[case("1p", None)]
    fn hexadecimal_floats_are_exact(#[case] text: &str, #[case] expected: Option<f64>) {
        assert_eq!(hexadecimal_float(text), expected);
    }

    #[rstest]
    #[case("/", 7, -2, Ok(-3))]
    #[case("/", 7, 0, Err("the expression divides by zero"))]
    #[case("%", 7, 0, Err("the expression divides by zero"))]
    #[case("/", i64::MIN, -1, Err("the quotient does not fit into 64 bits"))]
    #[case("%", i64::MIN, -1, Ok(0))]
    fn whole_numbers_are_divided(
        #[case] operator: &str,
        #[case] a: i64,
        #[case] b: i64,
        #[case] expected: Result<i64, &str>,
    ) {
        let whole = |value| Value::Whole { value, is_bits: false };
        let expected = expected.map(whole).map_err(str::to_owned);
        assert_eq!(apply(operator, whole(a), whole(b)), expected);
    }

    #[rstest]
    #[case(1.0, 0x3C00)]
    #[case(-2.0, 0xC000)]
    #[case(-0.333333, 0xB555)]
    #[case(65504.0, 0x7BFF)]
    #[case(65519.0, 0x7BFF)]
    #[case(65520.0, 0x7C00)]
    #[case(1e300, 0x7C00)]
    #[case(6.103515625e-5, 0x0400)]
    #[case(5.960464477539063e-8, 0x0001)]
    #[case(2.9802322387695312e-8, 0x0000)]
    #[case(2.98023223876954e-8, 0x0001)]
    #[case(2049.0, 0x6800)]
    #[case(2051.0, 0x6802)]
    #[case(-0.0, 0x8000)]
    #[case(f64::NEG_INFINITY, 0xFC00)]
    fn halves_are_rounded_to_nearest(#[case] value: f64, #[case] expected: u16) {
        assert_eq!(half(value), expected, "{value} is {:#06x}", half(value));
    }

    #[rstest]
    #[case(394_239.0, "394239.0")]
    #[case(131_070.0, "131070.0")]
    #[case(100_000.0, "100000.0")]
    #[case(1_000_000.0, "1e+06")]
    #[case(0.0015, "0.0015")]
    #[case(1.25e-7, "1.25e-07")]
    #[case(-0.0, "-0.0")]
    #[case(1.0 / 3.0, "0.333333")]
    fn floats_have_six_digits(#[case] value: f64, #[case] expected: &str) {
        assert_eq!(six_digits(value), expected);
    }

    #[rstest]
    #[case(8_388_608.0, "8.388608e+06")]
    #[case(-6_291_583.0, "-6.291583e+06")]
    #[case(f64::from(f32::from_bits(0x3FB8_AA3B)), "1.442695e+00")]
    #[case(2.0_f64.powi(-133), "9.183550e-41")]
    fn floats_have_six_decimals(#[case] value: f64, #[case] expected: &str) {
        assert_eq!(six_decimals(value), expected);
    }
}
