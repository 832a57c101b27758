//! Suggestions at the end of the parser's messages.

use super::{
    lexer::{Kind, Token},
    names,
};
use crate::{
    Device,
    eu::{codes, generation::Generation, instruction::AccessMode, opcode::Opcode, types::DataType},
    nearest,
};

/// Words of other instruction sets and what to write here.
const INSTRUCTIONS: [(&str, &str); 27] = [
    ("sub", "write add with a negated source: `add (8) r4<1>:f r2<8;8,1>:f -r3<8;8,1>:f`"),
    ("neg", "write mov with a negated source: `mov (8) r4<1>:f -r2<8;8,1>:f`"),
    ("abs", "write mov with an absolute source: `mov (8) r4<1>:f (abs)r2<8;8,1>:f`"),
    ("div", "divide with a send to Extended Math"),
    ("rcp", "send the operand to Extended Math"),
    ("inv", "send the operand to Extended Math"),
    ("sqrt", "send the operand to Extended Math"),
    ("sqr", "send the operand to Extended Math"),
    ("rsq", "send the operand to Extended Math"),
    ("math", "send the operands to Extended Math; `math` came with a later generation"),
    ("mad", "write mul to an accumulator, then mac; `mad` came with a later generation"),
    ("fma", "write mul to an accumulator, then mac"),
    ("lrp", "write mul to an accumulator, then mac; `lrp` came with a later generation"),
    ("min", "compare with cmp.l, then choose with a predicated sel"),
    ("max", "compare with cmp.ge, then choose with a predicated sel"),
    ("jump", "write jmpi"),
    ("goto", "write jmpi"),
    ("bra", "write jmpi"),
    ("brc", "write jmpi, or if and else; `brc` came with a later generation"),
    ("pln", "write line to an accumulator, then mac"),
    ("movi", "write one mov for each element"),
    ("nenop", "write nop"),
    ("brd", "write jmpi, or if and else; `brd` came with a later generation"),
    ("ret", "write `mov (1) ip …` with the address to return to"),
    ("call", "save the address of the next instruction, then write `mov (1) ip …`"),
    ("floor", "write rndd"),
    ("ceil", "write rndu"),
];

/// What to write on Gen7 and later for what these do not have, or have no more.
const LATER_INSTRUCTIONS: [(&str, &str); 18] = [
    ("div", "write math.inv, then mul; for integers math.iqot"),
    ("rcp", "write math.inv"),
    ("inv", "write math.inv"),
    ("sqrt", "write math.sqt"),
    ("sqr", "write math.sqt"),
    ("rsq", "write math.rsqt"),
    ("fma", "write mad"),
    ("lrp", "write add for the difference of the ends, then mad"),
    ("line", "write mad"),
    ("pln", "write mad twice"),
    ("dp2", "write mul, then mad"),
    ("dp3", "write mul, then mad for each further element"),
    ("dp4", "write mul, then mad for each further element"),
    ("dph", "write mul, then mad for each further element, then add"),
    ("do", "a loop begins at a label, to which while goes back"),
    ("wait", "write sync.bar for n0.0, sync.host for n0.1"),
    ("sends", "write send, which has two payloads"),
    ("sendsc", "write sendc, which has two payloads"),
];

/// Modifiers of other assemblers.
const MODIFIERS: [(&str, &str); 10] = [
    ("eq", "e"),
    ("neq", "ne"),
    ("lt", "l"),
    ("lte", "le"),
    ("gt", "g"),
    ("gte", "ge"),
    ("saturate", "sat"),
    ("clamp", "sat"),
    ("ov", "o"),
    ("un", "u"),
];

/// Type words of other assemblers.
const TYPES: [(&str, &str); 14] = [
    ("float", "write `f`"),
    ("f32", "write `f`"),
    ("int", "write `d`"),
    ("s32", "write `d`"),
    ("uint", "write `ud`"),
    ("u32", "write `ud`"),
    ("dw", "write `d`"),
    ("word", "write `w`"),
    ("byte", "write `b`"),
    ("hf", "there are no half floats on these devices: convert to `f` before"),
    ("df", "there are no double floats on these devices"),
    ("q", "there are no 64-bit integers on these devices"),
    ("uq", "there are no 64-bit integers on these devices"),
    ("s", "write `w` for words, `d` for doublewords"),
];

/// Options of other assemblers.
const OPTIONS: [(&str, &str); 6] = [
    ("1q", "leave it out: what is not said to be the second half is the first"),
    ("1h", "leave it out: what is not said to be the second half is the first"),
    ("2q", "write SecHalf; from skl on, channels stand at the size: `(8|M8)`"),
    ("2h", "channels stand at the size, from skl on: `(16|M16)`"),
    ("mask_disable", "write NoMask"),
    ("we_all", "write NoMask"),
];

fn row(table: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(name, _)| *name == word).map(|(_, hint)| *hint)
}

fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, known).map(|near| format!("did you mean `{near}`?"))
}

/// What to write instead of an unknown mnemonic; `next` is the token after it.
pub(super) fn mnemonic(word: &str, next: Option<&Token>, device: Device) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    let is_later = device.generation() > Some(Generation::Gen45);
    let later = row(&LATER_INSTRUCTIONS, &lower).filter(|_| is_later);
    if let Some(hint) = later.or_else(|| row(&INSTRUCTIONS, &lower)) {
        return Some(hint.to_owned());
    }
    if next.is_some_and(is_mnemonic) {
        return Some(format!("a label ends in a colon: `{word}:`"));
    }
    if next.is_some_and(|token| token.is("=")) {
        return Some(
            "an instruction starts with its mnemonic: `add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f`"
                .to_owned(),
        );
    }
    let known = Opcode::ALL.iter().filter(|opcode| opcode.code(device).is_some());
    let known = known.map(|opcode| opcode.mnemonic());
    did_you_mean(&lower, known.clone()).or_else(|| {
        let known: Vec<&str> = known.collect();
        Some(format!("instructions are {}", known.join(", ")))
    })
}

