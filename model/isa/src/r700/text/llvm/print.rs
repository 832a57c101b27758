//! Programs to text.

use std::fmt::Write as _;

use super::{
    super::{
        super::program::{Clause, Program},
        cursor::{Cursor, differences},
        dialect::LLVM,
    },
    alu, control, fetch,
    reader::{HEADINGS, Part},
};

/// A program as text, which [`assemble`](super::assemble) reads back to the same dwords.
///
/// ```
/// use parallax_isa::r700::text::{llvm, parse};
///
/// let program = parse("00 POP: ADDR(1) POP_CNT(1)\n01 NOP: END_OF_PROGRAM").unwrap();
/// assert_eq!(llvm::print(&program), "\tPOP @1 POP:1\n\tCF_END\n");
/// ```
#[must_use]
pub fn print(program: &Program) -> String {
    let mut text = String::new();
    let mut next = 0;
    for (&address, cf) in &program.control_flow {
        if address != next {
            heading(&mut text, Part::ControlFlow, address);
        }
        next = address + 1;
        let mut line = control::print(*cf);
        if let Ok(read) = control::parse(&mut Cursor::new(&line, &LLVM)) {
            line += &differences(&cf.format(), &cf.dwords(), &read.cf.dwords());
        }
        let _ = writeln!(text, "\t{line}");
    }
    let mut end = next;
    for (&address, clause) in &program.clauses {
        end = end.max(address + clause.dwords().len() as u32 / 2);
        print_clause(&mut text, address, clause);
    }
    for (&address, [low, high]) in &program.data {
        end = end.max(address + 1);
        heading(&mut text, Part::Data, address);
        let _ = writeln!(text, "\t{low}, {high}");
    }
    if end < program.words {
        heading(&mut text, Part::Data, program.words - 1);
        text += "\t0, 0\n";
    }
    text
}

fn heading(text: &mut String, part: Part, address: u32) {
    let name = HEADINGS.iter().find(|(_, listed)| *listed == part).map_or("", |(name, _)| name);
    let _ = writeln!(text, "\t{name}{address}:");
}

fn print_clause(text: &mut String, address: u32, clause: &Clause) {
    match clause {
        Clause::Alu(groups) => {
            heading(text, Part::Alu, address);
            for group in groups {
                for instruction in &group.instructions {
                    let mut line = alu::print(*instruction);
                    if let Ok(read) = alu::parse(&mut Cursor::new(&line, &LLVM)) {
                        let format = instruction.format();
                        line += &differences(&format, &instruction.dwords(), &read.dwords());
                    }
                    let _ = writeln!(text, "\t  {line}");
                }
                for pair in group.literals.chunks_exact(2) {
                    let [first, second] =
                        [0, 1].map(|n| format!("{}({:e})", pair[n], f32::from_bits(pair[n])));
                    let _ = writeln!(text, "\t{first}, {second}");
                }
            }
        }
        Clause::Fetch(_, fetches) => {
            heading(text, Part::Fetch, address);
            for instruction in fetches {
                let mut line = fetch::print(*instruction);
                if let Ok((read, _)) = fetch::parse(&mut Cursor::new(&line, &LLVM)) {
                    line += &differences(&instruction.format(), &instruction.dwords(), &read);
                }
                let _ = writeln!(text, "\t  {line}");
            }
        }
    }
}
