//! Bytes to a case of ALU groups: a few clauses on registers weighted to the corners.

mod behind;
mod clause;
mod groups;
pub mod memory;
pub(super) mod opcodes;
mod operands;
pub(super) mod ports;
pub(super) mod slot;
pub mod texture;
pub(super) mod values;

use parallax_isa::{
    Device,
    r700::{
        Case, Cf, CfOpcode, Profile, State,
        case::{Constants, LoopConstant, ProgramType},
        microcode::CfAluWord,
        program,
        state::PixelStates,
    },
};

use super::layout::{Item, lay_out};
use crate::{
    choices::Choices,
    corners::{self, AT_THE_BOTTOM, MEETING},
    random::SplitMix64,
};

/// Bytes that are enough for any case.
pub const BYTES: usize = 4096;

/// Most clauses of a case.
pub(super) const CLAUSES: usize = 3;
/// Most groups of a clause.
const GROUPS: usize = 12;
/// Words a clause may have.
const CLAUSE_WORDS: usize = 128;
/// Registers that are filled where many are declared.
const FILLED: u32 = 24;

/// A case of ALU groups.
///
/// # Panics
/// If the device is not an R700: other devices have other generators.
#[must_use]
pub fn groups(device: Device, bytes: &[u8]) -> Case {
    assert_eq!(device, Device::Rv770, "a generator of R700 programs");
    groups_by(Choices::new(bytes))
}

/// The same by any choices.
#[must_use]
pub fn groups_by(mut choices: Choices) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let mut case = surroundings(&mut choices, &mut random);
    let in_loop = choices.sometimes(120);
    let constant_file = choices.sometimes(120)
        && matches!(case.program_type, ProgramType::Pixel | ProgramType::Vertex);
    let mut items = Vec::new();
    if in_loop {
        items.push(Item::plain(CfOpcode::LoopStart));
    }
    for _ in 0..=choices.below(CLAUSES) {
        choices.piece();
        items.push(clause(&mut choices, &case, in_loop, constant_file, true));
    }
    if in_loop {
        items.push(Item::plain(CfOpcode::LoopEnd).with_target(1));
        let end = items.len() as u32;
        items[0] = items[0].clone().with_target(end);
    }
    items.push(Item::plain(CfOpcode::Nop).ending());
    case.program = lay_out(&items);
    case
}

/// Everything of a case but its program.
pub(super) fn surroundings(choices: &mut Choices, random: &mut SplitMix64) -> Case {
    let mut case = Case::new(Vec::new());
    case.profile = *choices.pick(&[Profile::Manual, Profile::Silicon]);
    case.program_type = match choices.below(10) {
        0 => ProgramType::Vertex,
        1 => ProgramType::Export,
        2 => ProgramType::Geometry,
        3 => ProgramType::Copy,
        4 => ProgramType::Compute,
        _ => ProgramType::Pixel,
    };
    case.prefer_vector = choices.sometimes(128);
    case.gpr_count = *choices.pick(&[8, 12, 16, 24, 120]);
    case.clause_temporaries = *choices.pick(&[4, 2, 0, 8]);
    case.global_gprs = *choices.pick(&[0, 0, 4, 8]);
    case.stack_size = 32;
    case.step_limit = 2000;
    case.bool_constants = random.next() as u32;
    let loops = (0..8).map(|_| loop_constant(random, case.gpr_count));
    case.loop_constants = loops.collect();
    case.constants = constants(random);
    if choices.sometimes(64) {
        case.alternate_constants = constants(random);
    }
    fill(random, &mut case);
    case
}

fn loop_constant(random: &mut SplitMix64, registers: u32) -> LoopConstant {
    let bits = random.next();
    let far = bits >> 60 == 0;
    LoopConstant {
        count: 1 + (bits & 1) as u32,
        initial: if far { bits as u32 >> 19 } else { (bits >> 8) as u32 % (registers + 4) },
        increment: (bits >> 40 & 15) as i32 - 5,
    }
}

/// Constants: the whole file or a part of it, and a few buffers of some lines.
fn constants(random: &mut SplitMix64) -> Constants {
    let word = |random: &mut SplitMix64| match random.next() & 1 {
        0 => corners::float(random),
        _ => corners::integer(random),
    };
    let mut vectors = |count: u64| -> Vec<[u32; 4]> {
        (0..count).map(|_| [0; 4].map(|_| word(random))).collect()
    };
    let file = vectors(32);
    // The rest repeats: what counts is that neighbours differ.
    let file = file.iter().cycle().take(256).enumerate();
    let file = file.map(|(n, vector)| vector.map(|word| word ^ (n as u32 / 32) << 3)).collect();
    let buffers = [40, 64, 17].map(&mut vectors).to_vec();
    Constants { file, buffers, ..Constants::default() }
}

/// Starts of a program for engines that run several at once.
pub const STARTS: usize = 4;

/// Gives a case of ALU groups other registers to start from.
pub fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    fill(random, case);
}

