//! Text of the Intel Graphics Assembler, for `skl` and `dg1`.

use super::{
    super::{
        cursor::{Cursor, Failure, Target},
        hints,
        lexer::{Kind, Place, Token},
    },
    Rewritten, is_number, is_word, read_inline,
};
use crate::{
    eu::{
        generation::Generation,
        opcode::{Format, Opcode},
    },
    nearest,
};

mod operands;
mod options;
pub(in crate::eu::text) mod print;

/// Conditions: IGA's word, deprecated ones too, and this project's.
const CONDITIONS: [(&str, &str); 17] = [
    ("eq", "e"),
    ("ze", "e"),
    ("e", "e"),
    ("z", "e"),
    ("ne", "ne"),
    ("nz", "ne"),
    ("gt", "gt"),
    ("g", "gt"),
    ("ge", "ge"),
    ("lt", "lt"),
    ("l", "lt"),
    ("le", "le"),
    ("ov", "o"),
    ("o", "o"),
    ("un", "u"),
    ("u", "u"),
    // Implied by the functions of the macros.
    ("eo", ""),
];

/// Predicate controls that both devices have.
const CONTROLS: [&str; 13] = [
    "anyv", "allv", "any2h", "all2h", "any4h", "all4h", "any8h", "all8h", "any16h", "all16h",
    "any32h", "all32h", "xyzw",
];

/// What is known of a statement when its operands are read.
struct Head {
    opcode: Opcode,
    /// The function of `math`.
    function: Option<String>,
    /// Channels; 1 if nothing is written.
    size: u8,
    format: Format,
}

impl Head {
    /// Whether sources are accumulators of the macros: `r1.mme0`.
    fn is_macro(&self) -> bool {
        self.opcode == Opcode::Madm
            || self.function.as_deref().is_some_and(|name| matches!(name, "invm" | "rsqtm"))
    }
}

/// The statements of a line and of those before that a comment joins to it: `;` between them, but not in a
/// region.
pub(super) fn split(before: Vec<Token>, tokens: Vec<Token>) -> Vec<Vec<Token>> {
    let mut statements = vec![Vec::new()];
    let mut is_region = false;
    for token in before.into_iter().chain(tokens) {
        is_region = (is_region || token.is("<")) && !token.is(">");
        match statements.last_mut() {
            Some(statement) if !token.is(";") || is_region => statement.push(token),
            _ => statements.push(Vec::new()),
        }
    }
    statements.retain(|statement: &Vec<Token>| !statement.is_empty());
    statements
}

/// A statement in this project's own syntax.
pub(super) fn rewrite(tokens: &[Token], target: Target) -> Result<Vec<Token>, Failure> {
    if let [name, colon, rest @ ..] = tokens
        && name.kind == Kind::Word
        && colon.is(":")
    {
        let Some(next) = rest.first() else { return Ok(tokens.to_vec()) };
        let wrong = next.place.diagnostic("a label stands alone on its line");
        return Err(Box::new(wrong.with_help("begin a new line behind the colon")));
    }
    let line = tokens.first().map_or(1, |token| token.place.line);
    let cursor = &mut Cursor::new(tokens, line, target);
    let mut out = Rewritten::default();
    if cursor.peek().is_some_and(|token| token.is(".")) {
        return read_inline(cursor);
    }
    predicate(cursor, &mut out)?;
    let head = mnemonic(cursor, &mut out)?;
    cursor.opcode = Some(head.opcode);
    condition(cursor, &mut out)?;
    operands::rewrite(cursor, &mut out, &head)?;
    options::rewrite(cursor, &mut out, &head)?;
    if cursor.is_done() { Ok(out.finish()) } else { Err(cursor.unexpected("the end of the line")) }
}

