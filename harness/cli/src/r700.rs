//! R700 programs on the command line: reading, running, listing.

pub(crate) mod exec;
pub(crate) mod listing;
mod registers;
pub(crate) mod values;

use parallax_isa::r700::{Program, case::ProgramType, text};

use crate::program::Content;

/// The kinds of programs, by their names on the command line.
const PROGRAM_TYPES: [(&str, ProgramType); 6] = [
    ("pixel", ProgramType::Pixel),
    ("vertex", ProgramType::Vertex),
    ("export", ProgramType::Export),
    ("geometry", ProgramType::Geometry),
    ("copy", ProgramType::Copy),
    ("compute", ProgramType::Compute),
];

/// The kind of program of a name.
pub(crate) fn program_type(name: &str) -> Result<ProgramType, String> {
    let found = PROGRAM_TYPES.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        let names: Vec<&str> = PROGRAM_TYPES.iter().map(|(name, _)| *name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Reads a program: assembly text, or dwords in memory order.
pub(crate) fn program(content: Content) -> Result<Program, String> {
    match content {
        Content::Assembly(source) => text::parse(&source).map_err(|wrong| {
            let lines: Vec<String> = wrong.iter().take(20).map(ToString::to_string).collect();
            lines.join("\n")
        }),
        Content::MachineCode(bytes) => {
            if !bytes.len().is_multiple_of(8) {
                return Err(format!(
                    "the program is cut: {} bytes are no whole number of 64-bit words",
                    bytes.len()
                ));
            }
            let dwords =
                bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            Program::decode(&dwords.collect::<Vec<_>>()).map_err(|error| error.to_string())
        }
    }
}
