//! Operands of ALU instructions as text.

use super::{
    super::{
        instruction::{Alu, Operand},
        source::{Inline, Source},
    },
    cursor::{Cursor, Read, element, number, written_element},
    dialect::{Dialect, MANUAL},
    literals::{ELEMENTS, Literals},
};

/// Names of the constants of the instruction set.
const INLINES: [(&str, Inline); 9] = [
    ("1.0D.lo", Inline::OneDoubleLow),
    ("1.0D.hi", Inline::OneDoubleHigh),
    ("0.5D.lo", Inline::HalfDoubleLow),
    ("0.5D.hi", Inline::HalfDoubleHigh),
    ("0.0", Inline::Zero),
    ("1.0", Inline::One),
    ("1", Inline::OneInteger),
    ("-1", Inline::MinusOneInteger),
    ("0.5", Inline::Half),
];

/// Names of the index modes.
const INDEXES: [&str; 7] = ["AR.x", "AR.y", "AR.z", "AR.w", "aL", "G", "G+AR.x"];

/// How an instruction's registers are indexed.
pub(super) fn index_suffix(alu: Alu) -> String {
    let name = INDEXES.get(alu.index_mode() as usize).copied().unwrap_or("?");
    format!("[{name}]")
}

/// An operand as it stands in the text of its instruction. `literals` are those of its group.
#[must_use]
pub fn print_operand(alu: Alu, operand: Operand, literals: &[u32]) -> String {
    print(alu, operand, literals, &MANUAL)
}

/// An operand as text of a dialect.
pub(super) fn print(alu: Alu, operand: Operand, literals: &[u32], dialect: &Dialect) -> String {
    let letter = ELEMENTS[usize::from(operand.element)];
    let Some(source) = operand.source else { return "?".to_owned() };
    let index =
        if operand.relative && source.is_address() { index_suffix(alu) } else { String::new() };
    let default = if dialect.implied_elements { alu.dst_elem() } else { 0 };
    let is_default = u32::from(operand.element) == default;
    let (body, plain) = match source {
        Source::Gpr(number) => (format!("R{number}{index}.{letter}"), true),
        Source::Constant(number) => (format!("C{number}{index}.{letter}"), true),
        Source::Kcache(set, number) => (format!("KC{set}[{number}]{index}.{letter}"), true),
        Source::Inline(inline) => {
            let name = INLINES.iter().find(|(_, listed)| *listed == inline);
            let name = name.map_or("?", |(name, _)| name);
            let float = matches!(inline, Inline::Zero | Inline::One | Inline::Half);
            let suffix = if float && dialect.ordered_literals { "f" } else { "" };
            if is_default {
                (format!("{name}{suffix}"), false)
            } else {
                (format!("({name}{suffix}).{letter}"), true)
            }
        }
        Source::Literal => {
            let bits = literals.get(usize::from(operand.element)).copied().unwrap_or(0);
            (format!("({bits:#010x}, {:?}).{letter}", f32::from_bits(bits)), true)
        }
        Source::PreviousVector => (format!("PV.{letter}"), true),
        Source::PreviousScalar if is_default => ("PS".to_owned(), true),
        Source::PreviousScalar => (format!("PS.{letter}"), true),
    };
    let body = if operand.absolute { format!("|{body}|") } else { body };
    match (operand.negate, plain || operand.absolute) {
        (false, _) => body,
        (true, true) => format!("-{body}"),
        (true, false) => format!("-({body})"),
    }
}

/// What is read of an operand: its fields and the index mode it asks for.
pub(super) struct ReadOperand {
    pub(super) select: u32,
    pub(super) element: u32,
    pub(super) relative: bool,
    pub(super) negate: bool,
    pub(super) absolute: bool,
    pub(super) index_mode: Option<u32>,
    pub(super) column: usize,
}

/// The part of an operand without its sign.
struct Body {
    source: Source,
    element: Option<u32>,
    index_mode: Option<u32>,
}

impl From<Inline> for Body {
    fn from(inline: Inline) -> Self {
        Self { source: Source::Inline(inline), element: None, index_mode: None }
    }
}

