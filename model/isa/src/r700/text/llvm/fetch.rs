//! Fetch instructions.

use super::super::{
    super::{
        decode::FetchClause,
        instruction::Fetch,
        microcode::TextureFetch,
        opcode::{FetchFormat, FetchOpcode},
    },
    cursor::{Cursor, Read, did_you_mean, selects, set_field},
    dialect::MANUAL,
    fetch,
};
use super::control::{register, set};

const DESTINATION: [&str; 4] = ["DST_SEL_X", "DST_SEL_Y", "DST_SEL_Z", "DST_SEL_W"];

const SOURCE: [&str; 4] = ["SRC_SEL_X", "SRC_SEL_Y", "SRC_SEL_Z", "SRC_SEL_W"];

const COORDINATES: [&str; 4] = ["COORD_TYPE_X", "COORD_TYPE_Y", "COORD_TYPE_Z", "COORD_TYPE_W"];

/// What begins LLVM's names of texture instructions.
const PREFIX: &str = "TEX_";

fn texture(name: &str) -> Option<FetchOpcode> {
    let opcode = FetchOpcode::named(name.strip_prefix(PREFIX)?)?;
    (opcode.format() == FetchFormat::Texture).then_some(opcode)
}

/// Reads an instruction; those that LLVM has no text for are written in the manual's syntax.
pub(super) fn parse(cursor: &mut Cursor) -> Read<([u32; 4], FetchClause)> {
    cursor.skip_blanks();
    let column = cursor.column();
    let mut ahead = cursor.clone();
    let name = ahead.word();
    let Some(opcode) = texture(&name) else {
        if FetchOpcode::named(&name).is_some_and(|opcode| opcode.format() != FetchFormat::Texture) {
            return fetch::parse(cursor);
        }
        let bare = name.strip_prefix(PREFIX).unwrap_or(&name);
        let known = FetchOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        let suggestion = did_you_mean(bare, known);
        return Err((column, format!("`{name}` is not a fetch instruction{suggestion}")));
    };
    *cursor = ahead;
    let format = TextureFetch::FORMAT;
    let mut dwords = [0; 4];
    TextureFetch::TEX_INST.set(&mut dwords, opcode.code());
    let gpr = register(cursor)?;
    set(&format, &mut dwords, "DST_GPR", gpr);
    for (field, select) in DESTINATION.into_iter().zip(selects(cursor, 4)?) {
        set(&format, &mut dwords, field, select);
    }
    cursor.expect(',')?;
    let gpr = register(cursor)?;
    set(&format, &mut dwords, "SRC_GPR", gpr);
    for (field, select) in SOURCE.into_iter().zip(selects(cursor, 4)?) {
        set(&format, &mut dwords, field, select);
    }
    label(cursor, "RID")?;
    TextureFetch::RESOURCE_ID.set(&mut dwords, cursor.at_most(255, "texture")?);
    label(cursor, "SID")?;
    TextureFetch::SAMPLER_ID.set(&mut dwords, cursor.at_most(31, "sampler")?);
    label(cursor, "CT")?;
    for field in COORDINATES {
        let kind = match cursor.peek() {
            Some('N') => 1,
            Some('U') => 0,
            _ => return cursor.fail("expected four kinds of coordinates, N or U"),
        };
        cursor.take_here(if kind == 1 { 'N' } else { 'U' });
        set(&format, &mut dwords, field, kind);
    }
    for attribute in cursor.attributes()? {
        set_field(&format, &mut dwords, &attribute)?;
    }
    Ok((dwords, FetchClause::Texture))
}

/// `RID:`.
fn label(cursor: &mut Cursor, name: &str) -> Read<()> {
    cursor.skip_blanks();
    let column = cursor.column();
    if cursor.word() != name {
        return Err((column, format!("expected {name}:")));
    }
    cursor.expect(':')
}

/// An instruction as text, without the fields that it does not say.
pub(super) fn print(instruction: Fetch) -> String {
    let Fetch::Texture(word) = instruction else { return fetch::print(instruction, &MANUAL) };
    let Some(opcode) = word.opcode() else { return String::new() };
    let values =
        |names: [&str; 4]| names.map(|name| fetch::value(&TextureFetch::FORMAT, &word.0, name));
    let kinds: String =
        values(COORDINATES).iter().map(|kind| if *kind == 1 { 'N' } else { 'U' }).collect();
    format!(
        "{PREFIX}{} T{}.{}, T{}.{} RID:{} SID:{} CT:{kinds}",
        opcode.mnemonic(),
        word.dst_gpr(),
        super::letters(&values(DESTINATION)),
        word.src_gpr(),
        super::letters(&values(SOURCE)),
        word.resource_id(),
        word.sampler_id(),
    )
}
