//! What can be left out of an R700 case.

use parallax_isa::{
    Model as _, Step,
    r700::{
        Alu, Case, Cf, CfOpcode, Group, Program,
        legality::{Settings, check_group},
        microcode::{AluOp2, CfAluWord, CfWord, Field, Format},
        program::Clause,
        state::{PIXELS, State, frame},
    },
};
use parallax_reference::r700::Reference;

use super::{
    R700,
    layout::{Item, items, lay_out},
};
use crate::minimize::{
    Shrink,
    steps::{changed, cleared, each_changed, each_simpler, runs, shorter, steps_back},
};

impl Shrink for R700 {
    fn simpler(case: &Case, step: u64) -> Box<dyn Iterator<Item = Case> + '_> {
        let Ok(program) = Program::of_case(case) else {
            return Box::new(std::iter::empty());
        };
        let mut all = absolute(items(&program), case.fetch_program);
        // Fetch clauses start at even addresses: what fills the gap would come back for ever.
        while all.last().is_some_and(|item| item.cf.dwords() == [0, 0]) {
            all.pop();
        }
        let settings = Settings::of(case);
        let later = later(case, &all, step).into_iter();
        let whole = all.clone();
        let earlier = std::iter::once_with(move || earlier(case, &whole, step)).flatten();
        let programs = fewer_items(&all)
            .chain(without_pairs(&all))
            .chain(each_simpler(&all, shorter_clause))
            .chain(each_simpler(&all, move |item| simpler_groups(item, smaller_group, settings)))
            .chain(each_simpler(&all, plainer_flow))
            .chain(each_simpler(&all, move |item| simpler_groups(item, plainer_group, settings)))
            .chain(each_simpler(&all, plainer_fetches));
        let programs = programs.map(|items| lay_out(&items));
        let programs = programs.map(|program| Case { program, fetch_program: 0, ..case.clone() });
        Box::new(
            later.chain(earlier).chain(fewer_pixels(case)).chain(programs).chain(quieter(case)),
        )
    }

    fn length(case: &Case) -> usize {
        let Ok(program) = Program::of_case(case) else { return 0 };
        let groups = |clause: &Clause| match clause {
            Clause::Alu(groups) => groups.len(),
            Clause::Fetch(_, fetches) => fetches.len(),
        };
        program.clauses.values().map(groups).sum()
    }
}

/// Items whose calls of the fetch subroutine count from the program's start: they are moved like
/// other branches.
pub(super) fn absolute(mut all: Vec<Item>, fetch_program: u32) -> Vec<Item> {
    for item in &mut all {
        if let Cf::Plain(word) = item.cf
            && item.cf.opcode() == Some(CfOpcode::CallFs)
        {
            let address = word.addr().wrapping_add(fetch_program);
            item.cf = Cf::Plain(word.with(CfWord::ADDR, address));
        }
    }
    all
}

/// The case from the step that differs on: it starts with the state before that step, without the
/// instructions, and the groups of its clause, that came before. What lives inside a clause only is
/// not kept.
fn later(case: &Case, all: &[Item], step: u64) -> Option<Case> {
    let mut reference = Reference::new();
    reference.load(case).ok()?;
    let arrived = (0..step).all(|_| reference.step() == Step::Continue);
    let mut state = Box::new(*reference.state());
    let (cf, group, in_clause) = (state.cf as usize, state.group, state.in_clause != 0);
    // The first group of a clause is the second step of a program that starts with it.
    if !arrived || step <= u64::from(in_clause) {
        return None;
    }
    let mut rest = without(all, |at| at < cf);
    let first = rest.first_mut()?;
    if let (true, Cf::Alu(word), Some(Clause::Alu(groups))) =
        (in_clause, first.cf, &mut first.clause)
    {
        let mut address = word.addr();
        let passed = groups.iter().take_while(|passed| {
            let is_before = address < group;
            address += passed.words() as u32;
            is_before
        });
        groups.drain(..passed.count());
        let plain = State::new();
        (state.previous, state.ar, state.predicate) = (plain.previous, plain.ar, plain.predicate);
        (state.executing, state.execute_set, state.execute_value) = (0, 0, 0);
    }
    (state.cf, state.group, state.in_clause) = (0, 0, 0);
    Some(Case { program: lay_out(&rest), state, fetch_program: 0, ..case.clone() })
}

