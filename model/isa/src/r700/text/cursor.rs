//! Reading a line from left to right.

use std::fmt;

use parallax_spec::RuleId;

use super::{super::microcode::Format, dialect::Dialect};
use crate::nearest;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostic {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong there and what was expected.
    pub message: String,
    /// The line itself.
    pub text: String,
    /// The rules that a word breaks which is written correctly but does not decode.
    pub rules: &'static [RuleId],
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, message, text, .. } = self;
        writeln!(f, "line {line}, column {column}: {message}")?;
        writeln!(f, "  {text}")?;
        write!(f, "  {}^", " ".repeat(column - 1))
    }
}

/// What reading something comes to: the column of an error and its message.
pub(super) type Read<T> = Result<T, (usize, String)>;

/// A place in a line of a dialect.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    characters: Vec<char>,
    place: usize,
    pub(super) dialect: &'static Dialect,
    /// What is read otherwise than written: columns and messages.
    pub(super) warnings: Vec<(usize, String)>,
}

/// `NAME` or `NAME(value)`.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: Option<String>,
    pub(super) column: usize,
    pub(super) value_column: usize,
}

impl Attribute {
    /// Its value as a number.
    pub(super) fn number(&self) -> Read<u32> {
        let Some(value) = &self.value else {
            return Err((self.column, format!("{} needs a value in parentheses", self.name)));
        };
        number(value)
            .ok_or_else(|| (self.value_column, format!("`{value}` is not a number of 32 bits")))
    }
}

/// A decimal or hexadecimal number of 32 bits.
pub(super) fn number(text: &str) -> Option<u32> {
    match text.trim().strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.trim().parse().ok(),
    }
}

/// A line without its comment.
pub(super) fn without_comment<'a>(line: &'a str, dialect: &Dialect) -> &'a str {
    let end = dialect.comments.iter().filter_map(|mark| line.find(mark)).min();
    &line[..end.unwrap_or(line.len())]
}

impl Cursor {
    /// The start of a line, without its comment.
    pub(super) fn new(line: &str, dialect: &'static Dialect) -> Self {
        let characters = without_comment(line, dialect).chars().collect();
        Self { characters, place: 0, dialect, warnings: Vec::new() }
    }

    /// Notes that something is read otherwise than it is written.
    pub(super) fn warn(&mut self, column: usize, message: String) {
        self.warnings.push((column, message));
    }

    /// Column of the next character, from 1.
    pub(super) fn column(&self) -> usize {
        self.place + 1
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.place += 1;
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.characters.get(self.place).copied()
    }

    /// Whether nothing but blanks is left.
    pub(super) fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.peek().is_none()
    }

    /// Takes a character, if it is the next one after blanks.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        self.take_here(wanted)
    }

    /// Takes a character, if it is the very next one.
    pub(super) fn take_here(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.place += 1;
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: char) -> Read<()> {
        if self.take(wanted) { Ok(()) } else { self.fail(&format!("expected `{wanted}`")) }
    }

    /// An error at the next character.
    pub(super) fn fail<T>(&self, message: &str) -> Read<T> {
        let found = match self.peek() {
            Some(character) => format!("{message}, found `{character}`"),
            None => format!("{message}, found the end of the line"),
        };
        Err((self.column(), found))
    }

    /// A run of letters, digits and underscores; may be empty.
    pub(super) fn word(&mut self) -> String {
        self.skip_blanks();
        self.word_here()
    }

    pub(super) fn word_here(&mut self) -> String {
        let start = self.place;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.place += 1;
        }
        self.characters[start..self.place].iter().collect()
    }

    /// A decimal number.
    pub(super) fn decimal(&mut self) -> Read<u32> {
        self.skip_blanks();
        let column = self.column();
        let start = self.place;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.place += 1;
        }
        let digits: String = self.characters[start..self.place].iter().collect();
        if digits.is_empty() {
            return self.fail("expected a number");
        }
        digits.parse().map_err(|_| (column, format!("{digits} is too large")))
    }

    /// A decimal number of at most some value.
    pub(super) fn at_most(&mut self, most: u32, what: &str) -> Read<u32> {
        self.skip_blanks();
        let column = self.column();
        let value = self.decimal()?;
        if value > most {
            return Err((column, format!("{what} {value} does not exist, the last one is {most}")));
        }
        Ok(value)
    }

    /// The text up to a character, which is taken too.
    pub(super) fn until(&mut self, end: char) -> Read<String> {
        let start = self.place;
        while self.peek().is_some_and(|c| c != end) {
            self.place += 1;
        }
        let text = self.characters[start..self.place].iter().collect();
        if self.take_here(end) { Ok(text) } else { self.fail(&format!("expected `{end}`")) }
    }

    /// `R5`, or a name of the dialect's own for a register.
    pub(super) fn register(&mut self, expected: &str) -> Read<u32> {
        self.skip_blanks();
        if self.dialect.temporaries && self.peek() == Some('T') {
            self.place += 1;
            return Ok(127 - self.at_most(3, "temporary")?);
        }
        if !self.take_here('R') {
            return self.fail(expected);
        }
        self.at_most(127, "register")
    }

    /// All that is left.
    pub(super) fn rest(self) -> String {
        self.characters[self.place..].iter().collect()
    }

    /// The attributes up to the end of the line.
    pub(super) fn attributes(&mut self) -> Read<Vec<Attribute>> {
        let mut attributes = Vec::new();
        while !self.at_end() {
            let column = self.column();
            let mut name = String::new();
            for mark in ['*', '/'] {
                if self.take_here(mark) {
                    name.push(mark);
                }
            }
            name += &self.word_here();
            if name.is_empty() {
                return self.fail("expected the name of a field or modifier");
            }
            let open = self.take_here('(');
            let value_column = self.column();
            let value = if open { Some(self.until(')')?) } else { None };
            attributes.push(Attribute { name, value, column, value_column });
        }
        Ok(attributes)
    }
}

