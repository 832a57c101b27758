//! What programs of Gen12 may not have, though it decodes.

use parallax_isa::{LoadError, eu::Program};

/// Refuses 64-bit types: Gen12LP has codes of them, and no instruction that takes one.
///
/// # Errors
/// If an instruction has such a type.
pub(super) fn check(program: &Program) -> Result<(), LoadError> {
    for listed in program.instructions() {
        let instruction = &listed.instruction;
        let sources = instruction.sources.map(|source| source.data_type());
        let mut types = sources.into_iter().chain([instruction.destination.data_type]);
        if let Some(wide) = types.find(|data_type| data_type.size() == 8) {
            let message = format!("no instruction takes 64-bit types such as `{}`", wide.suffix());
            return Err(LoadError::Instruction { offset: listed.offset, message });
        }
    }
    Ok(())
}
