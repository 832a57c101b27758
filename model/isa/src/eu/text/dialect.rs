//! Text of other tools: every statement is rewritten as one in this project's own syntax, whose tokens
//! stand where those that they come from stood, so that what is wrong is shown in the text as it is.

use super::{
    cursor::{self, Cursor, Failure},
    lexer::{Kind, Lexer, Place, Token},
};
use crate::{
    Syntax,
    eu::{
        decode::decode,
        instruction::{Instruction, NATIVE_BYTES},
    },
};

mod constant;
pub(super) mod iga;
pub(super) mod mesa;
mod recognise;
mod residue;

pub use recognise::recognise;

/// Most tokens of a statement over several lines: those of the longest are a tenth of it.
const LONGEST: usize = 1024;

/// The tokens of a statement in this project's own syntax.
#[derive(Default)]
struct Rewritten {
    tokens: Vec<Token>,
    /// What goes into the braces at its end.
    options: Vec<(String, Place)>,
}

impl Rewritten {
    /// A piece of text, all of it in one place.
    fn put(&mut self, text: &str, place: Place) {
        let tokens = Lexer::default().line(place.line, text, &mut Vec::new());
        self.tokens.extend(tokens.into_iter().map(|token| Token { place, ..token }));
    }

    /// A token as it is.
    fn copy(&mut self, token: &Token) {
        self.tokens.push(token.clone());
    }

    fn option(&mut self, text: impl Into<String>, place: Place) {
        self.options.push((text.into(), place));
    }

    /// The statement with its options.
    fn finish(mut self) -> Vec<Token> {
        let options = std::mem::take(&mut self.options);
        if let (Some((_, first)), Some((_, last))) = (options.first(), options.last()) {
            let (first, last) = (*first, *last);
            self.put("{", first);
            for (number, (text, place)) in options.iter().enumerate() {
                if number > 0 {
                    self.put(",", *place);
                }
                self.put(text, *place);
            }
            self.put("}", last);
        }
        self.tokens
    }
}

/// What a text of some syntax holds: labels, pragmas and statements, each in this project's own syntax.
pub(super) struct Reader {
    syntax: Syntax,
    target: cursor::Target,
    /// A statement that is not over.
    pending: Vec<Token>,
}

impl Reader {
    pub(super) fn new(syntax: Syntax, target: cursor::Target) -> Self {
        Self { syntax, target, pending: Vec::new() }
    }

    /// Whether a line is no part of the program: what stands around those that Mesa prints of a shader.
    pub(super) fn skips(&self, line: &str) -> bool {
        self.syntax == Syntax::Mesa && self.pending.is_empty() && mesa::is_heading(line)
    }

    /// What ends on a line, unless a comment goes on there.
    pub(super) fn line(
        &mut self,
        tokens: Vec<Token>,
        is_in_comment: bool,
    ) -> Vec<Result<Vec<Token>, Failure>> {
        match self.syntax {
            Syntax::Iga if is_in_comment => {
                self.pending.extend(tokens);
                Vec::new()
            }
            Syntax::Iga => iga::split(std::mem::take(&mut self.pending), tokens)
                .into_iter()
                .map(|statement| iga::rewrite(&statement, self.target))
                .collect(),
            Syntax::Mesa => {
                let statements = mesa::split(&mut self.pending, tokens).into_iter();
                let rewritten = statements.map(|statement| mesa::rewrite(&statement, self.target));
                let mut rewritten: Vec<_> = rewritten.collect();
                if self.pending.len() > LONGEST {
                    rewritten.extend(self.open().map(Err));
                    self.pending.clear();
                }
                rewritten
            }
            _ => vec![Ok(tokens)],
        }
    }

    /// What is wrong when the text is over: a statement is not.
    pub(super) fn end(self) -> Option<Failure> {
        self.open()
    }

    /// What is wrong with a statement that does not end: what stands where its end should, if anything.
    fn open(&self) -> Option<Failure> {
        let first = self.pending.first()?;
        if self.syntax == Syntax::Mesa
            && let Err(wrong) = mesa::rewrite(&self.pending, self.target)
        {
            return Some(wrong);
        }
        let last = self.pending.last().unwrap_or(first);
        let place = if last.place.line == first.place.line {
            first.place.to(last.place)
        } else {
            first.place
        };
        let wrong = place.diagnostic("the instruction does not end");
        Some(Box::new(wrong.with_help("instructions of this syntax end with `;`")))
    }
}

/// Sets the bits that no field uses as the tool does whose text it is.
pub(super) fn complete(syntax: Syntax, target: cursor::Target, instruction: &mut Instruction) {
    // Of an undefined operation the residue has the code already.
    instruction.residue ^= match syntax {
        Syntax::Iga => residue::iga(target, instruction),
        Syntax::Mesa => residue::mesa(target, instruction),
        _ => 0,
    };
}

/// Whether a token is a word, capitals included.
fn is_word(token: Option<&Token>, word: &str) -> bool {
    token.is_some_and(|token| token.kind == Kind::Word && token.text == word)
}

/// Whether a token is a number.
fn is_number(token: Option<&Token>) -> bool {
    token.is_some_and(|token| token.kind == Kind::Number)
}

/// `.inline_inst` and the doublewords of an instruction: four, or two of a compact one.
fn read_inline(cursor: &mut Cursor) -> Result<Vec<Token>, Failure> {
    let start = cursor.place();
    cursor.expect(".", "before the directive")?;
    if !cursor.accept_word("inline_inst") {
        return Err(cursor.unexpected("`inline_inst`, the only directive there is,"));
    }
    let mut bytes = Vec::new();
    while !cursor.is_done() && bytes.len() < NATIVE_BYTES {
        let part = cursor.integer("a doubleword of the instruction", 0..=0xFFFF_FFFF)?;
        // The last of them is stored first.
        bytes.splice(0..0, (part as u32).to_le_bytes());
    }
    if !cursor.is_done() {
        return Err(cursor.unexpected("the end of the line"));
    }
    let place = cursor.since(start);
    let device = cursor.target.device;
    let (instruction, length) =
        decode(device, &bytes).map_err(|error| Box::new(place.diagnostic(error.to_string())))?;
    if length != bytes.len() {
        let message = format!("the instruction has {length} bytes, the line {}", bytes.len());
        return Err(Box::new(place.diagnostic(message)));
    }
    let mut out = Rewritten::default();
    let text = super::print::print(device, &instruction);
    // Bits that no field uses are those of the line, whatever a tool sets.
    let is_written = text.contains("{Residue(") || text.contains(" Residue(");
    let residue = (!is_written).then(|| "Residue(0x0)".to_owned());
    out.put(&with_options(text, residue.as_slice()), place);
    Ok(out.finish())
}

/// A text with more options in its braces.
pub(super) fn with_options(text: String, options: &[String]) -> String {
    if options.is_empty() {
        return text;
    }
    let end = if text.ends_with(';') { ";" } else { "" };
    let body = text.trim_end_matches(';').trim_end();
    match body.strip_suffix('}') {
        Some(open) => format!("{}, {}}}{end}", open.trim_end(), options.join(", ")),
        None => format!("{body} {{{}}}{end}", options.join(", ")),
    }
}
