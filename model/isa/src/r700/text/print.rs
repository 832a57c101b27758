//! Programs to text.

use std::collections::BTreeSet;

use super::{
    super::{
        instruction::{Alu, Cf, Fetch, Group},
        microcode::{CfWord, ExportBuffer, ExportSwizzle},
        opcode::Units,
        program::{Clause, Program},
    },
    alu::{self, UNITS},
    control,
    cursor::Cursor,
    dialect::{Dialect, MANUAL},
    fetch,
    group::OpenGroup,
};

/// A program as text.
#[must_use]
pub fn print(program: &Program) -> String {
    print_in(program, &MANUAL)
}

/// A program as text of a dialect.
pub(super) fn print_in(program: &Program, dialect: &'static Dialect) -> String {
    let mut text = String::new();
    let end_line = dialect.implied_end.then(|| end_line(program)).flatten();
    let mut expected = 0;
    let mut number = 0;
    let mut printed = BTreeSet::new();
    let data = |address, word| print_data(address, word) + "\n";
    let (mut next, mut end) = (0, 0);
    for (&address, cf) in &program.control_flow {
        // Words that do not decode, where they stand.
        for (&address, word) in program.data.range(next..address.max(next)) {
            if printed.insert(address) {
                text += &data(address, *word);
            }
        }
        next = address + 1;
        end = end.max(next);
        let is_last = end_line == Some(address);
        let cf = if is_last { without_end(*cf) } else { *cf };
        text += &format!("{address:02} {}", control::print(cf, dialect));
        if dialect.strict_numbers && address != expected {
            text += &format!(" AT({address})");
        }
        expected = address + 1;
        text.push('\n');
        let Some(mut words) = Program::clause_of(cf) else { continue };
        if !printed.insert(words.start) {
            continue;
        }
        end = end.max(words.end.min(program.words));
        while let Some(address) = words.next() {
            match program.clauses.get(&address) {
                Some(clause) => {
                    text += &print_clause(clause, &mut number, dialect);
                    words.start = address + clause.dwords().len() as u32 / 2;
                }
                None => {
                    if let Some(word) = program.data.get(&address) {
                        printed.insert(address);
                        text += &data(address, *word);
                    }
                }
            }
        }
    }
    for (&address, word) in &program.data {
        end = end.max(address + 1);
        if printed.insert(address) {
            text += &data(address, *word);
        }
    }
    if end < program.words {
        text += &format!("DATA ADDR({}) LOW(0x0) HIGH(0x0)\n", program.words - 1);
    }
    if end_line.is_some() {
        text += "END_OF_PROGRAM\n";
    }
    text
}

/// The last control-flow instruction, if a line of its own can say that the program ends there.
fn end_line(program: &Program) -> Option<u32> {
    let (address, cf) = program.control_flow.last_key_value()?;
    cf.end_of_program().then_some(*address)
}

/// An instruction that does not end the program.
fn without_end(cf: Cf) -> Cf {
    match cf {
        Cf::Plain(word) => Cf::Plain(word.with(CfWord::END_OF_PROGRAM, 0)),
        Cf::Export(word) => Cf::Export(word.with(ExportSwizzle::END_OF_PROGRAM, 0)),
        Cf::Memory(word) => Cf::Memory(word.with(ExportBuffer::END_OF_PROGRAM, 0)),
        Cf::Alu(word) => Cf::Alu(word),
    }
}

/// The instructions of a clause, numbered on.
fn print_clause(clause: &Clause, number: &mut usize, dialect: &'static Dialect) -> String {
    let mut text = String::new();
    match clause {
        Clause::Alu(groups) => {
            for group in groups {
                text += &print_numbered(group, *number, dialect);
                *number += 1;
            }
        }
        Clause::Fetch(_, fetches) => {
            for instruction in fetches {
                text += &format!("    {number:3}  {}\n", fetch::print(*instruction, dialect));
                *number += 1;
            }
        }
    }
    text
}

/// A word that belongs to no instruction as text.
#[must_use]
pub fn print_data(address: u32, [low, high]: [u32; 2]) -> String {
    format!("DATA ADDR({address}) LOW({low:#010x}) HIGH({high:#010x})")
}

/// A control-flow instruction as text, without a number.
#[must_use]
pub fn print_control_flow(cf: Cf) -> String {
    control::print(cf, &MANUAL)
}

/// A fetch instruction as text, without a number.
#[must_use]
pub fn print_fetch(instruction: Fetch) -> String {
    fetch::print(instruction, &MANUAL)
}

/// A group as text, without a number.
#[must_use]
pub fn print_group(group: &Group) -> String {
    lines(group, &MANUAL).join("\n")
}

fn print_numbered(group: &Group, number: usize, dialect: &'static Dialect) -> String {
    let mut text = String::new();
    for (index, line) in lines(group, dialect).into_iter().enumerate() {
        if index == 0 {
            text += &format!("    {number:3}  {line}\n");
        } else {
            text += &format!("         {line}\n");
        }
    }
    text
}

/// The lines of a group.
fn lines(group: &Group, dialect: &'static Dialect) -> Vec<String> {
    let mut taken = [false; 4];
    let mut lines = Vec::new();
    for &instruction in &group.instructions {
        let unit = unit(instruction, &mut taken);
        let text = alu::print(instruction, unit, &group.literals, dialect);
        lines.push(format!("{}: {text}", UNITS[unit]));
    }
    if dialect.ordered_literals {
        lines.extend(stated_literals(group, &lines, dialect));
        return lines;
    }
    // Literal dwords that no operand names are zero unless said otherwise.
    let mut named = [false; 4];
    for operand in group.instructions.iter().flat_map(|alu| alu.operands()) {
        if operand.source == Some(super::super::Source::Literal) {
            named[usize::from(operand.element)] = true;
        }
    }
    let rest = group.literals.iter().enumerate().filter(|(n, bits)| !named[*n] && **bits != 0);
    for (n, bits) in rest {
        lines.push(format!("literal {}: {bits:#010x}", UNITS[n]));
    }
    lines
}

/// The lines that state all literals of a group, if its other lines are not read as they are.
fn stated_literals(group: &Group, lines: &[String], dialect: &'static Dialect) -> Vec<String> {
    let mut read = OpenGroup::default();
    for line in lines {
        let mut cursor = Cursor::new(line, dialect);
        let unit = UNITS.iter().position(|unit| cursor.take_here(*unit));
        if let Some(unit) = unit.filter(|_| cursor.take(':')) {
            // What is printed is read, or else the literals are stated.
            let _ = read.read(&mut cursor, unit, 0);
        }
    }
    if read.close().is_ok_and(|(read, _)| read.literals == group.literals) {
        return Vec::new();
    }
    let literals = group.literals.iter().enumerate();
    literals.map(|(n, bits)| format!("literal {}: {bits:#010x}", UNITS[n])).collect()
}

/// The unit that a reader expects an instruction in: its element's, if that is free.
fn unit(alu: Alu, taken: &mut [bool; 4]) -> usize {
    let element = alu.dst_elem() as usize;
    let trans = alu.opcode().is_some_and(|opcode| opcode.row().units == Units::Trans);
    if trans || taken[element] {
        return 4;
    }
    taken[element] = true;
    element
}
