//! Operands of Mesa's text.

use super::{
    super::{
        super::{
            cursor::{Cursor, Failure},
            lexer::{Kind, Place, Token},
        },
        Rewritten, constant, is_number, is_word,
    },
    Head,
};
use crate::eu::{codes, generation::Generation, opcode::Format, types::DataType};

/// A register, its type where no region or channels stand between: `g2`, `nullUD`.
pub(super) struct Register {
    /// As it is written in this project's own syntax, with its subregister.
    pub(super) text: String,
    pub(super) data_type: Option<DataType>,
}

/// `g2.5`, `m1`, `acc0`, `null`, `g[a0.1 32]`, `g120UD`.
pub(super) fn register(cursor: &mut Cursor) -> Result<Register, Failure> {
    let word = cursor.word("a register")?;
    let split = word.text.find(|c: char| c.is_ascii_uppercase()).unwrap_or(word.text.len());
    // Architecture registers without a name are in capitals as a whole: `ARF40`.
    let split = if word.text.starts_with("ARF") { word.text.len() } else { split };
    let (name, suffix) = word.text.split_at(split);
    let data_type = match suffix {
        "" => None,
        suffix => Some(type_of(cursor, suffix, word.place)?),
    };
    if matches!(name, "g" | "r" | "m") && cursor.accept("[") {
        let letter = if name == "m" { "m" } else { "r" };
        let text = format!("{letter}{}", address(cursor)?);
        return Ok(Register { text, data_type });
    }
    let digits = name.strip_prefix(['g', 'r']).filter(|rest| !rest.is_empty());
    let general = digits.filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let mut text = match general {
        Some(number) => format!("r{number}"),
        None => architecture(cursor, name),
    };
    let is_numbered =
        cursor.peek().is_some_and(|token| token.is(".")) && is_number(cursor.peek_at(1));
    if is_numbered && data_type.is_none() {
        cursor.accept(".");
        let number = cursor.next().map(|token| token.text.clone()).unwrap_or_default();
        text.push_str(&format!(".{number}"));
    }
    Ok(Register { text, data_type })
}

/// An architecture register by its name here.
fn architecture(cursor: &Cursor, name: &str) -> String {
    let is_later = cursor.target.generation > Generation::Gen45;
    let accumulator = name.strip_prefix("acc").and_then(|number| number.parse::<u8>().ok());
    match (name, accumulator) {
        ("mask0", _) if is_later => "ce0".to_owned(),
        (_, Some(number @ 2..16)) if cursor.target.generation < Generation::Gen12 => {
            format!("arf{}", 0x20 + number)
        }
        (_, Some(number @ 8..16)) => format!("arf{}", 0x20 + number),
        _ if name.starts_with("ARF") => name.to_ascii_lowercase(),
        _ => name.to_owned(),
    }
}

/// `a0.1 32]` behind the bracket: an offset of ten bits.
fn address(cursor: &mut Cursor) -> Result<String, Failure> {
    if !cursor.accept_word("a0") {
        return Err(cursor.unexpected("the address register `a0`"));
    }
    let subregister =
        if cursor.accept(".") { cursor.integer("the address subregister", 0..=15)? } else { 0 };
    let offset = if is_number(cursor.peek()) || cursor.peek().is_some_and(|token| token.is("-")) {
        cursor.integer("the address offset", -512..=1023)?
    } else {
        0
    };
    cursor.expect("]", "after the address")?;
    let offset = if offset > 511 { offset - 1024 } else { offset };
    Ok(format!("[a0.{subregister},{offset}]"))
}

/// The type of a suffix in capitals.
pub(super) fn type_of(cursor: &Cursor, suffix: &str, place: Place) -> Result<DataType, Failure> {
    let known = codes::type_of_suffix(cursor.target.generation, &suffix.to_ascii_lowercase());
    known.ok_or_else(|| {
        let message = format!("`{suffix}` is no type of {}", cursor.target.device);
        let wrong = place.diagnostic(message);
        Box::new(wrong.with_help("types are in capitals behind the operand: `g2<8,8,1>F`"))
    })
}

