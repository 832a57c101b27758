//! Operands of IGA text: what it leaves out is written out.

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
use crate::eu::{
    generation::Generation,
    opcode::{Format, Opcode},
    text::{print::channel_letters, words::ANY},
    types::DataType,
};

/// Types by the names that they have beside this project's.
const TYPE_NAMES: [(&str, &str); 11] = [
    ("u8", "ub"),
    ("s8", "b"),
    ("u16", "uw"),
    ("s16", "w"),
    ("u32", "ud"),
    ("s32", "d"),
    ("u64", "uq"),
    ("s64", "q"),
    ("f16", "hf"),
    ("f32", "f"),
    ("f64", "df"),
];

pub(super) fn rewrite(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    head: &Head,
) -> Result<(), Failure> {
    match head.format {
        Format::Nothing | Format::Controls => Ok(()),
        Format::Sync => sync(cursor, out, head),
        Format::Branch => branch(cursor, out, head),
        Format::Message | Format::SplitMessage => message(cursor, out, head),
        _ if head.opcode == Opcode::Jmpi => jump(cursor, out, head),
        _ if head.opcode == Opcode::Wait => {
            let (text, place) = register(cursor)?;
            out.put(&format!("{text}<1>:ud {text}<0;1,0>:ud null<0;1,0>:ud"), place);
            skip_region_and_type(cursor)
        }
        Format::Unary => operands(cursor, out, head, 1),
        Format::Ternary => operands(cursor, out, head, 3),
        _ if head.opcode == Opcode::Math && !has_more_types(cursor, 2) => {
            operands(cursor, out, head, 1)
        }
        _ => operands(cursor, out, head, 2),
    }
}

/// Whether more operands have a type than a number.
fn has_more_types(cursor: &Cursor, count: usize) -> bool {
    let body = cursor.remaining().iter().take_while(|token| !token.is("{"));
    body.filter(|token| token.is(":")).count() > count
}

fn operands(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    head: &Head,
    sources: usize,
) -> Result<(), Failure> {
    if head.is_macro()
        && cursor.target.generation == Generation::Gen9
        && head.format != Format::Ternary
    {
        out.option("Align16", cursor.place());
    }
    destination(cursor, out, head)?;
    (0..sources).try_for_each(|index| source(cursor, out, head, index))
}

fn destination(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let start = cursor.place();
    if is_word(cursor.peek_at(1), "sat") && cursor.accept("(") {
        cursor.next();
        cursor.expect(")", "after `(sat`")?;
        out.put("(sat)", cursor.since(start));
    }
    let start = cursor.place();
    let (mut text, place) = register(cursor)?;
    let accumulator = macro_accumulator(cursor, head)?;
    if let Some(code) = accumulator.filter(|_| cursor.target.generation >= Generation::Gen12) {
        text = at_byte(&text, code);
    }
    if cursor.accept("<") {
        let stride = cursor.integer("the horizontal stride", 1..=4)?;
        cursor.expect(">", "after the horizontal stride")?;
        text.push_str(&format!("<{stride}>"));
    } else {
        text.push_str("<1>");
    }
    if let Some(code) = accumulator.filter(|_| cursor.target.generation < Generation::Gen12) {
        // It stands in the channel enables.
        let letters = channel_letters(code);
        text.push_str(&format!(".{}", if letters.is_empty() { "_" } else { &letters }));
    }
    let data_type = data_type(cursor)?;
    let place = if data_type.is_some() { cursor.since(start) } else { place };
    match data_type {
        Some(data_type) => text.push_str(&format!(":{}", data_type.suffix())),
        None => {
            let wrong = cursor.unexpected("the type of the destination, such as `:f`");
            return Err(wrong);
        }
    }
    out.put(&text, place);
    Ok(())
}

