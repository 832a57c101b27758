//! Cases without some instructions of their programs.

use std::collections::BTreeSet;

use parallax_isa::r700::{
    Alu, Case, Cf, CfOpcode, Fetch, Group, Program,
    legality::{self, Settings, Violation},
    program::Clause,
};

use super::{
    R700, forms,
    layout::{Item, items, lay_out},
    shrink::{absolute, regroup, without as without_items},
};
use crate::{executed, form::Form};

/// The case without some instructions. `None` if they are control flow, or the program is not legal any more.
pub(super) fn without(case: Case, is_left_out: &mut dyn FnMut(&Form) -> bool) -> Option<Case> {
    let Ok(program) = Program::of_case(&case) else { return Some(case) };
    let all = items(&program);
    let mut is_flow = false;
    let rest: Vec<Item> = all
        .iter()
        .map(|item| {
            is_flow |= forms::of_flow(item.cf).is_some_and(|form| is_left_out(&form));
            let clause = item.clause.as_ref().map(|clause| shorter(&case, clause, is_left_out));
            Item { clause, ..item.clone() }
        })
        .collect();
    if is_flow {
        return None;
    }
    if rest == all { Some(case) } else { of_items(&case, &rest) }
}

/// What a step of a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// The group at an address.
    Group(u32),
    /// The control-flow instruction at an address.
    Flow(u32),
}

/// Where in its program a case is before each of its first steps.
fn places(case: &Case, steps: u64) -> Vec<Place> {
    executed::places::<R700, _>(case, steps, |state| match state.in_clause {
        0 => Place::Flow(state.cf),
        _ => Place::Group(state.group),
    })
}

/// The steps of so many in which a case comes to a group or a fetch clause for the first time.
pub(super) fn first_steps(case: &Case, steps: u64) -> Vec<u64> {
    let Ok(program) = Program::of_case(case) else { return Vec::new() };
    let fetches = |at: &u32| {
        let opcode = program.control_flow.get(at).and_then(|cf| cf.opcode());
        matches!(opcode, Some(CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc))
    };
    let flow = program.control_flow.keys().copied().filter(|at| !fetches(at));
    let mut reached: BTreeSet<_> = flow.map(Place::Flow).collect();
    let places = places(case, steps).into_iter();
    (0..).zip(places).filter(|(_, place)| reached.insert(*place)).map(|(step, _)| step).collect()
}

/// The case with its control flow and those of its groups and fetches that it comes to in so many steps, but for what a
/// step is. Clauses that are control flow too stay as they are.
pub(super) fn up_to(case: &Case, steps: u64, without: Option<u64>) -> Option<Case> {
    let program = Program::of_case(case).ok()?;
    let places = places(case, steps);
    let without = without.and_then(|step| places.get(usize::try_from(step).ok()?).copied());
    let reached = places.iter().copied().filter(|place| Some(*place) != without);
    let reached: BTreeSet<_> = reached.collect();
    let mut all = items(&program);
    for (item, at) in all.iter_mut().zip(program.control_flow.keys()) {
        match (&item.cf, &mut item.clause) {
            (Cf::Alu(word), Some(Clause::Alu(groups)))
                if item.cf.opcode() == Some(CfOpcode::Alu) =>
            {
                let mut address = word.addr();
                groups.retain(|group| {
                    let is_reached = reached.contains(&Place::Group(address));
                    address += group.words() as u32;
                    is_reached
                });
            }
            (_, Some(Clause::Fetch(_, fetches))) if !reached.contains(&Place::Flow(*at)) => {
                fetches.clear();
            }
            _ => {}
        }
    }
    of_items(case, &all)
}

/// The case with a program of other items, without those whose clauses are empty. `None` if it is not legal any more.
fn of_items(case: &Case, rest: &[Item]) -> Option<Case> {
    let is_empty = |at: usize| match &rest[at].clause {
        Some(Clause::Alu(groups)) => groups.is_empty(),
        Some(Clause::Fetch(_, fetches)) => fetches.is_empty(),
        None => false,
    };
    let rest = without_items(&absolute(rest.to_vec(), case.fetch_program), is_empty);
    let shorter = Case { program: lay_out(&rest), fetch_program: 0, ..case.clone() };
    let is_legal = |case: &Case| {
        let Ok(program) = Program::of_case(case) else { return false };
        !legality::check(&program, &Settings::of(case)).iter().any(Violation::is_illegal)
    };
    (is_legal(&shorter) || !is_legal(case)).then_some(shorter)
}

/// A clause without some instructions.
fn shorter(case: &Case, clause: &Clause, is_left_out: &mut dyn FnMut(&Form) -> bool) -> Clause {
    match clause {
        Clause::Alu(groups) => {
            let groups = groups.iter().filter_map(|group| shorter_group(case, group, is_left_out));
            Clause::Alu(groups.collect())
        }
        Clause::Fetch(kind, fetches) => {
            let mut is_kept =
                |fetch: &&Fetch| !forms::of_fetch(**fetch).is_some_and(|form| is_left_out(&form));
            let fetches = fetches.iter().filter(|fetch| is_kept(fetch));
            Clause::Fetch(*kind, fetches.copied().collect())
        }
    }
}

fn shorter_group(
    case: &Case,
    group: &Group,
    is_left_out: &mut dyn FnMut(&Form) -> bool,
) -> Option<Group> {
    let mut forms = forms::of_group(case, group);
    let mut is_kept =
        |alu: &&Alu| alu.opcode().is_none() || !forms.next().is_some_and(|form| is_left_out(&form));
    let kept: Vec<Alu> = group.instructions.iter().filter(|alu| is_kept(alu)).copied().collect();
    match kept.len() {
        0 => None,
        number if number == group.instructions.len() => Some(group.clone()),
        _ => Some(regroup(kept, &group.literals)),
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::Device;
    use rstest::rstest;

    use super::*;
    use crate::{r700::generate, random::SplitMix64};

    /// The mnemonics of a program's ALU instructions.
    fn mnemonics(case: &Case) -> Vec<String> {
        let program = Program::of_case(case).expect("a program");
        let groups = program.clauses.values().flat_map(|clause| match clause {
            Clause::Alu(groups) => groups.clone(),
            Clause::Fetch(..) => Vec::new(),
        });
        groups.flat_map(|group| forms::of_group(case, &group)).map(|form| form.name).collect()
    }

    #[rstest]
    fn groups_do_without_some_instructions(#[values("MOV", "MUL", "DOT4")] mnemonic: &str) {
        let (mut had, mut left) = (0, 0);
        let mut bytes = vec![0; generate::BYTES];
        for seed in 0..100 {
            SplitMix64::new(seed).fill(&mut bytes);
            let case = generate::groups(Device::Rv770, &bytes);
            let all = mnemonics(&case).len();
            let Some(rest) = without(case, &mut |form| form.name == mnemonic) else { continue };
            let rest = mnemonics(&rest);
            assert!(!rest.iter().any(|name| name == mnemonic), "{rest:?}");
            had += usize::from(rest.len() < all);
            left += 1;
        }
        assert!(left >= 60 && had >= 3, "{left} of 100, {had} had {mnemonic}");
    }
}
