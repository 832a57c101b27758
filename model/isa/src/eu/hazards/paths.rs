//! Where a thread may go on after each instruction of a program of Gen12.

use crate::eu::{
    instruction::{Instruction, PredicateControl},
    opcode::Opcode,
    program::Program,
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

/// A place where a thread may be: about to execute an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) index: usize,
    /// Whether channels go with the thread for certain: they executed what stands before, or wait here.
    pub(super) has_channels: bool,
}

impl Place {
    /// Where a program begins.
    pub(super) const FIRST: Self = Self { index: 0, has_channels: true };

    /// Its number among all places of a program.
    pub(super) const fn number(self) -> usize {
        2 * self.index + self.has_channels as usize
    }

    pub(super) const fn of_number(number: usize) -> Self {
        Self { index: number / 2, has_channels: number % 2 == 1 }
    }
}

/// A way from one place to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) to: Place,
    /// It does not lead to the instruction behind: a jump takes longer than instructions in order do.
    pub(super) is_jump: bool,
}

/// For each place, by its number, the ways on. A target outside of the program, or one that a register holds,
/// leads nowhere.
pub(super) fn successors(program: &Program) -> Vec<Vec<Step>> {
    let returns: Vec<_> = behind_calls(program).collect();
    let mut all = program.instructions().iter().map(|placed| placed.instruction.opcode);
    let only_breaks = !all.any(|opcode| matches!(opcode, Opcode::Halt | Opcode::Goto));
    let numbers = 0..2 * program.instructions().len();
    let steps = |number| {
        let place = Place::of_number(number);
        let all = after(program, place, &returns, only_breaks);
        all.into_iter().map(|to| Step { to, is_jump: to.index != place.index + 1 }).collect()
    };
    numbers.map(steps).collect()
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

/// Where a thread may go on. If only `break` takes channels out of loops, they all wait at the end of theirs.
fn after(program: &Program, place: Place, returns: &[usize], only_breaks: bool) -> Vec<Place> {
    let Place { index, has_channels } = place;
    let placed = &program.instructions()[index];
    let instruction = &placed.instruction;
    if instruction.message.is_some_and(|message| message.end_of_thread) {
        return Vec::new();
    }
    let next = (index + 1 < program.instructions().len()).then_some(index + 1);
    let with = |has_channels| move |index| Place { index, has_channels };
    let Some(branch) = instruction.branch else {
        return next.map(with(true)).into_iter().collect();
    };
    let always = instruction.predicate.control == PredicateControl::None;
    let base = if instruction.opcode == Opcode::Calla { 0 } else { placed.offset };
    let target = |distance: Option<i32>| {
        let target = i64::try_from(base).ok()? + i64::from(distance?);
        program.index_at(usize::try_from(target).ok()?)
    };
    let (jip, uip) = (target(branch.jip), target(branch.uip));
    let mut all: Vec<Place> = match instruction.opcode {
        // The channels that do not go on wait behind the `else`, or at the `endif`; UIP is for the `else`.
        Opcode::If if has_channels => next.into_iter().chain(jip).map(with(true)).collect(),
        // Those that come here go on at the `endif`; what stands between is for others, who come from the `if`.
        Opcode::Else if has_channels && jip == uip => jip.map(with(true)).into_iter().collect(),
        Opcode::Endif if has_channels => next.map(with(true)).into_iter().collect(),
        // Without a predicate, a loop is left by those only that wait at its end.
        Opcode::While if has_channels && always => jip.map(with(true)).into_iter().collect(),
        Opcode::While if has_channels => next.into_iter().chain(jip).map(with(true)).collect(),
        Opcode::While => {
            let jump = jip.map(with(false));
            jump.into_iter().chain(next.map(with(only_breaks))).collect()
        }
        // A jump of the whole thread goes on behind itself only if its predicate is false.
        Opcode::Jmpi | Opcode::Call | Opcode::Calla | Opcode::Ret => {
            let next = next.filter(|_| !always);
            next.into_iter().chain(jip).map(with(true)).collect()
        }
        // Every other branch goes on behind itself where channels are left, or wait there.
        opcode => {
            let takes_all = always && matches!(opcode, Opcode::Break | Opcode::Cont | Opcode::Halt);
            let next = next.filter(|_| !takes_all).map(with(has_channels));
            jip.into_iter().chain(uip).map(with(false)).chain(next).collect()
        }
    };
    if instruction.opcode == Opcode::Ret {
        all.extend(returns.iter().copied().map(with(true)));
    }
    all.sort_unstable();
    all.dedup();
    all
}
