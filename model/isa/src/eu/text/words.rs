//! What stands in operands and pragmas alike: execution sizes, types, numbered registers.

use super::{
    cursor::{Cursor, Failure},
    hints,
    lexer::Token,
};
use crate::eu::{
    codes::{self, TypeField},
    fields::basic,
    register::RegisterFile,
    types::DataType,
};

/// Any number; what it may be is said of its value.
pub(super) const ANY: std::ops::RangeInclusive<i64> = i64::MIN..=i64::MAX;

/// `(8)`, or `(8|M8)` with the first channel.
pub(super) fn execution_size(cursor: &mut Cursor) -> Result<(u8, u8), Failure> {
    cursor.expect("(", "before the execution size")?;
    let place = cursor.place();
    let size = cursor.integer("the execution size", ANY)?;
    if !matches!(size, 1 | 2 | 4 | 8 | 16 | 32) {
        let message = format!("the execution size is {size}, but can be 1, 2, 4, 8, 16 or 32");
        return Err(Box::new(place.diagnostic(message)));
    }
    let has_group = !basic::NIB_CTRL.position(cursor.target.generation).is_empty();
    let first = if has_group && cursor.accept("|") { channel_group(cursor, size)? } else { 0 };
    cursor.expect(")", "after the execution size")?;
    Ok((size as u8, first))
}

/// `M8`: the first channel, on generations that have quarters and nibbles.
fn channel_group(cursor: &mut Cursor, size: i64) -> Result<u8, Failure> {
    let word = cursor.word("the first channel, such as `M8`")?;
    let first = word.text.strip_prefix(['M', 'm']).and_then(|first| first.parse::<u8>().ok());
    first.filter(|first| first % 4 == 0 && *first < 32).ok_or_else(|| {
        let message = format!("`{}` is no first channel of {size}", word.text);
        let help = "it is M and a multiple of 4 below 32";
        Box::new(word.place.diagnostic(message).with_help(help))
    })
}

/// A type suffix without its colon.
pub(super) fn type_word(cursor: &mut Cursor) -> Result<DataType, Failure> {
    let word = cursor.word("a type: f, ud, d, uw, w, ub, b, v or vf")?;
    let lower = word.text.to_ascii_lowercase();
    if let Some(data_type) = codes::type_of_suffix(cursor.target.generation, &lower) {
        return Ok(data_type);
    }
    let message = match DataType::of_suffix(&lower) {
        Some(_) => format!("{} has no type `{lower}`", cursor.target.device),
        None => format!("`{}` is no type", word.text),
    };
    Err(Box::new(word.place.diagnostic(message).with_help(hints::data_type(&word.text))))
}

/// The type of a register operand.
pub(super) fn register_type(cursor: &mut Cursor) -> Result<DataType, Failure> {
    let place = cursor.place();
    let data_type = type_word(cursor)?;
    if codes::has_type(cursor.target.generation, TypeField::Register, data_type) {
        return Ok(data_type);
    }
    let message = format!("`{}` is a type of immediates only", data_type.suffix());
    Err(Box::new(place.diagnostic(message).with_help(if data_type.is_float() {
        "as a register operand an expanded vector is of type f"
    } else {
        "as a register operand an expanded vector is of type w"
    })))
}

pub(super) fn optional_type(cursor: &mut Cursor) -> Result<Option<DataType>, Failure> {
    if cursor.accept(":") { register_type(cursor).map(Some) } else { Ok(None) }
}

/// A general or message register's word: its file and number.
pub(super) fn numbered_register(word: &Token) -> Result<Option<(RegisterFile, u8)>, Failure> {
    let lower = word.text.to_ascii_lowercase();
    let (file, digits, count, name) = if let Some(digits) = lower.strip_prefix('r') {
        (RegisterFile::Grf, digits, 128, "general registers are r0 to r127")
    } else if let Some(digits) = lower.strip_prefix('m') {
        (RegisterFile::Mrf, digits, 256, "message registers are m0 to m15")
    } else {
        return Ok(None);
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(None);
    }
    let number = digits.parse::<u64>().unwrap_or(u64::MAX);
    let real = file == RegisterFile::Grf || number < 16 || (128..144).contains(&number);
    if number >= count || !real {
        let message = format!("there is no register `{}`: {name}", word.text);
        return Err(Box::new(word.place.diagnostic(message)));
    }
    Ok(Some((file, number as u8)))
}