fn source(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    head: &Head,
    index: usize,
) -> Result<(), Failure> {
    let start = cursor.place();
    let is_negated = (cursor.peek().is_some_and(|t| t.is("-") || t.is("~")))
        && !constant::is_next(cursor)
        && cursor.next().is_some();
    let in_bars = cursor.accept("|");
    if constant::is_next(cursor) && !is_absolute(cursor) {
        return constant_source(cursor, out, start, is_negated, in_bars);
    }
    let mut is_absolute_value = in_bars;
    if is_absolute(cursor) {
        cursor.accept("(");
        cursor.next();
        cursor.expect(")", "after `(abs`")?;
        is_absolute_value = true;
    }
    let is_indirect = is_word(cursor.peek(), "r") && cursor.peek_at(1).is_some_and(|t| t.is("["));
    let (mut text, _) = register(cursor)?;
    let is_numbered = text.contains('.');
    let accumulator = macro_accumulator(cursor, head)?;
    let region = region(cursor, head, index)?;
    let is_later = cursor.target.generation >= Generation::Gen12;
    if let Some(code) = accumulator.filter(|_| is_later) {
        text = at_byte(&text, code);
    }
    let is_scalar = head.size == 1 || is_numbered && !is_indirect;
    let region = match (region.as_deref(), head.format) {
        (written, Format::Ternary) if !is_later => {
            // Align16: all regions but the scalar one are the same word.
            let is_scalar = written.map_or(is_scalar, |region| matches!(region, "<0;0>" | "<0>"));
            if is_scalar && accumulator.is_none() { "<0>" } else { "<4>" }.to_owned()
        }
        (Some(region), _) => region.to_owned(),
        // As its type is, below.
        (None, _) if head.is_macro() && !is_later => String::new(),
        (None, _) if head.is_macro() => "<1;1,0>".to_owned(),
        (None, Format::Ternary) if index == 2 => if is_scalar { "<0>" } else { "<1>" }.to_owned(),
        (None, Format::Ternary) => if is_scalar { "<0;0>" } else { "<1;0>" }.to_owned(),
        (None, _) => if is_scalar { "<0;1,0>" } else { "<1;1,0>" }.to_owned(),
    };
    text.push_str(&region);
    let region_end = text.len();
    if let Some(code) = accumulator.filter(|_| !is_later) {
        // It stands in the low four bits of the swizzle.
        let letter = |bits: u8| ["x", "y", "z", "w"][usize::from(bits & 3)];
        text.push_str(&format!(".{}{}xx", letter(code), letter(code >> 2)));
    }
    let Some(data_type) = data_type(cursor)? else {
        return Err(cursor.unexpected("the type of the source, such as `:f`"));
    };
    if region.is_empty() {
        // Two doubles or four floats a row.
        text.insert_str(region_end, if data_type == DataType::Df { "<2>" } else { "<4>" });
    }
    text.push_str(&format!(":{}", data_type.suffix()));
    if in_bars {
        cursor.expect("|", "after the absolute value")?;
    }
    let absolute = if is_absolute_value { "(abs)" } else { "" };
    let sign = if is_negated { "-" } else { "" };
    out.put(&format!("{sign}{absolute}{text}"), cursor.since(start));
    Ok(())
}

fn constant_source(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    start: Place,
    is_negated: bool,
    in_bars: bool,
) -> Result<(), Failure> {
    let value = if in_bars { constant::term(cursor)? } else { constant::expression(cursor)? };
    let value = if in_bars { constant::magnitude(value) } else { value };
    let value = if is_negated { constant::negated(value) } else { value };
    let Some(data_type) = data_type(cursor)? else {
        return Err(cursor.unexpected("the type of the constant, such as `:d`"));
    };
    if in_bars {
        cursor.expect("|", "after the absolute value")?;
    }
    let place = cursor.since(start);
    out.put(&constant::written(value, data_type, place)?, place);
    Ok(())
}

fn is_absolute(cursor: &Cursor) -> bool {
    cursor.peek().is_some_and(|token| token.is("(")) && is_word(cursor.peek_at(1), "abs")
}

