//! Text of Mesa's assembler and disassembler, for all execution units.

use super::{
    super::{
        cursor::{Cursor, Failure, Target},
        hints,
        lexer::{Kind, Token},
        names,
    },
    Rewritten, is_word, read_inline,
};
use crate::{
    eu::{
        generation::Generation,
        instruction::MathFunction,
        opcode::{Format, Opcode},
        text::Diagnostic,
    },
    nearest,
};

mod message;
mod operands;
mod options;
pub(in crate::eu::text) mod print;
mod statement;
mod words;

/// Functions of `math` by Mesa's names; the others are named as here.
pub(super) const FUNCTIONS: [(&str, MathFunction); 6] = [
    ("rsq", MathFunction::Rsqt),
    ("sqrt", MathFunction::Sqt),
    ("rsqrtm", MathFunction::Rsqtm),
    ("intdivmod", MathFunction::Idiv),
    ("intdiv", MathFunction::Iqot),
    ("intmod", MathFunction::Irem),
];

/// Shared functions from Gen6 on, by code; two names are of several words.
pub(super) const SHARED_FUNCTIONS: [(&str, u8); 15] = [
    ("null", 0),
    ("math", 1),
    ("sampler", 2),
    ("gateway", 3),
    ("dp_sampler", 4),
    ("read", 4),
    ("render", 5),
    ("write", 5),
    ("urb", 6),
    ("thread_spawner", 7),
    ("vme", 8),
    ("const", 9),
    ("data", 10),
    ("pixel interp", 11),
    ("dp data 1", 12),
];

/// What is known of a statement when its operands are read.
struct Head {
    opcode: Opcode,
    function: Option<MathFunction>,
    format: Format,
    is_align16: bool,
}

/// Whether a line stands around the instructions in what `INTEL_DEBUG` prints: `Native code for …`,
/// `SIMD8 shader: 12 instructions. …`, `START B0 (34 cycles)`, `END B0 ->B1`.
pub(super) fn is_heading(line: &str) -> bool {
    let line = line.trim_start();
    let is_block =
        |rest: &str| rest.starts_with('B') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    let block = line.strip_prefix("START ").or_else(|| line.strip_prefix("END "));
    line.starts_with("Native code for ")
        || line.starts_with("SIMD") && line.contains(" shader: ")
        || block.is_some_and(is_block)
}

/// The statements that end on a line: labels at their colons, instructions at `;`.
pub(super) fn split(pending: &mut Vec<Token>, tokens: Vec<Token>) -> Vec<Vec<Token>> {
    let mut statements = Vec::new();
    for token in tokens {
        let is_label =
            matches!(pending.as_slice(), [name] if name.kind == Kind::Word) && token.is(":");
        if is_label {
            pending.push(token);
            statements.push(std::mem::take(pending));
        } else if token.is(";") && !is_in_region(pending) {
            statements.push(std::mem::take(pending));
        } else {
            pending.push(token);
        }
    }
    statements.retain(|statement| !statement.is_empty());
    statements
}

/// Whether a region of another syntax is open: `<8;8,1>`.
fn is_in_region(pending: &[Token]) -> bool {
    matches!(pending, [.., open, number] if open.is("<") && number.kind == Kind::Number)
}

/// A statement in this project's own syntax.
pub(super) fn rewrite(tokens: &[Token], target: Target) -> Result<Vec<Token>, Failure> {
    if matches!(tokens, [name, colon] if name.kind == Kind::Word && colon.is(":")) {
        return Ok(tokens.to_vec());
    }
    if tokens.first().is_some_and(|token| token.is(".")) {
        let line = tokens.first().map_or(1, |token| token.place.line);
        return read_inline(&mut Cursor::new(tokens, line, target));
    }
    let brace = tokens.iter().position(|token| token.is("{")).unwrap_or(tokens.len());
    let (body, options) = tokens.split_at(brace);
    let line = tokens.first().map_or(1, |token| token.place.line);
    let mut out = Rewritten::default();
    let group = options::rewrite(options, line, target, &mut out)?;
    if let ([name], []) = (body, options)
        && name.text == "nenop"
    {
        // Only compaction makes one, as 64 bits, and Mesa does not say so.
        out.option("Compact", name.place);
    }
    let cursor = &mut Cursor::new(body, line, target);
    predicate(cursor, &mut out)?;
    let head = mnemonic(cursor, &mut out, &group)?;
    statement::rewrite(cursor, &mut out, &head)?;
    if !cursor.is_done() {
        return Err(cursor.unexpected("options in braces"));
    }
    Ok(out.finish())
}

/// `(+f0.0)`, `(-f0.1.any4h)`.
fn predicate(cursor: &mut Cursor, out: &mut Rewritten) -> Result<(), Failure> {
    let start = cursor.place();
    if !cursor.accept("(") {
        return Ok(());
    }
    let is_inverted = cursor.accept("-");
    if !is_inverted {
        cursor.expect("+", "or `-` before the flag register")?;
    }
    let mut text = format!("({}{}", if is_inverted { "-" } else { "" }, flag(cursor)?);
    if cursor.accept(".") {
        let word = cursor.word("a predicate control such as `any4h`")?;
        if !names::PREDICATES.iter().any(|(name, _)| *name == word.text) {
            let message = format!("`{}` is no predicate control", word.text);
            let help = hints::predicate_control(&word.text, cursor.target.generation);
            return Err(Box::new(word.place.diagnostic(message).with_help(help)));
        }
        text.push('.');
        text.push_str(&word.text);
    }
    cursor.expect(")", "after the predicate")?;
    out.put(&format!("{text})"), cursor.since(start));
    Ok(())
}

