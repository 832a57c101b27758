//! Options of Mesa's text: `{ align1 WE_all 1Q @1 $3.dst compacted EOT }`.

use super::super::{
    super::{
        cursor::{Cursor, Failure, Target},
        lexer::{Kind, Token},
    },
    Rewritten,
};
use crate::nearest;

/// Options by Mesa's words, and this project's; none where nothing is said that is not so anyway.
pub(super) const OPTIONS: [(&str, Option<&str>); 20] = [
    ("align1", None),
    ("align16", Some("Align16")),
    ("nomask", Some("NoMask")),
    ("WE_all", Some("NoMask")),
    ("NoDDClr", Some("NoDDClr")),
    ("NoDDChk", Some("NoDDChk")),
    ("compr", Some("Compr")),
    ("compr4", Some("Compr4")),
    ("sechalf", Some("SecHalf")),
    ("compacted", Some("Compact")),
    ("atomic", Some("Atomic")),
    ("switch", Some("Switch")),
    ("AccWrEnable", Some("AccWrEn")),
    ("BranchCtrl", Some("BranchCtrl")),
    ("EOT", Some("EOT")),
    // This project's own, so that every word has a text.
    ("breakpoint", Some("Breakpoint")),
    ("MaskCtrlEx", Some("MaskCtrlEx")),
    ("FusionCtrl", Some("FusionCtrl")),
    ("Flag1", Some("Flag1")),
    ("uncompacted", None),
];

/// Options that have a value in parentheses, all this project's own.
const WITH_VALUE: [&str; 4] = ["Residue", "CompactResidue", "Flag", "Sfid"];

/// What stands elsewhere in this project's syntax.
#[derive(Default)]
pub(super) struct Group {
    pub(super) first_channel: u8,
    pub(super) is_align16: bool,
}

pub(super) fn rewrite(
    tokens: &[Token],
    line: usize,
    target: Target,
    out: &mut Rewritten,
) -> Result<Group, Failure> {
    let cursor = &mut Cursor::new(tokens, line, target);
    let mut group = Group::default();
    let start = cursor.place();
    if !cursor.accept("{") {
        return Ok(group);
    }
    while !cursor.accept("}") {
        if cursor.is_done() {
            let wrong = start.diagnostic("the options do not end");
            return Err(Box::new(wrong.with_help("close them with `}`")));
        }
        option(cursor, out, &mut group)?;
        cursor.accept(",");
    }
    if cursor.is_done() { Ok(group) } else { Err(cursor.unexpected("`;` after the options")) }
}

fn option(cursor: &mut Cursor, out: &mut Rewritten, group: &mut Group) -> Result<(), Failure> {
    let start = cursor.place();
    let Some(token) = cursor.next() else { return Ok(()) };
    if token.is("@") {
        let distance = cursor.integer("the distance", 1..=7)?;
        out.option(format!("@{distance}"), cursor.since(start));
        return Ok(());
    }
    if token.is("$") {
        let mut text = format!("${}", cursor.integer("the token", 0..=15)?);
        if cursor.accept(".") {
            text.push('.');
            text.push_str(&cursor.word("`dst` or `src`")?.text);
        }
        out.option(text, cursor.since(start));
        return Ok(());
    }
    if token.kind == Kind::Number {
        group.first_channel = first_channel(&token.text).ok_or_else(|| {
            let message = format!("`{}` is no group of channels", token.text);
            let help = "groups are 1Q to 4Q (8 channels), 1H and 2H (16), 1N to 8N (4)";
            Box::new(token.place.diagnostic(message).with_help(help))
        })?;
        return Ok(());
    }
    if WITH_VALUE.contains(&token.text.as_str()) {
        let mut text = token.text.clone();
        while let Some(part) = cursor.next() {
            text.push_str(&part.text);
            if part.is(")") {
                break;
            }
        }
        out.option(text, cursor.since(start));
        return Ok(());
    }
    let Some((_, native)) = OPTIONS.iter().find(|(name, _)| *name == token.text) else {
        let wrong = token.place.diagnostic(format!("`{}` is no option", token.text));
        let names = OPTIONS.map(|(name, _)| name);
        let help = match nearest(&token.text, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("options are {}", names[..15].join(", ")),
        };
        return Err(Box::new(wrong.with_help(help)));
    };
    if let Some(native) = native {
        group.is_align16 |= *native == "Align16";
        out.option(*native, token.place);
    }
    Ok(())
}

/// The first channel of a quarter, half or nibble: `2Q` is channel 8.
fn first_channel(text: &str) -> Option<u8> {
    const UNITS: [(char, u8, u8); 3] = [('Q', 8, 4), ('H', 16, 2), ('N', 4, 8)];
    UNITS.into_iter().find_map(|(unit, channels, count)| {
        let number: u8 = text.strip_suffix(unit)?.parse().ok()?;
        (1..=count).contains(&number).then(|| (number - 1) * channels)
    })
}