/// Fills registers: register 0 with indices, even ones with floats, odd ones with integers, the
/// last two declared ones with doubles; and pixel states.
fn fill(random: &mut SplitMix64, case: &mut Case) {
    let state = &mut *case.state;
    let declared = case.gpr_count.min(FILLED);
    let last = [case.gpr_count - 1, case.gpr_count - 2];
    for number in last {
        for lane in 0..64 {
            for first in [0, 2] {
                let [low, high] = values::double(random);
                state.gpr[number as usize][first][lane] = low;
                state.gpr[number as usize][first + 1][lane] = high;
            }
        }
    }
    for number in (0..declared).filter(|number| !last.contains(number)) {
        for element in 0..4 {
            for lane in &mut state.gpr[number as usize][element] {
                *lane = match number {
                    0 => values::index(random, element % 2 == 0),
                    // Conversions to integers have something to convert.
                    n if n % 4 == 2 && element < 2 => values::whole(random),
                    n if n % 2 == 0 => corners::float(random),
                    _ => corners::integer(random),
                };
            }
        }
    }
    for _ in 0..16 {
        let (pixel, bits) = (random.below(64) as usize, random.next());
        let register = &mut state.gpr[usize::from(operands::ALIKE)];
        // All of them, or two.
        let (first, count) = if bits & 1 == 0 { (0, 3) } else { ((bits >> 1 & 1) as usize, 2) };
        let alike = register[first][pixel];
        for (element, lanes) in register.iter_mut().enumerate().skip(first).take(count) {
            lanes[pixel] = alike ^ ((bits >> (8 + element) & 1) as u32) << 31;
        }
    }
    for meeting in [MEETING, MEETING, MEETING, MEETING, AT_THE_BOTTOM, AT_THE_BOTTOM] {
        // Of one pixel, numbers of which pairs seldom meet.
        let mut bits = random.next();
        let pixel = (bits >> 58) as usize;
        for register in state.gpr[4..declared as usize].iter_mut().step_by(4) {
            for lanes in register {
                lanes[pixel] = meeting[(bits & 7) as usize];
                bits = bits.rotate_right(3);
            }
        }
    }
    for register in &mut state.global[..case.global_gprs as usize] {
        for lane in register.as_flattened_mut() {
            *lane = corners::float(random);
        }
    }
    masks(random, state);
}

/// Valid pixels, and active ones among them.
pub(super) fn masks(random: &mut SplitMix64, state: &mut State) {
    let kind = random.next();
    if kind & 3 == 0 {
        state.valid = random.next() | random.next();
    }
    let active = match kind >> 2 & 7 {
        0..=3 => u64::MAX,
        4 | 5 => random.next(),
        6 => random.next() & random.next() & random.next(),
        _ => 1 << (random.next() & 63),
    };
    state.pixels = PixelStates { active: active & state.valid, ..PixelStates::default() };
}

/// A clause of some groups, with what it locks; some write AR if they may.
pub(super) fn clause(
    choices: &mut Choices,
    case: &Case,
    in_loop: bool,
    constant_file: bool,
    addresses: bool,
) -> Item {
    let opcode = CfOpcode::Alu;
    let mut word = CfAluWord::default()
        .with(CfAluWord::CF_INST, opcode.code())
        .with(CfAluWord::BARRIER, 1)
        .with(CfAluWord::WHOLE_QUAD_MODE, choices.sometimes(24).into());
    let alternate = !case.alternate_constants.buffers.is_empty() && choices.sometimes(100);
    word = word.with(CfAluWord::ALT_CONST, alternate.into());
    let mut clause = clause::Clause::new(case.gpr_count, case.clause_temporaries);
    clause.prefer_vector = case.prefer_vector;
    clause.globals = case.global_gprs > 0;
    clause.constant_file = constant_file;
    clause.in_loop = in_loop;
    clause.writes_addresses = addresses;
    clause.kills = case.program_type == ProgramType::Pixel;
    if !constant_file {
        (word, clause.locked) = lock(choices, word, in_loop);
    }
    let count = 1 + choices.below(GROUPS);
    let mut list = Vec::new();
    let mut words = 0;
    for number in 1..=count {
        choices.piece();
        let group = clause.group(choices, number == count);
        words += group.words();
        if words > CLAUSE_WORDS {
            break;
        }
        list.push(group);
    }
    Item { cf: Cf::Alu(word), clause: Some(program::Clause::Alu(list)) }
}

/// Locks windows of the constant cache; how many constants of each can be read.
fn lock(choices: &mut Choices, word: CfAluWord, in_loop: bool) -> (CfAluWord, [u32; 2]) {
    let modes = if in_loop { 4 } else { 3 };
    let modes = [choices.below(modes) as u32, choices.below(modes) as u32];
    let lines = [choices.below(4) as u32, choices.below(4) as u32];
    let banks = [choices.below(3) as u32, choices.below(3) as u32];
    let word = word
        .with(CfAluWord::KCACHE_MODE0, modes[0])
        .with(CfAluWord::KCACHE_MODE1, modes[1])
        .with(CfAluWord::KCACHE_ADDR0, lines[0])
        .with(CfAluWord::KCACHE_ADDR1, lines[1])
        .with(CfAluWord::KCACHE_BANK0, banks[0])
        .with(CfAluWord::KCACHE_BANK1, banks[1]);
    (word, modes.map(|mode| [0, 16, 32, 32][mode as usize]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parallax_isa::r700::{
        Program,
        legality::{Settings, Violation, check},
        text,
    };

    use super::*;

    fn bytes(seed: u64) -> Vec<u8> {
        let mut bytes = vec![0; BYTES];
        SplitMix64::new(seed).fill(&mut bytes);
        bytes
    }

    #[test]
    fn generated_groups_are_legal() {
        let mut broken: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for seed in 0..600 {
            let case = groups(Device::Rv770, &bytes(seed));
            let program = Program::decode(&case.program).unwrap();
            let found = check(&program, &Settings::of(&case)).into_iter();
            for violation in found.filter(Violation::is_illegal) {
                let group = program.group_at(violation.address).map(text::print_group);
                let text = format!("{}: {}", violation.message, group.unwrap_or_default());
                broken.entry(violation.rule.to_string()).or_insert((0, text)).0 += 1;
            }
        }
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn few_bytes_give_cases_too() {
        for length in 0..64 {
            let case = groups(Device::Rv770, &bytes(1)[..length]);
            assert!(Program::decode(&case.program).is_ok());
        }
    }
}