/// What to write instead of an unknown modifier of a mnemonic.
pub(super) fn modifier(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    let known = names::CONDITIONS.iter().map(|(name, _)| *name).filter(|name| name.len() > 1);
    let near = row(&MODIFIERS, &lower).or_else(|| nearest(&lower, known.chain(["sat"])));
    match near {
        Some(near) => format!("did you mean `.{near}`?"),
        None => "modifiers are .sat and .z .e .nz .ne .g .ge .l .le .r .o .u".to_owned(),
    }
}

/// What to write instead of an unknown predicate control.
pub(super) fn predicate_control(word: &str, generation: Generation) -> String {
    let exists = |control| {
        [AccessMode::Align1, AccessMode::Align16]
            .into_iter()
            .any(|mode| codes::predicate_controls(mode).code(generation, control).is_some())
    };
    let listed = || names::PREDICATES.iter().filter(|(_, control)| exists(*control));
    let known = || listed().map(|(name, _)| *name);
    did_you_mean(word, known().filter(|name| name.len() > 1)).unwrap_or_else(|| {
        let known: Vec<&str> = known().collect();
        format!("predicate controls are {}", known.join(", "))
    })
}

/// What to write instead of an unknown type.
pub(super) fn data_type(word: &str) -> String {
    let hint = row(&TYPES, &word.to_ascii_lowercase())
        .unwrap_or("types are f, ud, d, uw, w, ub, b and, for immediates, v and vf");
    hint.to_owned()
}

/// What to write instead of an unknown option; `known` are those of the device.
pub(super) fn option(word: &str, known: impl Iterator<Item = &'static str>) -> String {
    if let Some(hint) = row(&OPTIONS, &word.to_ascii_lowercase()) {
        return hint.to_owned();
    }
    let known: Vec<&str> = known.collect();
    did_you_mean(word, known.iter().copied())
        .unwrap_or_else(|| format!("options are {}", known.join(", ")))
}

/// What to write instead of a word that is no register; `symbols` are the declared ones.
pub(super) fn register<'a>(
    word: &str,
    symbols: impl Iterator<Item = &'a str>,
    generation: Generation,
) -> String {
    if let Some(letter) = word.chars().find(|c| !c.is_ascii()) {
        return format!("`{letter}` (U+{:04X}) is not a letter of ASCII", u32::from(letter));
    }
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "inf" | "infinity" => return "write the bits of infinity: 0x7f800000:f".to_owned(),
        "nan" => return "write the bits of a NaN: 0x7fc00000:f".to_owned(),
        _ => {}
    }
    if let Some(number) = lower.strip_prefix('g').filter(|number| is_number(number)) {
        return format!("general registers are written with an r: `r{number}`");
    }
    let known = names::ARF_NAMES.iter().filter(|row| row.exists(generation));
    did_you_mean(word, symbols.chain(known.map(|row| row.word))).unwrap_or_else(|| {
        "registers are r0 to r127, m0 to m15, null, a0, acc0, acc1, f0, ip, the mask registers, \
         ms0, msd0, sr0, cr0, n0 and n1"
            .to_owned()
    })
}

/// What a token that fits nowhere tells about the mistake.
pub(super) fn stray(token: &Token) -> Option<String> {
    let text = match token.kind {
        Kind::Punctuation => match token.text.as_str() {
            "," => "operands are separated by blanks, not by commas",
            ";" => "an instruction ends with its line; comments start with `//`",
            "[" | "]" => "brackets are for indirect operands only: `r[a0.0]`",
            "+" => "a source has no sign but `-`",
            "~" | "!" => "invert with the instruction not; sources have `-` and `(abs)` only",
            _ => return None,
        },
        Kind::Word if is_option(token) => {
            return Some(format!("options stand in braces: {{{}}}", token.text));
        }
        Kind::Word if is_mnemonic(token) => "each instruction has a line of its own",
        Kind::Word | Kind::Number => row(&OPTIONS, &token.text.to_ascii_lowercase())?,
    };
    Some(text.to_owned())
}

/// What to write where the type of a constant is missing.
pub(super) fn typed_constant(text: &str) -> String {
    let suffixes = if text.contains('.') { ["f", "vf"] } else { ["d", "ud"] };
    let [one, other] = suffixes.map(|suffix| format!("`{text}:{suffix}`"));
    if text.contains('.') {
        format!("write {one}")
    } else {
        format!("write {one}, {other} or another type of constants: w, uw, f, v, vf")
    }
}

/// What to write instead of a number that is none.
pub(super) fn number(text: &str) -> Option<String> {
    let hint = if text.starts_with("0b") || text.starts_with("0B") {
        "numbers are decimal, or hexadecimal behind 0x"
    } else if text.contains('.') {
        "a fraction needs type f"
    } else if text.ends_with(['f', 'F']) && text.starts_with(|c: char| c.is_ascii_digit()) {
        "the type stands behind a colon: `:f`"
    } else {
        return None;
    };
    Some(hint.to_owned())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_mnemonic(token: &Token) -> bool {
    token.kind == Kind::Word && Opcode::of_mnemonic(&token.text.to_ascii_lowercase()).is_some()
}

fn is_option(token: &Token) -> bool {
    names::OPTIONS.iter().any(|(name, _)| token.text.eq_ignore_ascii_case(name))
}

/// Whether a word is a type's.
pub(super) fn is_type(token: &Token) -> bool {
    let lower = token.text.to_ascii_lowercase();
    token.kind == Kind::Word && DataType::of_suffix(&lower).is_some()
}
