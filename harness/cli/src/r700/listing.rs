//! R700 programs as listings: a line for each control-flow instruction, ALU instruction, pair of
//! literals and fetch instruction, in the order of addresses.

use parallax_isa::r700::{
    Program,
    instruction::Group,
    program::{Clause, ProgramError},
    text::{self, Diagnostic},
};

use crate::{
    listing::{Instruction, Listing, Problem, Problems},
    output,
    program::Content,
};

/// Reads a program.
pub(crate) fn of(content: Content) -> Result<Listing, Problems> {
    match content {
        Content::Assembly(source) => match text::parse(&source) {
            Ok(program) => Ok(listing(&program)),
            Err(mistakes) => {
                Err(Problems { list: mistakes.into_iter().map(problem).collect(), source })
            }
        },
        Content::MachineCode(code) if !code.len().is_multiple_of(8) => Err(Problems::of_code(
            1,
            format!("the program is cut: {} bytes are no whole number of 64-bit words", code.len()),
        )),
        Content::MachineCode(code) => {
            let dwords = code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            match Program::decode(&dwords.collect::<Vec<_>>()) {
                Ok(program) => Ok(listing(&program)),
                Err(error) => Err(unreadable(&error)),
            }
        }
    }
}

/// A mistake in a text.
fn problem(mistake: Diagnostic) -> Problem {
    let Diagnostic { line, column, message, .. } = mistake;
    Problem { rule: None, line, column, length: 1, message, help: None }
}

/// Machine code that is no program.
fn unreadable(error: &ProgramError) -> Problems {
    Problems::of_code(error.address as usize + 1, error.to_string())
}

fn bytes(dwords: &[u32]) -> Vec<u8> {
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}

fn listing(program: &Program) -> Listing {
    let mut instructions = Vec::new();
    let mut add = |address: usize, dwords: &[u32], text: String| {
        let hex = output::hex(&bytes(dwords));
        instructions.push(Instruction {
            offset: 8 * address,
            hex,
            text,
            legal: true,
            rules: vec![],
        });
    };
    for (address, cf) in program.control_flow.iter().enumerate() {
        add(address, &cf.dwords(), format!("{address:02} {}", text::print_control_flow(*cf)));
    }
    for (&start, clause) in &program.clauses {
        let mut address = start as usize;
        match clause {
            Clause::Alu(groups) => {
                for group in groups {
                    for (dwords, text) in words(group) {
                        add(address, &dwords, text);
                        address += 1;
                    }
                }
            }
            Clause::Fetch(_, fetches) => {
                for fetch in fetches {
                    add(address, &fetch.dwords(), text::print_fetch(*fetch));
                    address += 2;
                }
            }
        }
    }
    for (&address, word) in &program.data {
        add(address as usize, word, "data".to_owned());
    }
    instructions.sort_by_key(|instruction| instruction.offset);
    Listing {
        code: bytes(&program.encode()),
        instructions,
        violations: Problems::default(),
        assembly: Some(text::print(program).trim_end().to_owned()),
    }
}

/// The 64-bit words of a group, each with its text.
fn words(group: &Group) -> Vec<([u32; 2], String)> {
    let texts = text::print_group(group);
    let alu = group.instructions.iter().map(|alu| alu.dwords());
    let mut words: Vec<_> = alu.zip(texts.lines().map(str::to_owned)).collect();
    for pair in group.literals.chunks_exact(2) {
        words.push(([pair[0], pair[1]], format!("literals {:#010x} {:#010x}", pair[0], pair[1])));
    }
    words
}
