//! What programs of Gen12 may not have, though it decodes.

use parallax_isa::{
    LoadError,
    eu::{
        Program,
        operand::{Register, Source},
        register::RegisterFile,
    },
};
use parallax_spec::{decision, rule};

/// Refuses 64-bit types and accumulators that the state does not have.
///
/// # Errors
/// If an instruction has one.
pub(super) fn check(program: &Program) -> Result<(), LoadError> {
    refuse_wide_types(program)?;
    refuse_further_accumulators(program)
}

/// Gen12LP has codes of 64-bit types, and no instruction that takes them.
///
/// # Errors
/// If an instruction has such a type.
fn refuse_wide_types(program: &Program) -> Result<(), LoadError> {
    rule!("gen12.isa.op.no64");
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

/// Of the eight accumulators of Gen12 the state has two.
///
/// # Errors
/// If an instruction names another.
fn refuse_further_accumulators(program: &Program) -> Result<(), LoadError> {
    decision!("D-eu-gen12");
    for listed in program.instructions() {
        let instruction = &listed.instruction;
        let read = instruction.sources.iter().filter_map(|source| match source {
            Source::Register { register, .. } => Some(*register),
            Source::Immediate { .. } => None,
        });
        for register in read.chain([instruction.destination.register]) {
            if let Register::Direct {
                file: RegisterFile::Arf, number: number @ 0x22..=0x2F, ..
            } = register
            {
                let message = format!("acc{} is not part of this version", number & 0xF);
                return Err(LoadError::Instruction { offset: listed.offset, message });
            }
        }
    }
    Ok(())
}
