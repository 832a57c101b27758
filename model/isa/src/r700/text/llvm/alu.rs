//! ALU instructions.

use super::super::{
    super::{
        instruction::{Alu, Operand},
        microcode::{AluOp2, AluOp3, Format},
        opcode::{AluFormat, AluOpcode},
        source::{Inline, Source},
    },
    cursor::{Cursor, Read, did_you_mean, element, number, set_field},
    dialect::{Names, renamed},
};
use super::control::{register, set};

/// LLVM's names of instructions that the manual has others for.
const NAMES: Names =
    &[("LSHL", "LSHL_INT"), ("LSHR", "LSHR_INT"), ("ASHR", "ASHR_INT"), ("MULHI", "MULHI_UINT")];

const ELEMENTS: [char; 4] = ['X', 'Y', 'Z', 'W'];

/// Output scales, by code.
const SCALES: [&str; 4] = ["", " * 2.0", " * 4.0", " / 2.0"];

/// Predicate selects, by code; the second one is reserved.
const PREDICATES: [&str; 4] = ["Pred_sel_off", "", "Pred_sel_zero", "Pred_sel_one"];

/// Bank swizzles, by code.
const SWIZZLES: [&str; 6] =
    ["", "VEC_021/SCL_122", "VEC_120/SCL_212", "VEC_102/SCL_221", "VEC_201", "VEC_210"];

/// Constants of the instruction set.
const INLINES: [(&str, Inline); 5] = [
    ("0.0", Inline::Zero),
    ("1.0", Inline::One),
    ("0.5", Inline::Half),
    ("1", Inline::OneInteger),
    ("-1", Inline::MinusOneInteger),
];

fn format_of(opcode: AluOpcode) -> Format {
    match opcode.row().format {
        AluFormat::Op2 => AluOp2::FORMAT,
        AluFormat::Op3 => AluOp3::FORMAT,
    }
}

/// Reads an instruction.
pub(super) fn parse(cursor: &mut Cursor) -> Read<Alu> {
    cursor.skip_blanks();
    let column = cursor.column();
    let name = cursor.word();
    let plain = name.strip_suffix("_SAT");
    let plain_name = plain.unwrap_or(&name);
    let opcode = AluOpcode::named(renamed(NAMES, plain_name).unwrap_or(plain_name));
    let Some(opcode) = opcode else {
        let suggestion = did_you_mean(&name, AluOpcode::ALL.iter().map(|opcode| opcode.mnemonic()));
        return Err((column, format!("`{name}` is not an ALU instruction{suggestion}")));
    };
    let (row, format) = (opcode.row(), format_of(opcode));
    let mut dwords = [0; 2];
    set(&format, &mut dwords, "ALU_INST", row.code);
    set(&format, &mut dwords, "CLAMP", plain.is_some().into());
    set(&format, &mut dwords, "LAST", cursor.take('*').into());
    destination(cursor, &format, &mut dwords)?;
    for source in 0..row.sources.len() {
        cursor.expect(',')?;
        operand(cursor, &format, &mut dwords, source)?;
    }
    if !cursor.at_end() {
        cursor.expect(',')?;
    }
    tail(cursor, &format, &mut dwords)?;
    for attribute in cursor.attributes()? {
        set_field(&format, &mut dwords, &attribute)?;
    }
    Ok(match row.format {
        AluFormat::Op2 => Alu::Op2(AluOp2(dwords)),
        AluFormat::Op3 => Alu::Op3(AluOp3(dwords)),
    })
}

/// A word, if it is the next one.
fn take_word(cursor: &mut Cursor, word: &str) -> bool {
    let mut ahead = cursor.clone();
    let found = ahead.word() == word;
    if found {
        *cursor = ahead;
    }
    found
}

/// `ExecMask,Pred,T0.W (MASKED)+ * 2.0`.
fn destination(cursor: &mut Cursor, format: &Format, dwords: &mut [u32]) -> Read<()> {
    for (word, field) in [("ExecMask", "UPDATE_EXECUTE_MASK"), ("Pred", "UPDATE_PRED")] {
        cursor.skip_blanks();
        let column = cursor.column();
        if take_word(cursor, word) {
            if format.field(field).is_none() {
                return Err((column, format!("instructions of three sources have no {word}")));
            }
            set(format, dwords, field, 1);
            cursor.expect(',')?;
        }
    }
    // Results that go to no general register have the number and element 0.
    if take_word(cursor, "AR") {
        set(format, dwords, "DST_ELEM", element(cursor)?);
    } else if !take_word(cursor, "PredicateBit") {
        let gpr = match indexed(cursor)? {
            Some(gpr) => gpr,
            None => register(cursor)?,
        };
        set(format, dwords, "DST_GPR", gpr);
        set(format, dwords, "DST_ELEM", element(cursor)?);
    }
    cursor.skip_blanks();
    let column = cursor.column();
    let masked = cursor.take_here('(');
    if masked && (cursor.until(')')? != "MASKED" || format.field("WRITE_MASK").is_none()) {
        return Err((column, "expected (MASKED), for at most two sources".to_owned()));
    }
    set(format, dwords, "WRITE_MASK", u32::from(!masked));
    set(format, dwords, "DST_REL", cursor.take('+').into());
    cursor.skip_blanks();
    let column = cursor.column();
    let Some(mark) = cursor.peek().filter(|mark| "*/".contains(*mark)) else { return Ok(()) };
    cursor.take_here(mark);
    let factor = format!(" {mark} {}", decimal(cursor));
    let code = SCALES.iter().position(|scale| *scale == factor);
    match (code, format.field("OMOD")) {
        (Some(code), Some(field)) => {
            field.set(dwords, code as u32);
            Ok(())
        }
        _ => Err((column, format!("`{}` is not an output scale here", factor.trim()))),
    }
}

