//! Reading along the tokens of one statement.

use super::{
    diagnostic::Diagnostic,
    forms, hints,
    lexer::{Kind, Place, Token},
};
use crate::{
    Device,
    eu::{generation::Generation, opcode::Opcode},
};

/// What a text is written for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    pub(super) device: Device,
    pub(super) generation: Generation,
}

/// Why a statement could not be read.
pub(super) type Failure = Box<Diagnostic>;

pub(super) struct Cursor<'a> {
    pub(super) target: Target,
    tokens: &'a [Token],
    at: usize,
    /// Where the statement ends, for what is missing there.
    end: Place,
    /// The instruction whose operands are read.
    pub(super) opcode: Option<Opcode>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tokens: &'a [Token], line: usize, target: Target) -> Self {
        let end = tokens.last().map_or(Place { line, column: 1, length: 1 }, |last| Place {
            line: last.place.line,
            column: last.place.column + last.place.length,
            length: 1,
        });
        Self { target, tokens, at: 0, end, opcode: None }
    }

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead)
    }

    /// Whether a punctuation comes before another one and before anything but numbers.
    pub(super) fn is_followed_by(&self, punctuation: &str, before: &str) -> bool {
        let numbers = |token: &&Token| token.kind != Kind::Word && !token.is(":");
        let mut rest = self.remaining().iter().take_while(numbers);
        rest.find(|token| token.is(punctuation) || token.is(before))
            .is_some_and(|token| token.is(punctuation))
    }

    /// The tokens that were not read yet.
    pub(super) fn remaining(&self) -> &'a [Token] {
        &self.tokens[self.at..]
    }

    pub(super) fn next(&mut self) -> Option<&'a Token> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    /// Where the next token stands, or where the statement ends.
    pub(super) fn place(&self) -> Place {
        self.peek().map_or(self.end, |token| token.place)
    }

    /// From a place to the last token read.
    pub(super) fn since(&self, start: Place) -> Place {
        match self.at.checked_sub(1).and_then(|last| self.tokens.get(last)) {
            Some(last) => start.to(last.place),
            None => start,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == self.tokens.len()
    }

    pub(super) fn accept(&mut self, punctuation: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(punctuation));
        self.at += usize::from(found);
        found
    }

    /// Takes the next word if it is this one, capitals aside.
    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found =
            self.peek().is_some_and(|t| t.kind == Kind::Word && t.text.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, punctuation: &str, what_for: &str) -> Result<(), Failure> {
        if self.accept(punctuation) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{punctuation}` {what_for}")))
    }

    /// The next token is not what was expected.
    pub(super) fn unexpected(&self, expected: &str) -> Failure {
        let found = self
            .peek()
            .map_or("the line ends".to_owned(), |token| format!("found `{}`", token.text));
        let wrong = self.place().diagnostic(format!("expected {expected}, but {found}"));
        let help = match (self.peek(), self.opcode) {
            (Some(token), _) => hints::stray(token),
            (None, Some(opcode)) => Some(forms::sentence(self.target.device, opcode)),
            (None, None) => None,
        };
        Box::new(Diagnostic { help, ..wrong })
    }

    pub(super) fn word(&mut self, expected: &str) -> Result<&'a Token, Failure> {
        match self.peek() {
            Some(token) if token.kind == Kind::Word => {
                self.at += 1;
                Ok(token)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// A number without sign that fits a range.
    pub(super) fn integer(
        &mut self,
        what: &str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<i64, Failure> {
        let start = self.place();
        let negative = self.accept("-");
        let token = match self.peek() {
            Some(token) if token.kind == Kind::Number => token,
            _ => return Err(self.unexpected(what)),
        };
        self.at += 1;
        let place = self.since(start);
        let magnitude = integer_of(&token.text).ok_or_else(|| {
            let message = format!("`{}` is no whole number ({what})", token.text);
            Box::new(place.diagnostic(message))
        })?;
        let value = i64::try_from(magnitude).unwrap_or(i64::MAX);
        let value = if negative { -value } else { value };
        if range.contains(&value) {
            return Ok(value);
        }
        let (low, high) = range.into_inner();
        Err(Box::new(place.diagnostic(format!("{what} is {value}, but can be {low} to {high}"))))
    }
}

/// The value of a whole number, decimal or hexadecimal.
pub(super) fn integer_of(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
