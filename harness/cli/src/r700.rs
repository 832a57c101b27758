//! R700 programs on the command line: reading, running.

pub(crate) mod case;
pub(crate) mod program;
pub(crate) mod registers;
pub(crate) mod values;

use parallax_isa::r700::case::ProgramType;

/// The kind of program of a name.
pub(crate) fn program_type(name: &str) -> Result<ProgramType, String> {
    ProgramType::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let names = ProgramType::ALL.map(ProgramType::name);
        format!("expected one of {}", names.join(", "))
    })
}
