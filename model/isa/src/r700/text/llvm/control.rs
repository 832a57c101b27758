//! Control-flow instructions.

use super::super::{
    super::{
        instruction::Cf,
        microcode::{CfAluWord, CfWord, ExportSwizzle, Format},
        opcode::{CfFormat, CfOpcode},
    },
    control::{format_of, of_dwords},
    cursor::{Cursor, Read, did_you_mean, number, selects, set_field},
};

/// LLVM's names of instructions with an address, and whether they pop.
const BRANCHES: [(&str, CfOpcode, bool); 9] = [
    ("LOOP_START_DX10", CfOpcode::LoopStartDx10, false),
    ("END_LOOP", CfOpcode::LoopEnd, false),
    ("LOOP_BREAK", CfOpcode::LoopBreak, false),
    ("CONTINUE", CfOpcode::LoopContinue, false),
    ("JUMP", CfOpcode::Jump, true),
    ("PUSH", CfOpcode::Push, true),
    ("ELSE", CfOpcode::Else, true),
    ("POP", CfOpcode::Pop, true),
    ("CALL_FS", CfOpcode::CallFs, false),
];

const SELECTS: [&str; 4] = ["SEL_X", "SEL_Y", "SEL_Z", "SEL_W"];

/// The word that ends a program.
const CF_END: [u32; 2] = [0, CfWord::BARRIER.mask() | CfWord::END_OF_PROGRAM.mask()];

/// A control-flow instruction of the text.
pub(super) struct Line {
    pub(super) cf: Cf,
    /// Whether it is an export that does not say where it goes.
    pub(super) is_open_export: bool,
}

pub(super) fn set(format: &Format, dwords: &mut [u32], name: &str, value: u32) {
    if let Some(field) = format.field(name) {
        field.set(dwords, value);
    }
}

fn opcode(name: &str) -> Option<CfOpcode> {
    let branch = BRANCHES.iter().find(|(theirs, ..)| *theirs == name);
    match name {
        "EXPORT" => Some(CfOpcode::Export),
        "CF_END" | "PAD" => Some(CfOpcode::Nop),
        _ => branch.map(|(_, opcode, _)| *opcode).or_else(|| CfOpcode::named(name)),
    }
}

/// Reads an instruction.
pub(super) fn parse(cursor: &mut Cursor) -> Read<Line> {
    cursor.skip_blanks();
    let column = cursor.column();
    let name = cursor.word();
    let Some(opcode) = opcode(&name) else {
        let theirs = BRANCHES.iter().map(|(name, ..)| *name).chain(["CF_END", "PAD", "TEX", "ALU"]);
        let suggestion = did_you_mean(&name, theirs);
        return Err((column, format!("`{name}` is not a control-flow instruction{suggestion}")));
    };
    let format = format_of(opcode.format());
    let mut dwords = [0; 2];
    set(&format, &mut dwords, "CF_INST", opcode.code());
    set(&format, &mut dwords, "BARRIER", 1);
    match opcode {
        _ if opcode.format() == CfFormat::Alu => alu_clause(cursor, &mut dwords)?,
        CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc => {
            let count = cursor.at_most(15, "instruction of a clause")?;
            CfWord::COUNT.set(&mut dwords, count);
            CfWord::COUNT_3.set(&mut dwords, count >> 3);
            CfWord::ADDR.set(&mut dwords, address(cursor)?);
        }
        CfOpcode::Nop if name == "PAD" => dwords = [0; 2],
        CfOpcode::Nop if name == "CF_END" => dwords = CF_END,
        CfOpcode::Export => export(cursor, &mut dwords)?,
        CfOpcode::CallFs => {}
        _ => {
            if cursor.clone().take('@') {
                CfWord::ADDR.set(&mut dwords, address(cursor)?);
            }
            let mut ahead = cursor.clone();
            if ahead.word() == "POP" && ahead.take(':') {
                *cursor = ahead;
                CfWord::POP_COUNT.set(&mut dwords, cursor.at_most(7, "pop")?);
            }
        }
    }
    let attributes = cursor.attributes()?;
    for attribute in &attributes {
        set_field(&format, &mut dwords, attribute)?;
    }
    let is_open_export = opcode == CfOpcode::Export && attributes.is_empty();
    Ok(Line { cf: of_dwords(opcode.format(), dwords), is_open_export })
}

/// `@10`.
fn address(cursor: &mut Cursor) -> Read<u32> {
    cursor.expect('@')?;
    cursor.decimal()
}

