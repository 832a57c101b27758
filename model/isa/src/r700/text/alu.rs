//! ALU instructions as text.

use super::{
    super::{
        instruction::Alu,
        microcode::{AluOp2, AluOp3, Field, Format},
        opcode::{AluFormat, AluOpcode},
    },
    cursor::{
        Attribute, Cursor, Read, did_you_mean, differences, set_field, with_suggestion,
        written_element,
    },
    dialect::Dialect,
    literals::{ELEMENTS, Literals},
    operand::{self, index, index_suffix},
};

/// Names of the units, in the order of instructions.
pub(super) const UNITS: [char; 5] = ['x', 'y', 'z', 'w', 't'];

/// Names of the bank swizzles in the vector units and in Trans, by code.
const VECTOR_SWIZZLES: [&str; 6] =
    ["VEC_012", "VEC_021", "VEC_120", "VEC_102", "VEC_201", "VEC_210"];
const SCALAR_SWIZZLES: [&str; 4] = ["SCL_210", "SCL_122", "SCL_212", "SCL_221"];

/// Names of the output scales, by code.
const SCALES: [&str; 4] = ["", "*2", "*4", "/2"];

/// Names of the predicate selects, by code; the second one is reserved.
const PREDICATES: [&str; 4] = ["PRED_SEL_OFF", "", "PRED_SEL_ZERO", "PRED_SEL_ONE"];

/// What an execute mask can be updated for in later instruction sets: R700 has no field for it.
const MASK_UPDATES: [&str; 4] = ["DEACTIVATE", "BREAK", "CONTINUE", "KILL"];

