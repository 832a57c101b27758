//! ALU instructions as text.

use super::{
    super::{
        instruction::{Alu, Operand},
        microcode::{AluOp2, AluOp3, Field, Format},
        opcode::{AluFormat, AluOpcode},
        source::{Inline, Source},
    },
    cursor::{Attribute, Cursor, Read, did_you_mean, differences, element, number, set_field},
};

/// Names of the units, in the order of instructions.
pub(super) const UNITS: [char; 5] = ['x', 'y', 'z', 'w', 't'];

const ELEMENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Names of the constants of the instruction set.
const INLINES: [(&str, Inline); 9] = [
    ("1.0D.lo", Inline::OneDoubleLow),
    ("1.0D.hi", Inline::OneDoubleHigh),
    ("0.5D.lo", Inline::HalfDoubleLow),
    ("0.5D.hi", Inline::HalfDoubleHigh),
    ("0.0", Inline::Zero),
    ("1.0", Inline::One),
    ("1", Inline::OneInteger),
    ("-1", Inline::MinusOneInteger),
    ("0.5", Inline::Half),
];

/// Names of the index modes.
const INDEXES: [&str; 7] = ["AR.x", "AR.y", "AR.z", "AR.w", "aL", "G", "G+AR.x"];

/// Names of the bank swizzles in the vector units and in Trans, by code.
const VECTOR_SWIZZLES: [&str; 6] =
    ["VEC_012", "VEC_021", "VEC_120", "VEC_102", "VEC_201", "VEC_210"];
const SCALAR_SWIZZLES: [&str; 4] = ["SCL_210", "SCL_122", "SCL_212", "SCL_221"];

/// Names of the output scales, by code.
const SCALES: [&str; 4] = ["", "*2", "*4", "/2"];

/// An instruction as text, without its unit. `literals` are those of its group.
pub(super) fn print(alu: Alu, trans: bool, literals: &[u32]) -> String {
    let Some(opcode) = alu.opcode() else { return String::new() };
    let mut text = opcode.mnemonic().to_owned();
    let destination = ELEMENTS[alu.dst_elem() as usize];
    if alu.write_mask() {
        let index = if alu.dst_rel() == 1 { index_suffix(alu) } else { String::new() };
        text += &format!(" R{}{index}.{destination}", alu.dst_gpr());
    } else {
        text += &format!(" ____.{destination}");
    }
    for operand in alu.operands() {
        text += ", ";
        text += &print_operand(alu, operand, literals);
    }
    let swizzles: &[&str] = if trans { &SCALAR_SWIZZLES } else { &VECTOR_SWIZZLES };
    if alu.bank_swizzle() != 0
        && let Some(name) = swizzles.get(alu.bank_swizzle() as usize)
    {
        text += &format!(" {name}");
    }
    if alu.omod() != 0 {
        text += &format!(" {}", SCALES[alu.omod() as usize]);
    }
    let flags = [
        (alu.clamp() == 1, "CLAMP"),
        (alu.update_execute_mask(), "UPDATE_EXEC_MASK"),
        (alu.update_pred(), "UPDATE_PRED"),
        (alu.pred_sel() == 2, "PRED_SEL_ZERO"),
        (alu.pred_sel() == 3, "PRED_SEL_ONE"),
    ];
    for (_, name) in flags.into_iter().filter(|(set, _)| *set) {
        text += &format!(" {name}");
    }
    // Whatever the text so far does not say is added field by field.
    let mut shown = vec![None; 4];
    if let Ok(read) = parse(&mut Cursor::new(&text), &mut shown) {
        let mut plain = read.dwords();
        plain[0] |= alu.dwords()[0] & AluOp2::LAST.mask();
        text += &differences(&alu.format(), &alu.dwords(), &plain);
    }
    text
}

fn index_suffix(alu: Alu) -> String {
    let name = INDEXES.get(alu.index_mode() as usize).copied().unwrap_or("?");
    format!("[{name}]")
}

