//! R700 made wrong: instructions and what programs start from changed, effects disturbed.

mod blocks;
mod flow;
pub(super) mod groups;
mod long;
mod memory;
mod open;
mod seldom;
mod texture;

use parallax_executor::r700::Executor;
use parallax_isa::{
    Device,
    r700::{
        Alu, Case, Cf, CfOpcode, Fetch, Group, Program, State, decode::control_flow,
        program::Clause,
    },
};
use parallax_lockstep::{
    lockstep::Pace,
    r700::{
        R700, flow as programs,
        generate::{self, memory as accesses, texture as sampling},
    },
    suites::lockstep::LockstepSuite,
};

use crate::fault_injection::{
    Family, Fault, Faulty, Mutate, all_are_found, all_are_found_at, none_is_found,
};

/// Changes a part of a case; where it can be `None`, that is where the fault does not concern it.
#[derive(Clone, Copy)]
pub(crate) enum Rewrite {
    Alu(fn(&mut Alu) -> Option<()>),
    Group(fn(&mut Group) -> Option<()>),
    Fetch(fn(&mut Fetch) -> Option<()>),
    Flow(fn(&mut Cf, CfOpcode) -> Option<()>),
    /// Anything but the program.
    Case(fn(&mut Case)),
}

/// Disturbs the state after a step, given the state before.
#[derive(Clone, Copy)]
pub(crate) enum Disturb {
    /// And the control-flow instruction.
    Flow(fn(CfOpcode, &State, &mut State)),
    /// And the group, where one was run.
    Group(fn(&Group, &State, &mut State)),
}

impl Mutate for R700 {
    type Rewrite = Rewrite;
    type Disturb = Disturb;

    const BUDGET: u64 = 100_000;
    const LONGEST: usize = 2;
    const SPARE: usize = 10;
    const SEED: u64 = 700;

    fn rewritten(case: &Case, rewrite: Rewrite) -> Case {
        let mut changed = case.clone();
        if let Rewrite::Case(change) = rewrite {
            change(&mut changed);
        } else if let Ok(mut program) = Program::decode(&case.program) {
            rewrite.apply(&mut program);
            let dwords = program.encode();
            // A change that moves or breaks anything else would be another fault.
            if dwords.len() == case.program.len() && Program::decode(&dwords).is_ok() {
                changed.program = dwords;
            }
        }
        changed
    }

    fn disturb(case: &Case, disturb: Disturb, before: &State, after: &mut State) {
        let disturb = match disturb {
            Disturb::Flow(disturb) => disturb,
            Disturb::Group(disturb) if before.in_clause == 1 => {
                let program = Program::decode(&case.program).ok();
                if let Some(group) = program.as_ref().and_then(|p| p.group_at(before.group)) {
                    disturb(group, before, after);
                }
                return;
            }
            Disturb::Group(_) => return,
        };
        let dwords = case.program.chunks_exact(2).nth(before.cf as usize);
        let instruction = dwords.and_then(|dwords| control_flow([dwords[0], dwords[1]]).ok());
        if let Some(opcode) = instruction.and_then(Cf::opcode) {
            disturb(opcode, before, after);
        }
    }
}

impl Rewrite {
    /// Changes every part of a program that the fault concerns.
    fn apply(self, program: &mut Program) {
        match self {
            Self::Alu(rewrite) => {
                let instructions = groups(program).flat_map(|group| &mut group.instructions);
                instructions.for_each(|alu| change(alu, rewrite));
            }
            Self::Group(rewrite) => groups(program).for_each(|group| change(group, rewrite)),
            Self::Fetch(rewrite) => fetches(program).for_each(|fetch| change(fetch, rewrite)),
            Self::Flow(rewrite) => {
                for cf in program.control_flow.values_mut() {
                    if let Some(opcode) = cf.opcode() {
                        change(cf, |cf| rewrite(cf, opcode));
                    }
                }
            }
            Self::Case(_) => {}
        }
    }
}

/// Changes a part of a program, wholly or not at all.
fn change<T: Clone>(part: &mut T, rewrite: impl Fn(&mut T) -> Option<()>) {
    let mut changed = part.clone();
    if rewrite(&mut changed).is_some() {
        *part = changed;
    }
}

fn groups(program: &mut Program) -> impl Iterator<Item = &mut Group> {
    program.clauses.values_mut().flat_map(|clause| match clause {
        Clause::Alu(groups) => &mut groups[..],
        Clause::Fetch(..) => &mut [],
    })
}

fn fetches(program: &mut Program) -> impl Iterator<Item = &mut Fetch> {
    program.clauses.values_mut().flat_map(|clause| match clause {
        Clause::Fetch(_, fetches) => &mut fetches[..],
        Clause::Alu(_) => &mut [],
    })
}

const fn alu(name: &'static str, rewrite: fn(&mut Alu) -> Option<()>) -> Fault<R700> {
    Fault::rewrite(name, Rewrite::Alu(rewrite))
}

const fn group(name: &'static str, rewrite: fn(&mut Group) -> Option<()>) -> Fault<R700> {
    Fault::rewrite(name, Rewrite::Group(rewrite))
}

const fn fetch(name: &'static str, rewrite: fn(&mut Fetch) -> Option<()>) -> Fault<R700> {
    Fault::rewrite(name, Rewrite::Fetch(rewrite))
}