/// `[AR.x]` and the like, if there is one.
pub(super) fn index(cursor: &mut Cursor) -> Read<Option<u32>> {
    let column = cursor.column() + 1;
    if !cursor.take_here('[') {
        return Ok(None);
    }
    let name = cursor.until(']')?;
    let known = INDEXES.iter().position(|index| index.eq_ignore_ascii_case(name.trim()));
    match known {
        Some(mode) => Ok(Some(mode as u32)),
        None => Err((column, format!("`{name}` is not an index; indexes: {}", INDEXES.join(", ")))),
    }
}

/// Reads an operand, which has an element of its instruction's destination unless it says otherwise.
pub(super) fn parse(
    cursor: &mut Cursor,
    literals: &mut Literals,
    destination: u32,
) -> Read<ReadOperand> {
    cursor.skip_blanks();
    let column = cursor.column();
    // -1 is a constant of its own, -1.0 is 1.0 with its sign changed.
    let (negate, absolute, body) = if let Some(inline) = inline_name(cursor) {
        (false, false, Body::from(inline))
    } else {
        let negate = cursor.take_here('-');
        let absolute = cursor.take_here('|');
        let mut body = body(cursor, literals)?;
        if absolute {
            if !cursor.take('|') {
                return cursor.fail("expected `|`");
            }
            behind_bars(cursor, &mut body)?;
        }
        (negate, absolute, body)
    };
    let default = if cursor.dialect.implied_elements { destination } else { 0 };
    Ok(ReadOperand {
        select: body.source.select(),
        element: body.element.unwrap_or(default),
        relative: body.index_mode.is_some(),
        negate,
        absolute,
        index_mode: body.index_mode,
        column,
    })
}

/// `[AR.x].y` behind the bars of an absolute value, where a dialect has them there.
fn behind_bars(cursor: &mut Cursor, body: &mut Body) -> Read<()> {
    if !cursor.dialect.tool_words {
        return Ok(());
    }
    if body.source.is_address() && body.index_mode.is_none() && body.element.is_none() {
        body.index_mode = index(cursor)?;
    }
    if body.element.is_none() {
        body.element = written_element(cursor)?;
    }
    Ok(())
}

/// The name of an inline constant, if one stands here.
fn inline_name(cursor: &mut Cursor) -> Option<Inline> {
    let mut ahead = cursor.clone();
    let mut name = String::new();
    while ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric() || ".-".contains(c)) {
        name.extend(ahead.peek());
        ahead.take_here(ahead.peek()?);
    }
    let name = name.strip_suffix('f').unwrap_or(&name);
    let found =
        INLINES.iter().find(|(listed, _)| *listed == name || name == "0" && *listed == "0.0");
    let (_, inline) = found?;
    *cursor = ahead;
    Some(*inline)
}

fn body(cursor: &mut Cursor, literals: &mut Literals) -> Read<Body> {
    if let Some(inline) = inline_name(cursor) {
        return Ok(inline.into());
    }
    let column = cursor.column();
    if cursor.take_here('(') {
        return parenthesised(cursor, literals);
    }
    if cursor.dialect.ordered_literals
        && cursor.peek().is_some_and(|c| c.is_ascii_digit() || c == '.')
    {
        let bits = bare_literal(cursor)?;
        return Ok(literal(literals, bits, None, column));
    }
    let letters: String = std::iter::from_fn(|| {
        let letter = cursor.peek().filter(char::is_ascii_alphabetic)?;
        cursor.take_here(letter);
        Some(letter)
    })
    .collect();
    let source = match letters.as_str() {
        "R" => Source::Gpr(cursor.at_most(127, "register")? as u8),
        "T" if cursor.dialect.temporaries => {
            Source::Gpr(127 - cursor.at_most(3, "temporary")? as u8)
        }
        "C" => Source::Constant(cursor.at_most(255, "constant register")? as u8),
        "KC" => {
            let set = cursor.at_most(1, "set")?;
            cursor.expect('[')?;
            let number = cursor.at_most(31, "constant of a set")?;
            cursor.expect(']')?;
            Source::Kcache(set as u8, number as u8)
        }
        "PV" | "PS" => {
            // Some tools print the number of the group that gave the result.
            let column = cursor.column();
            let gloss = cursor.word_here();
            if cursor.dialect.ordered_literals && !gloss.chars().all(|c| c.is_ascii_digit()) {
                return Err((column, format!("`{letters}{gloss}` is not an operand")));
            }
            if letters == "PV" { Source::PreviousVector } else { Source::PreviousScalar }
        }
        _ => {
            let message = "expected an operand: R0.x, KC0[0].x, C0.x, PV.x, PS, 0.0, 1.0, 0.5, 1, \
                           -1 or a literal such as (0x40490fdb).x";
            return Err((column, message.to_owned()));
        }
    };
    let index_mode = index(cursor)?;
    let element = if source == Source::PreviousScalar && cursor.peek() != Some('.') {
        None
    } else {
        written_element(cursor)?
    };
    Ok(Body { source, element, index_mode })
}