/// An operand as it stands in the text of its instruction. `literals` are those of its group.
#[must_use]
pub fn print_operand(alu: Alu, operand: Operand, literals: &[u32]) -> String {
    let letter = ELEMENTS[usize::from(operand.element)];
    let Some(source) = operand.source else { return "?".to_owned() };
    let index =
        if operand.relative && source.is_address() { index_suffix(alu) } else { String::new() };
    let (body, plain) = match source {
        Source::Gpr(number) => (format!("R{number}{index}.{letter}"), true),
        Source::Constant(number) => (format!("C{number}{index}.{letter}"), true),
        Source::Kcache(set, number) => (format!("KC{set}[{number}]{index}.{letter}"), true),
        Source::Inline(inline) => {
            let name = INLINES.iter().find(|(_, listed)| *listed == inline);
            let name = name.map_or("?", |(name, _)| name);
            match operand.element {
                0 => (name.to_owned(), false),
                _ => (format!("({name}).{letter}"), true),
            }
        }
        Source::Literal => {
            let bits = literals.get(usize::from(operand.element)).copied().unwrap_or(0);
            (format!("({bits:#010x}, {:?}).{letter}", f32::from_bits(bits)), true)
        }
        Source::PreviousVector => (format!("PV.{letter}"), true),
        Source::PreviousScalar if operand.element == 0 => ("PS".to_owned(), true),
        Source::PreviousScalar => (format!("PS.{letter}"), true),
    };
    let body = if operand.absolute { format!("|{body}|") } else { body };
    match (operand.negate, plain || operand.absolute) {
        (false, _) => body,
        (true, true) => format!("-{body}"),
        (true, false) => format!("-({body})"),
    }
}

/// What is read of an operand: its fields and the index mode it asks for.
struct ReadOperand {
    select: u32,
    element: u32,
    relative: bool,
    negate: bool,
    absolute: bool,
    index_mode: Option<u32>,
    column: usize,
}

/// Literal dwords of a group that are known so far.
pub(super) type Literals = Vec<Option<u32>>;

/// Reads an instruction without its unit.
pub(super) fn parse(cursor: &mut Cursor, literals: &mut Literals) -> Read<Alu> {
    cursor.skip_blanks();
    let column = cursor.column();
    let name = cursor.word();
    let Some(opcode) = AluOpcode::named(&name.to_uppercase()) else {
        let known = AluOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        let meant = did_you_mean(&name, known);
        return Err((column, format!("`{name}` is not an ALU instruction{meant}")));
    };
    let row = opcode.row();
    let format = match row.format {
        AluFormat::Op2 => AluOp2::FORMAT,
        AluFormat::Op3 => AluOp3::FORMAT,
    };
    let mut dwords = [0; 2];
    let mut index_mode = None;
    set(&format, &mut dwords, "ALU_INST", row.code);
    destination(cursor, &format, &mut dwords, &mut index_mode)?;
    for number in 0..row.sources.len() {
        cursor.expect(',')?;
        let operand = parse_operand(cursor, literals)?;
        if let Some(mode) = operand.index_mode {
            if index_mode.is_some_and(|other| other != mode) {
                let message = "all relative operands of an instruction use one index".to_owned();
                return Err((operand.column, message));
            }
            index_mode = Some(mode);
        }
        if operand.absolute && row.format == AluFormat::Op3 {
            let message = "instructions of three sources have no absolute values".to_owned();
            return Err((operand.column, message));
        }
        set(&format, &mut dwords, &format!("SRC{number}_SEL"), operand.select);
        set(&format, &mut dwords, &format!("SRC{number}_CHAN"), operand.element);
        set(&format, &mut dwords, &format!("SRC{number}_REL"), operand.relative.into());
        set(&format, &mut dwords, &format!("SRC{number}_NEG"), operand.negate.into());
        if row.format == AluFormat::Op2 {
            set(&format, &mut dwords, &format!("SRC{number}_ABS"), operand.absolute.into());
        }
    }
    set(&format, &mut dwords, "INDEX_MODE", index_mode.unwrap_or(0));
    for attribute in cursor.attributes()? {
        modifier(&format, &mut dwords, &attribute)?;
    }
    Ok(match row.format {
        AluFormat::Op2 => Alu::Op2(AluOp2(dwords)),
        AluFormat::Op3 => Alu::Op3(AluOp3(dwords)),
    })
}

