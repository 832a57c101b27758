//! The blocks of registers and tables that stand before programs in shader files of GX2.

use parallax_isa::r700::case::ProgramType;

use super::{Input, Recorded};

/// The registers of a header by their offsets.
const OF_VERTEX: [(usize, &str); 7] = [
    (0x00, "SQ_PGM_RESOURCES_VS"),
    (0x04, "VGT_PRIMITIVEID_EN"),
    (0x08, "SPI_VS_OUT_CONFIG"),
    (0x38, "PA_CL_VS_OUT_CNTL"),
    (0x3C, "SQ_VTX_SEMANTIC_CLEAR"),
    (0xC4, "VGT_STRMOUT_BUFFER_EN"),
    (0xC8, "VGT_VERTEX_REUSE_BLOCK_CNTL"),
];
const OF_PIXEL: [(usize, &str); 8] = [
    (0x00, "SQ_PGM_RESOURCES_PS"),
    (0x04, "SQ_PGM_EXPORTS_PS"),
    (0x08, "SPI_PS_IN_CONTROL_0"),
    (0x0C, "SPI_PS_IN_CONTROL_1"),
    (0x94, "CB_SHADER_MASK"),
    (0x98, "CB_SHADER_CONTROL"),
    (0x9C, "DB_SHADER_CONTROL"),
    (0xA0, "SPI_INPUT_Z"),
];
const OF_GEOMETRY: [(usize, &str); 7] = [
    (0x00, "SQ_PGM_RESOURCES_GS"),
    (0x04, "VGT_GS_OUT_PRIM_TYPE"),
    (0x08, "VGT_GS_MODE"),
    (0x0C, "PA_CL_VS_OUT_CNTL"),
    (0x10, "SQ_PGM_RESOURCES_VS"),
    (0x14, "SQ_GS_VERT_ITEMSIZE"),
    (0x18, "SPI_VS_OUT_CONFIG"),
];

/// Lists of numbered registers: where the count stands, the first one, its name and how many there are.
struct Numbered {
    count: usize,
    first: usize,
    name: &'static str,
    most: u32,
}

const SEMANTICS: Numbered =
    Numbered { count: 0x40, first: 0x44, name: "SQ_VTX_SEMANTIC", most: 32 };
const OUTPUTS: Numbered = Numbered { count: 0x0C, first: 0x10, name: "SPI_VS_OUT_ID", most: 10 };
const PIXEL_INPUTS: Numbered =
    Numbered { count: 0x10, first: 0x14, name: "SPI_PS_INPUT_CNTL", most: 32 };

/// A table that a pair of count and pointer names: its words an entry, those of them that are the name and the
/// location, and the words of the value.
struct Table {
    kind: &'static str,
    words: usize,
    name: Option<usize>,
    location: usize,
    value: std::ops::Range<usize>,
}

const fn named(kind: &'static str, words: usize, location: usize) -> Table {
    Table { kind, words, name: Some(0), location, value: 0..0 }
}

/// The tables in the order of their pairs; pixel programs have no attributes.
const TABLES: [Table; 6] = [
    named("uniform block", 3, 1),
    named("uniform", 5, 3),
    Table { kind: "initial value", words: 5, name: None, location: 4, value: 0..4 },
    Table { kind: "loop", words: 2, name: None, location: 0, value: 1..2 },
    named("sampler", 3, 2),
    named("attribute", 4, 3),
];

/// Most entries of a table that are listed.
const MOST_ENTRIES: usize = 1024;

/// The trailer of a header: its words, and what the first is.
const TRAILER_BYTES: usize = 40;
const TRAILER: u32 = u32::from_be_bytes(*b"}BLK");

/// The tags of pointers: into the data, and into the text.
const DATA: u32 = 0xD06;
const TEXT: u32 = 0xCA7;

/// A header.
struct Header<'h>(&'h [u8]);

impl Header<'_> {
    fn word(&self, offset: usize) -> Option<u32> {
        self.0.get(offset..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
    }

    /// What a pointer with a tag points to.
    fn target(pointer: u32, tag: u32) -> Option<usize> {
        (pointer >> 20 == tag).then_some((pointer & 0xF_FFFF) as usize)
    }

    /// A text that ends with a zero.
    fn text(&self, pointer: u32) -> Option<String> {
        /// Most bytes of a name.
        const LONGEST: usize = 256;
        let text = self.0.get(Self::target(pointer, TEXT)?..)?;
        let end = text.iter().take(LONGEST).position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&text[..end]).into_owned())
    }

    fn has_trailer(&self) -> bool {
        let start = self.0.len().checked_sub(TRAILER_BYTES);
        start.and_then(|start| self.word(start)) == Some(TRAILER)
    }
}