/// `r10`, `r10.3`, `acc0.0`, `r[a0.0,16]`: the register as it is written in this project's own syntax.
fn register(cursor: &mut Cursor) -> Result<(String, Place), Failure> {
    let start = cursor.place();
    let word = cursor.word("a register")?;
    let mut text = word.text.clone();
    if cursor.accept("[") {
        if text != "r" || !cursor.accept_word("a0") {
            return Err(cursor.unexpected("an address such as `r[a0.0,16]`"));
        }
        cursor.expect(".", "after `a0`")?;
        let subregister = cursor.integer("the address subregister", 0..=15)?;
        let offset = if cursor.accept(",") || cursor.accept("+") || is_minus(cursor) {
            cursor.integer("the address offset", -512..=511)?
        } else {
            0
        };
        cursor.expect("]", "after the address")?;
        text = format!("r[a0.{subregister},{offset}]");
        return Ok((text, cursor.since(start)));
    }
    // Accumulators of the macros under their old names, from acc2 on.
    let is_gen9 = cursor.target.generation == Generation::Gen9;
    let number = |prefix: &str| text.strip_prefix(prefix).and_then(|n| n.parse::<u8>().ok());
    let macros = number("mme").filter(|n| *n < 8).map(|n| n + 2);
    let old = number("acc").filter(|n| is_gen9 && (2..10).contains(n));
    if let Some(accumulator) = macros.or(old) {
        text = if is_gen9 {
            format!("arf{}", 0x20 + accumulator)
        } else {
            format!("acc{accumulator}")
        };
    } else if ["ce", "sp", "tdr", "tm", "dbg", "msg"].contains(&text.as_str()) {
        text.push('0');
    }
    if text == "ip" {
        return Ok((text, cursor.since(start)));
    }
    let is_numbered =
        cursor.peek().is_some_and(|token| token.is(".")) && is_number(cursor.peek_at(1));
    if is_numbered && cursor.accept(".") {
        let subregister = cursor.integer("the subregister", 0..=31)?;
        if text != "null" {
            text.push_str(&format!(".{subregister}"));
        }
    }
    Ok((text, cursor.since(start)))
}

fn is_minus(cursor: &Cursor) -> bool {
    cursor.peek().is_some_and(|token| token.is("-"))
}

/// `.mme0` to `.mme7`, `.nomme`: the code of the accumulator of a macro.
fn macro_accumulator(cursor: &mut Cursor, head: &Head) -> Result<Option<u8>, Failure> {
    let at_word = cursor.peek().is_some_and(|token| token.is("."))
        && cursor.peek_at(1).is_some_and(|token| token.kind == Kind::Word);
    if !at_word {
        return Ok(None);
    }
    cursor.accept(".");
    let word = cursor.word("an accumulator such as `mme0`")?;
    let number = |prefix: &str| word.text.strip_prefix(prefix).and_then(|n| n.parse::<u8>().ok());
    let code = match word.text.as_str() {
        "nomme" | "noacc" => Some(8),
        _ => number("mme")
            .or_else(|| number("acc").and_then(|n| n.checked_sub(2)))
            .filter(|n| *n < 8),
    };
    match code {
        Some(code) if head.is_macro() => Ok(Some(code)),
        Some(_) => {
            let wrong = word.place.diagnostic("only the macros have such an accumulator");
            Err(Box::new(wrong.with_help("they are madm, math.invm and math.rsqtm")))
        }
        None => {
            let message = format!("`{}` is no accumulator", word.text);
            Err(Box::new(
                word.place.diagnostic(message).with_help("they are mme0 to mme7, and nomme"),
            ))
        }
    }
}

/// A register of Gen12 with the code of an accumulator where the subregister is: in bytes.
fn at_byte(register: &str, code: u8) -> String {
    format!("{}.{code}b", register.split('.').next().unwrap_or(register))
}

/// `<8;8,1>`, `<8;1>`, `<1>`, `<1,0>`, as it is written.
fn region(cursor: &mut Cursor, head: &Head, index: usize) -> Result<Option<String>, Failure> {
    if !cursor.accept("<") {
        return Ok(None);
    }
    let mut text = String::from("<");
    let mut numbers = 0;
    loop {
        text.push_str(&cursor.integer("a stride or width", 0..=32)?.to_string());
        numbers += 1;
        match cursor.peek() {
            Some(mark) if numbers < 3 && (mark.is(";") || mark.is(",")) => {
                text.push_str(&mark.text);
            }
            _ => break,
        }
        cursor.next();
    }
    cursor.expect(">", "after the region")?;
    text.push('>');
    let expected = match (head.format, index) {
        (Format::Ternary, 2) => 1,
        (Format::Ternary, _) => 2,
        _ => 3,
    };
    let is_indirect = numbers == 2 && text.contains(',');
    if numbers == expected || is_indirect && expected == 3 {
        return Ok(Some(text));
    }
    let wrong = cursor.place().diagnostic(format!("`{text}` is no region of this source"));
    Err(Box::new(wrong.with_help(match expected {
        1 => "src2 has a horizontal stride: `<1>`",
        2 => "src0 and src1 have a vertical and a horizontal stride: `<8;1>`",
        _ => "it has vertical stride, width and horizontal stride: `<8;8,1>`",
    })))
}

