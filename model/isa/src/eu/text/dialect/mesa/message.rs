//! Messages in Mesa's text: operands, descriptors, the shared function in words, and a gloss that says
//! nothing more.

use super::{
    super::{
        super::{
            cursor::{Cursor, Failure},
            lexer::{Kind, Place},
        },
        Rewritten, is_number, is_word,
    },
    Head, SHARED_FUNCTIONS, is_early,
    operands::{Register, destination, operand, register, type_of},
};
use crate::{
    eu::{generation::Generation, opcode::Format, types::DataType},
    nearest,
};

/// Bit 31 of the descriptor of `send` until Gen9: the thread ends.
const END_OF_THREAD: i64 = 1 << 31;

pub(super) fn rewrite(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    head: &Head,
) -> Result<(), Failure> {
    let generation = cursor.target.generation;
    let opcode = cursor.opcode;
    let is_split =
        opcode.is_some_and(|opcode| opcode.format_on(generation) == Format::SplitMessage);
    if is_early(cursor.target) {
        return early(cursor, out, head);
    }
    for index in 0..2 + usize::from(is_split) {
        let start = cursor.place();
        let (text, data_type) = whole(cursor)?;
        let suffix = if index == 2 { "ud" } else { data_type.suffix() };
        out.put(&format!("{text}:{suffix}"), cursor.since(start));
    }
    let descriptor = descriptor(cursor, "the message descriptor")?;
    let extended =
        if is_split { Some(self::descriptor(cursor, "the extended descriptor")?) } else { None };
    let function = shared_function(cursor)?;
    let place = cursor.place();
    match extended {
        Some((Value::Bits(bits), place)) => out.put(&format!("{:#x}", bits | function), place),
        Some((Value::Register(text), place)) => {
            out.put(&text, place);
            out.option(format!("Sfid({function})"), place);
        }
        None => out.put(&format!("{function:#x}"), place),
    }
    match descriptor {
        (Value::Register(text), place) => out.put(&text, place),
        (Value::Bits(bits), place) => {
            let ends = !is_split && bits & END_OF_THREAD != 0;
            let bits = if ends { bits & !END_OF_THREAD } else { bits };
            out.put(&format!("{bits:#x}"), place);
            end_of_thread(out, ends, place);
        }
    }
    gloss(cursor);
    Ok(())
}

/// `{EOT}`, unless it is written.
fn end_of_thread(out: &mut Rewritten, ends: bool, place: Place) {
    if ends && !out.options.iter().any(|(option, _)| option == "EOT") {
        out.option("EOT", place);
    }
}

/// Gen4 and Gen4.5: the number of the message register stands before the destination.
fn early(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let start = cursor.place();
    let number = cursor.integer("the message register", 0..=15)?;
    let message_register = cursor.since(start);
    destination(cursor, out, head)?;
    out.put(&format!("m{number}"), message_register);
    let start = cursor.place();
    let source = operand(cursor, head, 0, start)?;
    out.put(&source, cursor.since(start));
    let (value, place) = descriptor(cursor, "the message descriptor")?;
    let function = shared_function(cursor)?;
    match value {
        Value::Register(text) => out.put(&text, place),
        Value::Bits(bits) => {
            // Bits 27:24 name the shared function as well.
            if bits >> 24 & 0xF != function && function != 0 {
                let message = format!(
                    "the descriptor names shared function {:#x}, the text {function:#x}",
                    bits >> 24 & 0xF
                );
                return Err(Box::new(place.diagnostic(message)));
            }
            let ends = bits & END_OF_THREAD != 0;
            out.put(&format!("{:#x}", bits & !END_OF_THREAD), place);
            end_of_thread(out, ends, place);
        }
    }
    gloss(cursor);
    Ok(())
}

/// A register whose region says nothing: `g3<8,8,1>UD`, `g10UD`, `null<1>UW`, `g[a0]<UD`.
fn whole(cursor: &mut Cursor) -> Result<(String, DataType), Failure> {
    let Register { text, data_type } = register(cursor)?;
    if let Some(data_type) = data_type {
        return Ok((text, data_type));
    }
    if cursor.accept("<") && cursor.peek().is_none_or(|token| token.kind != Kind::Word) {
        while cursor.next().is_some_and(|token| !token.is(">")) {}
    }
    cursor.accept(":");
    let word = cursor.word("the type of the operand, such as `UD`")?;
    let data_type = type_of(cursor, &word.text, word.place)?;
    Ok((text, data_type))
}

/// A descriptor: its bits, or the register that holds them.
enum Value {
    Bits(i64),
    Register(String),
}

fn descriptor(cursor: &mut Cursor, what: &str) -> Result<(Value, Place), Failure> {
    let start = cursor.place();
    if is_number(cursor.peek()) {
        let bits = cursor.integer(what, 0..=0xFFFF_FFFF)?;
        return Ok((Value::Bits(bits), cursor.since(start)));
    }
    if !is_word(cursor.peek(), "a0") {
        return Err(cursor.unexpected(what));
    }
    let (text, _) = whole(cursor)?;
    Ok((Value::Register(format!("{text}<0;1,0>:ud")), cursor.since(start)))
}

/// `sampler`, `dp data 1`, as far as `MsgDesc`; early ones may be left out.
fn shared_function(cursor: &mut Cursor) -> Result<i64, Failure> {
    let start = cursor.place();
    let mut words = Vec::new();
    while let Some(token) = cursor.peek().filter(|token| {
        token.text != "MsgDesc" && (token.kind == Kind::Word || token.kind == Kind::Number)
    }) {
        words.push(token.text.clone());
        cursor.next();
    }
    let name = words.join(" ");
    if name.is_empty() {
        return match is_early(cursor.target) {
            true => Ok(0),
            false => Err(cursor.unexpected("the shared function, such as `sampler`")),
        };
    }
    let later = [("cre", 13)];
    let mut rows = SHARED_FUNCTIONS.iter().chain(&later);
    let is_gen12 = cursor.target.generation >= Generation::Gen12;
    rows.find(|(known, _)| *known == name).map(|(_, code)| i64::from(*code)).ok_or_else(|| {
        let known = SHARED_FUNCTIONS.map(|(known, _)| known);
        let wrong = cursor.since(start).diagnostic(format!("`{name}` is no shared function"));
        let help = match nearest(&name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if is_gen12 => {
                "they are as for earlier generations: sampler, data, urb …".to_owned()
            }
            None => format!("they are {}", known.join(", ")),
        };
        Box::new(wrong.with_help(help))
    })
}

/// From `MsgDesc` on nothing is said that the descriptors do not have.
fn gloss(cursor: &mut Cursor) {
    if is_word(cursor.peek(), "MsgDesc") {
        while cursor.next().is_some() {}
    }
}
