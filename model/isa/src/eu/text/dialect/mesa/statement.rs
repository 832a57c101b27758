//! Statements of Mesa's text by the formats of their instructions.

use super::{
    super::{
        super::{
            cursor::{Cursor, Failure},
            lexer::Kind,
        },
        Rewritten, is_number, is_word,
    },
    Head, is_early, message,
    operands::{Register, channels_and_type, destination, immediate, operand, register},
};
use crate::eu::{
    opcode::{Format, Opcode},
    text::words::ANY,
};

pub(super) fn rewrite(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    head: &Head,
) -> Result<(), Failure> {
    match head.format {
        Format::Nothing | Format::Controls => Ok(()),
        Format::Message | Format::SplitMessage => message::rewrite(cursor, out, head),
        Format::Sync => sync(cursor, out),
        Format::Branch => branch(cursor, out, head),
        _ if is_early(cursor.target) && jumps(head.opcode) => early_branch(cursor, out, head),
        _ if head.opcode == Opcode::Jmpi => jump(cursor, out),
        _ if head.opcode == Opcode::Wait => wait(cursor, out, head),
        Format::ExitCode => Ok(()),
        Format::Unary => operands(cursor, out, head, 1),
        Format::Ternary => operands(cursor, out, head, 3),
        Format::Binary => {
            let has_one = head.function.is_some_and(|function| function.sources() == 1);
            if !has_one {
                return operands(cursor, out, head, 2);
            }
            operands(cursor, out, head, 1)?;
            // The second source of a function of one is null.
            let start = cursor.place();
            if !is_word(cursor.peek(), "null") {
                return Err(cursor.unexpected("`null`, the second source of this function"));
            }
            operand(cursor, head, 1, start).map(|_| ())
        }
    }
}

fn operands(
    cursor: &mut Cursor,
    out: &mut Rewritten,
    head: &Head,
    sources: usize,
) -> Result<(), Failure> {
    destination(cursor, out, head)?;
    for index in 0..sources {
        let start = cursor.place();
        let text = operand(cursor, head, index, start)?;
        out.put(&text, cursor.since(start));
    }
    Ok(())
}

/// `null<0,1,0>UB`, or the mask of tokens.
fn sync(cursor: &mut Cursor, out: &mut Rewritten) -> Result<(), Failure> {
    let start = cursor.place();
    if is_number(cursor.peek()) {
        let text = immediate(cursor, start)?;
        out.put(&text, cursor.since(start));
        return Ok(());
    }
    if !is_word(cursor.peek(), "null") {
        return Err(cursor.unexpected("`null<0,1,0>UB` or a mask of tokens"));
    }
    register(cursor)?;
    if cursor.accept("<") {
        while cursor.next().is_some_and(|token| !token.is(">")) {}
        channels_and_type(cursor)?;
    }
    out.put("null", cursor.since(start));
    Ok(())
}

/// `n0<1>UD`; operands that follow say nothing more.
fn wait(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let start = cursor.place();
    let Register { text, .. } = register(cursor)?;
    if !text.starts_with('n') {
        return Err(Box::new(start.diagnostic("wait needs a notification register such as `n0`")));
    }
    cursor.expect("<", "before the horizontal stride")?;
    cursor.integer("the horizontal stride", 0..=4)?;
    cursor.expect(">", "after the horizontal stride")?;
    channels_and_type(cursor)?;
    let place = cursor.since(start);
    if is_early(cursor.target) {
        let source = if head.is_align16 { "<0>" } else { "<0;1,0>" };
        let null = if head.is_align16 { "null<4>:f" } else { "null<8;8,1>:f" };
        out.put(&format!("{text}<1>:ud {text}{source}:ud {null}"), place);
    } else {
        let text = if text.contains('.') { text } else { format!("{text}.0") };
        out.put(&text, place);
    }
    Ok(())
}

/// `16D`, or a register.
fn jump(cursor: &mut Cursor, out: &mut Rewritten) -> Result<(), Failure> {
    let start = cursor.place();
    if is_number(cursor.peek()) || cursor.peek().is_some_and(|token| token.is("-")) {
        let is_negative = cursor.accept("-");
        let Some(token) = cursor.next() else { return Ok(()) };
        let place = cursor.since(start);
        let digits = token.text.strip_suffix('D').filter(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        let Some(digits) = digits else {
            let wrong = place.diagnostic(format!("`{}` is no distance", token.text));
            return Err(Box::new(wrong.with_help("it is a number of type D: `16D`")));
        };
        out.put(&format!("{}{digits}", if is_negative { "-" } else { "" }), place);
        return Ok(());
    }
    let head =
        Head { opcode: Opcode::Jmpi, function: None, format: Format::Binary, is_align16: false };
    let text = operand(cursor, &head, 1, start)?;
    out.put(&text, cursor.since(start));
    Ok(())
}

/// Instructions of Gen4 and Gen4.5 that have a jump count.
pub(super) fn jumps(opcode: Opcode) -> bool {
    use Opcode::{Break, Cont, Else, Endif, Halt, If, Iff, While};
    matches!(opcode, Break | Cont | Else | Endif | Halt | If | Iff | While)
}

/// `Jump: 3 Pop: 1`.
fn early_branch(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let start = cursor.place();
    let (mut jump, mut pops) = (0, 0);
    for (name, value) in [("Jump", &mut jump), ("Pop", &mut pops)] {
        if cursor.accept_word(name) {
            cursor.expect(":", "after the name of the number")?;
            *value = cursor.integer("the number", -0x8000..=0x7FFF)?;
        }
    }
    let place = cursor.since(start);
    if head.opcode == Opcode::Endif {
        out.put(&format!("{jump} pop {pops}"), place);
        return Ok(());
    }
    let bits = (pops << 16 | jump & 0xFFFF) as i32;
    let source = if head.is_align16 { "<4>" } else { "<4;1,0>" };
    out.put(&format!("ip<1>:ud ip{source}:ud {bits}:d"), place);
    Ok(())
}

/// `JIP: LABEL0 UIP: LABEL1`, or a register.
fn branch(cursor: &mut Cursor, out: &mut Rewritten, head: &Head) -> Result<(), Failure> {
    let operands = head.opcode.branch_operands(cursor.target.generation);
    if operands.destination {
        destination(cursor, out, head)?;
    }
    if !is_word(cursor.peek(), "JIP") {
        if head.opcode == Opcode::Jmpi {
            return jump(cursor, out);
        }
        if operands.register.is_none() {
            let wrong = cursor.unexpected("`JIP:` and a label");
            return Err(Box::new(wrong.with_help(
                "this text does not have the targets of the branch; take the machine code",
            )));
        }
        let start = cursor.place();
        let text = operand(cursor, head, 1, start)?;
        out.put(&text, cursor.since(start));
        return Ok(());
    }
    let both = [("JIP", operands.jip), ("UIP", operands.uip)];
    for (name, _) in both.into_iter().filter(|(_, has)| *has) {
        if !cursor.accept_word(name) {
            return Err(cursor.unexpected(&format!("`{name}:` and a label")));
        }
        cursor.expect(":", "before the label")?;
        let start = cursor.place();
        match cursor.peek() {
            Some(label) if label.kind == Kind::Word => {
                cursor.next();
                out.copy(label);
            }
            _ => {
                let distance = cursor.integer("a label or a distance", ANY)?;
                out.put(&distance.to_string(), cursor.since(start));
            }
        }
    }
    Ok(())
}