/// `.xyF` or `F` behind a region: channels in small letters, none or all of them as well, and the type.
pub(super) fn channels_and_type(
    cursor: &mut Cursor,
) -> Result<(Option<String>, DataType), Failure> {
    let has_channels = cursor.accept(".");
    cursor.accept(":");
    let word = cursor.word("the type of the operand, such as `F`")?;
    let split = word.text.find(|c: char| !"xyzw".contains(c)).unwrap_or(word.text.len());
    let (channels, suffix) = word.text.split_at(split);
    if !has_channels && !channels.is_empty() {
        let wrong = word.place.diagnostic(format!("`{channels}` stands behind a point"));
        return Err(Box::new(wrong.with_help(format!("write `.{}`", word.text))));
    }
    let data_type = match suffix {
        "" => return Err(cursor.unexpected("the type of the operand, such as `F`")),
        suffix => type_of(cursor, suffix, word.place)?,
    };
    Ok((has_channels.then(|| channels.to_owned()), data_type))
}

pub(super) fn destination(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    head: &Head,
) -> Result<(), Failure> {
    let start = cursor.place();
    let Register { mut text, data_type } = register(cursor)?;
    if data_type.is_some() {
        return Err(cursor.unexpected("a region such as `<1>` before the type"));
    }
    cursor.expect("<", "before the horizontal stride")?;
    let stride = cursor.integer("the horizontal stride", 0..=4)?;
    cursor.expect(">", "after the horizontal stride")?;
    text.push_str(&format!("<{stride}>"));
    let (channels, data_type) = channels_and_type(cursor)?;
    let is_align16 = head.is_align16 || head.format == Format::Ternary && !is_gen12(cursor);
    match channels.as_deref() {
        Some("") if is_align16 => text.push_str("._"),
        Some(channels) => text.push_str(&format!(".{channels}")),
        None => {}
    }
    text.push_str(&format!(":{}", data_type.suffix()));
    out.put(&text, cursor.since(start));
    Ok(())
}

fn is_gen12(cursor: &Cursor) -> bool {
    cursor.target.generation >= Generation::Gen12
}

/// A source in this project's own syntax.
pub(super) fn operand(
    cursor: &mut Cursor,
    head: &Head,
    index: usize,
    start: Place,
) -> Result<String, Failure> {
    let mut sign = String::new();
    if !is_number(cursor.peek_at(1)) && (cursor.accept("-") || cursor.accept("~")) {
        sign.push('-');
    }
    if is_word(cursor.peek_at(1), "abs") && cursor.accept("(") {
        cursor.next();
        cursor.expect(")", "after `(abs`")?;
        sign.push_str("(abs)");
    }
    if is_number(cursor.peek()) || cursor.peek().is_some_and(|token| token.is("-")) {
        return immediate(cursor, start);
    }
    if is_word(cursor.peek(), "ip") && cursor.peek_at(1).is_none_or(|token| !token.is("<")) {
        cursor.next();
        return Ok(format!("{sign}ip<0;1,0>:ud"));
    }
    if is_word(cursor.peek(), "Half") {
        let wrong = cursor.place().diagnostic("this text does not have the value of the constant");
        return Err(Box::new(wrong.with_help("give its bits: `0x3c00HF`")));
    }
    let Register { text, data_type } = register(cursor)?;
    if data_type.is_some() {
        return Err(cursor.unexpected("a region such as `<8,8,1>` before the type"));
    }
    let (region, is_scalar) = region(cursor, head, index)?;
    let (channels, data_type) = channels_and_type(cursor)?;
    let is_align16 = head.is_align16 || head.format == Format::Ternary && !is_gen12(cursor);
    let channels = match channels {
        Some(channels) if !channels.is_empty() => format!(".{channels}"),
        // Of a scalar the assembler selects the first channel.
        _ if is_align16 && is_scalar && head.format == Format::Ternary => ".xxxx".to_owned(),
        _ => String::new(),
    };
    Ok(format!("{sign}{text}{region}{channels}:{}", data_type.suffix()))
}