/// An instruction as text, without its unit. `literals` are those of its group.
pub(super) fn print(alu: Alu, unit: usize, literals: &[u32], dialect: &'static Dialect) -> String {
    let Some(opcode) = alu.opcode() else { return String::new() };
    let mut text = opcode.mnemonic().to_owned();
    let scale = SCALES[alu.omod() as usize];
    if dialect.tool_words {
        text += scale;
    }
    let destination = ELEMENTS[alu.dst_elem() as usize];
    if alu.write_mask() {
        let index = if alu.dst_rel() == 1 { index_suffix(alu) } else { String::new() };
        text += &format!(" R{}{index}.{destination}", alu.dst_gpr());
    } else if dialect.implied_elements && alu.dst_elem() == implied_element(unit) {
        text += " ____";
    } else {
        text += &format!(" ____.{destination}");
    }
    for operand in alu.operands() {
        text += ", ";
        text += &operand::print(alu, operand, literals, dialect);
    }
    let swizzles: &[&str] = if unit == 4 { &SCALAR_SWIZZLES } else { &VECTOR_SWIZZLES };
    if alu.bank_swizzle() != 0
        && let Some(name) = swizzles.get(alu.bank_swizzle() as usize)
    {
        text += &format!(" {name}");
    }
    if alu.omod() != 0 && !dialect.tool_words {
        text += &format!(" {scale}");
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
    let mut shown = Literals::default();
    if let Ok(read) = parse(&mut Cursor::new(&text, dialect), &mut shown, unit) {
        let mut plain = read.dwords();
        plain[0] |= alu.dwords()[0] & AluOp2::LAST.mask();
        text += &differences(&alu.format(), &alu.dwords(), &plain);
    }
    text
}

/// The element that an instruction of a unit writes if it does not say.
fn implied_element(unit: usize) -> u32 {
    if unit < 4 { unit as u32 } else { 0 }
}

/// Reads an instruction without its unit.
pub(super) fn parse(cursor: &mut Cursor, literals: &mut Literals, unit: usize) -> Read<Alu> {
    cursor.skip_blanks();
    let column = cursor.column();
    let name = cursor.word();
    let Some(opcode) = cursor.dialect.alu(&name) else {
        // The vendor's PREDGT and the like are no names of these instructions anywhere else.
        let full = name.strip_prefix("PRED").map(|rest| format!("PRED_SET{rest}"));
        let full = full.and_then(|full| AluOpcode::named(&full)).map(AluOpcode::mnemonic);
        let suggestion = match full.filter(|_| cursor.dialect.tool_words) {
            Some(full) => format!("; did you mean `{full}`?"),
            None => did_you_mean(&name, cursor.dialect.alu_instructions()),
        };
        return Err((column, format!("`{name}` is not an ALU instruction{suggestion}")));
    };
    let row = opcode.row();
    let format = match row.format {
        AluFormat::Op2 => AluOp2::FORMAT,
        AluFormat::Op3 => AluOp3::FORMAT,
    };
    let mut dwords = [0; 2];
    let mut index_mode = None;
    set(&format, &mut dwords, "ALU_INST", row.code);
    if cursor.dialect.tool_words
        && let Some(mark) = cursor.peek().filter(|mark| "*/".contains(*mark))
    {
        let column = cursor.column();
        cursor.take_here(mark);
        scale(&format, &mut dwords, &format!("{mark}{}", cursor.word_here()), column)?;
    }
    let element = destination(cursor, &format, &mut dwords, &mut index_mode, unit)?;
    for number in 0..row.sources.len() {
        cursor.expect(',')?;
        let operand = operand::parse(cursor, literals, element)?;
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
        modifier(cursor, &format, &mut dwords, &attribute)?;
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

/// `*2` behind the name of an instruction.
fn scale(format: &Format, dwords: &mut [u32], name: &str, column: usize) -> Read<()> {
    let Some(code) = SCALES.iter().position(|scale| *scale == name) else {
        return Err((column, format!("`{name}` is not an output scale: *2, *4 or /2")));
    };
    let Some(field) = format.field("OMOD") else {
        return Err((column, format!("instructions of three sources have no {name}")));
    };
    field.set(dwords, code as u32);
    Ok(())
}

/// `R5.x`, `R5[aL].x` or `____.x`: the element.
fn destination(
    cursor: &mut Cursor,
    format: &Format,
    dwords: &mut [u32],
    index_mode: &mut Option<u32>,
    unit: usize,
) -> Read<u32> {
    cursor.skip_blanks();
    let column = cursor.column();
    let place = |cursor: &mut Cursor, dwords: &mut [u32]| {
        let place = written_element(cursor)?.unwrap_or(implied_element(unit));
        set(format, dwords, "DST_ELEM", place);
        Ok(place)
    };
    if cursor.peek() == Some('_') {
        let name = cursor.word_here();
        if cursor.dialect.tool_words {
            if name != "____" {
                return Err((column, format!("`{name}` is not a destination; ____ is none")));
            }
            if format.field("WRITE_MASK").is_none() {
                let message = "instructions of three sources always write a register".to_owned();
                return Err((column, message));
            }
        }
        return place(cursor, dwords);
    }
    if cursor.peek() == Some('r') {
        return cursor.fail("registers are written with a capital R, as in R0.x");
    }
    let expected = "expected a destination: R0.x to R127.w, or ____.x without a write";
    let number = cursor.register(expected)?;
    set(format, dwords, "DST_GPR", number);
    if let Some(mode) = index(cursor)? {
        set(format, dwords, "DST_REL", 1);
        *index_mode = Some(mode);
    }
    let place = place(cursor, dwords)?;
    set(format, dwords, "WRITE_MASK", 1);
    Ok(place)
}

/// A modifier behind the operands, or any field.
fn modifier(
    cursor: &mut Cursor,
    format: &Format,
    dwords: &mut [u32],
    attribute: &Attribute,
) -> Read<()> {
    let name = attribute.name.as_str();
    let foreign = cursor.dialect.tool_words;
    let code =
        |names: &[&str]| names.iter().position(|listed| *listed == name).map(|code| code as u32);
    let flag: Option<(&str, u32)> = if let Some(value) = &attribute.value {
        let is_update = foreign && name == "UPDATE_EXEC_MASK";
        is_update.then(|| mask_update(cursor, value, attribute.value_column)).transpose()?
    } else if let Some(code) = code(&VECTOR_SWIZZLES).or_else(|| code(&SCALAR_SWIZZLES)) {
        Some(("BANK_SWIZZLE", code))
    } else if let Some(code) = code(&SCALES) {
        Some(("OMOD", code))
    } else {
        match name {
            "CLAMP" => Some(("CLAMP", 1)),
            "UPDATE_EXEC_MASK" | "UPDATE_EXECUTE_MASK" => Some(("UPDATE_EXECUTE_MASK", 1)),
            "UPDATE_PRED" => Some(("UPDATE_PRED", 1)),
            "PRED_SEL_OFF" if !foreign => None,
            "" => None,
            _ => code(&PREDICATES).map(|code| ("PRED_SEL", code)),
        }
    };
    let Some((field, value)) = flag else {
        let set = set_field(format, dwords, attribute);
        let names = VECTOR_SWIZZLES.iter().chain(&SCALAR_SWIZZLES).chain(&PREDICATES);
        let known = names.copied().chain(["CLAMP", "UPDATE_EXEC_MASK", "UPDATE_PRED"]);
        return set.map_err(|wrong| match foreign {
            true => with_suggestion(attribute, wrong, known),
            false => wrong,
        });
    };
    let field: Option<Field> = format.field(field);
    match field {
        Some(field) => {
            field.set(dwords, value);
            Ok(())
        }
        None => Err((attribute.column, format!("instructions of three sources have no {name}"))),
    }
}

/// The argument of `UPDATE_EXEC_MASK`, which is dropped.
fn mask_update(cursor: &mut Cursor, value: &str, column: usize) -> Read<(&'static str, u32)> {
    if !MASK_UPDATES.contains(&value) {
        let suggestion = did_you_mean(value, MASK_UPDATES);
        return Err((
            column,
            format!("`{value}` is not an update of the execute mask{suggestion}"),
        ));
    }
    cursor.warn(column, format!("R700 has no field for {value}: it is left out"));
    Ok(("UPDATE_EXECUTE_MASK", 1))
}