/// Sets a field that the format is known to have, or else leaves everything.
fn set(format: &Format, dwords: &mut [u32], name: &str, value: u32) {
    if let Some(field) = format.field(name) {
        field.set(dwords, value);
    }
}

/// `R5.x`, `R5[aL].x` or `____.x`.
fn destination(
    cursor: &mut Cursor,
    format: &Format,
    dwords: &mut [u32],
    index_mode: &mut Option<u32>,
) -> Read<()> {
    cursor.skip_blanks();
    if cursor.take_here('_') {
        cursor.word_here();
        let place = element(cursor)?;
        set(format, dwords, "DST_ELEM", place);
        return Ok(());
    }
    if cursor.peek() == Some('r') {
        return cursor.fail("registers are written with a capital R, as in R0.x");
    }
    if !cursor.take_here('R') {
        return cursor.fail("expected a destination: R0.x to R127.w, or ____.x without a write");
    }
    let number = cursor.at_most(127, "register")?;
    set(format, dwords, "DST_GPR", number);
    if let Some(mode) = index(cursor)? {
        set(format, dwords, "DST_REL", 1);
        *index_mode = Some(mode);
    }
    let place = element(cursor)?;
    set(format, dwords, "DST_ELEM", place);
    set(format, dwords, "WRITE_MASK", 1);
    Ok(())
}

/// `[AR.x]` and the like, if there is one.
fn index(cursor: &mut Cursor) -> Read<Option<u32>> {
    let column = cursor.column() + 1;
    if !cursor.take_here('[') {
        return Ok(None);
    }
    let name = cursor.until(']')?;
    let known = INDEXES.iter().position(|index| index.eq_ignore_ascii_case(name.trim()));
    match known {
        Some(mode) => Ok(Some(mode as u32)),
        None => Err((column, format!("`{name}` is not an index; indexes: {}", INDEXES.join(", ")))),
    }
}

fn parse_operand(cursor: &mut Cursor, literals: &mut Literals) -> Read<ReadOperand> {
    cursor.skip_blanks();
    let mut operand = ReadOperand {
        select: 0,
        element: 0,
        relative: false,
        negate: false,
        absolute: false,
        index_mode: None,
        column: cursor.column(),
    };
    // -1 is a constant of its own, -1.0 is 1.0 with its sign changed.
    if let Some(inline) = inline_name(cursor) {
        operand.select = Source::Inline(inline).select();
        return Ok(operand);
    }
    operand.negate = cursor.take_here('-');
    operand.absolute = cursor.take_here('|');
    body(cursor, literals, &mut operand)?;
    if operand.absolute && !cursor.take('|') {
        return cursor.fail("expected `|`");
    }
    Ok(operand)
}

/// The name of an inline constant, if one stands here.
fn inline_name(cursor: &mut Cursor) -> Option<Inline> {
    let mut ahead = cursor.clone();
    let mut name = String::new();
    while ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric() || ".-".contains(c)) {
        name.extend(ahead.peek());
        ahead.take_here(ahead.peek()?);
    }
    let name = name.strip_suffix('f').unwrap_or(&name);
    let found =
        INLINES.iter().find(|(listed, _)| *listed == name || name == "0" && *listed == "0.0");
    let (_, inline) = found?;
    *cursor = ahead;
    Some(*inline)
}

