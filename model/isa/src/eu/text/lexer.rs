//! Text to tokens, line by line.

use super::diagnostic::Diagnostic;
use crate::Syntax;

/// Longest line, in bytes.
pub(super) const LONGEST_LINE: usize = 1 << 16;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword.
    Word,
    /// Digits: decimal, hexadecimal after `0x`, or with a point or exponent.
    Number,
    /// A single character of punctuation.
    Punctuation,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) place: Place,
}

/// Where a token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    /// Column in characters, from 1.
    pub(super) column: usize,
    pub(super) length: usize,
}

impl Place {
    pub(super) fn diagnostic(self, message: impl Into<String>) -> Diagnostic {
        let Self { line, column, length } = self;
        Diagnostic { line, column, length: length.max(1), message: message.into(), help: None }
    }

    /// From the start of this place to the end of another on the same line.
    pub(super) fn to(self, end: Self) -> Self {
        let length = (end.column + end.length).saturating_sub(self.column);
        Self { length: length.max(self.length), ..self }
    }
}

impl Token {
    pub(super) fn is(&self, punctuation: &str) -> bool {
        self.kind == Kind::Punctuation && self.text == punctuation
    }
}

/// Splits a text into tokens, one line after the other; comments are left out.
#[derive(Default)]
pub(super) struct Lexer {
    /// Whose text it is.
    syntax: Syntax,
    /// Whether the gloss of a message is open, up to the options (Mesa).
    in_gloss: bool,
    /// Where an open block comment began.
    comment: Option<Place>,
}

/// Longest word: messages name words as they stand.
const LONGEST: usize = 256;

const PUNCTUATION: &str = "()<>[]{}.,:;+-!=~?";

impl Lexer {
    pub(super) fn new(syntax: Syntax) -> Self {
        Self { syntax, ..Self::default() }
    }

    /// Whether a comment goes on in the next line.
    pub(super) fn is_in_comment(&self) -> bool {
        self.comment.is_some()
    }

    /// What is wrong when the text is over: a comment is open.
    pub(super) fn end(self) -> Option<Diagnostic> {
        let start = self.comment?;
        let wrong = start.diagnostic("the comment does not end");
        Some(wrong.with_help("close it with `*/`"))
    }