/// A region in this project's own syntax, and whether it is that of a scalar.
fn region(cursor: &mut Cursor, head: &Head, index: usize) -> Result<(String, bool), Failure> {
    cursor.expect("<", "before the region")?;
    let mut parts = Vec::new();
    loop {
        if cursor.accept_word("VxH") {
            parts.push(None);
        } else {
            parts.push(Some(cursor.integer("a stride or width", 0..=32)?));
        }
        if !cursor.accept(",") {
            break;
        }
    }
    let place = cursor.place();
    cursor.expect(">", "after the region")?;
    let is_ternary = head.format == Format::Ternary;
    let text = match (&parts[..], is_ternary) {
        ([Some(0), Some(1), Some(0)], true) if !is_gen12(cursor) => "<0>".to_owned(),
        ([Some(4), Some(4), Some(1)], true) if !is_gen12(cursor) => "<4>".to_owned(),
        // The width follows from the strides.
        ([Some(_), Some(_), Some(h)], true) if index == 2 => format!("<{h}>"),
        ([Some(v), Some(_), Some(h)], true) => format!("<{v};{h}>"),
        ([Some(v), Some(w), Some(h)], false) if !head.is_align16 => format!("<{v};{w},{h}>"),
        ([None, Some(w), Some(h)], false) => format!("<{w},{h}>"),
        ([Some(v)], false) if head.is_align16 => format!("<{v}>"),
        _ => {
            let wrong = place.diagnostic("this is no region of such an operand");
            let form = if head.is_align16 && !is_ternary { "`<4>`" } else { "`<8,8,1>`" };
            return Err(Box::new(wrong.with_help(format!("it looks like {form}"))));
        }
    };
    let is_scalar = matches!(parts[..], [Some(0), ..]);
    Ok((text, is_scalar))
}

/// A constant with its type run on: `0x3f800000F`, `-4D`, `0x76543210V`, `1.0F`.
pub(super) fn immediate(cursor: &mut Cursor, start: Place) -> Result<String, Failure> {
    let is_negative = cursor.accept("-");
    let Some(token) = cursor.next() else { return Err(cursor.unexpected("a constant")) };
    let place = cursor.since(start);
    let (digits, suffix) = split_constant(&token.text).ok_or_else(|| {
        let wrong = place.diagnostic(format!("the constant `{}` has no type", token.text));
        Box::new(wrong.with_help("it stands behind: `0x00000001UD`, `1D`"))
    })?;
    let data_type = type_of(cursor, suffix, place)?;
    let parsed = Token { kind: Kind::Number, text: digits.to_owned(), place };
    let value = match constant::number(&parsed) {
        // Older versions print floats as whole numbers.
        Some(constant::Value::Whole { value, is_bits: false }) if data_type.is_float() => {
            Some(constant::Value::Real(value as f64))
        }
        value => value,
    };
    let value =
        value.ok_or_else(|| Box::new(place.diagnostic(format!("`{digits}` is no number"))))?;
    let value = if is_negative { constant::negated(value) } else { value };
    constant::written(value, data_type, place)
}

/// Digits and type. `F` and `DF` are digits of hexadecimal numbers too: those of a float are as many
/// as its bits need.
fn split_constant(text: &str) -> Option<(&str, &str)> {
    let Some(digits) = text.strip_prefix("0x") else {
        let split = text.find(|c: char| c.is_ascii_uppercase())?;
        return Some(text.split_at(split));
    };
    let end = match digits.find(|c: char| !c.is_ascii_hexdigit()) {
        Some(end) => end,
        None if digits.len() == 18 && digits.ends_with("DF") => 16,
        None if digits.ends_with('F') => digits.len() - 1,
        None if digits.ends_with('D') => digits.len() - 1,
        None => return None,
    };
    Some(text.split_at(end + 2))
}