/// `T(5 + AR.x)`: a register with an index, which `+` behind the element asks for.
fn indexed(cursor: &mut Cursor) -> Read<Option<u32>> {
    let mut ahead = cursor.clone();
    if !ahead.take('T') || !ahead.take_here('(') {
        return Ok(None);
    }
    *cursor = ahead;
    let number = cursor.at_most(127, "register")?;
    cursor.expect('+')?;
    cursor.skip_blanks();
    let column = cursor.column();
    if cursor.until(')')?.trim() != "AR.x" {
        return Err((column, "expected AR.x".to_owned()));
    }
    Ok(Some(number))
}

/// Digits and a point.
fn decimal(cursor: &mut Cursor) -> String {
    cursor.skip_blanks();
    let digits = std::iter::from_fn(|| {
        let next = cursor.peek().filter(|c| c.is_ascii_digit() || *c == '.')?;
        cursor.take_here(next);
        Some(next)
    });
    digits.collect()
}

/// `-|T1.X|+`.
fn operand(cursor: &mut Cursor, format: &Format, dwords: &mut [u32], source: usize) -> Read<()> {
    cursor.skip_blanks();
    let mut negate = cursor.take_here('-');
    cursor.skip_blanks();
    let column = cursor.column();
    let absolute = cursor.take_here('|');
    if absolute && format.field("SRC0_ABS").is_none() {
        let message = "instructions of three sources have no absolute values".to_owned();
        return Err((column, message));
    }
    let (mut select, element) = select(cursor)?;
    // -1 is a constant of its own, -1.0 is 1.0 with its sign changed.
    if negate && !absolute && select == Source::Inline(Inline::OneInteger) {
        (negate, select) = (false, Source::Inline(Inline::MinusOneInteger));
    }
    if absolute {
        cursor.expect('|')?;
    }
    let relative = cursor.take_here('+');
    let values = [
        ("SEL", select.select()),
        ("CHAN", element),
        ("REL", relative.into()),
        ("NEG", negate.into()),
        ("ABS", absolute.into()),
    ];
    for (field, value) in values {
        set(format, dwords, &format!("SRC{source}_{field}"), value);
    }
    Ok(())
}

/// What an operand reads, and its element.
fn select(cursor: &mut Cursor) -> Read<(Source, u32)> {
    let column = cursor.column();
    if cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
        let digits = decimal(cursor);
        let inline = INLINES.iter().find(|(name, _)| *name == digits);
        return match inline {
            Some((_, inline)) => Ok((Source::Inline(*inline), 0)),
            None => Err((column, format!("`{digits}` is not a constant: 0.0, 0.5, 1.0 or 1"))),
        };
    }
    if let Some(number) = indexed(cursor)? {
        return Ok((Source::Gpr(number as u8), element(cursor)?));
    }
    let name = cursor.word_here();
    let numbered = |prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
    let source = match name.as_str() {
        "literal" => Source::Literal,
        "PV" => Source::PreviousVector,
        "PS" if cursor.peek() != Some('.') => return Ok((Source::PreviousScalar, 0)),
        "PS" => Source::PreviousScalar,
        "KC0" | "KC1" => {
            cursor.expect('[')?;
            let number = cursor.at_most(31, "constant of a set")?;
            cursor.expect(']')?;
            Source::Kcache(u8::from(name == "KC1"), number as u8)
        }
        _ => {
            if let Some(number) = numbered("T").filter(|number| *number < 128) {
                Source::Gpr(number as u8)
            } else if let Some(number) = numbered("C").filter(|number| *number < 256) {
                Source::Constant(number as u8)
            } else {
                let message = "expected an operand: T0.X, KC0[0].X, PV.X, PS, literal.x, 0.0, 0.5, \
                               1.0 or 1";
                return Err((column, message.to_owned()));
            }
        }
    };
    Ok((source, element(cursor)?))
}

