//! Control-flow instructions as text.

use super::{
    super::{
        instruction::Cf,
        microcode::{CfAluWord, CfWord, ExportBuffer, ExportSwizzle, Format},
        opcode::{CfFormat, CfOpcode},
    },
    cursor::{
        Attribute, Cursor, Read, differences, number, select_letters, set_field, swizzle,
        with_suggestion,
    },
    dialect::{Dialect, renamed},
};

/// Names of the conditions, by code.
const CONDITIONS: [&str; 4] = ["ACTIVE", "FALSE", "BOOL", "NOT_BOOL"];

/// Other names of instructions: the text's own one first.
const ALIASES: [(&str, CfOpcode); 4] = [
    ("EXP", CfOpcode::Export),
    ("EXP_DONE", CfOpcode::ExportDone),
    ("LOOP_DX10", CfOpcode::LoopStartDx10),
    ("ENDLOOP", CfOpcode::LoopEnd),
];

/// What a line says about a control-flow instruction.
pub(super) struct Line {
    pub(super) cf: Cf,
    /// Whether it has `ADDR`.
    pub(super) address: bool,
    /// `CNT`, if it has one.
    pub(super) count: Option<u32>,
    /// An `ADDR` that did not fit.
    pub(super) moved: Option<u32>,
    /// `AT`: the number of an instruction that does not stand behind the one before.
    pub(super) at: Option<u32>,
}

pub(super) fn format_of(format: CfFormat) -> Format {
    match format {
        CfFormat::Plain => CfWord::FORMAT,
        CfFormat::Alu => CfAluWord::FORMAT,
        CfFormat::Export => ExportSwizzle::FORMAT,
        CfFormat::Memory => ExportBuffer::FORMAT,
    }
}

pub(super) fn of_dwords(format: CfFormat, dwords: [u32; 2]) -> Cf {
    match format {
        CfFormat::Plain => Cf::Plain(CfWord(dwords)),
        CfFormat::Alu => Cf::Alu(CfAluWord(dwords)),
        CfFormat::Export => Cf::Export(ExportSwizzle(dwords)),
        CfFormat::Memory => Cf::Memory(ExportBuffer(dwords)),
    }
}

/// The names of instructions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    aliases.chain(CfOpcode::ALL.iter().map(|opcode| opcode.mnemonic()))
}

/// The opcode of a name on a control-flow line.
pub(super) fn opcode(name: &str) -> Option<CfOpcode> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, opcode)| *opcode);
    alias.or_else(|| CfOpcode::named(name))
}

/// An instruction as text, without its number.
pub(super) fn print(cf: Cf, dialect: &'static Dialect) -> String {
    let Some(opcode) = cf.opcode() else { return String::new() };
    let mut text = match opcode {
        CfOpcode::Export => "EXP".to_owned(),
        CfOpcode::ExportDone => "EXP_DONE".to_owned(),
        other => other.mnemonic().to_owned(),
    };
    text.push(':');
    match cf {
        Cf::Plain(word) => print_plain(&mut text, word, opcode, dialect),
        Cf::Alu(word) => print_alu(&mut text, word, dialect),
        Cf::Export(word) => print_export(&mut text, word, dialect),
        Cf::Memory(word) => {
            let index = if word.rw_rel() == 1 { "[aL]" } else { "" };
            text += &format!(" R{}{index}", word.rw_gpr());
        }
    }
    let dwords = cf.dwords();
    let format = format_of(opcode.format());
    let set = |name: &str| format.field(name).is_some_and(|field| field.get(&dwords) == 1);
    if set("WHOLE_QUAD_MODE") {
        text += " WHOLE_QUAD";
    }
    if set("VALID_PIXEL_MODE") {
        text += " VALID_PIX";
    }
    if !set("BARRIER") {
        text += " NO_BARRIER";
    }
    if set("END_OF_PROGRAM") {
        text += " END_OF_PROGRAM";
    }
    let mut cursor = Cursor::new(&text, dialect);
    cursor.word();
    if let Ok(line) = parse(&mut cursor, opcode) {
        text += &differences(&format, &dwords, &line.cf.dwords());
    }
    if dialect.tool_words && matches!(cf, Cf::Plain(_)) && !runs(opcode) {
        return text.replacen(':', "", 1);
    }
    if text.ends_with(':') && !dialect.tool_words {
        text.pop();
    }
    text
}

/// Whether an instruction runs a clause.
pub(super) fn runs_clause(cf: Cf) -> bool {
    matches!(cf, Cf::Alu(_)) || cf.opcode().is_some_and(runs)
}

