//! Whole programs: structured programs as control-flow instructions, run by both engines in lockstep
//! and by scalar code one pixel at a time.

mod generator;
mod lower;
mod mutation;
mod scalar;
mod tree;

use parallax_isa::{
    Device,
    r700::{
        Case, CfOpcode, Profile, Program,
        case::{LoopConstant, ProgramType},
        legality::{Settings, check},
    },
};

pub(super) use scalar::check as follow;

use super::{
    generate,
    layout::{lay_out, lay_out_apart, lay_out_far},
};
use crate::{choices::Choices, corners, random::SplitMix64};
use generator::{COUNTERS, DATA, Generator, LONG_LOOP};
use tree::Tree;

/// Bytes that are enough for any program.
pub const BYTES: usize = 2048;

/// Bytes that are enough for any long program.
pub const LONG_BYTES: usize = 4096;

/// The largest address at which a program starts: with what it has behind that it stays within the size of
/// programs.
const LARGEST_START: usize = 1 << 17;

/// Trips of the loop around all of a long program, and most steps of one.
const LONG_TRIPS: u32 = 40;
const LONG_STEPS: u64 = 3000;

/// A structured program, as a case and as the tree it was made from.
fn structured(mut choices: Choices) -> (Case, Tree) {
    let mut random = SplitMix64::new(choices.seed());
    let mut case = start(&mut choices, &mut random);
    let kills = case.program_type == ProgramType::Pixel;
    let tree = Generator::new(&mut choices, case.prefer_vector, kills).tree(case.program_type);
    let (items, functions) = lower::main_and_functions(&tree);
    let is_apart = functions < items.len() && random.below(3) == 0;
    case.program = match far(random.next()) {
        Some(start) => lay_out_far(&items, start),
        None if is_apart => lay_out_apart(&items, functions),
        None => lay_out(&items),
    };
    (case, tree)
}

/// Where a program starts that stands far from its first jump, so that its addresses are large: one in
/// sixty.
fn far(bits: u64) -> Option<usize> {
    let digits = 1 + bits as u32 % LARGEST_START.ilog2();
    let start = 2 + (bits >> 32) as usize % (1 << digits);
    (bits >> 26 & 0x3F == 0).then_some(start)
}

/// A program whose control-flow instructions were changed at random: whole quads, valid pixels,
/// conditions. No scalar code says what it comes to.
fn changed(choices: Choices) -> Case {
    let mut random = SplitMix64::new(choices.next_seed().rotate_left(32));
    let (mut case, tree) = structured(choices);
    case.stack_size = stack_size(&case, random.next());
    let (mut items, functions) = lower::main_and_functions(&tree);
    mutation::change(&mut random, &mut items);
    if random.below(2) == 0 && mutation::push_whole_entries(&mut items) {
        case.stack_size = 1 + random.below(3) as u32;
    }
    let kills = items.iter_mut().filter(|item| item.cf.opcode() == Some(CfOpcode::Kill));
    for item in kills.step_by(2) {
        // Where no pixel is left, this passes over what there is up to the end.
        *item = item.clone().with_target(functions as u32 - 1);
    }
    case.program = lay_out(&items);
    if random.below(8) == 0 {
        // aL has more bits than there are registers.
        let constant = random.below(case.loop_constants.len() as u64) as usize;
        case.loop_constants[constant].initial = random.below(1 << 13) as u32;
    }
    // A changed loop may never end; a run that is cut off in a clause leaves nothing to the next one.
    case.step_limit = if random.below(8) == 0 { 1 + random.below(64) } else { 600 };
    case
}

/// A structured program and the tree that scalar code can follow, or one time in four a changed one.
pub(super) fn flowing(device: Device, bytes: &[u8]) -> (Case, Option<Tree>) {
    assert_eq!(device, Device::Rv770, "a generator of R700 programs");
    flowing_by(Choices::new(bytes))
}