fn body(cursor: &mut Cursor, literals: &mut Literals, operand: &mut ReadOperand) -> Read<()> {
    if let Some(inline) = inline_name(cursor) {
        operand.select = Source::Inline(inline).select();
        return Ok(());
    }
    if cursor.take_here('(') {
        return parenthesised(cursor, literals, operand);
    }
    let column = cursor.column();
    let letters: String = std::iter::from_fn(|| {
        let letter = cursor.peek().filter(char::is_ascii_alphabetic)?;
        cursor.take_here(letter);
        Some(letter)
    })
    .collect();
    let source = match letters.as_str() {
        "R" => Source::Gpr(cursor.at_most(127, "register")? as u8),
        "C" => Source::Constant(cursor.at_most(255, "constant register")? as u8),
        "KC" => {
            let set = cursor.at_most(1, "set")?;
            cursor.expect('[')?;
            let number = cursor.at_most(31, "constant of a set")?;
            cursor.expect(']')?;
            Source::Kcache(set as u8, number as u8)
        }
        "PV" | "PS" => {
            // Some tools print the number of the group that gave the result.
            cursor.word_here();
            if letters == "PV" { Source::PreviousVector } else { Source::PreviousScalar }
        }
        _ => {
            let message = "expected an operand: R0.x, KC0[0].x, C0.x, PV.x, PS, 0.0, 1.0, 0.5, 1, \
                           -1 or a literal such as (0x40490fdb).x";
            return Err((column, message.to_owned()));
        }
    };
    operand.select = source.select();
    if let Some(mode) = index(cursor)? {
        operand.relative = true;
        operand.index_mode = Some(mode);
    }
    if source == Source::PreviousScalar && cursor.peek() != Some('.') {
        return Ok(());
    }
    operand.element = element(cursor)?;
    Ok(())
}

/// `(0x40490fdb, 3.14).x`, or `(1.0).y` for an inline constant.
fn parenthesised(
    cursor: &mut Cursor,
    literals: &mut Literals,
    operand: &mut ReadOperand,
) -> Read<()> {
    let column = cursor.column();
    if let Some(inline) = inline_name(cursor) {
        cursor.expect(')')?;
        operand.select = Source::Inline(inline).select();
        if cursor.peek() == Some('.') {
            operand.element = element(cursor)?;
        }
        return Ok(());
    }
    let text = cursor.until(')')?;
    let first = text.split(',').next().unwrap_or("").trim();
    let bits = match (number(first), first.strip_suffix('f').unwrap_or(first).parse::<f32>()) {
        (Some(bits), _) => bits,
        (None, Ok(value)) => value.to_bits(),
        (None, Err(_)) => return Err((column, format!("`{first}` is not a literal"))),
    };
    operand.select = Source::Literal.select();
    operand.element = element(cursor)?;
    let slot = &mut literals[operand.element as usize];
    match *slot {
        Some(other) if other != bits => {
            let message = format!(
                "element {} of the group's literals is {other:#x} already",
                ELEMENTS[operand.element as usize]
            );
            Err((column, message))
        }
        _ => {
            *slot = Some(bits);
            Ok(())
        }
    }
}

/// A modifier behind the operands, or any field.
fn modifier(format: &Format, dwords: &mut [u32], attribute: &Attribute) -> Read<()> {
    let name = attribute.name.as_str();
    let code =
        |names: &[&str]| names.iter().position(|listed| *listed == name).map(|code| code as u32);
    let flag: Option<(&str, u32)> = if attribute.value.is_some() {
        None
    } else if let Some(code) = code(&VECTOR_SWIZZLES).or_else(|| code(&SCALAR_SWIZZLES)) {
        Some(("BANK_SWIZZLE", code))
    } else if let Some(code) = code(&SCALES) {
        Some(("OMOD", code))
    } else {
        match name {
            "CLAMP" => Some(("CLAMP", 1)),
            "UPDATE_EXEC_MASK" | "UPDATE_EXECUTE_MASK" => Some(("UPDATE_EXECUTE_MASK", 1)),
            "UPDATE_PRED" => Some(("UPDATE_PRED", 1)),
            "PRED_SEL_ZERO" => Some(("PRED_SEL", 2)),
            "PRED_SEL_ONE" => Some(("PRED_SEL", 3)),
            _ => None,
        }
    };
    let Some((field, value)) = flag else { return set_field(format, dwords, attribute) };
    let field: Option<Field> = format.field(field);
    match field {
        Some(field) => {
            field.set(dwords, value);
            Ok(())
        }
        None => Err((attribute.column, format!("instructions of three sources have no {name}"))),
    }
}
