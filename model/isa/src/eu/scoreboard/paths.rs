//! Where a thread may go on after each instruction of a program of Gen12.

use crate::eu::{
    instruction::{Instruction, PredicateControl},
    opcode::Opcode,
    program::{Placed, Program},
};

/// The instructions behind which a thread may go on where nothing follows it: where a register holds, and
/// no call in the program stores.
pub(super) fn not_followed(program: &Program) -> Vec<usize> {
    let has_calls = behind_calls(program).next().is_some();
    let placed = program.instructions().iter().enumerate();
    let leads_away = placed.filter(|(_, place)| {
        let Instruction { opcode, branch, .. } = place.instruction;
        let in_register = branch.is_some_and(|branch| branch.jip.is_none());
        in_register && !(opcode == Opcode::Ret && has_calls)
    });
    leads_away.map(|(index, _)| index).collect()
}

/// For each instruction the numbers of those that may come next. A target outside of the program, or one
/// that a register holds, leads nowhere.
pub(super) fn successors(program: &Program) -> Vec<Vec<usize>> {
    let returns: Vec<_> = behind_calls(program).collect();
    let placed = program.instructions().iter().enumerate();
    placed.map(|(index, place)| after(program, index, place, &returns)).collect()
}

/// The instructions behind calls, to which any `ret` may lead.
fn behind_calls(program: &Program) -> impl Iterator<Item = usize> {
    let count = program.instructions().len();
    let calls = program.instructions().iter().enumerate();
    let calls = calls
        .filter(|(_, place)| matches!(place.instruction.opcode, Opcode::Call | Opcode::Calla))
        .map(|(index, _)| index + 1);
    calls.filter(move |next| *next < count)
}

fn after(program: &Program, index: usize, place: &Placed, returns: &[usize]) -> Vec<usize> {
    let instruction = &place.instruction;
    let next = (index + 1 < program.instructions().len()).then_some(index + 1);
    if instruction.message.is_some_and(|message| message.end_of_thread) {
        return Vec::new();
    }
    let Some(branch) = instruction.branch else { return next.into_iter().collect() };
    let always = instruction.predicate.control == PredicateControl::None;
    // A jump of the whole thread goes on behind itself only if its predicate is false; every other branch
    // does where channels are left, or wait there.
    let falls_through = match instruction.opcode {
        Opcode::Jmpi | Opcode::Call | Opcode::Calla | Opcode::Ret => !always,
        _ => true,
    };
    let base = if instruction.opcode == Opcode::Calla { 0 } else { place.offset };
    let target = |distance: i32| {
        let target = i64::try_from(base).ok()? + i64::from(distance);
        program.index_at(usize::try_from(target).ok()?)
    };
    let targets = [branch.jip, branch.uip].into_iter().flatten().filter_map(target);
    let mut all: Vec<_> = targets.chain(next.filter(|_| falls_through)).collect();
    if instruction.opcode == Opcode::Ret {
        all.extend(returns);
    }
    all.sort_unstable();
    all.dedup();
    all
}