/// `f0.0`, `f1.1`.
fn flag(cursor: &mut Cursor) -> Result<String, Failure> {
    let known = |token: &&Token| token.text == "f0" || token.text == "f1";
    let Some(register) = cursor.peek().filter(known) else {
        return Err(cursor.unexpected("a flag register such as `f0.0`"));
    };
    cursor.next();
    cursor.expect(".", "and the flag subregister")?;
    let subregister = cursor.integer("the flag subregister", 0..=1)?;
    Ok(format!("{}.{subregister}", register.text))
}

/// `add.sat.ge.f0.0(8)`, `math inv(8)`, `sync allwr(1)`, `nop`.
fn mnemonic(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    group: &options::Group,
) -> Result<Head, Failure> {
    let word = cursor.word("an instruction")?;
    let Target { device, generation, .. } = cursor.target;
    let known = Opcode::of_mnemonic(&word.text).filter(|opcode| opcode.code(device).is_some());
    let opcode = known.ok_or_else(|| {
        let wrong = word.place.diagnostic(format!("`{}` is no instruction of {device}", word.text));
        let help = hints::mnemonic(&word.text, cursor.peek(), device);
        Box::new(Diagnostic { help, ..wrong })
    })?;
    cursor.opcode = Some(opcode);
    out.copy(word);
    let function = function(cursor, out, opcode)?;
    while cursor.accept(".") {
        let suffix = cursor.word("`sat` or a conditional modifier")?;
        let place = suffix.place;
        match suffix.text.as_str() {
            "sat" => out.put(".sat", place),
            "breakpoint" => out.option("Breakpoint", place),
            name if names::CONDITIONS.iter().any(|(known, _)| *known == name) => {
                out.put(&format!(".{name}"), place);
                if is_word(cursor.peek_at(1), "f0") || is_word(cursor.peek_at(1), "f1") {
                    let start = cursor.place();
                    cursor.accept(".");
                    let flag = flag(cursor)?;
                    out.put(&format!(".{flag}"), cursor.since(start));
                }
            }
            name => {
                let known = names::CONDITIONS.map(|(name, _)| name);
                let wrong = place.diagnostic(format!("`.{name}` is no modifier"));
                let help = match nearest(name, known.into_iter().chain(["sat"])) {
                    Some(near) => format!("did you mean `.{near}`?"),
                    None => format!("modifiers are .sat, .{}", known.join(", .")),
                };
                return Err(Box::new(wrong.with_help(help)));
            }
        }
    }
    let format = opcode.format_on(generation);
    let needs_size = format != Format::Nothing && opcode != Opcode::Nop;
    if needs_size || cursor.peek().is_some_and(|token| token.is("(")) {
        let start = cursor.place();
        cursor.expect("(", "before the execution size")?;
        let size = cursor.integer("the execution size", 1..=32)?;
        cursor.expect(")", "after the execution size")?;
        if needs_size {
            let first = group.first_channel;
            let text = match first {
                0 => format!("({size})"),
                first => format!("({size}|M{first})"),
            };
            out.put(&text, cursor.since(start));
        }
    }
    Ok(Head { opcode, function, format, is_align16: group.is_align16 })
}

/// The function that stands as a word behind `math` and `sync`.
fn function(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    opcode: Opcode,
) -> Result<Option<MathFunction>, Failure> {
    if !matches!(opcode, Opcode::Math | Opcode::Sync) {
        return Ok(None);
    }
    let word = cursor.word("the function, as in `math inv(8)`")?;
    if opcode == Opcode::Sync {
        // This project's reader knows the names.
        out.put(&format!(".{}", word.text), word.place);
        return Ok(None);
    }
    let foreign =
        FUNCTIONS.iter().find(|(name, _)| *name == word.text).map(|(_, function)| *function);
    let own = || {
        MathFunction::ALL.into_iter().find(|function| {
            function.name() == word.text && !FUNCTIONS.iter().any(|(_, other)| other == function)
        })
    };
    let Some(function) = foreign.or_else(own) else {
        let message = format!("`{}` is no function of math", word.text);
        let known = FUNCTIONS.map(|(name, _)| name).into_iter();
        let known = known.chain(["inv", "log", "exp", "sin", "cos", "fdiv", "pow", "invm"]);
        let near = nearest(&word.text, known.clone()).map(|near| format!("did you mean `{near}`?"));
        let help =
            near.unwrap_or_else(|| format!("they are {}", known.collect::<Vec<_>>().join(", ")));
        return Err(Box::new(word.place.diagnostic(message).with_help(help)));
    };
    out.put(&format!(".{}", function.name()), word.place);
    Ok(Some(function))
}

/// Whether a device has flow control with `Jump` and `Pop`.
fn is_early(target: Target) -> bool {
    target.generation <= Generation::Gen45
}