/// The state of a program, by the data of the header before it.
pub(crate) fn recorded(program_type: ProgramType, data: &[u8]) -> Recorded {
    let header = Header(data);
    let mut recorded = Recorded::default();
    let (registers, resources): (&[_], _) = match program_type {
        ProgramType::Vertex | ProgramType::Export => (&OF_VERTEX, 0x00),
        ProgramType::Pixel => (&OF_PIXEL, 0x00),
        ProgramType::Geometry => (&OF_GEOMETRY, 0x00),
        ProgramType::Copy => (&OF_GEOMETRY, 0x10),
        ProgramType::Compute => {
            recorded
                .lacks("registers and tables: no document here has the header of compute programs");
            return recorded;
        }
    };
    for (offset, name) in registers {
        match header.word(*offset) {
            Some(value) => recorded.register(*name, value),
            None => recorded.lacks(format!("{name}: the header ends before it")),
        }
    }
    recorded.declared.resources = header.word(resources);
    match program_type {
        ProgramType::Vertex | ProgramType::Export => {
            numbered(&header, &OUTPUTS, &mut recorded);
            let semantics = numbered(&header, &SEMANTICS, &mut recorded);
            recorded.declared.semantic_table = semantics.iter().map(|id| *id as u8).collect();
            tables(&header, 0xDC, &TABLES, &mut recorded);
            recorded.lacks("the fetch program that CALL_FS calls: a driver makes it for a draw");
            recorded.lacks("vertices: buffers are not in such a file");
        }
        ProgramType::Pixel => {
            numbered(&header, &PIXEL_INPUTS, &mut recorded);
            tables(&header, 0xB0, &TABLES[..5], &mut recorded);
            recorded.lacks("the inputs that are interpolated for pixels");
        }
        _ => tables(&header, 0x60, &TABLES[..5], &mut recorded),
    }
    if recorded.inputs.iter().any(|input| input.kind != "attribute") {
        recorded.lacks("the contents of uniform blocks, textures and samplers: a draw sets them");
    }
    if recorded.inputs.iter().any(|input| matches!(input.kind, "initial value" | "loop")) {
        recorded.lacks("the registers of initial values and loops: the unit of their offsets is not documented");
    }
    recorded
}

/// Adds numbered registers; their values.
fn numbered(header: &Header<'_>, list: &Numbered, recorded: &mut Recorded) -> Vec<u32> {
    let count = header.word(list.count).unwrap_or(0);
    if count > list.most {
        recorded
            .lacks(format!("{}: {count} are counted, there are {} at most", list.name, list.most));
    }
    let places = 0..count.min(list.most);
    let values = places.map_while(|place| header.word(list.first + 4 * place as usize));
    let values: Vec<u32> = values.collect();
    for (place, value) in values.iter().enumerate() {
        recorded.register(format!("{}[{place}]", list.name), *value);
    }
    values
}

/// Adds what the tables of pairs of counts and pointers have, from an offset on.
fn tables(header: &Header<'_>, first: usize, tables: &[Table], recorded: &mut Recorded) {
    if !header.has_trailer() {
        recorded.lacks("uniforms, samplers and attributes: the header has no trailer }BLK");
        return;
    }
    for (place, table) in tables.iter().enumerate() {
        let at = first + 8 * place;
        let count = header.word(at).unwrap_or(0) as usize;
        let pointer = header.word(at + 4).unwrap_or(0);
        if count == 0 {
            continue;
        }
        let entry = |number: usize| {
            let start = Header::target(pointer, DATA)? + 4 * table.words * number;
            let words = (0..table.words).map(|place| header.word(start + 4 * place));
            input(header, table, &words.collect::<Option<Vec<_>>>()?)
        };
        let entries: Vec<_> = (0..count.min(MOST_ENTRIES)).map_while(entry).collect();
        if entries.len() < count {
            let there = entries.len();
            recorded.lacks(format!("{}s: of {count} the header has {there}", table.kind));
        }
        recorded.inputs.extend(entries);
    }
}

/// An entry of a table; `None` if its name is nowhere.
fn input(header: &Header<'_>, table: &Table, words: &[u32]) -> Option<Input> {
    let name = match table.name {
        Some(place) => header.text(words[place])?,
        None => String::new(),
    };
    let value = words[table.value.clone()].to_vec();
    Some(Input { kind: table.kind, name, location: words[table.location], value })
}