const fn flow(name: &'static str, rewrite: fn(&mut Cf, CfOpcode) -> Option<()>) -> Fault<R700> {
    Fault::rewrite(name, Rewrite::Flow(rewrite))
}

const fn case(name: &'static str, change: fn(&mut Case)) -> Fault<R700> {
    Fault::rewrite(name, Rewrite::Case(change))
}

const fn disturb(name: &'static str, disturb: fn(CfOpcode, &State, &mut State)) -> Fault<R700> {
    Fault::disturb(name, Disturb::Flow(disturb))
}

const fn result(name: &'static str, disturb: fn(&Group, &State, &mut State)) -> Fault<R700> {
    Fault::disturb(name, Disturb::Group(disturb))
}

/// Groups and programs, as the first byte has it.
fn groups_and_programs(device: Device, bytes: &[u8]) -> Case {
    match bytes.split_first() {
        Some((first, rest)) if first % 2 == 0 => generate::groups(device, rest),
        Some((_, rest)) => programs::any(device, rest),
        None => generate::groups(device, bytes),
    }
}

/// Bytes that are enough for any group or program.
const BYTES: usize =
    if generate::BYTES > programs::BYTES { generate::BYTES } else { programs::BYTES };

/// Faults that are shown by groups and programs.
const fn of_programs(name: &'static str, faults: &'static [Fault<R700>]) -> Family<R700> {
    let generate = groups_and_programs;
    Family { name, device: Device::Rv770, generate, bytes: 1 + BYTES, faults }
}

static GROUPS: Family<R700> = of_programs("groups", groups::FAULTS);

/// The fault of a name among those of groups.
pub(crate) fn fault(name: &str) -> Fault<R700> {
    GROUPS.fault(name).expect("a fault of that name")
}

static FLOW: Family<R700> = of_programs("control flow", flow::FAULTS);

static SELDOM: Family<R700> = of_programs("seldom", seldom::FAULTS);

static LAYOUT: Family<R700> = of_programs("layout", flow::OF_LAYOUT);

static MEMORY: Family<R700> = Family {
    name: "memory",
    device: Device::Rv770,
    generate: accesses::memory,
    bytes: accesses::BYTES,
    faults: memory::FAULTS,
};

/// A suite of programs that access memory, on an engine with a fault.
pub(crate) fn accesses_with(name: &'static str) -> LockstepSuite<R700> {
    let generate = |bytes: &[u8]| accesses::memory(Device::Rv770, bytes);
    let suite = LockstepSuite::<R700>::new("planted", "rv770", accesses::BYTES, generate);
    suite.with_engine(|| {
        let fault = MEMORY.fault(name).expect("a fault of that name");
        Box::new(Faulty::around(Box::new(Executor::new()), fault))
    })
}

static LONG_CLAUSES: Family<R700> =
    Family { name: "long fetch clauses", faults: memory::OF_LONG_CLAUSES, ..MEMORY };

static TEXTURES: Family<R700> = Family {
    name: "filtered textures",
    device: Device::Rv770,
    generate: sampling::textures,
    bytes: sampling::BYTES,
    faults: texture::FAULTS,
};

/// Faults that are none.
static CONTROLS: Family<R700> = of_programs(
    "controls",
    &[
        alu("every instruction as it was", |_| Some(())),
        group("every group as it was", |_| Some(())),
        fetch("every fetch as it was", |_| Some(())),
        flow("all control flow as it was", |_, _| Some(())),
        case("every case as it was", |_| {}),
        disturb("every effect as it was", |_, _, _| {}),
    ],
);

#[test]
fn faults_of_groups_are_found() {
    // What CUBE leaves wrong only in PV takes the group that reads it; an address, what sets it for a pixel.
    all_are_found_at(&GROUPS, Pace::Steps, R700::LONGEST + 1, R700::SPARE + 4);
}

#[test]
fn faults_of_control_flow_are_found() {
    all_are_found(&FLOW);
}

#[test]
fn faults_that_show_seldom_are_found() {
    // A value that only PS or PV has wrong takes the group that reads it.
    all_are_found_at(&SELDOM, Pace::Steps, R700::LONGEST + 2, 2 * R700::SPARE);
}

#[test]
fn faults_of_layout_are_found() {
    // What stands between the two places stays.
    all_are_found_at(&LAYOUT, Pace::Steps, 24, 40);
}

#[test]
fn faults_of_memory_are_found() {
    all_are_found(&MEMORY);
}

#[test]
fn faults_of_long_fetch_clauses_are_found() {
    all_are_found_at(&LONG_CLAUSES, Pace::Steps, 9, 8);
}

#[test]
fn faults_of_filtered_textures_are_found() {
    // Set gradients take two instructions before the one that uses them.
    all_are_found_at(&TEXTURES, Pace::Steps, 3, 60);
}

/// What is timed is what is compared.
#[test]
fn faults_of_free_runs_are_found() {
    [&GROUPS, &FLOW, &MEMORY].into_iter().for_each(|family| all_are_found(&family.in_free_runs(5)));
    all_are_found_at(&TEXTURES.in_free_runs(8), Pace::Steps, 3, 20);
}

#[test]
fn faults_that_are_none_are_not_found() {
    none_is_found(&CONTROLS, R700::BUDGET / 10);
}