/// `:f`, or one of its other names.
fn data_type(cursor: &mut Cursor) -> Result<Option<DataType>, Failure> {
    if !cursor.accept(":") {
        return Ok(None);
    }
    let word = cursor.word("a type such as `f`")?;
    let other = TYPE_NAMES.iter().find(|(name, _)| *name == word.text);
    let suffix = other.map_or(word.text.as_str(), |(_, suffix)| suffix);
    let found = crate::eu::codes::type_of_suffix(cursor.target.generation, suffix);
    found.map(Some).ok_or_else(|| {
        let message = format!("`{}` is no type of {}", word.text, cursor.target.device);
        Box::new(word.place.diagnostic(message))
    })
}

/// A register's region and type where they say nothing: payloads, calls.
fn skip_region_and_type(cursor: &mut Cursor) -> Result<(), Failure> {
    if cursor.accept("<") {
        while cursor.next().is_some_and(|token| !token.is(">")) {}
    }
    data_type(cursor).map(|_| ())
}

/// `null`, a mask, or a list of tokens: `($1,$2)`.
fn sync(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let start = cursor.place();
    let takes_mask = head.function.as_deref().is_some_and(|name| matches!(name, "allrd" | "allwr"));
    let mask = if cursor.accept("(") {
        let mut mask = 0_u32;
        while !cursor.accept(")") {
            cursor.expect("$", "before a token")?;
            mask |= 1 << cursor.integer("the token", 0..=15)?;
            cursor.accept(",");
        }
        Some(i64::from(mask))
    } else if is_number(cursor.peek()) {
        let mask = cursor.integer("the mask of tokens", 0..=0xFFFF_FFFF)?;
        data_type(cursor)?;
        Some(mask)
    } else {
        if is_word(cursor.peek(), "null") {
            cursor.next();
            skip_region_and_type(cursor)?;
        }
        None
    };
    let place = cursor.since(start);
    if mask.is_some() && !takes_mask {
        let wrong = place.diagnostic("only sync.allrd and sync.allwr have a mask of tokens");
        return Err(Box::new(wrong.with_help("write `null`")));
    }
    out.put(&mask.map_or("null".to_owned(), |mask| format!("{mask:#x}:ud")), place);
    Ok(())
}

/// A label, or a number of bytes from the start of the instruction.
fn distance(cursor: &mut Cursor, out: &mut Rewritten, origin: i64) -> Result<(), Failure> {
    if let Some(label) = cursor.peek().filter(|token| token.kind == Kind::Word) {
        cursor.next();
        out.copy(label);
        return Ok(());
    }
    let start = cursor.place();
    let bytes = cursor.integer("a label or a distance in bytes", ANY)?.saturating_sub(origin);
    out.put(&bytes.to_string(), cursor.since(start));
    Ok(())
}

/// Whether a general or architecture register comes next, rather than a label.
fn at_register(cursor: &Cursor) -> bool {
    cursor.peek().is_some_and(|token: &Token| {
        let digits = token.text.strip_prefix('r').unwrap_or("-");
        token.kind == Kind::Word
            && (digits.parse::<u8>().is_ok()
                || token.text == "r" && cursor.peek_at(1).is_some_and(|next| next.is("["))
                || token.text == "null")
    })
}

