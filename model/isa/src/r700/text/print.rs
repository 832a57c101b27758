//! Programs to text.

use std::collections::BTreeSet;

use super::{
    super::{
        instruction::{Alu, Cf, Fetch, Group},
        opcode::{CfOpcode, Units},
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
    for (address, cf) in program.control_flow.iter().enumerate() {
        text += &format!("{address:02} {}\n", control::print(*cf));
        let Some(start) = clause_of(*cf) else { continue };
        if !printed.insert(start) {
            continue;
        }
        match program.clauses.get(&start) {
            Some(Clause::Alu(groups)) => {
                for group in groups {
                    text += &print_numbered(group, number);
                    number += 1;
                }
            }
            Some(Clause::Fetch(_, fetches)) => {
                for instruction in fetches {
                    text += &format!("    {number:3}  {}\n", fetch::print(*instruction));
                    number += 1;
                }
            }
            None => {}
        }
    }
    for (address, [low, high]) in &program.data {
        text += &format!("DATA ADDR({address}) LOW({low:#010x}) HIGH({high:#010x})\n");
    }
    let end =
        program.clauses.iter().map(|(start, clause)| *start as usize + clause.dwords().len() / 2);
    let end = end.chain([program.control_flow.len()]);
    let end = end.chain(program.data.keys().map(|address| *address as usize + 1)).max();
    if end.is_some_and(|end| end < program.words as usize) {
        text += &format!("DATA ADDR({}) LOW(0x0) HIGH(0x0)\n", program.words - 1);
    }
    text
}

/// Where the clause starts that a control-flow instruction runs.
fn clause_of(cf: Cf) -> Option<u32> {
    match (cf, cf.opcode()?) {
        (Cf::Alu(word), _) => Some(word.addr()),
        (Cf::Plain(word), CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc) => Some(word.addr()),
        _ => None,
    }
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
