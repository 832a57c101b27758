//! Telling this dialect from the manual's syntax.

use super::super::{
    cursor::without_comment,
    dialect::{AMD, MANUAL},
};

/// Words that only this dialect has, beside its names of instructions and fields.
const WORDS: [&str; 14] = [
    "____",
    "DENORM",
    "NORM",
    "UNNORM",
    "LOD",
    "XOFFSET",
    "YOFFSET",
    "ZOFFSET",
    "MEGA",
    "MINI",
    "SEM",
    "FAIL_JUMP_ADDR",
    "PASS_JUMP_ADDR",
    "PRED_SEL_OFF",
];

/// Whether a text is in this dialect and cannot be what [`print`](super::super::print) prints of a program:
/// it has a word, a header comment or a shorthand of its own.
///
/// ```
/// use parallax_isa::r700::text::amd;
///
/// assert!(amd::is_likely("00 EXP_DONE: PIX0, R0\nEND_OF_PROGRAM"));
/// assert!(!amd::is_likely("00 EXP_DONE: PIX0, R0.xyzw END_OF_PROGRAM"));
/// ```
#[must_use]
pub fn is_likely(source: &str) -> bool {
    let states_coordinates = source.contains("COORD_TYPE_");
    source.lines().any(|line| {
        is_header(line) || has_own_part(without_comment(line, &AMD).trim(), states_coordinates)
    })
}

/// `; $NAME = value`.
fn is_header(line: &str) -> bool {
    let comment = line.trim_start().strip_prefix(';').map(str::trim_start);
    comment.is_some_and(|comment| comment.starts_with('$') && comment.contains('='))
}

fn has_own_part(line: &str, states_coordinates: bool) -> bool {
    line == "END_OF_PROGRAM"
        || line.contains("|.")
        || line.contains("[AL]")
        || line.contains("[AL ")
        || !states_coordinates && names_texture(line)
        || words(line).any(|(word, next)| is_own_word(word, next))
}

/// The words of a line, numbers included, with what follows each.
fn words(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| !is_part(c));
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, next) = rest.split_at(end);
        rest = next;
        (!word.is_empty()).then_some((word, next))
    })
}

fn is_own_word(word: &str, next: &str) -> bool {
    let (name, element) = word.split_once('.').unwrap_or((word, ""));
    let names = AMD.alu_names.iter().chain(AMD.fetch_names);
    let fields = AMD.fields.iter().filter(|row| !MANUAL.fields.contains(row));
    let flags = AMD.flags.iter().filter(|row| !MANUAL.flags.contains(row));
    let is_flag = flags.into_iter().any(|(flag, _)| *flag == name) && !next.starts_with('(');
    let previous = name.strip_prefix("PV").or(name.strip_prefix("PS"));
    let is_scaled = ["*2", "*4", "/2"].iter().any(|scale| next.starts_with(scale));
    element.is_empty() && WORDS.contains(&name)
        || names.chain(fields).any(|(theirs, _)| *theirs == name)
        || is_flag
        || is_scaled
        || previous.is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
        })
}

/// Whether a texture and a sampler are named shortly.
fn names_texture(line: &str) -> bool {
    let mut operands = line
        .split(',')
        .skip(2)
        .map(|operand| operand.trim().split(char::is_whitespace).next().unwrap_or(""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let texture = operands.next().and_then(|text| text.strip_prefix('t'));
    let sampler = operands.next().and_then(|text| text.strip_prefix('s'));
    texture.is_some_and(is_number) && sampler.is_some_and(is_number)
}