fn jump(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    if head.size != 1 {
        let wrong = cursor.place().diagnostic("jmpi has one channel");
        return Err(Box::new(wrong.with_help("write `jmpi (1|M0)`, or leave the size out")));
    }
    // A jump is for the thread as a whole; the word counts from the next instruction.
    out.option("NoMask", cursor.place());
    if !at_register(cursor) {
        return distance(cursor, out, 16);
    }
    let start = cursor.place();
    let (text, _) = register(cursor)?;
    skip_region_and_type(cursor)?;
    out.put(&format!("{text}<0;1,0>:d"), cursor.since(start));
    Ok(())
}

fn branch(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let is_later = cursor.target.generation >= Generation::Gen12;
    let operands = head.opcode.branch_operands(cursor.target.generation);
    if operands.destination {
        let start = cursor.place();
        let (text, _) = register(cursor)?;
        skip_region_and_type(cursor)?;
        let rest = if is_later { "<0>:ub" } else { "<1>:d" };
        out.put(&format!("{text}{rest}"), cursor.since(start));
    }
    if head.opcode == Opcode::Jmpi {
        out.option("NoMask", cursor.place());
    }
    if at_register(cursor) && (operands.register.is_some() || head.opcode == Opcode::Jmpi) {
        let start = cursor.place();
        let (text, _) = register(cursor)?;
        skip_region_and_type(cursor)?;
        let rest = match head.opcode {
            _ if is_later && head.opcode != Opcode::Jmpi => "<0;1,0>:ub",
            Opcode::Ret | Opcode::Brd | Opcode::Brc => "<2;2,1>:d",
            _ => "<0;1,0>:d",
        };
        let rest = if is_later { "<0;1,0>:ub" } else { rest };
        out.put(&format!("{text}{rest}"), cursor.since(start));
        if head.opcode == Opcode::Brc && is_word(cursor.peek(), "null") {
            cursor.next();
            skip_region_and_type(cursor)?;
        }
        return Ok(());
    }
    if operands.jip {
        distance(cursor, out, 0)?;
    }
    if operands.uip {
        cursor.accept(",");
        distance(cursor, out, 0)?;
    }
    Ok(())
}

/// Destination, payloads, extended descriptor, descriptor.
fn message(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let is_split = head.format == Format::SplitMessage;
    let is_later = cursor.target.generation >= Generation::Gen12;
    for index in 0..2 + usize::from(is_split) {
        let start = cursor.place();
        let (text, _) = register(cursor)?;
        if cursor.peek().is_some_and(|t| t.is(":") || t.is("#")) && is_number(cursor.peek_at(1)) {
            let wrong =
                cursor.place().diagnostic("operands of messages have no length on this device");
            return Err(Box::new(wrong.with_help(
                "the descriptors have the lengths; `r4:2` is for later generations (XeHP)",
            )));
        }
        if cursor.accept("<") {
            while cursor.next().is_some_and(|token| !token.is(">")) {}
        }
        let written = data_type(cursor)?;
        let suffix = match (index, written) {
            (0, _) | (1, None) if is_later => "ud",
            (0 | 1, Some(data_type)) if !is_later => data_type.suffix(),
            _ => "ud",
        };
        let whole = text.split('.').next().unwrap_or(&text);
        let whole = if text.starts_with("r[") { &text } else { whole };
        out.put(&format!("{whole}:{suffix}"), cursor.since(start));
    }
    for what in ["the extended descriptor", "the descriptor"] {
        let start = cursor.place();
        if is_word(cursor.peek(), "a0") {
            if what == "the extended descriptor" && !is_split {
                let wrong = start.diagnostic("send takes no extended descriptor in a register");
                return Err(Box::new(wrong.with_help("write `sends`, or the number itself")));
            }
            let (text, _) = register(cursor)?;
            skip_region_and_type(cursor)?;
            out.put(&format!("{text}<0;1,0>:ud"), cursor.since(start));
        } else {
            let bits = cursor.integer(what, 0..=0xFFFF_FFFF)?;
            if what == "the extended descriptor" && is_later && bits & 0xF != 0 {
                let wrong = cursor.since(start).diagnostic(
                    "the low four bits of the extended descriptor are 0: the mnemonic names the \
                     shared function",
                );
                return Err(Box::new(wrong));
            }
            out.put(&format!("{bits:#x}"), cursor.since(start));
        }
    }
    Ok(())
}
