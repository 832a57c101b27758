//! Whose text it is.

use super::super::{
    cursor::integer_of,
    lexer::{Kind, LONGEST_LINE, Lexer, Token},
};
use crate::{Device, Syntax};

/// Lines that are looked through: what a tool prints shows soon.
const LINES: usize = 4096;

/// Options and directives that only this project's syntax has.
const OWN: [&str; 8] =
    ["NoMask", "Compact", "SecHalf", "Compr", "kernel", "declare", "define", "pop"];

/// Options that only Mesa's syntax has.
const MESA: [&str; 6] = ["align1", "align16", "WE_all", "nomask", "compacted", "AccWrEnable"];

/// Options and accumulators that only IGA's syntax has.
const IGA: [&str; 4] = ["Compacted", "nomme", "mme0", "inline_inst"];

/// The syntax that a text for a device is written in, by its content; this project's own if nothing shows
/// that it is another's.
///
/// ```
/// use parallax_isa::{Device, Syntax, eu::text::recognise};
///
/// let mesa = "mov(8) g2<1>F g3<8,8,1>F { align1 1Q };";
/// assert_eq!(recognise(Device::Ivb, mesa), Syntax::Mesa);
/// let iga = "(W) mov (8|M0) r2.0<1>:f r3.0<8;8,1>:f";
/// assert_eq!(recognise(Device::Dg1, iga), Syntax::Iga);
/// assert_eq!(recognise(Device::Dg1, "mov (8) r2<1>:f r3<8;8,1>:f"), Syntax::Manual);
/// // Only IGA has sources without a region.
/// assert_eq!(recognise(Device::Dg1, "mov (8) r2<1>:f r3:f"), Syntax::Iga);
/// ```
#[must_use]
pub fn recognise(device: Device, source: &str) -> Syntax {
    // Comments and punctuation of all of them.
    let mut lexer = Lexer::new(Syntax::Mesa);
    let (mut is_own, mut is_iga) = (false, false);
    let lines = source.lines().take(LINES).filter(|line| line.len() <= LONGEST_LINE);
    for (number, line) in lines.enumerate() {
        let tokens = lexer.line(number + 1, line, &mut Vec::new());
        if shows_mesa(&tokens) {
            return if Syntax::Mesa.is_for(device) { Syntax::Mesa } else { Syntax::Manual };
        }
        is_own |= shows_own(&tokens);
        is_iga |= shows_iga(&tokens);
    }
    if is_iga && !is_own && Syntax::Iga.is_for(device) { Syntax::Iga } else { Syntax::Manual }
}

fn has_word(tokens: &[Token], words: &[&str]) -> bool {
    tokens.iter().any(|token| token.kind == Kind::Word && words.contains(&token.text.as_str()))
}

/// Options of Mesa, or a register such as `g12` before a region, and no type with a colon.
fn shows_mesa(tokens: &[Token]) -> bool {
    let is_general = |token: &Token| {
        token.kind == Kind::Word
            && token.text.strip_prefix('g').is_some_and(|number| integer_of(number).is_some())
    };
    let has_general =
        tokens.windows(2).any(|two| is_general(&two[0]) && (two[1].is("<") || two[1].is(".")));
    has_word(tokens, &MESA) || has_general && !tokens.iter().any(|token| token.is(":"))
}

/// Words of this project, defaults, or a condition in brackets.
fn shows_own(tokens: &[Token]) -> bool {
    let is_default = |token: &Token| token.text.starts_with("default_");
    has_word(tokens, &OWN)
        || tokens.iter().any(is_default)
        || tokens.windows(2).any(|pair| pair[0].is("[") && pair[1].is("("))
}

/// Whether a general register that is a source has a type, but no region; messages have none here either.
fn has_source_without_region(tokens: &[Token]) -> bool {
    let is_general = |token: &Token| {
        token.text.strip_prefix('r').is_some_and(|number| integer_of(number).is_some())
    };
    let is_message = tokens.iter().any(|token| token.text.starts_with("send"));
    let registers = (0..tokens.len()).filter(|at| is_general(&tokens[*at]));
    let is_bare = |at: usize| match &tokens[at + 1..] {
        [point, _, colon, ..] if point.is(".") => colon.is(":"),
        [colon, ..] => colon.is(":"),
        [] => false,
    };
    !is_message && registers.skip(1).any(is_bare)
}

/// `(W)`, `(lt)f0.0` without brackets, `~r2`, `|r2|`, `.mme1`, `r2:f` as a source.
fn shows_iga(tokens: &[Token]) -> bool {
    let is_register = |token: &Token| {
        token.kind == Kind::Word && token.text.starts_with('r') && token.text != "ret"
    };
    let starts_without_mask = matches!(
        tokens,
        [open, word, end, ..] if open.is("(") && word.text == "W" && (end.is(")") || end.is("&"))
    );
    let has_bare_condition = tokens.windows(4).any(|four| {
        four[0].is("(")
            && four[1].kind == Kind::Word
            && four[2].is(")")
            && four[3].text.starts_with('f')
    });
    let has_sign =
        tokens.windows(2).any(|pair| (pair[0].is("~") || pair[0].is("|")) && is_register(&pair[1]));
    starts_without_mask
        || has_bare_condition
        || has_sign
        || has_word(tokens, &IGA)
        || has_source_without_region(tokens)
        || tokens.iter().any(|token| token.text.strip_prefix("mme").is_some_and(|n| n.len() == 1))
}