/// `(0x40490fdb, 3.14).x`, or `(1.0).y` for an inline constant.
fn parenthesised(cursor: &mut Cursor, literals: &mut Literals) -> Read<Body> {
    let column = cursor.column();
    if let Some(inline) = inline_name(cursor) {
        cursor.expect(')')?;
        let element = if cursor.peek() == Some('.') { Some(element(cursor)?) } else { None };
        return Ok(Body { element, ..inline.into() });
    }
    let text = cursor.until(')')?;
    let (first, gloss) = match text.split_once(',') {
        Some((first, gloss)) => (first.trim(), Some(gloss)),
        None => (text.trim(), None),
    };
    let Some(bits) = literal_bits(first) else {
        return Err((column, format!("`{first}` is not a literal")));
    };
    if cursor.dialect.ordered_literals {
        if let Some(gloss) = gloss {
            let offset = text.chars().count() - gloss.chars().count();
            check_gloss(cursor, bits, gloss.trim(), column + offset)?;
        }
        let written = written_element(cursor)?;
        return Ok(literal(literals, bits, written, column));
    }
    let element = element(cursor)?;
    literals.put(element, bits, column)?;
    Ok(Body { source: Source::Literal, element: Some(element), index_mode: None })
}

/// The bits of a number, hexadecimal or a float.
fn literal_bits(text: &str) -> Option<u32> {
    let float = || text.strip_suffix('f').unwrap_or(text).parse::<f32>().ok();
    number(text).or_else(|| float().map(f32::to_bits))
}

/// A literal in the order of reading: zero is the inline constant.
fn literal(literals: &mut Literals, bits: u32, written: Option<u32>, column: usize) -> Body {
    if bits == 0 {
        return Body { element: written, ..Inline::Zero.into() };
    }
    let element = literals.append(bits, written, column);
    Body { source: Source::Literal, element: Some(element), index_mode: None }
}

/// `0x2` or `2.5f` without parentheses.
fn bare_literal(cursor: &mut Cursor) -> Read<u32> {
    let column = cursor.column();
    let mut text = String::new();
    while let Some(next) = cursor.peek() {
        let hexadecimal = text.starts_with("0x");
        let exponent = !hexadecimal && text.ends_with(['e', 'E']);
        if !(next.is_ascii_alphanumeric() || next == '.' || exponent && "+-".contains(next)) {
            break;
        }
        cursor.take_here(next);
        text.push(next);
    }
    if text.starts_with("0x") {
        return number(&text)
            .ok_or_else(|| (column, format!("`{text}` is not a number of 32 bits")));
    }
    let digits = text.strip_suffix('f').unwrap_or(&text);
    let Ok(value) = digits.parse::<f32>() else {
        return Err((column, format!("`{text}` is not a literal: 0x40200000, 2.5 or 2.5f")));
    };
    if digits.bytes().all(|digit| digit.is_ascii_digit()) {
        let message = format!("`{text}` is read as the float {value:?}; integers are hexadecimal");
        cursor.warn(column, message);
    }
    Ok(value.to_bits())
}

/// Checks the float that explains the bits of a literal: it is rounded, and the bits count.
fn check_gloss(cursor: &mut Cursor, bits: u32, gloss: &str, column: usize) -> Read<()> {
    // `1.#INFf`, `-1.#IND00f` and the like have no one spelling.
    if gloss.contains('#') {
        return Ok(());
    }
    let digits = gloss.strip_suffix('f').filter(|digits| !digits.ends_with("in"));
    let Ok(shown) = digits.unwrap_or(gloss).parse::<f32>() else {
        return Err((column, format!("`{gloss}` is not a float")));
    };
    let value = f32::from_bits(bits);
    let near = value.is_nan() || value == shown || (value - shown).abs() <= shown.abs() / 50.0;
    if !near && value.is_normal() {
        cursor.warn(column, format!("{bits:#010x} is {value:?}, not {gloss}; it counts"));
    }
    Ok(())
}