/// Sets a field by its name in the manual, or bits outside of fields by `BITS0` to `BITS3`.
pub(super) fn set_field(format: &Format, dwords: &mut [u32], attribute: &Attribute) -> Read<()> {
    let digits = attribute.name.strip_prefix("BITS");
    if let Some(dword) = digits.and_then(|digits| digits.parse::<usize>().ok()) {
        let value = attribute.number()?;
        let reserved = format.reserved().get(dword).copied().unwrap_or(0);
        if value & !reserved != 0 {
            let message = format!("bits outside of {reserved:#x} belong to fields");
            return Err((attribute.value_column, message));
        }
        dwords[dword] = dwords[dword] & !reserved | value;
        return Ok(());
    }
    let Some(field) = format.field(&attribute.name) else {
        let names: Vec<_> = format.fields.iter().map(|field| field.name).collect();
        let message = format!("there is no {}; fields: {}", attribute.name, names.join(", "));
        return Err((attribute.column, message));
    };
    let value = attribute.number()?;
    if value > field.largest() {
        let message = format!("{} is at most {}", field.name, field.largest());
        return Err((attribute.value_column, message));
    }
    field.set(dwords, value);
    Ok(())
}

/// The message about an attribute that there is not, with the nearest known name.
pub(super) fn with_suggestion(
    attribute: &Attribute,
    (column, message): (usize, String),
    known: impl IntoIterator<Item = &'static str>,
) -> (usize, String) {
    if column != attribute.column {
        return (column, message);
    }
    let suggestion = did_you_mean(&attribute.name, known);
    match message.split_once("; fields:") {
        Some((message, _)) if !suggestion.is_empty() => (column, format!("{message}{suggestion}")),
        _ => (column, message),
    }
}

/// What has to be added to a text that stands for some dwords so that it stands for others:
/// `NAME(value)` for every field that differs.
pub(super) fn differences(format: &Format, wanted: &[u32], shown: &[u32]) -> String {
    let mut text = String::new();
    for field in format.fields {
        if field.get(wanted) != field.get(shown) {
            text += &format!(" {}({})", field.name, field.get(wanted));
        }
    }
    for (dword, reserved) in format.reserved().into_iter().enumerate() {
        if (wanted[dword] ^ shown[dword]) & reserved != 0 {
            text += &format!(" BITS{dword}({:#x})", wanted[dword] & reserved);
        }
    }
    text
}

/// The end of a message about an unknown word: a suggestion, if a known word is near.
pub(super) fn did_you_mean(word: &str, known: impl IntoIterator<Item = &'static str>) -> String {
    let near = nearest(word, known);
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Letters of selects.
const SELECTS: [(char, u32); 7] =
    [('x', 0), ('y', 1), ('z', 2), ('w', 3), ('0', 4), ('1', 5), ('_', 7)];

/// Four selects as letters.
pub(super) fn select_letters(selects: &[u32]) -> String {
    let letter = |select: &u32| SELECTS.iter().find(|(_, code)| code == select);
    selects.iter().map(|select| letter(select).map_or('_', |(letter, _)| *letter)).collect()
}

/// Some selects, after a dot.
pub(super) fn selects(cursor: &mut Cursor, count: usize) -> Read<Vec<u32>> {
    if !cursor.take_here('.') {
        return cursor.fail("expected `.` and elements");
    }
    let mut selects = Vec::new();
    for _ in 0..count {
        let next = cursor.peek().map(|letter| letter.to_ascii_lowercase());
        match SELECTS.iter().find(|(letter, _)| Some(*letter) == next) {
            Some((_, code)) => selects.push(*code),
            None => return cursor.fail("expected an element: x, y, z, w, 0, 1 or _"),
        }
        cursor.place += 1;
    }
    Ok(selects)
}

/// One element, x to w, after a dot.
pub(super) fn element(cursor: &mut Cursor) -> Read<u32> {
    let column = cursor.column() + 1;
    let select = selects(cursor, 1)?[0];
    if select < 4 { Ok(select) } else { Err((column, "expected an element: x, y, z or w".into())) }
}

/// Four selects after a dot, of which a dialect may leave out the last ones.
pub(super) fn swizzle(cursor: &mut Cursor, missing: [u32; 4]) -> Read<Vec<u32>> {
    if !cursor.dialect.implied_elements {
        return selects(cursor, 4);
    }
    let mut chosen = missing;
    if cursor.take_here('.') {
        let mut count = 0;
        while let Some(next) = cursor.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            let known = SELECTS.iter().find(|(letter, _)| *letter == next.to_ascii_lowercase());
            let (Some((_, code)), Some(select)) = (known, chosen.get_mut(count)) else {
                return cursor.fail("expected up to four elements: x, y, z, w, 0, 1 or _");
            };
            *select = *code;
            count += 1;
            cursor.place += 1;
        }
        if count == 0 {
            return cursor.fail("expected an element: x, y, z, w, 0, 1 or _");
        }
    }
    Ok(chosen.to_vec())
}

/// One element after a dot; `None` where a dialect leaves it out.
pub(super) fn written_element(cursor: &mut Cursor) -> Read<Option<u32>> {
    if cursor.dialect.implied_elements && cursor.peek() != Some('.') {
        return Ok(None);
    }
    let written = element(cursor)?;
    if cursor.dialect.implied_elements && cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
        return cursor.fail("an operand has one element");
    }
    Ok(Some(written))
}
