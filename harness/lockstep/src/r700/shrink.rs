//! What can be left out of an R700 case.

use parallax_isa::r700::{
    Alu, Case, Cf, CfOpcode, Fetch, Group, Program,
    microcode::{
        AluOp2, AluOp3, CfAluWord, CfWord, ExportBuffer, ExportSwizzle, Field, LocalRead,
        LocalWrite, MemoryRead, SemanticFetch, TextureFetch, VertexFetch,
    },
    opcode::AluFormat,
    program::Clause,
    state::{PIXELS, State},
};

use super::{
    R700,
    layout::{Item, assemble, items},
};
use crate::minimize::Shrink;

impl Shrink for R700 {
    fn simpler(case: &Case, _: u64) -> Box<dyn Iterator<Item = Case> + '_> {
        let Ok(program) = Program::decode(&case.program) else {
            return Box::new(std::iter::empty());
        };
        let mut all = absolute(items(&program), case.fetch_program);
        // Fetch clauses start at even addresses: what fills the gap would come back for ever.
        while all.last().is_some_and(|item| item.cf.dwords() == [0, 0]) {
            all.pop();
        }
        let programs = shorter(all.clone())
            .chain(without_pairs(all.clone()))
            .chain(smaller_clauses(all.clone()))
            .chain(smaller_groups(all.clone()))
            .chain(plainer_flow(all.clone()))
            .chain(plainer_fetches(all.clone()))
            .chain(plainer_instructions(all));
        let programs = programs.map(|items| assemble(&items));
        let programs = programs.filter(|dwords| *dwords != case.program);
        let programs = programs.map(|program| Case { program, fetch_program: 0, ..case.clone() });
        Box::new(fewer_pixels(case).chain(programs).chain(quieter(case)))
    }

    fn length(case: &Case) -> usize {
        let Ok(program) = Program::decode(&case.program) else { return 0 };
        let groups = |clause: &Clause| match clause {
            Clause::Alu(groups) => groups.len(),
            Clause::Fetch(_, fetches) => fetches.len(),
        };
        program.clauses.values().map(groups).sum()
    }
}

