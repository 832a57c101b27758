//! Fetch instructions as text: `FETCH R1.xyz1, R0.x DATA_FORMAT(35)`.

use super::{
    super::{
        decode::FetchClause,
        instruction::Fetch,
        microcode::{
            Format, LocalRead, LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch,
        },
    },
    cursor::{Cursor, Read, differences, select_letters, selects, set_field},
};

/// The format of an instruction, its name, and the fields that choose it.
struct Row {
    name: &'static str,
    kind: Kind,
    /// Code of `TEX_INST`, `VTX_INST` or `MEM_OP`.
    code: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Vertex,
    Semantic,
    Texture,
    MemoryRead,
    LocalWrite,
    LocalRead,
}

const fn row(name: &'static str, kind: Kind, code: u32) -> Row {
    Row { name, kind, code }
}

const ROWS: &[Row] = &[
    row("FETCH", Kind::Vertex, 0),
    row("SEMANTIC", Kind::Semantic, 1),
    row("MEM_RD_SCRATCH", Kind::MemoryRead, 0),
    row("MEM_RD_REDUC", Kind::MemoryRead, 1),
    row("MEM_RD_SCATTER", Kind::MemoryRead, 2),
    row("LOCAL_DS_WRITE", Kind::LocalWrite, 4),
    row("LOCAL_DS_READ", Kind::LocalRead, 5),
    row("LD", Kind::Texture, 3),
    row("GET_TEXTURE_RESINFO", Kind::Texture, 4),
    row("GET_NUMBER_OF_SAMPLES", Kind::Texture, 5),
    row("GET_COMP_TEX_LOD", Kind::Texture, 6),
    row("GET_GRADIENTS_H", Kind::Texture, 7),
    row("GET_GRADIENTS_V", Kind::Texture, 8),
    row("GET_LERP", Kind::Texture, 9),
    row("KEEP_GRADIENTS", Kind::Texture, 10),
    row("SET_GRADIENTS_H", Kind::Texture, 11),
    row("SET_GRADIENTS_V", Kind::Texture, 12),
    row("SET_CUBEMAP_INDEX", Kind::Texture, 14),
    row("FETCH4", Kind::Texture, 15),
    row("SAMPLE", Kind::Texture, 16),
    row("SAMPLE_L", Kind::Texture, 17),
    row("SAMPLE_LB", Kind::Texture, 18),
    row("SAMPLE_LZ", Kind::Texture, 19),
    row("SAMPLE_G", Kind::Texture, 20),
    row("SAMPLE_G_L", Kind::Texture, 21),
    row("SAMPLE_G_LB", Kind::Texture, 22),
    row("SAMPLE_G_LZ", Kind::Texture, 23),
    row("SAMPLE_C", Kind::Texture, 24),
    row("SAMPLE_C_L", Kind::Texture, 25),
    row("SAMPLE_C_LB", Kind::Texture, 26),
    row("SAMPLE_C_LZ", Kind::Texture, 27),
    row("SAMPLE_C_G", Kind::Texture, 28),
    row("SAMPLE_C_G_L", Kind::Texture, 29),
    row("SAMPLE_C_G_LB", Kind::Texture, 30),
    row("SAMPLE_C_G_LZ", Kind::Texture, 31),
];

impl Kind {
    fn format(self) -> Format {
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

    fn row(self, dwords: &[u32]) -> Option<&'static Row> {
        let code = match self {
            Self::Texture => TextureFetch::TEX_INST.get(dwords),
            Self::MemoryRead | Self::LocalWrite | Self::LocalRead => MemoryRead::MEM_OP.get(dwords),
            _ => VertexFetch::VTX_INST.get(dwords),
        };
        ROWS.iter().find(|row| row.kind == self && row.code == code)
    }

    const fn of(fetch: Fetch) -> Self {
        match fetch {
            Fetch::Vertex(_) => Self::Vertex,
            Fetch::Semantic(_) => Self::Semantic,
            Fetch::Texture(_) => Self::Texture,
            Fetch::MemoryRead(_) => Self::MemoryRead,
            Fetch::LocalWrite(_) => Self::LocalWrite,
            Fetch::LocalRead(_) => Self::LocalRead,
        }
    }
}

/// Whether a name is that of a fetch instruction.
pub(super) fn is_fetch(name: &str) -> bool {
    ROWS.iter().any(|row| row.name == name)
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
    let (kind, dwords) = (Kind::of(fetch), fetch.dwords());
    let Some(row) = kind.row(&dwords) else { return String::new() };
    let format = kind.format();
    let mut text = row.name.to_owned();
    if let Some((number, elements)) = kind.destination() {
        let letter = if kind == Kind::Semantic { 'S' } else { 'R' };
        let values = elements.map(|name| value(&format, &dwords, name));
        let letters = if kind == Kind::LocalRead {
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
    let Some(row) = ROWS.iter().find(|row| row.name == name) else {
        return Err((column, format!("`{name}` is not a fetch instruction")));
    };
    let format = row.kind.format();
    let mut dwords = [0; 4];
    match row.kind {
        Kind::Vertex | Kind::Semantic => VertexFetch::VTX_INST.set(&mut dwords, row.code),
        Kind::Texture => TextureFetch::TEX_INST.set(&mut dwords, row.code),
        _ => {
            MemoryRead::VTX_INST.set(&mut dwords, 2);
            MemoryRead::MEM_OP.set(&mut dwords, row.code);
        }
    }
    if let Some((number, elements)) = row.kind.destination() {
        let (letter, most) = if row.kind == Kind::Semantic { ('S', 255) } else { ('R', 127) };
        if !cursor.take(letter) {
            return cursor.fail(&format!("expected a destination such as {letter}0.xyzw"));
        }
        let place = cursor.at_most(most, "destination")?;
        set(&format, &mut dwords, number, place);
        for (name, select) in elements.into_iter().zip(selects(cursor, 4)?) {
            let local = row.kind == Kind::LocalRead;
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
    let names = row.kind.source();
    for (name, select) in names.iter().zip(selects(cursor, names.len())?) {
        set(&format, &mut dwords, name, select);
    }
    // Listings name the resource and the sampler of texture instructions `t0` and `s0`.
    while row.kind == Kind::Texture && cursor.take(',') {
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
    let clause = match row.kind {
        Kind::Texture => FetchClause::Texture,
        _ => FetchClause::Vertex,
    };
    Ok((dwords, clause))
}
