//! Fetch instructions as text: `FETCH R1.xyz1, R0.x DATA_FORMAT(35)`.

use super::{
    super::{
        decode::FetchClause,
        instruction::Fetch,
        microcode::{
            Format, LocalRead, LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch,
        },
        opcode::{FetchFormat, FetchOpcode, VTX_INST_MEM},
    },
    cursor::{Cursor, Read, differences, select_letters, selects, set_field},
};

impl FetchFormat {
    fn fields(self) -> Format {
        match self {
            Self::Vertex => VertexFetch::FORMAT,
            Self::Semantic => SemanticFetch::FORMAT,
            Self::Texture => TextureFetch::FORMAT,
            Self::MemoryRead => MemoryRead::FORMAT,
            Self::LocalWrite => LocalWrite::FORMAT,
            Self::LocalRead => LocalRead::FORMAT,
        }
    }

    /// Names of the destination's register and element fields.
    fn destination(self) -> Option<(&'static str, [&'static str; 4])> {
        match self {
            Self::Semantic => {
                Some(("SEMANTIC_ID", ["DST_SEL_X", "DST_SEL_Y", "DST_SEL_Z", "DST_SEL_W"]))
            }
            Self::LocalWrite => None,
            Self::LocalRead => Some(("DST_GPR", ["DST_WR_X", "DST_WR_Y", "DST_WR_Z", "DST_WR_W"])),
            _ => Some(("DST_GPR", ["DST_SEL_X", "DST_SEL_Y", "DST_SEL_Z", "DST_SEL_W"])),
        }
    }

    /// Names of the source's element fields.
    fn source(self) -> &'static [&'static str] {
        match self {
            Self::Texture | Self::LocalWrite => {
                &["SRC_SEL_X", "SRC_SEL_Y", "SRC_SEL_Z", "SRC_SEL_W"]
            }
            Self::LocalRead => &["SRC_SEL_X", "SRC_SEL_Y"],
            _ => &["SRC_SEL_X"],
        }
    }
}

/// Whether a name is that of a fetch instruction.
pub(super) fn is_fetch(name: &str) -> bool {
    FetchOpcode::named(name).is_some()
}

fn value(format: &Format, dwords: &[u32], name: &str) -> u32 {
    format.field(name).map_or(0, |field| field.get(dwords))
}

fn set(format: &Format, dwords: &mut [u32], name: &str, value: u32) {
    if let Some(field) = format.field(name) {
        field.set(dwords, value);
    }
}

/// An instruction as text.
pub(super) fn print(fetch: Fetch) -> String {
    let Some(opcode) = fetch.opcode() else { return String::new() };
    let (kind, dwords) = (opcode.format(), fetch.dwords());
    let format = kind.fields();
    let mut text = opcode.mnemonic().to_owned();
    if let Some((number, elements)) = kind.destination() {
        let letter = if kind == FetchFormat::Semantic { 'S' } else { 'R' };
        let values = elements.map(|name| value(&format, &dwords, name));
        let letters = if kind == FetchFormat::LocalRead {
            let written = [0, 1, 2, 3].map(|n| if values[n] == 1 { n as u32 } else { 7 });
            select_letters(&written)
        } else {
            select_letters(&values)
        };
        text += &format!(" {letter}{}.{letters},", value(&format, &dwords, number));
    }
    let sources: Vec<_> = kind.source().iter().map(|name| value(&format, &dwords, name)).collect();
    let register = value(&format, &dwords, "SRC_GPR");
    text += &format!(" R{register}.{}", select_letters(&sources));
    if let Ok((read, _)) = parse(&mut Cursor::new(&text)) {
        text += &differences(&format, &dwords, &read);
    }
    text
}

/// Reads an instruction: its dwords and the kind of clause it needs.
pub(super) fn parse(cursor: &mut Cursor) -> Read<([u32; 4], FetchClause)> {
    cursor.skip_blanks();
    let column = cursor.column();
    let name = cursor.word();
    let Some(opcode) = FetchOpcode::named(&name) else {
        return Err((column, format!("`{name}` is not a fetch instruction")));
    };
    let kind = opcode.format();
    let format = kind.fields();
    let mut dwords = [0; 4];
    match kind {
        FetchFormat::Vertex | FetchFormat::Semantic => {
            VertexFetch::VTX_INST.set(&mut dwords, opcode.code());
        }
        FetchFormat::Texture => TextureFetch::TEX_INST.set(&mut dwords, opcode.code()),
        _ => {
            MemoryRead::VTX_INST.set(&mut dwords, VTX_INST_MEM);
            MemoryRead::MEM_OP.set(&mut dwords, opcode.code());
        }
    }
    if let Some((number, elements)) = kind.destination() {
        let (letter, most) = if kind == FetchFormat::Semantic { ('S', 255) } else { ('R', 127) };
        if !cursor.take(letter) {
            return cursor.fail(&format!("expected a destination such as {letter}0.xyzw"));
        }
        let place = cursor.at_most(most, "destination")?;
        set(&format, &mut dwords, number, place);
        for (name, select) in elements.into_iter().zip(selects(cursor, 4)?) {
            let local = kind == FetchFormat::LocalRead;
            let written = if local { u32::from(select != 7) } else { select };
            set(&format, &mut dwords, name, written);
        }
        cursor.expect(',')?;
    }
    if !cursor.take('R') {
        return cursor.fail("expected a source such as R0.x");
    }
    let register = cursor.at_most(127, "register")?;
    set(&format, &mut dwords, "SRC_GPR", register);
    let names = kind.source();
    for (name, select) in names.iter().zip(selects(cursor, names.len())?) {
        set(&format, &mut dwords, name, select);
    }
    // Listings name the resource and the sampler of texture instructions `t0` and `s0`.
    while kind == FetchFormat::Texture && cursor.take(',') {
        if cursor.take('t') {
            TextureFetch::RESOURCE_ID.set(&mut dwords, cursor.at_most(255, "texture")?);
        } else if cursor.take('s') {
            TextureFetch::SAMPLER_ID.set(&mut dwords, cursor.at_most(17, "sampler")?);
        } else {
            return cursor.fail("expected a texture such as t0 or a sampler such as s0");
        }
    }
    for attribute in cursor.attributes()? {
        set_field(&format, &mut dwords, &attribute)?;
    }
    let clause = match kind {
        FetchFormat::Texture => FetchClause::Texture,
        _ => FetchClause::Vertex,
    };
    Ok((dwords, clause))
}