fn flowing_by(choices: Choices) -> (Case, Option<Tree>) {
    // Not the numbers that fill the case.
    let seed = choices.next_seed();
    let is_changed = SplitMix64::new(!seed).next() & 3 == 0;
    if is_changed {
        return (changed(choices), None);
    }
    let (mut case, tree) = structured(choices);
    case.stack_size = stack_size(&case, SplitMix64::new(seed ^ 1).next());
    (case, Some(tree))
}

/// A size for the stack of a program: large, or one that the program fills, or one entry less.
fn stack_size(case: &Case, random: u64) -> u32 {
    let less = match random & 7 {
        0 | 1 => 0,
        2 => 1,
        _ => return case.stack_size,
    };
    let Ok(program) = Program::decode(&case.program) else { return case.stack_size };
    let is_enough = |size: &u32| {
        check(&program, &Settings { stack_size: *size, ..Settings::of(case) }).is_empty()
    };
    let full = (0..case.stack_size).find(is_enough).unwrap_or(case.stack_size);
    full.saturating_sub(less)
}

/// A program of thousands of steps whose way depends on all that it computes; it never runs for ever.
///
/// # Panics
/// If the device is not an R700.
#[must_use]
pub fn long(device: Device, bytes: &[u8]) -> Case {
    assert_eq!(device, Device::Rv770, "a generator of R700 programs");
    long_by(Choices::new(bytes))
}

/// The same by any choices.
pub(super) fn long_by(mut choices: Choices) -> Case {
    let mut random = SplitMix64::new(choices.seed());
    let mut case = start(&mut choices, &mut random);
    let around = LoopConstant { count: LONG_TRIPS, initial: 0, increment: 0 };
    case.loop_constants.resize(usize::from(LONG_LOOP), around);
    case.loop_constants.push(around);
    case.step_limit = LONG_STEPS;
    let mut generator = Generator::new(&mut choices, case.prefer_vector, false).long();
    case.program = lay_out(&lower::lower(&generator.tree(case.program_type)));
    case
}

/// A program for a device, without the tree.
///
/// # Panics
/// If the device is not an R700.
#[must_use]
pub fn any(device: Device, bytes: &[u8]) -> Case {
    flowing(device, bytes).0
}

/// A program by any choices, without the tree.
#[must_use]
pub fn any_by(choices: Choices) -> Case {
    flowing_by(choices).0
}

/// A case without its program.
fn start(choices: &mut Choices, random: &mut SplitMix64) -> Case {
    let mut case = Case::new(Vec::new());
    case.profile = *choices.pick(&[Profile::Manual, Profile::Silicon]);
    case.program_type = *choices.pick(&[
        ProgramType::Pixel,
        ProgramType::Pixel,
        ProgramType::Vertex,
        ProgramType::Compute,
    ]);
    case.prefer_vector = choices.sometimes(128);
    case.gpr_count = u32::from(DATA + COUNTERS);
    case.clause_temporaries = 0;
    case.stack_size = 32;
    case.step_limit = 20_000;
    case.bool_constants = random.next() as u32;
    case.loop_constants = (0..8).map(|_| loop_constant(random)).collect();
    start_elsewhere(random, &mut case);
    case
}

/// Gives a case other registers to start from, which may take it another way.
pub fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    for register in &mut case.state.gpr[..usize::from(DATA)] {
        for lane in register.as_flattened_mut() {
            *lane = corners::integer(random);
        }
    }
    generate::masks(random, &mut case.state);
}

fn loop_constant(random: &mut SplitMix64) -> LoopConstant {
    let bits = random.next();
    LoopConstant {
        count: [1, 2, 2, 3, 0, 2, 3, 1][(bits & 7) as usize],
        initial: (bits >> 8) as u32 & 7,
        increment: (bits >> 40 & 7) as i32 - 3,
    }
}

#[cfg(test)]
mod tests;
