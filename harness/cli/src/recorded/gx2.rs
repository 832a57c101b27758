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

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of so many bytes with words at offsets, words behind it and a text, and a trailer.
    fn header(bytes: usize, words: &[(usize, u32)], behind: &[u32], text: &str) -> Vec<u8> {
        let mut data = vec![0; bytes];
        for (offset, word) in words {
            data[*offset..offset + 4].copy_from_slice(&word.to_be_bytes());
        }
        data.extend(behind.iter().flat_map(|word| word.to_be_bytes()));
        data.extend(text.as_bytes());
        data.resize(data.len().next_multiple_of(4), 0);
        let trailer = [TRAILER, 40, 0, 0, 0xD060_0000, 0, 0xCA70_0000, 0, 0, 0xD060_0000];
        data.extend(trailer.into_iter().flat_map(u32::to_be_bytes));
        data
    }

    #[test]
    fn tables_of_pixel_programs_are_listed() {
        // A uniform block, an initial value, a loop and a sampler, from E8h on.
        let pairs = [
            (0xB0, 1),
            (0xB4, 0xD060_00E8),
            (0xC0, 1),
            (0xC4, 0xD060_00F4),
            (0xC8, 1),
            (0xCC, 0xD060_0108),
            (0xD0, 1),
            (0xD4, 0xD060_0110),
            (0x00, 0x0103),
            (0x10, 33),
        ];
        let behind = [0xCA70_011C, 2, 64, 1, 2, 3, 4, 5, 6, 0x0100_0008, 0xCA70_0122, 1, 0];
        let data = header(0xE8, &pairs, &behind, "block\0light\0");
        let recorded = recorded(ProgramType::Pixel, &data);
        let input = |kind, name: &str, location, value: &[u32]| Input {
            kind,
            name: name.to_owned(),
            location,
            value: value.to_vec(),
        };
        let expected = [
            input("uniform block", "block", 2, &[]),
            input("initial value", "", 5, &[1, 2, 3, 4]),
            input("loop", "", 6, &[0x0100_0008]),
            input("sampler", "light", 0, &[]),
        ];
        assert_eq!(recorded.inputs, expected);
        assert_eq!(recorded.declared.resources, Some(0x0103));
        let says = |what: &str| recorded.missing.iter().any(|missing| missing.starts_with(what));
        assert!(says("SPI_PS_INPUT_CNTL: 33 are counted, there are 32 at most"), "{recorded:?}");
        assert!(says("the registers of initial values and loops"), "{recorded:?}");
    }

    #[test]
    fn what_headers_lack_is_said() {
        let counted = [(0xDC, 5), (0xE0, 0xD06F_FFFF), (0x00, 2)];
        let vertex = recorded(ProgramType::Vertex, &header(0x134, &counted, &[], ""));
        let says = |recorded: &Recorded, what: &str| {
            recorded.missing.iter().any(|missing| missing.starts_with(what))
        };
        assert!(says(&vertex, "uniform blocks: of 5 the header has 0"), "{vertex:?}");
        let cut = recorded(ProgramType::Vertex, &[0; 12]);
        assert!(says(&cut, "PA_CL_VS_OUT_CNTL: the header ends before it"), "{cut:?}");
        assert!(says(&cut, "uniforms, samplers and attributes: the header has no trailer"));
        let compute = recorded(ProgramType::Compute, &[]);
        assert!(says(&compute, "registers and tables: no document"), "{compute:?}");
        let copy = recorded(ProgramType::Copy, &header(0xC0, &[(0x10, 7)], &[], ""));
        assert_eq!(copy.declared.resources, Some(7));
    }
}