/// `(W)`, `(f0.0)`, `(W&~f0.1.any8h)`.
fn predicate(cursor: &mut Cursor, out: &mut Rewritten) -> Result<(), Failure> {
    let start = cursor.place();
    if !cursor.accept("(") {
        return Ok(());
    }
    let mut text = String::from("(");
    let no_mask = is_word(cursor.peek(), "W");
    if no_mask {
        cursor.next();
        text.push('W');
        if cursor.accept("&") {
            text.push('&');
        }
    }
    if !no_mask || text.ends_with('&') {
        if cursor.accept("~") {
            text.push('~');
        }
        text.push_str(&flag(cursor)?);
        if cursor.accept(".") {
            let word = cursor.word("a predicate control such as `any8h`")?;
            if !CONTROLS.contains(&word.text.as_str()) {
                let message = format!("`{}` is no predicate control", word.text);
                let near =
                    nearest(&word.text, CONTROLS).map(|near| format!("did you mean `{near}`?"));
                let help = near.unwrap_or_else(|| format!("they are {}", CONTROLS.join(", ")));
                return Err(Box::new(word.place.diagnostic(message).with_help(help)));
            }
            if word.text != "xyzw" {
                text.push('.');
                text.push_str(&word.text);
            }
        }
    }
    cursor.expect(")", "after the predicate")?;
    text.push(')');
    out.put(&text, cursor.since(start));
    Ok(())
}

/// `f0`, `f1.1`.
fn flag(cursor: &mut Cursor) -> Result<String, Failure> {
    let register = match cursor.peek() {
        Some(token) if is_word(Some(token), "f0") || is_word(Some(token), "f1") => &token.text,
        _ => return Err(cursor.unexpected("a flag register such as `f0.0`")),
    };
    cursor.next();
    let is_numbered =
        cursor.peek().is_some_and(|token| token.is(".")) && is_number(cursor.peek_at(1));
    let subregister = if is_numbered && cursor.accept(".") {
        cursor.integer("the flag subregister", 0..=1)?
    } else {
        0
    };
    Ok(format!("{register}.{subregister}"))
}

/// The mnemonic with what stands behind points, and the execution size.
fn mnemonic(cursor: &mut Cursor, out: &mut Rewritten) -> Result<Head, Failure> {
    let word = cursor.word("an instruction")?;
    let Target { device, generation, .. } = cursor.target;
    let known = Opcode::of_mnemonic(&word.text).filter(|opcode| opcode.code(device).is_some());
    let opcode = known.ok_or_else(|| {
        let wrong = word.place.diagnostic(format!("`{}` is no instruction of {device}", word.text));
        let lower = word.text.to_ascii_lowercase();
        let help = if lower != word.text && Opcode::of_mnemonic(&lower).is_some() {
            Some(format!("mnemonics are in lower case: `{lower}`"))
        } else {
            hints::mnemonic(&word.text, cursor.peek(), device)
        };
        Box::new(crate::eu::text::Diagnostic { help, ..wrong })
    })?;
    let format = opcode.format_on(generation);
    out.copy(word);
    let mut function = None;
    while cursor.peek().is_some_and(|token| token.is(".")) {
        let point = cursor.place();
        cursor.accept(".");
        let Some(suffix) = cursor.next() else {
            return Err(cursor.unexpected("what follows the point"));
        };
        let place = cursor.since(point);
        match (opcode, suffix.text.as_str()) {
            (_, "b") if format == Format::Branch => out.option("BranchCtrl", place),
            (Opcode::Sync, number) if suffix.kind == Kind::Number => {
                out.put(&format!(".{}", sync_function(number, suffix.place)?), place);
            }
            (Opcode::Send | Opcode::Sendc, number)
                if suffix.kind == Kind::Number && generation >= Generation::Gen12 =>
            {
                out.put(&format!(".{}", shared_function(number, suffix.place)?), place);
            }
            (Opcode::Math | Opcode::Sync | Opcode::Send | Opcode::Sendc, name) => {
                function = Some(name.to_owned());
                out.put(&format!(".{name}"), place);
            }
            (_, name) => {
                let message = format!("`.{name}` does not follow `{}`", word.text);
                let wrong = place.diagnostic(message);
                return Err(Box::new(wrong.with_help(
                    "`(sat)` stands before the destination, a condition behind the execution size",
                )));
            }
        }
    }
    let size = execution_size(cursor, out, opcode)?;
    Ok(Head { opcode, function, size, format })
}

