//! Bytes to a case of memory: writes and reads of every buffer, fetches, the local data share, fetch
//! subroutines, emitted vertices and exports, on small indices in registers of anything.

mod fetches;
mod resources;
mod textures;
mod writes;

use parallax_isa::{
    Device,
    r700::{
        Case, Cf, CfOpcode, Fetch,
        case::{Buffers, LoopConstant, MemoryRange, ProgramType},
        decode::FetchClause,
        microcode::{CfWord, ExportBuffer, ExportSwizzle},
        program::Clause,
    },
};

use crate::{
    choices::Choices,
    corners,
    r700::{
        generate::{self, behind},
        layout::{Item, lay_out},
    },
    random::SplitMix64,
};

/// Bytes that are enough for any case.
pub const BYTES: usize = 2048;

/// Most statements of a program.
const STATEMENTS: usize = 5;
/// What runs vertex fetches and memory reads.
const FETCHING: [CfOpcode; 3] = [CfOpcode::Vtx, CfOpcode::VtxTc, CfOpcode::Tex];
/// Most instructions of an ordinary fetch clause.
const FETCHES: usize = 6;
/// Instructions of a long fetch clause: those of which the count has four bits.
const MANY_FETCHES: std::ops::RangeInclusive<usize> = 9..=16;
/// Registers a case declares: relative addresses may leave them.
const DECLARED: usize = 12;
/// Most clause temporaries.
const MOST_TEMPORARIES: u32 = 8;
/// Registers that no instruction of a clause writes: they hold the indices of its fetches.
const INDICES: std::ops::Range<usize> = 4..6;

/// A case of memory.
///
/// # Panics
/// If the device is not an R700: other devices have other generators.
#[must_use]
pub fn memory(device: Device, bytes: &[u8]) -> Case {
    assert_eq!(device, Device::Rv770, "a generator of R700 programs");
    let mut choices = Choices::new(bytes);
    let mut random = SplitMix64::new(choices.seed());
    let mut case = surroundings(&mut choices, &mut random);
    let in_loop = choices.sometimes(150);
    let mut items = Vec::new();
    if in_loop {
        items.push(Item::plain(CfOpcode::LoopStart));
    }
    if case.program_type == ProgramType::Geometry {
        // What an emitted vertex consists of.
        let word = writes::write(&mut choices, case.program_type);
        items.push(Item::of(Cf::Memory(word)));
    }
    for _ in 0..=choices.below(STATEMENTS) {
        items.push(statement(&mut choices, case.program_type));
    }
    if in_loop {
        items.push(Item::plain(CfOpcode::LoopEnd).with_target(1));
        let end = items.len() as u32;
        items[0] = items[0].clone().with_target(end);
    }
    // A call that ends the program calls nothing.
    let calling = matches!(case.program_type, ProgramType::Vertex | ProgramType::Export);
    let last = if calling && choices.sometimes(40) {
        call(&mut choices)
    } else {
        Item::plain(CfOpcode::Nop)
    };
    items.push(last.ending());
    writes::finish_exports(&mut items);
    subroutine(&mut choices, &mut case, &mut items);
    behind::put(&mut choices, &mut case, &mut items);
    case.program = lay_out(&items);
    case
}

/// What vertices and instances seldom begin at: an index added leads round to a small one in some number of bits.
const FAR: [u32; 6] = [u32::MAX, u32::MAX - 7, 1 << 31, 1 << 24, 0x1_0001, 1 << 16];

/// Everything of a case but its program: small numbers in the X and Y elements, anything elsewhere.
fn surroundings(choices: &mut Choices, random: &mut SplitMix64) -> Case {
    let mut case = Case::new(Vec::new());
    case.program_type = *choices.pick(&[
        ProgramType::Pixel,
        ProgramType::Vertex,
        ProgramType::Geometry,
        ProgramType::Export,
        ProgramType::Vertex,
        ProgramType::Copy,
        ProgramType::Compute,
    ]);
    case.gpr_count = DECLARED as u32;
    case.clause_temporaries = *choices.pick(&[4, MOST_TEMPORARIES]);
    case.global_gprs = 4;
    case.step_limit = 2000;
    case.bool_constants = choices.word();
    case.wavefront = choices.below(3) as u32;
    case.base_vertex = choices.below(4) as u32;
    case.start_instance = choices.below(4) as u32;
    if random.below(8) == 0 {
        // So far on that sums have more bits than there are places, or than a doubleword.
        case.wavefront |= 64;
        case.base_vertex = FAR[random.below(FAR.len() as u64) as usize];
        case.start_instance = FAR[random.below(FAR.len() as u64) as usize];
    }
    case.semantic_table = vec![7, 3, 200, 3];
    let initial = choices.below(4) as u32;
    case.loop_constants = vec![LoopConstant { count: 2, initial, increment: 3 }];
    case.buffers = buffers();
    for constants in [&mut case.constants, &mut case.alternate_constants] {
        constants.vertex_buffers = (0..2).map(|_| resources::vertex_buffer(random)).collect();
        constants.textures = textures::resources(random);
    }
    let state = &mut *case.state;
    for register in state.gpr[..DECLARED + 4].iter_mut().chain(&mut state.global[..4]) {
        let limit = *choices.pick(&[4, 16, 300]);
        let (low, high) = register.split_at_mut(2);
        low.as_flattened_mut().fill_with(|| random.next() as u32 % limit);
        high.as_flattened_mut().fill_with(|| corners::integer(random));
    }
    state.memory.fill_with(|| random.next() as u32);
    state.local.fill_with(|| random.next() as u32);
    generate::masks(random, state);
    if random.below(2) == 0 {
        // Indices come as far as its end, which is that of memory.
        let end = case.state.memory.len() as u32;
        case.buffers.export = MemoryRange { base: end - 200, size: 200 };
    }
    case
}

