//! Programs of execution units as listings.

use parallax_isa::{
    Device,
    eu::{Program, legality, program::ProgramError},
};

use crate::{
    listing::{Instruction, Listing, Problem, Problems},
    program::Content,
};

/// Reads a program.
pub(crate) fn of(device: Device, content: Content) -> Result<Listing, Problems> {
    match content {
        Content::Assembly(_) => Err(problem(
            1,
            "is text, and assembly text is not read yet: give machine code, raw or as hex text"
                .into(),
        )),
        Content::MachineCode(code) => {
            let program = Program::decode(device, &code).map_err(unreadable)?;
            Ok(listing(&program))
        }
    }
}

/// Machine code that is no program.
fn unreadable(error: ProgramError) -> Problems {
    match error {
        ProgramError::Decode { index, offset, error } => {
            problem(index + 1, format!("at byte {offset}: {error}"))
        }
        ProgramError::Encode { index, error } => problem(index + 1, error.to_string()),
        ProgramError::TooLong(_) | ProgramError::Hex(_) => problem(1, error.to_string()),
    }
}

fn problem(line: usize, message: String) -> Problems {
    Problems(vec![Problem { rule: None, line, column: 1, message, source: String::new() }])
}

fn listing(program: &Program) -> Listing {
    let findings = legality::program::check(program);
    let instructions = program.instructions().iter().enumerate().map(|(index, placed)| {
        let broken = findings.iter().filter(|finding| finding.index == index);
        let rules: Vec<_> = broken.map(|finding| finding.violation.rule.rule().id).collect();
        let hex = program.bytes_of(index).iter().map(|byte| format!("{byte:02x}")).collect();
        Instruction {
            offset: placed.offset,
            hex,
            text: placed.instruction.opcode.mnemonic().to_owned(),
            legal: rules.is_empty(),
            rules,
        }
    });
    let instructions: Vec<Instruction> = instructions.collect();
    let violations = findings.iter().map(|finding| Problem {
        rule: Some(finding.violation.rule.rule().id),
        line: finding.index + 1,
        column: 1,
        message: finding.violation.message.clone(),
        source: instructions[finding.index].text.clone(),
    });
    Listing { code: program.bytes().to_vec(), violations: violations.collect(), instructions }
}