/// `.0x0` of `sync` is `.nop`.
fn sync_function(number: &str, place: Place) -> Result<&'static str, Failure> {
    use crate::eu::{codes, instruction::SyncFunction};
    let code = super::super::cursor::integer_of(number);
    let found = SyncFunction::ALL.into_iter().find(|function| {
        codes::SYNC_FUNCTIONS.code(Generation::Gen12, *function).map(u64::from) == code
    });
    found
        .map(SyncFunction::name)
        .ok_or_else(|| Box::new(place.diagnostic(format!("`{number}` is no function of sync"))))
}

/// The number of a shared function behind `send`.
fn shared_function(number: &str, place: Place) -> Result<&'static str, Failure> {
    let code = super::super::cursor::integer_of(number);
    let rows = super::super::names::SHARED_FUNCTIONS;
    let found = rows.iter().find(|(_, row)| Some(u64::from(*row)) == code);
    found.map(|(name, _)| *name).ok_or_else(|| {
        Box::new(place.diagnostic(format!("`{number}` is no shared function that has a name")))
    })
}

/// `(8|M0)`. Instructions that have no channels need none, and what they have of it is dropped.
fn execution_size(cursor: &mut Cursor, out: &mut Rewritten, opcode: Opcode) -> Result<u8, Failure> {
    let start = cursor.place();
    let is_written =
        cursor.peek().is_some_and(|token| token.is("(")) && is_number(cursor.peek_at(1));
    let is_optional = matches!(
        opcode,
        Opcode::Nop | Opcode::Illegal | Opcode::Wait | Opcode::Jmpi | Opcode::Sync
    );
    if !is_written {
        if is_optional {
            if !matches!(opcode, Opcode::Nop | Opcode::Illegal) {
                out.put("(1)", start);
            }
            return Ok(1);
        }
        let wrong = cursor.unexpected("the execution size");
        return Err(Box::new(wrong.with_help("it stands in parentheses: `(8|M0)`")));
    }
    let (size, first) = super::super::words::execution_size(cursor)?;
    if !matches!(opcode, Opcode::Nop | Opcode::Illegal) {
        out.put(&format!("({size}|M{first})"), cursor.since(start));
    }
    Ok(size)
}

/// `(lt)f0.0`, in brackets or not.
fn condition(cursor: &mut Cursor, out: &mut Rewritten) -> Result<(), Failure> {
    let start = cursor.place();
    let in_brackets = cursor.accept("[");
    let is_modifier = |token: &Token| token.text == "sat" || token.text == "abs";
    if !in_brackets
        && (!cursor.peek().is_some_and(|token| token.is("("))
            || cursor.peek_at(1).is_none_or(|token| token.kind != Kind::Word || is_modifier(token)))
    {
        return Ok(());
    }
    cursor.expect("(", "before the condition")?;
    let word = cursor.word("a condition such as `lt`")?;
    let Some((_, native)) = CONDITIONS.iter().find(|(name, _)| *name == word.text) else {
        let names = CONDITIONS.map(|(name, _)| name);
        let message = format!("`{}` is no condition", word.text);
        let help = match nearest(&word.text, names) {
            Some(near) if word.text.len() > 2 => format!("did you mean `{near}`?"),
            _ => "they are eq, ne, gt, ge, lt, le, ov, un and eo".to_owned(),
        };
        return Err(Box::new(word.place.diagnostic(message).with_help(help)));
    };
    cursor.expect(")", "after the condition")?;
    let flag = flag(cursor)?;
    if in_brackets {
        cursor.expect("]", "after the flag register")?;
    }
    let place = cursor.since(start);
    match *native {
        "" if flag == "f0.0" => {}
        "" => out.option(format!("Flag({flag})"), place),
        native => out.put(&format!("[({native}){flag}]"), place),
    }
    Ok(())
}