/// Where the buffers lie: one stream buffer does not exist.
fn buffers() -> Buffers {
    let range = |base, size| MemoryRange { base, size };
    Buffers {
        scratch: range(0, 1300),
        reduction: range(1300, 900),
        stream: [range(2200, 200), range(2400, 100), range(2500, 60), range(0, 0)],
        ring: range(2600, 300),
        export: range(2900, 1196),
    }
}

/// A statement that programs of a kind may have.
fn statement(choices: &mut Choices, kind: ProgramType) -> Item {
    match choices.below(20) {
        0..=3 => Item::of(Cf::Memory(writes::write(choices, kind))),
        4..=6 => clause(choices, &FETCHING, fetches::vertex),
        7..=8 => clause(choices, &FETCHING, fetches::memory_read),
        9..=11 => local_clause(choices),
        12..=14 => clause(choices, &[CfOpcode::Tex], textures::fetch),
        15 => pop(choices),
        16..=17 => match (kind, writes::export(choices, kind)) {
            (ProgramType::Geometry, _) => emission(choices),
            (_, Some(word)) => Item::of(Cf::Export(word)),
            (_, None) => Item::of(Cf::Memory(writes::write(choices, kind))),
        },
        _ if matches!(kind, ProgramType::Vertex | ProgramType::Export) => call(choices),
        _ if kind == ProgramType::Geometry => emission(choices),
        _ => clause(choices, &FETCHING, fetches::vertex),
    }
}

/// A pop of nothing: it only tests the pixels.
fn pop(choices: &mut Choices) -> Item {
    let condition = *choices.pick(&[0, 0, 2, 3]);
    let constant = choices.below(8) as u32;
    let item = Item::plain(CfOpcode::Pop);
    let Cf::Plain(word) = item.cf else { return item };
    let word = word.with(CfWord::COND, condition).with(CfWord::CF_CONST, constant);
    with_modes(choices, Item::of(Cf::Plain(word)))
}

/// Whole quad mode or valid pixel mode, mostly neither.
fn modes(choices: &mut Choices) -> [u32; 2] {
    *choices.pick(&[[0, 0], [0, 0], [0, 0], [0, 0], [1, 0], [0, 1]])
}

fn with_modes(choices: &mut Choices, item: Item) -> Item {
    let [quads, valid] = modes(choices);
    let cf = match item.cf {
        Cf::Plain(word) => Cf::Plain(
            word.with(CfWord::WHOLE_QUAD_MODE, quads).with(CfWord::VALID_PIXEL_MODE, valid),
        ),
        Cf::Export(word) => Cf::Export(
            word.with(ExportSwizzle::WHOLE_QUAD_MODE, quads)
                .with(ExportSwizzle::VALID_PIXEL_MODE, valid),
        ),
        Cf::Memory(word) => Cf::Memory(
            word.with(ExportBuffer::WHOLE_QUAD_MODE, quads)
                .with(ExportBuffer::VALID_PIXEL_MODE, valid),
        ),
        other @ Cf::Alu(_) => other,
    };
    Item { cf, ..item }
}