/// Whether an instruction runs a fetch clause.
fn runs(opcode: CfOpcode) -> bool {
    matches!(opcode, CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc)
}

fn print_plain(text: &mut String, word: CfWord, opcode: CfOpcode, dialect: &Dialect) {
    let runs = runs(opcode);
    if runs || word.addr() != 0 {
        let name = dialect.address_name(opcode).unwrap_or("ADDR");
        *text += &format!(" {name}({})", word.addr());
    }
    if runs {
        *text += &format!(" CNT({})", word.clause_length());
    }
    if word.pop_count() != 0 {
        *text += &format!(" POP_CNT({})", word.pop_count());
    }
    if word.cond() != 0 {
        *text += &format!(" COND({})", CONDITIONS[word.cond() as usize]);
    }
}

fn print_alu(text: &mut String, word: CfAluWord, dialect: &Dialect) {
    *text += &format!(" ADDR({}) CNT({})", word.addr(), word.count() + 1);
    let windows = [
        (word.kcache_mode0(), word.kcache_bank0(), word.kcache_addr0()),
        (word.kcache_mode1(), word.kcache_bank1(), word.kcache_addr1()),
    ];
    for (set, (mode, bank, line)) in windows.into_iter().enumerate() {
        let first = line * 16;
        let range = match mode {
            0 => continue,
            1 => format!("{first}-{}", first + 15),
            2 => format!("{first}-{}", first + 31),
            _ => format!("aL+{first}-{}", first + 31),
        };
        *text += &format!(" KCACHE{set}(CB{bank}:{range})");
    }
    if word.alt_const() == 1 {
        let flag = dialect.flags.iter().find(|(_, field)| *field == "ALT_CONST");
        *text += &flag.map_or(" ALT_CONST(1)".to_owned(), |(flag, _)| format!(" {flag}"));
    }
}

fn print_export(text: &mut String, word: ExportSwizzle, dialect: &Dialect) {
    let (base, kind) = (word.array_base(), word.kind());
    let target = match (kind, base) {
        (0, 61) => "PIXZ".to_owned(),
        (0, _) => format!("PIX{base}"),
        (1, 60..) => format!("POS{}", base - 60),
        (1, _) => format!("POS-{base}"),
        _ => format!("PARAM{base}"),
    };
    let register = match (word.rw_rel(), dialect.tool_words) {
        (0, _) => format!("R{}", word.rw_gpr()),
        (_, false) => format!("R{}[aL]", word.rw_gpr()),
        (_, true) => format!("R[AL + {}]", word.rw_gpr()),
    };
    let letters = select_letters(&[word.sel_x(), word.sel_y(), word.sel_z(), word.sel_w()]);
    *text += &format!(" {target}, {register}.{letters}");
    if word.burst_count() != 0 {
        let name = if dialect.tool_words { "BURSTCNT" } else { "BRSTCNT" };
        *text += &format!(" {name}({})", word.burst_count());
    }
}

/// Reads what follows the name of an instruction.
pub(super) fn parse(cursor: &mut Cursor, opcode: CfOpcode) -> Read<Line> {
    cursor.take(':');
    let format = format_of(opcode.format());
    let mut dwords = [0; 2];
    set(&format, &mut dwords, "CF_INST", opcode.code());
    set(&format, &mut dwords, "BARRIER", 1);
    match opcode.format() {
        CfFormat::Export => parse_export(cursor, &format, &mut dwords)?,
        CfFormat::Memory => register(cursor, &format, &mut dwords)?,
        _ => {}
    }
    let cf = of_dwords(opcode.format(), dwords);
    let mut line = Line { cf, address: false, count: None, moved: None, at: None };
    let address_name = cursor.dialect.address_name(opcode);
    for mut attribute in cursor.attributes()? {
        if address_name.is_some_and(|name| name == attribute.name) {
            attribute.name = "ADDR".to_owned();
        }
        match attribute.name.as_str() {
            "ADDR" => {
                line.address = true;
                set_field(&format, &mut dwords, &attribute)?;
            }
            // `i3` names the loop constant.
            name if address_name.is_some() && loop_constant(name).is_some() => {
                set(&format, &mut dwords, "CF_CONST", loop_constant(name).unwrap_or(0));
            }
            "AT" if cursor.dialect.strict_numbers => line.at = Some(attribute.number()?),
            "CNT" => {
                let count = attribute.number()?;
                line.count = Some(count);
                set_count(opcode, &format, &mut dwords, count)
                    .map_err(|message| (attribute.value_column, message))?;
            }
            _ => parse_attribute(cursor, &format, &mut dwords, &attribute)?,
        }
    }
    line.cf = of_dwords(opcode.format(), dwords);
    Ok(line)
}