    /// The tokens of the next line.
    pub(super) fn line(
        &mut self,
        line: usize,
        text: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Token> {
        let characters: Vec<char> = text.chars().collect();
        let mut tokens: Vec<Token> = Vec::new();
        let mut at = 0;
        while at < characters.len() {
            let rest = &characters[at..];
            if self.comment.is_some() {
                match rest.windows(2).position(|pair| pair == ['*', '/']) {
                    Some(end) => {
                        at += end + 2;
                        self.comment = None;
                    }
                    None => break,
                }
                continue;
            }
            if self.in_gloss {
                at += rest.iter().take_while(|c| **c != '{').count();
                self.in_gloss = at == characters.len();
                continue;
            }
            if rest.starts_with(&['/', '/']) {
                break;
            }
            if rest.starts_with(&['/', '*']) {
                self.comment = Some(Place { line, column: at + 1, length: 2 });
                at += 2;
                continue;
            }
            if rest[0].is_whitespace() {
                at += 1;
                continue;
            }
            let after_point = tokens.last().is_some_and(|token| token.is("."));
            let found = match self.syntax {
                Syntax::Manual => scan(rest, after_point),
                _ => scan_foreign(rest, after_point),
            };
            let Some((kind, length)) = found else {
                let (wrong, length) = meaningless(rest, Place { line, column: at + 1, length: 1 });
                diagnostics.push(wrong);
                at += length;
                continue;
            };
            if length > LONGEST {
                let place = Place { line, column: at + 1, length };
                let message = format!("a word of {length} characters is longer than any there is");
                diagnostics.push(place.diagnostic(message));
                at += length;
                continue;
            }
            tokens.push(Token {
                kind,
                text: rest[..length].iter().collect(),
                place: Place { line, column: at + 1, length },
            });
            at += length;
            self.in_gloss = self.syntax == Syntax::Mesa
                && tokens.last().is_some_and(|token| token.text == "MsgDesc");
        }
        tokens
    }
}

/// Characters that start no token, and how many they are.
fn meaningless(rest: &[char], place: Place) -> (Diagnostic, usize) {
    if rest.starts_with(&['*', '/']) {
        let place = Place { length: 2, ..place };
        return (place.diagnostic("`*/` closes no comment"), 2);
    }
    let shown =
        if rest[0].is_control() { rest[0].escape_debug().to_string() } else { rest[0].to_string() };
    let wrong = place.diagnostic(format!("`{shown}` has no meaning here"));
    (Diagnostic { help: hint(rest[0]), ..wrong }, 1)
}

/// The token at the start of some characters: its kind and length. After a point digits are a
/// subregister number, never the start of a float.
fn scan(rest: &[char], after_point: bool) -> Option<(Kind, usize)> {
    let run = |from: usize, test: fn(&char) -> bool| {
        from + rest[from..].iter().take_while(|c| test(c)).count()
    };
    let word: fn(&char) -> bool = |c| c.is_alphanumeric() || *c == '_';
    match rest[0] {
        c if c.is_ascii_digit() => {
            if c == '0' && matches!(rest.get(1), Some('x' | 'X')) {
                return Some((Kind::Number, run(2, word)));
            }
            let mut end = run(0, char::is_ascii_digit);
            if after_point {
                return Some((Kind::Number, run(end, word)));
            }
            if rest.get(end) == Some(&'.') && rest.get(end + 1).is_some_and(char::is_ascii_digit) {
                end = run(end + 1, char::is_ascii_digit);
            }
            if matches!(rest.get(end), Some('e' | 'E')) {
                let sign = usize::from(matches!(rest.get(end + 1), Some('+' | '-')));
                let digits = end + 1 + sign;
                if rest.get(digits).is_some_and(char::is_ascii_digit) {
                    end = run(digits, char::is_ascii_digit);
                }
            }
            Some((Kind::Number, run(end, word)))
        }
        c if c.is_alphabetic() || c == '_' => Some((Kind::Word, run(0, word))),
        // Only before a first channel: `(8|M8)`.
        '|' if matches!(rest.get(1), Some('M' | 'm')) => Some((Kind::Punctuation, 1)),
        // Only in codes of the software scoreboard: `@2`, `$5.dst`.
        '@' | '$' if rest.get(1).is_some_and(char::is_ascii_digit) => Some((Kind::Punctuation, 1)),
        // Only before a predicate: `(W&f0.0)`.
        '&' if matches!(rest.get(1), Some('f' | 'F' | '~' | '-' | '!')) => {
            Some((Kind::Punctuation, 1))
        }
        c if PUNCTUATION.contains(c) => Some((Kind::Punctuation, 1)),
        _ => None,
    }
}

/// The token at the start of some characters of another tool's text, which has more punctuation and
/// hexadecimal floats.
fn scan_foreign(rest: &[char], after_point: bool) -> Option<(Kind, usize)> {
    const MORE_PUNCTUATION: &str = "|@$&*/%^#";
    if MORE_PUNCTUATION.contains(rest[0]) {
        return Some((Kind::Punctuation, 1));
    }
    let (kind, length) = scan(rest, after_point)?;
    let float = rest.strip_prefix(&['0', 'x']).and_then(hexadecimal_float);
    Some((kind, float.map_or(length, |float| 2 + float)))
}

/// Characters of a hexadecimal float behind its `0x`, such as `1.8p+1` and `1p-3`; nothing if it has neither a point nor
/// an exponent.
fn hexadecimal_float(digits: &[char]) -> Option<usize> {
    let run = |from: usize, test: fn(&char) -> bool| {
        from + digits[from..].iter().take_while(|c| test(c)).count()
    };
    let whole = run(0, char::is_ascii_hexdigit);
    let end = match digits.get(whole)? {
        '.' => run(whole + 1, char::is_ascii_hexdigit),
        _ => whole,
    };
    if digits.get(end) != Some(&'p') {
        return Some(end).filter(|end| *end > whole);
    }
    let sign = usize::from(matches!(digits.get(end + 1), Some('+' | '-')));
    Some(run(end + 1 + sign, char::is_ascii_digit))
}

/// What to write instead of a character that starts no token.
fn hint(character: char) -> Option<String> {
    let text = match character {
        '|' => "write (abs) before a source for its absolute value",
        '#' | '%' => "comments start with `//`; registers and constants have no mark",
        '"' | '\'' | '“' | '”' => "nothing is quoted in this language",
        _ => return None,
    };
    Some(text.to_owned())
}
