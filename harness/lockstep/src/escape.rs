//! Foreign text made safe to print: what engines, traces, reports, setup files and file names say may hold
//! characters that steer a terminal, or reorder or hide what stands around them.

use std::borrow::Cow;

/// Whether a character is printed escaped: control characters, those that change the direction of text or
/// have no width, line separators, and noncharacters that XML does not allow.
fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
            | '\u{FFFE}' | '\u{FFFF}' | '\u{E0000}'..='\u{E007F}')
}

fn escaped(text: &str, is_kept: fn(char) -> bool, escape: fn(char, &mut String)) -> Cow<'_, str> {
    let is_escaped = |character: char| is_hostile(character) && !is_kept(character);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_escaped(character) { escape(character, &mut safe) } else { safe.push(character) }
    }
    Cow::Owned(safe)
}

fn as_rust(character: char, safe: &mut String) {
    safe.extend(character.escape_unicode());
}

fn is_layout(character: char) -> bool {
    matches!(character, '\n' | '\t')
}

/// Text of one line or more: line feeds and tabs stay, the other hostile characters become `\u{1b}`.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, is_layout, as_rust)
}

/// Text that has to stay in its line, such as a name: line feeds and tabs are escaped too.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false, as_rust)
}

/// Most characters that are kept of what an engine says.
const LONGEST_REPORTED: usize = 1000;

/// What an engine says, in a line of at most 1,000 characters of it.
#[must_use]
pub fn reported(text: &str) -> String {
    shortened(text, LONGEST_REPORTED)
}

/// Text in a line: behind so many characters it is cut, and says by how much.
#[must_use]
pub fn shortened(text: &str, longest: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(longest) else {
        return line(text).into_owned();
    };
    let (kept, cut) = text.split_at(end);
    format!("{}… ({} more characters)", line(kept), cut.chars().count())
}

/// A JSON document: hostile characters, which JSON has in strings only, become `\u001b`, so that it still
/// says the same.
#[must_use]
pub fn json(document: &str) -> Cow<'_, str> {
    escaped(document, is_layout, |character, safe| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            *safe += &format!("\\u{unit:04x}");
        }
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("plain, naïve, 数", "plain, naïve, 数")]
    #[case("\x1b[31mred\x07", "\\u{1b}[31mred\\u{7}")]
    #[case("a\u{202E}b\u{2066}c\u{200F}", "a\\u{202e}b\\u{2066}c\\u{200f}")]
    #[case("\u{9b}2J\u{7f}\u{fffe}\u{feff}", "\\u{9b}2J\\u{7f}\\u{fffe}\\u{feff}")]
    #[case("two\nlines\t.\r", "two\nlines\t.\\u{d}")]
    fn hostile_characters_are_escaped(#[case] text: &str, #[case] safe: &str) {
        assert_eq!(lines(text), safe);
    }

    #[test]
    fn names_stay_in_their_line() {
        assert_eq!(line("mine\nverdict  all agree"), "mine\\u{a}verdict  all agree");
    }

    #[test]
    fn long_reports_are_cut_between_characters() {
        let longest = "é".repeat(LONGEST_REPORTED);
        assert_eq!(reported(&longest), longest);
        assert_eq!(reported(&format!("{longest}\x1bé")), format!("{longest}… (2 more characters)"));
        assert_eq!(reported("gone\x07"), "gone\\u{7}");
    }

    #[test]
    fn json_says_the_same_escaped() {
        let text = "\u{202E}\u{9b}\u{E0041}\n\u{1b} plain";
        let document = serde_json::to_string_pretty(&[text]).expect("text");
        let safe = json(&document);
        assert!(!safe.contains(|c: char| c != '\n' && is_hostile(c)), "{safe}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&safe).expect("JSON"), [text]);
    }
}