/// The number of a loop constant.
fn loop_constant(name: &str) -> Option<u32> {
    name.strip_prefix('i')?.parse().ok().filter(|number| *number < 32)
}

/// Sets the length of a clause: ALU slots or fetch instructions.
pub(super) fn set_count(
    opcode: CfOpcode,
    format: &Format,
    dwords: &mut [u32],
    count: u32,
) -> Result<(), String> {
    let most = if opcode.format() == CfFormat::Alu { 128 } else { 16 };
    if !(1..=most).contains(&count) {
        return Err(format!("a clause of {} has 1 to {most} words", opcode.mnemonic()));
    }
    set(format, dwords, "COUNT", count - 1);
    set(format, dwords, "COUNT_3", (count - 1) >> 3);
    Ok(())
}

/// The same instruction with the place and length of its clause.
pub(super) fn with_clause(cf: Cf, address: u32, count: u32) -> Result<Cf, String> {
    let Some(opcode) = cf.opcode() else { return Ok(cf) };
    let format = format_of(opcode.format());
    let mut dwords = cf.dwords();
    set_count(opcode, &format, &mut dwords, count)?;
    set(&format, &mut dwords, "ADDR", address);
    Ok(of_dwords(opcode.format(), dwords))
}

fn set(format: &Format, dwords: &mut [u32], name: &str, value: u32) {
    if let Some(field) = format.field(name) {
        field.set(dwords, value);
    }
}

/// `R5` or `R5[aL]`; `R[AL + 5]` where a dialect has it.
fn register(cursor: &mut Cursor, format: &Format, dwords: &mut [u32]) -> Read<()> {
    let expected = "expected a register: R0 to R127";
    let mut ahead = cursor.clone();
    if cursor.dialect.tool_words && ahead.take('R') && ahead.take_here('[') {
        let column = ahead.column();
        let inner = ahead.until(']')?;
        let number = inner.split_once('+').filter(|(index, _)| is_loop_index(index));
        let number = number.and_then(|(_, number)| number.trim().parse().ok());
        let Some(number) = number.filter(|number| *number < 128) else {
            return Err((column, "expected aL and a register: R[AL + 5]".to_owned()));
        };
        *cursor = ahead;
        set(format, dwords, "RW_GPR", number);
        set(format, dwords, "RW_REL", 1);
        return Ok(());
    }
    let number = cursor.register(expected)?;
    set(format, dwords, "RW_GPR", number);
    if cursor.take_here('[') {
        let column = cursor.column();
        let index = cursor.until(']')?;
        let known =
            if cursor.dialect.tool_words { is_loop_index(&index) } else { index.trim() == "aL" };
        if !known {
            return Err((column, "only aL indexes the registers of an export".to_owned()));
        }
        set(format, dwords, "RW_REL", 1);
    }
    Ok(())
}

/// Whether a text is the loop index, in either spelling.
fn is_loop_index(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("aL")
}

fn parse_export(cursor: &mut Cursor, format: &Format, dwords: &mut [u32]) -> Read<()> {
    cursor.skip_blanks();
    let column = cursor.column();
    let target = cursor.word();
    let negative = cursor.take_here('-');
    let target = if negative { format!("{target}-{}", cursor.word_here()) } else { target };
    // ARRAY_BASE has 13 bits.
    let numbered =
        |prefix: &str| target.strip_prefix(prefix).and_then(number).filter(|n| *n < 1 << 13);
    let (kind, base) = if target == "PIXZ" {
        (0, 61)
    } else if let Some(base) = numbered("PIX") {
        (0, base)
    } else if let Some(base) = numbered("POS-") {
        (1, base)
    } else if let Some(base) = numbered("POS").filter(|base| *base < (1 << 13) - 60) {
        (1, base + 60)
    } else if let Some(base) = numbered("PARAM") {
        (2, base)
    } else {
        let message = format!("`{target}` is not an export: PIX0 to PIX7, PIXZ, POS0, PARAM0 …");
        return Err((column, message));
    };
    set(format, dwords, "TYPE", kind);
    set(format, dwords, "ARRAY_BASE", base);
    cursor.expect(',')?;
    register(cursor, format, dwords)?;
    let chosen = match cursor.peek() {
        Some('.') => swizzle(cursor, [4, 4, 4, 5])?,
        _ => vec![0, 1, 2, 3],
    };
    for (name, select) in ["SEL_X", "SEL_Y", "SEL_Z", "SEL_W"].into_iter().zip(chosen) {
        set(format, dwords, name, select);
    }
    Ok(())
}