/// Items whose calls of the fetch subroutine count from the program's start: they are moved like
/// other branches.
fn absolute(mut all: Vec<Item>, fetch_program: u32) -> Vec<Item> {
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

/// Items without some of them; branches go where they went.
fn without(all: &[Item], dropped: impl Fn(usize) -> bool) -> Vec<Item> {
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

/// Sizes of holes: half, a quarter, … one.
fn holes(length: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let sizes = std::iter::successors(Some(length.div_ceil(2)), |size| Some(size / 2));
    let sizes = sizes.take_while(|size| *size > 0);
    sizes.flat_map(move |size| (0..length).step_by(size).map(move |at| at..(at + size).min(length)))
}

/// Programs without runs of control-flow instructions.
fn shorter(all: Vec<Item>) -> impl Iterator<Item = Vec<Item>> {
    holes(all.len())
        .filter(|hole| !hole.is_empty())
        .map(move |hole| without(&all, |at| hole.contains(&at)))
}

/// Programs without two control-flow instructions that have no clause: what opens and what closes.
fn without_pairs(all: Vec<Item>) -> impl Iterator<Item = Vec<Item>> {
    let flow: Vec<usize> = (0..all.len()).filter(|at| all[*at].clause.is_none()).collect();
    let pairs = flow.clone().into_iter().flat_map(move |first| {
        flow.clone()
            .into_iter()
            .filter(move |second| *second > first)
            .map(move |second| (first, second))
    });
    pairs.map(move |(first, second)| without(&all, |at| at == first || at == second))
}

/// Programs with a clause of fewer groups or fetches.
fn smaller_clauses(all: Vec<Item>) -> impl Iterator<Item = Vec<Item>> {
    let lengths: Vec<usize> = all
        .iter()
        .map(|item| match &item.clause {
            Some(Clause::Alu(groups)) => groups.len(),
            Some(Clause::Fetch(_, fetches)) => fetches.len(),
            None => 0,
        })
        .collect();
    let clauses = lengths.into_iter().enumerate().filter(|(_, length)| *length > 1);
    clauses.flat_map(|(at, length)| holes(length).map(move |hole| (at, hole))).filter_map(
        move |(at, hole)| {
            let mut smaller = all.clone();
            let left = match &mut smaller[at].clause {
                Some(Clause::Alu(groups)) => {
                    groups.drain(hole);
                    groups.len()
                }
                Some(Clause::Fetch(_, fetches)) => {
                    fetches.drain(hole);
                    fetches.len()
                }
                None => 0,
            };
            (left > 0).then_some(smaller)
        },
    )
}

/// The groups of a program, by item and number.
fn places(all: &[Item]) -> Vec<(usize, usize)> {
    let of = |(at, item): (usize, &Item)| match &item.clause {
        Some(Clause::Alu(groups)) => (0..groups.len()).map(|number| (at, number)).collect(),
        _ => Vec::new(),
    };
    all.iter().enumerate().flat_map(of).collect()
}

fn group_mut(all: &mut [Item], (at, number): (usize, usize)) -> Option<&mut Group> {
    match &mut all[at].clause {
        Some(Clause::Alu(groups)) => groups.get_mut(number),
        _ => None,
    }
}

/// A group of other instructions, with LAST where it belongs and the literals they ask for.
fn regroup(instructions: Vec<Alu>, literals: &[u32]) -> Group {
    let count = instructions.len();
    let instructions: Vec<Alu> = instructions
        .into_iter()
        .enumerate()
        .map(|(at, alu)| with(alu, AluOp2::LAST, u32::from(at + 1 == count)))
        .collect();
    let wanted = instructions.iter().map(|alu| alu.literal_slots()).max().unwrap_or(0);
    let mut literals = literals.to_vec();
    literals.resize(2 * wanted, 0);
    Group { instructions, literals }
}

/// An instruction with another value of a field that both formats have at the same place.
fn with(alu: Alu, field: Field, value: u32) -> Alu {
    match alu {
        Alu::Op2(word) => Alu::Op2(word.with(field, value)),
        Alu::Op3(word) => Alu::Op3(word.with(field, value)),
    }
}

/// Programs with a group of fewer instructions.
fn smaller_groups(all: Vec<Item>) -> impl Iterator<Item = Vec<Item>> {
    let places = places(&all);
    places.into_iter().flat_map(move |place| {
        let mut all = all.clone();
        let count = group_mut(&mut all, place).map_or(0, |group| group.instructions.len());
        // Pairs too: the slots of a double-precision operation go together.
        let ranges = (1..=2).flat_map(move |size| (0..count).map(move |at| at..at + size));
        let ranges = ranges.filter(move |range| range.end <= count && range.len() < count);
        ranges.filter_map(move |range| {
            let mut smaller = all.clone();
            let group = group_mut(&mut smaller, place)?;
            let mut instructions = group.instructions.clone();
            instructions.drain(range);
            *group = regroup(instructions, &group.literals);
            Some(smaller)
        })
    })
}

/// Control-flow instructions made plainer, one at a time.
fn plainer_flow(all: Vec<Item>) -> impl Iterator<Item = Vec<Item>> {
    type Change = fn(Cf) -> Cf;
    const CHANGES: [Change; 11] = [
        |cf| match cf {
            Cf::Alu(word) => Cf::Alu(word.with(CfAluWord::CF_INST, CfOpcode::Alu.code())),
            other => other,
        },
        |cf| match cf {
            Cf::Alu(word) => Cf::Alu(word.with(CfAluWord::WHOLE_QUAD_MODE, 0)),
            Cf::Plain(word) => Cf::Plain(word.with(CfWord::WHOLE_QUAD_MODE, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Plain(word) => Cf::Plain(word.with(CfWord::VALID_PIXEL_MODE, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Plain(word) => Cf::Plain(word.with(CfWord::COND, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Alu(word) => Cf::Alu(word.with(CfAluWord::KCACHE_MODE0, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Alu(word) => Cf::Alu(word.with(CfAluWord::KCACHE_MODE1, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Alu(word) => Cf::Alu(word.with(CfAluWord::ALT_CONST, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Memory(word) => Cf::Memory(word.with(ExportBuffer::WHOLE_QUAD_MODE, 0)),
            Cf::Export(word) => Cf::Export(word.with(ExportSwizzle::WHOLE_QUAD_MODE, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Memory(word) => Cf::Memory(word.with(ExportBuffer::VALID_PIXEL_MODE, 0)),
            Cf::Export(word) => Cf::Export(word.with(ExportSwizzle::VALID_PIXEL_MODE, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Memory(word) => Cf::Memory(word.with(ExportBuffer::BURST_COUNT, 0)),
            Cf::Export(word) => Cf::Export(word.with(ExportSwizzle::BURST_COUNT, 0)),
            other => other,
        },
        |cf| match cf {
            Cf::Memory(word) => Cf::Memory(word.with(ExportBuffer::RW_REL, 0)),
            Cf::Export(word) => Cf::Export(word.with(ExportSwizzle::RW_REL, 0)),
            other => other,
        },
    ];
    let pairs = (0..all.len()).flat_map(|at| CHANGES.iter().map(move |change| (at, change)));
    pairs.filter_map(move |(at, change)| {
        let cf = change(all[at].cf);
        (cf != all[at].cf).then(|| {
            let mut plainer = all.clone();
            plainer[at].cf = cf;
            plainer
        })
    })
}

/// Fields of a fetch that are plainest at zero.
const fn fields_of(fetch: Fetch) -> &'static [Field] {
    match fetch {
        Fetch::Vertex(_) => &[
            VertexFetch::SRC_REL,
            VertexFetch::DST_REL,
            VertexFetch::FETCH_WHOLE_QUAD,
            VertexFetch::USE_CONST_FIELDS,
            VertexFetch::CONST_BUF_NO_STRIDE,
            VertexFetch::ALT_CONST,
            VertexFetch::ENDIAN_SWAP,
            VertexFetch::OFFSET,
            VertexFetch::FETCH_TYPE,
            VertexFetch::MEGA_FETCH,
            VertexFetch::MEGA_FETCH_COUNT,
        ],
        Fetch::Semantic(_) => &[
            SemanticFetch::SRC_REL,
            SemanticFetch::FETCH_WHOLE_QUAD,
            SemanticFetch::USE_CONST_FIELDS,
            SemanticFetch::ENDIAN_SWAP,
            SemanticFetch::OFFSET,
            SemanticFetch::FETCH_TYPE,
        ],
        Fetch::Texture(_) => &[
            TextureFetch::SRC_REL,
            TextureFetch::DST_REL,
            TextureFetch::FETCH_WHOLE_QUAD,
            TextureFetch::ALT_CONST,
            TextureFetch::OFFSET_X,
            TextureFetch::OFFSET_Y,
            TextureFetch::OFFSET_Z,
            TextureFetch::LOD_BIAS,
        ],
        Fetch::MemoryRead(_) => &[
            MemoryRead::SRC_REL,
            MemoryRead::DST_REL,
            MemoryRead::FETCH_WHOLE_QUAD,
            MemoryRead::INDEXED,
            MemoryRead::BURST_CNT,
            MemoryRead::ENDIAN_SWAP,
        ],
        Fetch::LocalWrite(_) => &[
            LocalWrite::SRC_REL_MODE,
            LocalWrite::SIMD_WAVE_REL,
            LocalWrite::BURST_CNT,
            LocalWrite::DST_INDEX,
        ],
        Fetch::LocalRead(_) => &[
            LocalRead::SRC_REL_MODE,
            LocalRead::DST_REL_MODE,
            LocalRead::BROADCAST,
            LocalRead::MUX_CNTL,
            LocalRead::BURST_CNT,
            LocalRead::RD_OFFSET,
        ],
    }
}

/// The same instruction with a field that is zero.
fn without_field(fetch: Fetch, field: Field) -> Fetch {
    match fetch {
        Fetch::Vertex(word) => Fetch::Vertex(word.with(field, 0)),
        Fetch::Semantic(word) => Fetch::Semantic(word.with(field, 0)),
        Fetch::Texture(word) => Fetch::Texture(word.with(field, 0)),
        Fetch::MemoryRead(word) => Fetch::MemoryRead(word.with(field, 0)),
        Fetch::LocalWrite(word) => Fetch::LocalWrite(word.with(field, 0)),
        Fetch::LocalRead(word) => Fetch::LocalRead(word.with(field, 0)),
    }
}

/// Fetches made plainer, one field at a time.
fn plainer_fetches(all: Vec<Item>) -> impl Iterator<Item = Vec<Item>> {
    let mut changes = Vec::new();
    for (at, item) in all.iter().enumerate() {
        let Some(Clause::Fetch(_, fetches)) = &item.clause else { continue };
        for (number, fetch) in fetches.iter().enumerate() {
            let plainer = fields_of(*fetch).iter().map(|field| without_field(*fetch, *field));
            let plainer = plainer.filter(|plainer| plainer != fetch);
            changes.extend(plainer.map(|plainer| (at, number, plainer)));
        }
    }
    changes.into_iter().map(move |(at, number, fetch)| {
        let mut plainer = all.clone();
        if let Some(Clause::Fetch(_, fetches)) = &mut plainer[at].clause {
            fetches[number] = fetch;
        }
        plainer
    })
}

/// Fields that are plainest at zero.
const PLAIN_FIELDS: [Field; 10] = [
    AluOp2::PRED_SEL,
    AluOp2::CLAMP,
    AluOp2::SRC0_REL,
    AluOp2::SRC1_REL,
    AluOp2::DST_REL,
    AluOp2::SRC0_NEG,
    AluOp2::SRC1_NEG,
    AluOp2::BANK_SWIZZLE,
    AluOp2::SRC0_CHAN,
    AluOp2::SRC1_CHAN,
];
/// The same of one format each.
const PLAIN_OP2: [Field; 5] = [
    AluOp2::SRC0_ABS,
    AluOp2::SRC1_ABS,
    AluOp2::OMOD,
    AluOp2::UPDATE_PRED,
    AluOp2::UPDATE_EXECUTE_MASK,
];
const PLAIN_OP3: [Field; 3] = [AluOp3::SRC2_REL, AluOp3::SRC2_NEG, AluOp3::SRC2_CHAN];

/// Instructions made plainer, one field at a time.
fn plainer_instructions(all: Vec<Item>) -> impl Iterator<Item = Vec<Item>> {
    let places = places(&all);
    places.into_iter().flat_map(move |place| {
        let mut all = all.clone();
        let group = group_mut(&mut all, place).cloned().unwrap_or_default();
        let changes: Vec<Group> = (0..group.instructions.len())
            .flat_map(|at| {
                let alu = group.instructions[at];
                let format = alu.opcode().map_or(AluFormat::Op2, |opcode| opcode.row().format);
                let own: &[Field] = match format {
                    AluFormat::Op2 => &PLAIN_OP2,
                    AluFormat::Op3 => &PLAIN_OP3,
                };
                let group = &group;
                PLAIN_FIELDS.iter().chain(own).filter_map(move |field| {
                    let plainer = with(alu, *field, 0);
                    (plainer != alu).then(|| {
                        let mut instructions = group.instructions.clone();
                        instructions[at] = plainer;
                        regroup(instructions, &group.literals)
                    })
                })
            })
            .collect();
        changes.into_iter().filter_map(move |changed| {
            let mut plainer = all.clone();
            *group_mut(&mut plainer, place)? = changed;
            Some(plainer)
        })
    })
}

/// Cases with fewer active pixels.
fn fewer_pixels(case: &Case) -> impl Iterator<Item = Case> + '_ {
    let active = case.state.pixels.active;
    let sizes = [32, 16, 8, 4, 2, 1];
    let ranges =
        sizes.into_iter().flat_map(|size| (0..PIXELS).step_by(size).map(move |at| (at, size)));
    ranges.filter_map(move |(at, size)| {
        let kept = active & (u64::MAX >> (PIXELS - size)) << at;
        (kept != active && kept != 0).then(|| {
            let mut fewer = case.clone();
            fewer.state.pixels.active = kept;
            fewer
        })
    })
}

/// Cases with less in their registers and constants.
fn quieter(case: &Case) -> impl Iterator<Item = Case> + '_ {
    let state = |change: &dyn Fn(&mut State)| {
        let mut quieter = case.clone();
        change(&mut quieter.state);
        (quieter.state != case.state).then_some(quieter)
    };
    let active = case.state.pixels.active;
    let idle = state(&|state| {
        let registers = state.gpr.iter_mut().chain(&mut state.global);
        for lanes in registers.flatten() {
            for (pixel, lane) in lanes.iter_mut().enumerate() {
                *lane *= (active >> pixel & 1) as u32;
            }
        }
    });
    let valid = state(&|state| state.valid = u64::MAX);
    let registers = (0..case.state.gpr.len())
        .filter_map(move |n| state(&|state| state.gpr[n] = [[0; PIXELS]; 4]));
    let elements = (0..4 * case.state.gpr.len())
        .filter_map(move |n| state(&|state| state.gpr[n / 4][n % 4] = [0; PIXELS]));
    let global = state(&|state| state.global.fill([[0; PIXELS]; 4]));
    let memory = state(&|state| state.memory.fill(0));
    let local = state(&|state| state.local.fill(0));
    let changed = |change: &dyn Fn(&mut Case)| {
        let mut quieter = case.clone();
        change(&mut quieter);
        (quieter != *case).then_some(quieter)
    };
    let constants = [
        changed(&|case| case.alternate_constants = Default::default()),
        changed(&|case| case.constants.file.clear()),
        changed(&|case| case.constants.buffers.clear()),
        changed(&|case| case.loop_constants.clear()),
        changed(&|case| case.bool_constants = 0),
        changed(&|case| case.constants.vertex_buffers.clear()),
        changed(&|case| case.constants.textures.clear()),
        changed(&|case| case.semantic_table.clear()),
        changed(&|case| (case.base_vertex, case.start_instance, case.wavefront) = (0, 0, 0)),
    ];
    idle.into_iter()
        .chain(valid)
        .chain(global)
        .chain(memory)
        .chain(local)
        .chain(constants.into_iter().flatten())
        .chain(registers)
        .chain(elements)
}