/// A clause of one kind of fetch. It is one step: what one fetch leaves open must not be the index of
/// another.
fn clause(
    choices: &mut Choices,
    opcodes: &[CfOpcode],
    make: impl Fn(&mut Choices) -> Fetch,
) -> Item {
    let opcode = *choices.pick(opcodes);
    let count = fetches_of_clause(choices);
    let fetches = (0..count).map(|_| {
        let fetch = make(choices);
        if count == 1 { fetch } else { fetches::unchained(choices, fetch) }
    });
    let fetches = fetches.collect();
    let kind = match opcode {
        CfOpcode::Tex => FetchClause::Texture,
        _ => FetchClause::Vertex,
    };
    let item = Item { clause: Some(Clause::Fetch(kind, fetches)), ..Item::plain(opcode) };
    let item = with_unused(choices, item);
    with_modes(choices, item)
}

fn fetches_of_clause(choices: &mut Choices) -> usize {
    if choices.sometimes(12) {
        MANY_FETCHES.start() + choices.below(MANY_FETCHES.count())
    } else {
        1 + choices.below(FETCHES)
    }
}

/// Something in fields that instructions with a clause do not use.
fn with_unused(choices: &mut Choices, item: Item) -> Item {
    if !choices.sometimes(40) {
        return item;
    }
    let Cf::Plain(word) = item.cf else { return item };
    let word = word
        .with(CfWord::CF_CONST, choices.below(32) as u32)
        .with(CfWord::POP_COUNT, choices.below(4) as u32)
        .with(CfWord::CALL_COUNT, choices.below(32) as u32);
    Item { cf: Cf::Plain(word), ..item }
}

/// A clause of local data share accesses: what is written is read.
fn local_clause(choices: &mut Choices) -> Item {
    let count = fetches_of_clause(choices);
    let accesses = (0..count).map(|_| match choices.below(2) {
        0 => fetches::local_write(choices),
        _ => fetches::local_read(choices),
    });
    let clause = Clause::Fetch(FetchClause::Texture, accesses.collect());
    let item = Item { clause: Some(clause), ..Item::plain(CfOpcode::Tex) };
    with_modes(choices, item)
}

/// A vertex or a strip of a geometry shader, or a wait for its writes.
fn emission(choices: &mut Choices) -> Item {
    let opcode = *choices.pick(&[
        CfOpcode::EmitVertex,
        CfOpcode::EmitCutVertex,
        CfOpcode::CutVertex,
        CfOpcode::WaitAck,
    ]);
    with_modes(choices, Item::plain(opcode))
}

/// A call of the fetch subroutine; [`subroutine`] says where it is.
fn call(choices: &mut Choices) -> Item {
    let levels = *choices.pick(&[1, 1, 0, 31]);
    let condition = *choices.pick(&[0, 0, 0, 1, 2, 3]);
    let constant = choices.below(8) as u32;
    let item = Item::plain(CfOpcode::CallFs);
    let Cf::Plain(word) = item.cf else { return item };
    let word = word
        .with(CfWord::CALL_COUNT, levels)
        .with(CfWord::COND, condition)
        .with(CfWord::CF_CONST, constant);
    with_modes(choices, Item::of(Cf::Plain(word)))
}

/// Puts the fetch subroutine behind the program that calls it.
fn subroutine(choices: &mut Choices, case: &mut Case, items: &mut Vec<Item>) {
    let calls: Vec<usize> =
        (0..items.len()).filter(|at| items[*at].cf.opcode() == Some(CfOpcode::CallFs)).collect();
    if calls.is_empty() {
        return;
    }
    // The calls count from there.
    let before = choices.below(2) as u32;
    case.fetch_program = items.len() as u32 - before;
    for at in calls {
        if let Cf::Plain(word) = &mut items[at].cf {
            *word = word.with(CfWord::ADDR, before);
        }
    }
    items.push(clause(choices, &FETCHING, fetches::vertex));
    items.push(Item::plain(CfOpcode::Return));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parallax_isa::r700::{
        Program,
        legality::{Settings, Violation, check},
    };

    use super::*;

    fn bytes(seed: u64) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        SplitMix64::new(seed).fill(&mut bytes);
        bytes
    }

    /// Some devices of the family read bursts, and the manual says what comes of them.
    const OF_OTHER_DEVICES: &str = "r700.mem.burst.devices";

    #[test]
    fn generated_programs_are_legal() {
        let mut broken: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for seed in 0..600 {
            let case = memory(Device::Rv770, &bytes(seed));
            let program = Program::decode(&case.program).unwrap();
            let found = check(&program, &Settings::of(&case)).into_iter();
            for violation in found.filter(Violation::is_illegal) {
                let rule = violation.rule.to_string();
                if rule != OF_OTHER_DEVICES {
                    broken.entry(rule).or_insert((0, violation.message)).0 += 1;
                }
            }
        }
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn few_bytes_give_cases_too() {
        for length in 0..64 {
            let case = memory(Device::Rv770, &bytes(1)[..length]);
            assert!(Program::decode(&case.program).is_ok());
        }
    }
}