/// `Pred_sel_one BS:VEC_021/SCL_122`.
fn tail(cursor: &mut Cursor, format: &Format, dwords: &mut [u32]) -> Read<()> {
    let mut ahead = cursor.clone();
    let word = ahead.word();
    let select = PREDICATES.iter().position(|name| *name == word && !word.is_empty());
    if let Some(code) = select {
        set(format, dwords, "PRED_SEL", code as u32);
        *cursor = ahead;
    }
    let mut ahead = cursor.clone();
    if ahead.word() == "BS" && ahead.take_here(':') {
        let column = ahead.column();
        let mut name = ahead.word_here();
        if ahead.take_here('/') {
            name += &format!("/{}", ahead.word_here());
        }
        let Some(code) = SWIZZLES.iter().position(|swizzle| *swizzle == name && !name.is_empty())
        else {
            return Err((column, format!("`{name}` is not a bank swizzle")));
        };
        set(format, dwords, "BANK_SWIZZLE", code as u32);
        *cursor = ahead;
    }
    Ok(())
}

/// An instruction as text, without the fields that it does not say.
pub(super) fn print(alu: Alu) -> String {
    let Some(opcode) = alu.opcode() else { return String::new() };
    let mnemonic = opcode.mnemonic();
    let clamp = if alu.clamp() == 1 { "_SAT" } else { "" };
    let last = if alu.last() == 1 { "*" } else { " " };
    let updates = [(alu.update_execute_mask(), "ExecMask,"), (alu.update_pred(), "Pred,")];
    let updates: String = updates.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
    let masked = if alu.write_mask() { "" } else { " (MASKED)" };
    let mut text = format!(
        "{}{clamp} {last} {updates}{}.{}{masked}{}{},",
        NAMES.iter().find(|(_, ours)| *ours == mnemonic).map_or(mnemonic, |(theirs, _)| theirs),
        print_register(alu.dst_gpr(), alu.dst_rel() == 1),
        ELEMENTS[alu.dst_elem() as usize],
        if alu.dst_rel() == 1 { "+" } else { "" },
        SCALES[alu.omod() as usize],
    );
    for operand in alu.operands() {
        text += &format!(" {},", print_operand(operand));
    }
    if let Some(name) = PREDICATES.get(alu.pred_sel() as usize).filter(|_| alu.pred_sel() > 1) {
        text += &format!(" {name}");
    }
    if let Some(name) = SWIZZLES.get(alu.bank_swizzle() as usize).filter(|name| !name.is_empty()) {
        text += &format!(" BS:{name}");
    }
    text
}

fn print_register(number: u32, indexed: bool) -> String {
    if indexed { format!("T({number} + AR.x)") } else { format!("T{number}") }
}

fn print_operand(operand: Operand) -> String {
    let letter = ELEMENTS[usize::from(operand.element)];
    let body = match operand.source {
        Some(Source::Gpr(number)) => {
            format!("{}.{letter}", print_register(number.into(), operand.relative))
        }
        Some(Source::Constant(number)) => format!("C{number}.{letter}"),
        Some(Source::Kcache(set, number)) => format!("KC{set}[{number}].{letter}"),
        Some(Source::Literal) => format!("literal.{}", letter.to_ascii_lowercase()),
        Some(Source::PreviousVector) => format!("PV.{letter}"),
        Some(Source::PreviousScalar) if operand.element == 0 => "PS".to_owned(),
        Some(Source::PreviousScalar) => format!("PS.{letter}"),
        Some(Source::Inline(inline)) => {
            let name = INLINES.iter().find(|(_, listed)| *listed == inline);
            name.map_or("0.0", |(name, _)| name).to_owned()
        }
        None => "0.0".to_owned(),
    };
    // Signs of integers are left to the fields.
    let negate = operand.negate && !matches!(body.as_str(), "1" | "-1");
    let bars = if operand.absolute && body != "-1" { "|" } else { "" };
    format!(
        "{}{bars}{body}{bars}{}",
        if negate { "-" } else { "" },
        if operand.relative { "+" } else { "" }
    )
}

/// A line of two literals: `1075838976(2.500000e+00), 0(0.000000e+00)`.
pub(super) fn literals(cursor: &mut Cursor) -> Read<[u32; 2]> {
    let mut dwords = [0; 2];
    for (place, dword) in dwords.iter_mut().enumerate() {
        if place > 0 {
            cursor.expect(',')?;
        }
        cursor.skip_blanks();
        let column = cursor.column();
        let negative = cursor.take_here('-');
        let text = cursor.word_here();
        let value = number(&text).filter(|value| !negative || *value <= 1 << 31);
        let Some(value) = value else {
            return Err((column, format!("`{text}` is not a number of 32 bits")));
        };
        *dword = if negative { value.wrapping_neg() } else { value };
        if cursor.take('(') {
            let column = cursor.column();
            let gloss = cursor.until(')')?;
            if gloss.trim().parse::<f32>().is_err() {
                return Err((column, format!("`{gloss}` is not a float")));
            }
        }
    }
    if cursor.at_end() { Ok(dwords) } else { cursor.fail("expected the end of the line") }
}