/// `3, @10, KC0[CB0:0-32], KC1[]`.
fn alu_clause(cursor: &mut Cursor, dwords: &mut [u32; 2]) -> Read<()> {
    CfAluWord::COUNT.set(dwords, cursor.at_most(127, "word of a clause")?);
    cursor.expect(',')?;
    cursor.skip_blanks();
    let column = cursor.column();
    let address = address(cursor)?;
    if address > CfAluWord::ADDR.largest() {
        return Err((column, format!("ADDR is at most {}", CfAluWord::ADDR.largest())));
    }
    CfAluWord::ADDR.set(dwords, address);
    for set_number in 0..2 {
        cursor.expect(',')?;
        cursor.skip_blanks();
        let column = cursor.column();
        if cursor.word() != format!("KC{set_number}") {
            return Err((column, format!("expected KC{set_number}[]")));
        }
        cursor.expect('[')?;
        let column = cursor.column();
        let window = cursor.until(']')?;
        if !window.trim().is_empty() {
            window_of(&window, set_number, dwords).ok_or_else(|| {
                let message = "expected a buffer and 16 or 32 of its constants, such as CB0:0-16";
                (column, message.to_owned())
            })?;
        }
    }
    Ok(())
}

/// `CB0:0-32`: the first constant and the one behind the last.
fn window_of(text: &str, set_number: usize, dwords: &mut [u32; 2]) -> Option<()> {
    let (bank, range) = text.strip_prefix("CB")?.split_once(':')?;
    let (first, end) = range.split_once('-')?;
    let (bank, first, end) = (number(bank)?, number(first)?, number(end)?);
    let mode = match end.checked_sub(first)? {
        16 => 1,
        32 => 2,
        _ => return None,
    };
    if bank > 15 || first % 16 != 0 || first / 16 > 255 {
        return None;
    }
    let format = CfAluWord::FORMAT;
    set(&format, dwords, &format!("KCACHE_BANK{set_number}"), bank);
    set(&format, dwords, &format!("KCACHE_ADDR{set_number}"), first / 16);
    set(&format, dwords, &format!("KCACHE_MODE{set_number}"), mode);
    Some(())
}

/// `T0.XY01`.
fn export(cursor: &mut Cursor, dwords: &mut [u32; 2]) -> Read<()> {
    let gpr = register(cursor)?;
    let format = ExportSwizzle::FORMAT;
    set(&format, dwords, "RW_GPR", gpr);
    set(&format, dwords, "ELEM_SIZE", 3);
    for (name, select) in SELECTS.into_iter().zip(selects(cursor, 4)?) {
        set(&format, dwords, name, select);
    }
    Ok(())
}

/// `T5`.
pub(super) fn register(cursor: &mut Cursor) -> Read<u32> {
    if !cursor.take('T') {
        return cursor.fail("expected a register: T0 to T127");
    }
    cursor.at_most(127, "register")
}

/// An instruction as text, without the fields that it does not say.
pub(super) fn print(cf: Cf) -> String {
    let Some(opcode) = cf.opcode() else { return String::new() };
    let (format, dwords) = (format_of(opcode.format()), cf.dwords());
    let field = |name: &str| format.field(name).map_or(0, |field| field.get(&dwords));
    match cf {
        Cf::Plain(_) if dwords == CF_END => "CF_END".to_owned(),
        Cf::Plain(_) if dwords == [0; 2] => "PAD".to_owned(),
        Cf::Plain(word) => print_plain(word, opcode),
        Cf::Alu(word) => {
            let windows = [0, 1].map(|number| {
                let first = field(&format!("KCACHE_ADDR{number}")) * 16;
                let bank = field(&format!("KCACHE_BANK{number}"));
                match field(&format!("KCACHE_MODE{number}")) {
                    1 => format!("CB{bank}:{first}-{}", first + 16),
                    2 => format!("CB{bank}:{first}-{}", first + 32),
                    _ => String::new(),
                }
            });
            let (name, [first, second]) = (opcode.mnemonic(), windows);
            format!("{name} {}, @{}, KC0[{first}], KC1[{second}]", word.count(), word.addr())
        }
        Cf::Export(word) if opcode == CfOpcode::Export || opcode == CfOpcode::ExportDone => {
            let letters = super::letters(&SELECTS.map(field));
            let (kind, base) = (word.kind(), word.array_base());
            format!("EXPORT T{}.{letters} TYPE({kind}) ARRAY_BASE({base})", word.rw_gpr())
        }
        _ => opcode.mnemonic().to_owned(),
    }
}

fn print_plain(word: CfWord, opcode: CfOpcode) -> String {
    if matches!(opcode, CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc) {
        return format!("{} {} @{}", opcode.mnemonic(), word.clause_length() - 1, word.addr());
    }
    let branch = BRANCHES.iter().find(|(_, theirs, _)| *theirs == opcode);
    match branch {
        Some((name, CfOpcode::CallFs, _)) => (*name).to_owned(),
        Some((name, _, true)) => format!("{name} @{} POP:{}", word.addr(), word.pop_count()),
        Some((name, ..)) => format!("{name} @{}", word.addr()),
        None => opcode.mnemonic().to_owned(),
    }
}