/// The case from control-flow instructions some steps back, or a little before: all of its program,
/// with a jump there in front, and the state before. Unlike [`later`] these keep the loops around.
fn earlier(case: &Case, all: &[Item], step: u64) -> Vec<Case> {
    let mut starts: Vec<u64> = steps_back(step).skip(1).collect();
    let mut reference = Reference::new();
    if reference.load(case).is_err() {
        return Vec::new();
    }
    let (mut last, mut found) = (None, Vec::new());
    for at in 0..step {
        let state = reference.state();
        // The jump is a step of its own.
        if state.in_clause == 0 && at > 1 {
            last = Some(Box::new(*state));
        }
        if starts.last() == Some(&at) {
            starts.pop();
            found.extend(last.take());
        }
        if reference.step() != Step::Continue {
            break;
        }
    }
    found.into_iter().rev().map(|state| from(case, all, state)).collect()
}

/// The case from a state outside of clauses.
fn from(case: &Case, all: &[Item], mut state: Box<State>) -> Case {
    let jump = CfWord::default().with(CfWord::CF_INST, CfOpcode::Jump.code());
    let always = jump.with(CfWord::BARRIER, 1).with(CfWord::COND, NO_PIXEL);
    let entry = Item::of(Cf::Plain(always.with(CfWord::ADDR, state.cf + 1)));
    let moved = all.iter().map(|item| match item.target() {
        Some(target) => item.clone().with_target(target + 1),
        None => item.clone(),
    });
    let items: Vec<_> = std::iter::once(entry).chain(moved).collect();
    for frame in &mut state.stack {
        if matches!(frame.kind, frame::CALL | frame::CALL_FETCH) {
            frame.return_address += 1;
        }
    }
    state.cf = 0;
    Case { program: lay_out(&items), state, fetch_program: 0, ..case.clone() }
}

/// `COND` of a jump that no pixel keeps from being taken.
const NO_PIXEL: u32 = 1;

/// Items without some of them; branches go where they went.
pub(super) fn without(all: &[Item], dropped: impl Fn(usize) -> bool) -> Vec<Item> {
    let kept_before = |target: u32| (0..target as usize).filter(|at| !dropped(*at)).count() as u32;
    let mut rest: Vec<Item> = all
        .iter()
        .enumerate()
        .filter(|(at, _)| !dropped(*at))
        .map(|(_, item)| match item.target() {
            Some(target) => item.clone().with_target(kept_before(target)),
            None => item.clone(),
        })
        .collect();
    if !rest.iter().any(|item| item.cf.end_of_program()) {
        rest.push(Item::plain(CfOpcode::Nop).ending());
    }
    rest
}

/// Programs without runs of control-flow instructions.
fn fewer_items(all: &[Item]) -> impl Iterator<Item = Vec<Item>> + use<> {
    let all = all.to_vec();
    runs(all.len()).map(move |run| without(&all, |at| run.contains(&at)))
}

/// Programs without two control-flow instructions that have no clause: what opens and what closes.
fn without_pairs(all: &[Item]) -> impl Iterator<Item = Vec<Item>> + use<> {
    let all = all.to_vec();
    let flow: Vec<usize> = (0..all.len()).filter(|at| all[*at].clause.is_none()).collect();
    let pairs = (0..flow.len()).flat_map(move |first| {
        flow[first + 1..].iter().map(|second| (flow[first], *second)).collect::<Vec<_>>()
    });
    pairs.map(move |(first, second)| without(&all, |at| at == first || at == second))
}

/// An item with other clauses.
fn with_clauses(item: &Item, clauses: impl Iterator<Item = Clause>) -> Vec<Item> {
    clauses.map(|clause| Item { cf: item.cf, clause: Some(clause) }).collect()
}

