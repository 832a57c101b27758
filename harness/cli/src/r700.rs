//! R700 programs on the command line: reading, running.

pub(crate) mod case;
pub(crate) mod program;
pub(crate) mod registers;
pub(crate) mod values;

use parallax_isa::r700::case::ProgramType;

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
