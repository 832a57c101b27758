//! Programs to text.

use std::collections::BTreeSet;

use super::{
    super::{
        instruction::{Alu, Cf, Fetch, Group},
        opcode::Units,
        program::{Clause, Program},
    },
    alu::{self, UNITS},
    control, fetch,
};

/// A program as text.
#[must_use]
pub fn print(program: &Program) -> String {
    let mut text = String::new();
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
        text += &format!("{address:02} {}\n", control::print(*cf));
        let Some(mut words) = Program::clause_of(*cf) else { continue };
        if !printed.insert(words.start) {
            continue;
        }
        end = end.max(words.end.min(program.words));
        while let Some(address) = words.next() {
            match program.clauses.get(&address) {
                Some(clause) => {
                    text += &print_clause(clause, &mut number);
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
    text
}

/// The instructions of a clause, numbered on.
fn print_clause(clause: &Clause, number: &mut usize) -> String {
    let mut text = String::new();
    match clause {
        Clause::Alu(groups) => {
            for group in groups {
                text += &print_numbered(group, *number);
                *number += 1;
            }
        }
        Clause::Fetch(_, fetches) => {
            for instruction in fetches {
                text += &format!("    {number:3}  {}\n", fetch::print(*instruction));
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
    control::print(cf)
}

/// A fetch instruction as text, without a number.
#[must_use]
pub fn print_fetch(instruction: Fetch) -> String {
    fetch::print(instruction)
}

/// A group as text, without a number.
#[must_use]
pub fn print_group(group: &Group) -> String {
    lines(group).join("\n")
}

fn print_numbered(group: &Group, number: usize) -> String {
    let mut text = String::new();
    for (index, line) in lines(group).into_iter().enumerate() {
        if index == 0 {
            text += &format!("    {number:3}  {line}\n");
        } else {
            text += &format!("         {line}\n");
        }
    }
    text
}

/// The lines of a group.
fn lines(group: &Group) -> Vec<String> {
    let mut taken = [false; 4];
    let mut lines = Vec::new();
    for &instruction in &group.instructions {
        let unit = unit(instruction, &mut taken);
        let text = alu::print(instruction, unit == 4, &group.literals);
        lines.push(format!("{}: {text}", UNITS[unit]));
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