/// An item with fewer groups or fetches.
fn shorter_clause(item: &Item) -> Vec<Item> {
    match &item.clause {
        Some(Clause::Alu(groups)) => with_clauses(item, shorter(groups).map(Clause::Alu)),
        Some(Clause::Fetch(kind, fetches)) => {
            with_clauses(item, shorter(fetches).map(|fetches| Clause::Fetch(*kind, fetches)))
        }
        None => Vec::new(),
    }
}

/// An item one of whose groups is simpler, as long as that keeps the group legal.
fn simpler_groups(item: &Item, simpler: fn(&Group) -> Vec<Group>, settings: Settings) -> Vec<Item> {
    let Some(Clause::Alu(groups)) = &item.clause else { return Vec::new() };
    let is_legal = |group: &Group| check_group(group, &settings).is_empty();
    let lawful = |group: &Group| {
        let was_legal = is_legal(group);
        simpler(group).into_iter().filter(|simpler| !was_legal || is_legal(simpler)).collect()
    };
    with_clauses(item, each_simpler(groups, lawful).map(Clause::Alu))
}

/// A group without some neighbours: the slots of double-precision operations and of reductions go
/// together.
fn smaller_group(group: &Group) -> Vec<Group> {
    let count = group.instructions.len();
    let runs = (1..=4).flat_map(|size| (0..count).map(move |at| at..at + size));
    runs.filter(|run| run.end <= count && run.len() < count)
        .map(|run| {
            let mut instructions = group.instructions.clone();
            instructions.drain(run);
            regroup(instructions, &group.literals)
        })
        .collect()
}

/// A group of other instructions, with LAST where it belongs and the literals they ask for.
pub(super) fn regroup(instructions: Vec<Alu>, literals: &[u32]) -> Group {
    let count = instructions.len();
    let instructions: Vec<Alu> = instructions
        .into_iter()
        .enumerate()
        .map(|(at, alu)| alu.with(AluOp2::LAST, u32::from(at + 1 == count)))
        .collect();
    let wanted = instructions.iter().map(|alu| alu.literal_slots()).max().unwrap_or(0);
    let mut literals = literals.to_vec();
    literals.resize(2 * wanted, 0);
    Group { instructions, literals }
}

/// The fields of control-flow instructions, ALU instructions and fetches that are plainest at zero,
/// by name.
const PLAINEST_AT_ZERO: &[&str] = &[
    // Control flow.
    "WHOLE_QUAD_MODE",
    "VALID_PIXEL_MODE",
    "COND",
    "KCACHE_MODE0",
    "KCACHE_MODE1",
    "ALT_CONST",
    "BURST_COUNT",
    "RW_REL",
    // ALU.
    "PRED_SEL",
    "CLAMP",
    "OMOD",
    "UPDATE_PRED",
    "UPDATE_EXECUTE_MASK",
    "BANK_SWIZZLE",
    "DST_REL",
    "SRC0_REL",
    "SRC0_NEG",
    "SRC0_ABS",
    "SRC0_CHAN",
    "SRC1_REL",
    "SRC1_NEG",
    "SRC1_ABS",
    "SRC1_CHAN",
    "SRC2_REL",
    "SRC2_NEG",
    "SRC2_CHAN",
    // Fetches.
    "SRC_REL",
    "FETCH_WHOLE_QUAD",
    "USE_CONST_FIELDS",
    "CONST_BUF_NO_STRIDE",
    "ENDIAN_SWAP",
    "OFFSET",
    "FETCH_TYPE",
    "MEGA_FETCH",
    "MEGA_FETCH_COUNT",
    "OFFSET_X",
    "OFFSET_Y",
    "OFFSET_Z",
    "LOD_BIAS",
    "BC_FRAC_MODE",
    "INDEXED",
    "BURST_CNT",
    "SRC_REL_MODE",
    "DST_REL_MODE",
    "SIMD_WAVE_REL",
    "DST_INDEX",
    "BROADCAST",
    "MUX_CNTL",
    "RD_OFFSET",
];

/// The fields of an instruction that could be plainer.
fn to_clear(format: Format, dwords: &[u32]) -> Vec<Field> {
    let fields = format.fields.iter().copied();
    let wanted = |field: &Field| PLAINEST_AT_ZERO.contains(&field.name) && field.get(dwords) != 0;
    fields.filter(wanted).collect()
}

