//! Loops, breaks and jumps as they stand in the text of a program (sections 3.7.2 to 3.7.5).

use std::collections::{HashMap, HashSet};

use super::{Findings, breaks};
use crate::r700::{instruction::Cf, microcode::CfWord, opcode::CfOpcode, program::Program};

/// Checks a program; gives the jumps that leave or enter a loop.
pub(super) fn check(program: &Program, findings: &mut Findings) -> HashSet<u32> {
    let loops = Loops::find(program, findings);
    targets(program, findings);
    jumps(program, &loops, findings)
}

/// The loops of a program as they are nested in the text.
struct Loops {
    /// Addresses of the first and last instruction of each, by the first.
    loops: Vec<(u32, u32)>,
}

impl Loops {
    /// Matches starts and ends as they are nested in the text.
    fn find(program: &Program, findings: &mut Findings) -> Self {
        let (mut open, mut loops) = (Vec::new(), Vec::new());
        // Breaks and continues wait for the end of their loop.
        let mut leaving: Vec<Vec<(u32, CfWord, CfOpcode)>> = Vec::new();
        for (&address, &cf) in &program.control_flow {
            let Some(opcode) = cf.opcode() else { continue };
            match (cf, opcode) {
                (
                    Cf::Plain(word),
                    CfOpcode::LoopStart | CfOpcode::LoopStartDx10 | CfOpcode::LoopStartNoAl,
                ) => {
                    open.push((address, word));
                    leaving.push(Vec::new());
                }
                (Cf::Plain(word), CfOpcode::LoopEnd) => {
                    let Some((start, first)) = open.pop() else { continue };
                    loops.push((start, address));
                    addresses((start, first), (address, word), findings);
                    for (from, word, opcode) in leaving.pop().unwrap_or_default() {
                        to_end(from, word, opcode, address, findings);
                    }
                }
                (Cf::Plain(word), CfOpcode::LoopBreak | CfOpcode::LoopContinue) => {
                    if let Some(leaving) = leaving.last_mut() {
                        leaving.push((address, word, opcode));
                    }
                }
                _ => {}
            }
        }
        loops.sort_unstable();
        Self { loops }
    }

    /// The innermost loop around each control-flow instruction that is in one.
    fn around(&self, program: &Program) -> HashMap<u32, (u32, u32)> {
        let (mut next, mut open) = (self.loops.iter().peekable(), Vec::new());
        let mut around = HashMap::new();
        for &address in program.control_flow.keys() {
            // A jump to the start of a loop does not enter it yet.
            while let Some(entered) = next.next_if(|(start, _)| *start < address) {
                while open.pop_if(|(_, end)| *end < entered.0).is_some() {}
                open.push(*entered);
            }
            while open.pop_if(|(_, end)| *end < address).is_some() {}
            if let Some(innermost) = open.last() {
                around.insert(address, *innermost);
            }
        }
        around
    }
}

fn addresses((start, first): (u32, CfWord), (end, last): (u32, CfWord), findings: &mut Findings) {
    if first.addr() != end + 1 {
        breaks!(
            findings,
            start,
            ["r700.cf.loop.addr.start"],
            "ADDR of the loop start is {}: it should be {}, after the end of the loop",
            first.addr(),
            end + 1
        );
    }
    if last.addr() != start + 1 {
        breaks!(
            findings,
            end,
            ["r700.cf.loop.addr.end"],
            "ADDR of LOOP_END is {}: it should be {}, after the start of the loop",
            last.addr(),
            start + 1
        );
    }
}

fn to_end(from: u32, word: CfWord, opcode: CfOpcode, end: u32, findings: &mut Findings) {
    if word.addr() != end {
        breaks!(
            findings,
            from,
            ["r700.cf.loop.addr.break"],
            "ADDR of {} is {}: it should be {end}, the LOOP_END",
            opcode.mnemonic(),
            word.addr()
        );
    }
}

fn targets(program: &Program, findings: &mut Findings) {
    for (&address, cf) in &program.control_flow {
        let Some(target) = cf.target().filter(|to| !program.control_flow.contains_key(to)) else {
            continue;
        };
        breaks!(
            findings,
            address,
            ["r700.cf.addr.target-kind"],
            "{} goes to address {target}, where no control-flow instruction is",
            cf.opcode().map_or("", CfOpcode::mnemonic)
        );
    }
}

fn jumps(program: &Program, loops: &Loops, findings: &mut Findings) -> HashSet<u32> {
    let around = loops.around(program);
    let mut leaving = HashSet::new();
    for (&address, &cf) in &program.control_flow {
        let (Some(CfOpcode::Jump), Some(target)) = (cf.opcode(), cf.target()) else { continue };
        if around.get(&address) != around.get(&target) {
            leaving.insert(address);
            breaks!(
                findings,
                address,
                ["r700.cf.jump.scope"],
                "JUMP to {target} enters or leaves a loop"
            );
        }
    }
    leaving
}
