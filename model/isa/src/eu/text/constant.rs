//! Constants as operands.

use super::{
    cursor::{Cursor, Failure, integer_of},
    diagnostic::Diagnostic,
    hints,
    words::type_word,
};
use crate::eu::{operand::Source, types::DataType};

/// Why a text is not the value of a whole number.
fn not_whole(text: &str) -> String {
    let digits = text.strip_prefix("0x").map_or_else(
        || text.bytes().all(|b| b.is_ascii_digit()),
        |rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_hexdigit()),
    );
    if digits {
        format!("`{text}` has more than 64 bits")
    } else {
        format!("`{text}` is no whole number")
    }
}

/// A constant with its type: `1.0:f`, `-3:d`, `0x00ff:uw`, `0x76543210:v`.
///
/// Hexadecimal digits are the bits of the constant. A word of at most four of them is stored in
/// both halves, as the manual wants; eight are the 32 bits of the field as they are.
pub(super) fn immediate(cursor: &mut Cursor) -> Result<Source, Failure> {
    let start = cursor.place();
    let negative = cursor.accept("-");
    let Some(number) = cursor.next() else { return Err(cursor.unexpected("a number")) };
    let place = cursor.since(start);
    if !cursor.accept(":") {
        let wrong = cursor.unexpected("a type after the constant");
        return Err(Box::new(wrong.with_help(hints::typed_constant(&number.text))));
    }
    let data_type = type_word(cursor)?;
    let refuse = |message: String| {
        Box::new(Diagnostic { help: hints::number(&number.text), ..place.diagnostic(message) })
    };
    if data_type.size() == 1 {
        return Err(refuse("there are no byte immediates: use a word type".to_owned()));
    }
    let text = &number.text;
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if hexadecimal && negative && data_type.is_float() {
        return Err(refuse(
            "hexadecimal digits are the bits of a float: set the sign bit".to_owned(),
        ));
    }
    if data_type == DataType::F && !hexadecimal {
        let value: f32 = text.parse().map_err(|_| refuse(format!("`{text}` is no number")))?;
        if value.is_infinite() {
            return Err(refuse(format!("`{text}` is too large for a float")));
        }
        let value = if negative { -value } else { value };
        return Ok(Source::Immediate { data_type, bits: value.to_bits().into() });
    }
    if data_type == DataType::Df && !hexadecimal {
        let value: f64 = text.parse().map_err(|_| refuse(format!("`{text}` is no number")))?;
        if value.is_infinite() {
            return Err(refuse(format!("`{text}` is too large for a double float")));
        }
        let value = if negative { -value } else { value };
        return Ok(Source::Immediate { data_type, bits: value.to_bits() });
    }
    if data_type == DataType::Hf && !hexadecimal {
        let message = "a half float is written as its bits, four hexadecimal digits: `0x3c00:hf`";
        return Err(refuse(message.to_owned()));
    }
    let magnitude = integer_of(text).ok_or_else(|| refuse(not_whole(text)))?;
    let value = i128::from(magnitude) * if negative { -1 } else { 1 };
    let (low, high): (i128, i128) = match (data_type, hexadecimal) {
        (DataType::W, false) => (-0x8000, 0x7FFF),
        (DataType::Uw, false) => (0, 0xFFFF),
        (DataType::D, false) => (-0x8000_0000, 0x7FFF_FFFF),
        (DataType::Q, false) => (i64::MIN.into(), i64::MAX.into()),
        (DataType::Q | DataType::Uq | DataType::Df, _) => (0, u64::MAX.into()),
        (DataType::Hf, false) => (0, 0xFFFF),
        _ if negative => (-0x8000_0000, 0x7FFF_FFFF),
        _ => (0, 0xFFFF_FFFF),
    };
    if !(low..=high).contains(&value) {
        let suffix = data_type.suffix();
        return Err(refuse(format!("{value} does not fit type {suffix}: {low} to {high}")));
    }
    let word = matches!(data_type, DataType::W | DataType::Uw | DataType::Hf);
    let bits = if word && (!hexadecimal || text.len() <= 6) {
        let half = value as u16;
        u64::from(half) << 16 | u64::from(half)
    } else if data_type.size() == 8 {
        value as u64
    } else {
        u64::from(value as u32)
    };
    Ok(Source::Immediate { data_type, bits })
}
