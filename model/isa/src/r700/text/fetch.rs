//! Fetch instructions as text: `FETCH R1.xyz1, R0.x DATA_FORMAT(35)`.

mod amd;

use super::{
    super::{
        decode::FetchClause,
        instruction::Fetch,
        microcode::{
            Format, LocalRead, LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch,
        },
        opcode::{FetchFormat, VTX_INST_MEM},
    },
    cursor::{
        Cursor, Read, differences, select_letters, selects, set_field, swizzle, written_element,
    },
    dialect::Dialect,
};

impl FetchFormat {
    pub(super) fn fields(self) -> Format {
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

pub(super) fn value(format: &Format, dwords: &[u32], name: &str) -> u32 {
    format.field(name).map_or(0, |field| field.get(dwords))
}

fn set(format: &Format, dwords: &mut [u32], name: &str, value: u32) {
    if let Some(field) = format.field(name) {
        field.set(dwords, value);
    }
}

/// An instruction as text.
pub(super) fn print(fetch: Fetch, dialect: &'static Dialect) -> String {
    let Some(opcode) = fetch.opcode() else { return String::new() };
    let (kind, dwords) = (opcode.format(), fetch.dwords());
    let format = kind.fields();
    let mut text = opcode.mnemonic().to_owned();
    let loop_index = if dialect.tool_words { "[AL]" } else { "" };
    if let Some((number, elements)) = kind.destination() {
        let index = if value(&format, &dwords, "DST_REL") == 1 { loop_index } else { "" };
        let values = elements.map(|name| value(&format, &dwords, name));
        let letters = if kind == FetchFormat::LocalRead {
            let written = [0, 1, 2, 3].map(|n| if values[n] == 1 { n as u32 } else { 7 });
            select_letters(&written)
        } else {
            select_letters(&values)
        };
        let number = value(&format, &dwords, number);
        text += &match (kind, dialect.tool_words) {
            (FetchFormat::Semantic, false) => format!(" S{number}.{letters},"),
            (FetchFormat::Semantic, true) => format!(" SEM[{number}].{letters},"),
            _ => format!(" R{number}{index}.{letters},"),
        };
    }
    let sources: Vec<_> = kind.source().iter().map(|name| value(&format, &dwords, name)).collect();
    let register = value(&format, &dwords, "SRC_GPR");
    let index = if value(&format, &dwords, "SRC_REL") == 1 { loop_index } else { "" };
    text += &format!(" R{register}{index}.{}", select_letters(&sources));
    if dialect.implied_formats {
        text += &amd::print(kind, &dwords);
    }
    if let Ok((read, _)) = parse(&mut Cursor::new(&text, dialect)) {
        text += &differences(&format, &dwords, &read);
    }
    text
}

/// Reads an instruction: its dwords and the kind of clause it needs.
pub(super) fn parse(cursor: &mut Cursor) -> Read<([u32; 4], FetchClause)> {
    cursor.skip_blanks();
    let column = cursor.column();
    let name = cursor.word();
    let Some(opcode) = cursor.dialect.fetch(&name) else {
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
        let written = match destination(cursor, kind)? {
            Some(place) => {
                set(&format, &mut dwords, number, place);
                relative(cursor, &format, &mut dwords, "DST_REL")?;
                swizzle(cursor, [0, 1, 2, 3])?
            }
            None => vec![7; 4],
        };
        for (name, select) in elements.into_iter().zip(written) {
            let local = kind == FetchFormat::LocalRead;
            let written = if local { u32::from(select != 7) } else { select };
            set(&format, &mut dwords, name, written);
        }
        cursor.expect(',')?;
    }
    let register = cursor.register("expected a source such as R0.x")?;
    set(&format, &mut dwords, "SRC_GPR", register);
    relative(cursor, &format, &mut dwords, "SRC_REL")?;
    let names = kind.source();
    let chosen = match names.len() {
        4 => swizzle(cursor, [0, 1, 2, 3])?,
        1 if cursor.dialect.implied_elements => vec![written_element(cursor)?.unwrap_or(0)],
        count => selects(cursor, count)?,
    };
    for (name, select) in names.iter().zip(chosen) {
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
    if cursor.dialect.implied_formats {
        amd::parse(cursor, kind, &mut dwords)?;
    } else {
        for attribute in cursor.attributes()? {
            set_field(&format, &mut dwords, &attribute)?;
        }
    }
    let clause = match kind {
        FetchFormat::Texture => FetchClause::Texture,
        _ => FetchClause::Vertex,
    };
    Ok((dwords, clause))
}

/// `R1`, and for a semantic fetch `S1`; `None` for `____` where a dialect has it.
fn destination(cursor: &mut Cursor, kind: FetchFormat) -> Read<Option<u32>> {
    cursor.skip_blanks();
    let foreign = cursor.dialect.tool_words;
    if foreign && cursor.peek() == Some('_') {
        let column = cursor.column();
        let name = cursor.word_here();
        return match name.as_str() {
            "____" => Ok(None),
            _ => Err((column, format!("`{name}` is not a destination; ____ is none"))),
        };
    }
    match kind {
        FetchFormat::Semantic if foreign => {
            let mut ahead = cursor.clone();
            if ahead.word() != "SEM" || !ahead.take_here('[') {
                return cursor.fail("expected a destination such as SEM[0].xyzw");
            }
            *cursor = ahead;
            let number = cursor.at_most(255, "destination")?;
            cursor.expect(']')?;
            Ok(Some(number))
        }
        FetchFormat::Semantic => {
            if !cursor.take('S') {
                return cursor.fail("expected a destination such as S0.xyzw");
            }
            cursor.at_most(255, "destination").map(Some)
        }
        _ if foreign => cursor.register("expected a destination such as R0.xyzw").map(Some),
        _ => {
            if !cursor.take('R') {
                return cursor.fail("expected a destination such as R0.xyzw");
            }
            cursor.at_most(127, "destination").map(Some)
        }
    }
}

/// `[AL]` behind a register, where a dialect has it.
fn relative(cursor: &mut Cursor, format: &Format, dwords: &mut [u32], name: &str) -> Read<()> {
    let column = cursor.column();
    if !cursor.dialect.tool_words || !cursor.take_here('[') {
        return Ok(());
    }
    if !cursor.until(']')?.trim().eq_ignore_ascii_case("aL") || format.field(name).is_none() {
        return Err((column, "only aL indexes the registers of a fetch instruction".to_owned()));
    }
    set(format, dwords, name, 1);
    Ok(())
}