fn parse_attribute(
    cursor: &mut Cursor,
    format: &Format,
    dwords: &mut [u32],
    attribute: &Attribute,
) -> Read<()> {
    let dialect = cursor.dialect;
    if let Some(field) = renamed(dialect.fields, &attribute.name) {
        let attribute = Attribute { name: field.to_owned(), ..attribute.clone() };
        return set_field(format, dwords, &attribute);
    }
    // A field of the manual's name can be both.
    if let Some(field) = renamed(dialect.flags, &attribute.name)
        && (attribute.value.is_none() || field != attribute.name)
    {
        return flag(format, dwords, attribute, field, 1);
    }
    match attribute.name.as_str() {
        "COND" => {
            let name = attribute.value.as_deref().unwrap_or("");
            match CONDITIONS.iter().position(|condition| *condition == name) {
                Some(code) => {
                    set(format, dwords, "COND", code as u32);
                    Ok(())
                }
                None => set_field(format, dwords, attribute),
            }
        }
        "KCACHE0" | "KCACHE1" => kcache(cursor, format, dwords, attribute),
        "NO_BARRIER" => flag(format, dwords, attribute, "BARRIER", 0),
        "END_OF_PROGRAM" if attribute.value.is_none() => {
            flag(format, dwords, attribute, "END_OF_PROGRAM", 1)
        }
        _ => set_field(format, dwords, attribute).map_err(|wrong| match dialect.tool_words {
            true => with_suggestion(attribute, wrong, words(dialect)),
            false => wrong,
        }),
    }
}

/// The words of a dialect behind the name of an instruction.
fn words(dialect: &Dialect) -> impl Iterator<Item = &'static str> {
    const OTHERS: [&str; 9] = [
        "ADDR",
        "FAIL_JUMP_ADDR",
        "PASS_JUMP_ADDR",
        "CNT",
        "COND",
        "KCACHE0",
        "KCACHE1",
        "NO_BARRIER",
        "END_OF_PROGRAM",
    ];
    let rows = dialect.fields.iter().chain(dialect.flags);
    rows.map(|(word, _)| *word).chain(OTHERS)
}

fn flag(
    format: &Format,
    dwords: &mut [u32],
    attribute: &Attribute,
    field: &str,
    value: u32,
) -> Read<()> {
    match format.field(field) {
        Some(field) => {
            field.set(dwords, value);
            Ok(())
        }
        None => Err((attribute.column, format!("this instruction cannot have {}", attribute.name))),
    }
}

/// `KCACHE0(CB0:0-15)`: set, buffer and constants.
fn kcache(
    cursor: &mut Cursor,
    format: &Format,
    dwords: &mut [u32],
    attribute: &Attribute,
) -> Read<()> {
    let set_number = &attribute.name[6..];
    let wrong = || {
        let message = "expected a buffer and 16 or 32 of its constants, such as CB0:0-15, CB1:32-63 \
                       or CB0:aL+0-31";
        (attribute.value_column, message.to_owned())
    };
    let value = attribute.value.as_deref().unwrap_or("");
    let (bank, range) =
        value.strip_prefix("CB").and_then(|v| v.split_once(':')).ok_or_else(wrong)?;
    let bank = number(bank).filter(|bank| *bank < 16).ok_or_else(wrong)?;
    let (looped, range) = match range.strip_prefix("aL+") {
        Some(range) => (true, range),
        None => (false, range),
    };
    let (first, last) = range.split_once('-').ok_or_else(wrong)?;
    let (first, last) = (number(first).ok_or_else(wrong)?, number(last).ok_or_else(wrong)?);
    let mode = match (last.wrapping_sub(first).wrapping_add(1), looped) {
        (16, false) => 1,
        (32, false) => 2,
        (32, true) => 3,
        (_, false) if cursor.dialect.tool_words && first <= last => {
            let message = "a window has 16 or 32 constants: none of this one is locked";
            cursor.warn(attribute.value_column, message.to_owned());
            0
        }
        _ => return Err(wrong()),
    };
    if first % 16 != 0 || first / 16 > 255 {
        return Err(wrong());
    }
    set(format, dwords, &format!("KCACHE_BANK{set_number}"), bank);
    set(format, dwords, &format!("KCACHE_ADDR{set_number}"), first / 16);
    set(format, dwords, &format!("KCACHE_MODE{set_number}"), mode);
    Ok(())
}
