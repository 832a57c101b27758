//! Options of IGA text.

use super::{
    super::{
        super::{
            cursor::{Cursor, Failure},
            lexer::Place,
        },
        Rewritten,
    },
    Head,
};
use crate::{
    eu::{
        generation::Generation,
        opcode::{Format, Opcode},
    },
    nearest,
};

/// Options by their names, and this project's; none where the word has no bits for them.
const OPTIONS: [(&str, Option<&str>); 16] = [
    ("Compacted", Some("Compact")),
    ("Uncompacted", None),
    ("NoCompact", None),
    ("Atomic", Some("Atomic")),
    ("Switch", Some("Switch")),
    ("AccWrEn", Some("AccWrEn")),
    ("Breakpoint", Some("Breakpoint")),
    ("EOT", Some("EOT")),
    ("NoDDChk", Some("NoDDChk")),
    ("NoDDClr", Some("NoDDClr")),
    ("Serialize", None),
    ("NoPreempt", None),
    // This project's own, so that every word has a text.
    ("MaskCtrlEx", Some("MaskCtrlEx")),
    ("FusionCtrl", Some("FusionCtrl")),
    ("Align16", Some("Align16")),
    ("BranchCtrl", Some("BranchCtrl")),
];

/// Options that have a value in parentheses; this project's own too.
const WITH_VALUE: [&str; 4] = ["Residue", "CompactResidue", "Flag", "Sfid"];

pub(super) fn rewrite(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    head: &Head,
) -> Result<(), Failure> {
    let start = cursor.place();
    if !cursor.accept("{") {
        return Ok(());
    }
    while !cursor.accept("}") {
        let place = cursor.place();
        if cursor.is_done() {
            let wrong = start.diagnostic("the options do not end");
            return Err(Box::new(wrong.with_help("close them with `}`")));
        }
        if cursor.peek().is_some_and(|token| token.is("@") || token.is("$")) {
            scoreboard(cursor, out, head)?;
        } else {
            let word = cursor.word("an option")?;
            if WITH_VALUE.contains(&word.text.as_str()) {
                let mut text = word.text.clone();
                while let Some(token) = cursor.next() {
                    text.push_str(&token.text);
                    if token.is(")") {
                        break;
                    }
                }
                out.option(text, cursor.since(place));
            } else {
                let row = OPTIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&word.text));
                let Some((_, native)) = row else { return Err(unknown(word.place, &word.text)) };
                // The encoder leaves it out of messages.
                let is_message = matches!(head.format, Format::Message | Format::SplitMessage);
                let is_dropped = is_message && matches!(*native, Some("NoDDChk" | "NoDDClr"));
                let is_later = cursor.target.generation >= Generation::Gen12;
                let is_dropped = is_dropped || is_later && *native == Some("Switch");
                if let Some(native) = native.filter(|_| !is_dropped) {
                    out.option(native, word.place);
                }
            }
        }
        if !cursor.accept(",") && cursor.peek().is_some_and(|token| !token.is("}")) {
            return Err(cursor.unexpected("`,` or `}` after the option"));
        }
    }
    Ok(())
}

fn unknown(place: Place, text: &str) -> Failure {
    let wrong = place.diagnostic(format!("`{text}` is no option"));
    let names = OPTIONS.map(|(name, _)| name);
    let help = if text.len() == 2 && text.starts_with(['H', 'Q', 'N']) {
        "the channels stand behind the execution size: `(8|M8)`".to_owned()
    } else {
        match nearest(text, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("options are {}", names[..12].join(", ")),
        }
    };
    Box::new(wrong.with_help(help))
}

/// `@2`, `$5`, `$5.dst`, `$5.src`. Beside a distance a token is set by messages and `math`, and waited
/// for by others.
fn scoreboard(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let start = cursor.place();
    let mut text = String::new();
    let takes_time = head.opcode == Opcode::Math
        || matches!(head.format, Format::Message | Format::SplitMessage);
    if cursor.accept("@") {
        text.push_str(&format!("@{}", cursor.integer("the distance", 1..=7)?));
    } else {
        cursor.accept("$");
        text.push_str(&format!("${}", cursor.integer("the token", 0..=15)?));
        if cursor.accept(".") {
            let word = cursor.word("`dst` or `src`")?;
            text.push_str(&format!(".{}", word.text));
        }
    }
    let place = cursor.since(start);
    let other = out.options.iter().find(|(option, _)| option.starts_with('@'));
    let is_token = text.starts_with('$');
    if is_token && other.is_some() {
        let is_set = !text.contains('.');
        let is_possible = if is_set { takes_time } else { !takes_time && text.ends_with(".dst") };
        if !is_possible {
            let wrong = place.diagnostic(format!("`{text}` cannot stand beside a distance here"));
            return Err(Box::new(wrong.with_help(match takes_time {
                true => "beside a distance, messages and math set a token: `{@1,$3}`",
                false => "beside a distance, an instruction waits for a result: `{@1,$3.dst}`",
            })));
        }
    }
    out.option(text, place);
    Ok(())
}