/// An item whose control-flow instruction is plainer.
fn plainer_flow(item: &Item) -> Vec<Item> {
    let plain_alu = match item.cf {
        Cf::Alu(word) => changed(&item.cf, |cf| {
            *cf = Cf::Alu(word.with(CfAluWord::CF_INST, CfOpcode::Alu.code()));
        }),
        _ => None,
    };
    let fields = to_clear(item.cf.format(), &item.cf.dwords());
    let plainer =
        plain_alu.into_iter().chain(fields.into_iter().map(|field| item.cf.with(field, 0)));
    plainer.map(|cf| Item { cf, clause: item.clause.clone() }).collect()
}

/// An item one of whose fetches is plainer.
fn plainer_fetches(item: &Item) -> Vec<Item> {
    let Some(Clause::Fetch(kind, fetches)) = &item.clause else { return Vec::new() };
    let plainer = each_simpler(fetches, |fetch| {
        let fields = to_clear(fetch.format(), &fetch.dwords());
        fields.into_iter().map(|field| fetch.with(field, 0)).collect()
    });
    with_clauses(item, plainer.map(|fetches| Clause::Fetch(*kind, fetches)))
}

/// A group one of whose instructions is plainer.
fn plainer_group(group: &Group) -> Vec<Group> {
    let plainer = each_simpler(&group.instructions, |alu| {
        let cleared = to_clear(alu.format(), &alu.dwords());
        let cleared = cleared.into_iter().map(|field| alu.with(field, 0));
        // A result that is in a register outlives the clause: no other group has to follow.
        cleared.chain(changed(alu, write_result)).collect()
    });
    plainer.map(|instructions| regroup(instructions, &group.literals)).collect()
}

fn write_result(alu: &mut Alu) {
    if let Alu::Op2(word) = alu {
        *word = word.with(AluOp2::WRITE_MASK, 1);
    }
}

/// Cases with fewer active pixels.
fn fewer_pixels(case: &Case) -> impl Iterator<Item = Case> + '_ {
    let active = case.state.pixels.active;
    runs(PIXELS).filter_map(move |run| {
        let kept = active & (u64::MAX >> (PIXELS - run.len())) << run.start;
        let fewer = changed(case, |case| case.state.pixels.active = kept);
        fewer.filter(|_| kept != 0)
    })
}

/// What the constants and the surroundings of a case can do without.
const QUIETER: &[fn(&mut Case)] = &[
    |case| {
        let active = case.state.pixels.active;
        let registers = case.state.gpr.iter_mut().chain(&mut case.state.global);
        for lanes in registers.flatten() {
            for (pixel, lane) in lanes.iter_mut().enumerate() {
                *lane *= (active >> pixel & 1) as u32;
            }
        }
    },
    |case| case.state.valid = u64::MAX,
    |case| case.alternate_constants = Default::default(),
    |case| case.constants.file.clear(),
    |case| case.constants.buffers.clear(),
    |case| case.loop_constants.clear(),
    |case| case.bool_constants = 0,
    |case| case.constants.vertex_buffers.clear(),
    |case| case.constants.textures.clear(),
    |case| case.semantic_table.clear(),
    |case| (case.base_vertex, case.start_instance, case.wavefront) = (0, 0, 0),
];

/// Cases with less in their registers, memory and constants, down to an element of a register.
fn quieter(case: &Case) -> impl Iterator<Item = Case> + '_ {
    let mut plain = case.state.clone();
    plain.gpr.fill([[0; PIXELS]; 4]);
    plain.global.fill([[0; PIXELS]; 4]);
    plain.memory.fill(0);
    plain.local.fill(0);
    let state = cleared(case, |case| &mut *case.state, plain, size_of::<[u32; PIXELS]>());
    each_changed(case, QUIETER).chain(state)
}

#[cfg(test)]
mod tests {
    use parallax_isa::r700::microcode::FORMATS;

    use super::*;

    #[test]
    fn the_fields_that_are_cleared_exist() {
        for name in PLAINEST_AT_ZERO {
            assert!(FORMATS.iter().any(|format| format.field(name).is_some()), "{name}");
        }
    }
}
