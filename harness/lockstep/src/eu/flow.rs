//! Programs with control flow: structured ones, whose channels plain scalar code can follow, free
//! ones and unstructured ones.

mod blocks;
mod emit;
mod foreign;
mod generator;
mod instructions;
mod later;
mod scalar;
mod surroundings;
#[cfg(test)]
mod tests;
mod tree;
mod unstructured;

pub use blocks::{BLOCKS_BYTES, blocks};
pub(super) use scalar::check;

use parallax_isa::{
    Device,
    device::Feature,
    eu::{Case, State, case::Surroundings, state::control},
};

use self::{
    generator::{Generator, Limits},
    tree::{COUNTERS, FLOATS, Registers, Statement, Tree, VARIABLES},
};
use super::generate::{end_of_thread, straight::Straight, values};
use crate::{choices::Choices, corners, random::SplitMix64};

/// Bytes that are enough for any case.
pub const BYTES: usize = 4096;

/// Flag subregisters that the tests of a program use.
const FLAGS: &[&[u8]] = &[&[0], &[1], &[0, 1]];

/// Most steps of a structured program.
const STEPS: u64 = 600;

/// Bytes that are enough for any long case.
pub const LONG_BYTES: usize = 8192;

/// Most steps of a long program.
const LONG_STEPS: u64 = 6000;

/// A case for a device and, where scalar code can follow it, the tree of its program.
pub(super) fn flowing(device: Device, bytes: &[u8]) -> (Case, Option<Tree>) {
    flowing_by(device, Choices::new(bytes))
}

fn flowing_by(device: Device, mut choices: Choices) -> (Case, Option<Tree>) {
    if Device::LATER.contains(&device) {
        return later::flowing(device, choices);
    }
    match choices.byte() {
        0..=159 => structured(device, &mut choices, true),
        160..=209 => structured(device, &mut choices, false),
        _ => (unstructured(device, &mut choices), None),
    }
}

/// A program of thousands of steps whose way depends on all that it computes; a case that no byte
/// lets run for ever.
///
/// Its results are exact, mostly: what the manual leaves open ends a free run.
#[must_use]
pub fn long(device: Device, bytes: &[u8]) -> Case {
    long_by(device, Choices::new(bytes))
}

fn long_by(device: Device, mut choices: Choices) -> Case {
    if Device::LATER.contains(&device) {
        return later::long(device, choices);
    }
    let (mut state, mut random) = start(&mut choices);
    if choices.sometimes(176) {
        // Blocks run fastest where no channel is off.
        (state.mask, state.status[1]) = ([0xFFFF; 4], state.status[1] | 0xFFFF);
    }
    if choices.sometimes(216) {
        // Much of what goes to accumulators on the side is open, and nothing here reads them.
        state.control[0] |= control::ACCUMULATOR_DISABLE;
    }
    let limits = Limits {
        device,
        scalar: false,
        single_program_flow: false,
        flags: &[0, 1],
        conditionals: if choices.sometimes(40) { 14 } else { 4 },
        loops: if choices.sometimes(40) { 7 } else { 4 },
        exceptions: false,
        long: true,
    };
    let width = *choices.pick(&[8, 16, 8, 16, 8, 16, 4, 1]);
    let compacting = device.has(Feature::Compaction) && choices.sometimes(64);
    prepare(&mut random, &mut state, limits);
    let seed = random.next();
    let budget = 16 + choices.below(60);
    let mut straight = Straight::new(device, &mut choices, random, &mut state);
    let body = Generator { straight: &mut straight, limits, budget }.program();
    let registers = Registers::GEN4;
    let (system_routine, end_of_thread) = (None, None);
    let tree =
        Tree { registers, width, first: 0, body, compacting, system_routine, end_of_thread, seed };
    let emitted = emit::emit(device, &tree);
    Case::new(device, emitted.bytes, state, LONG_STEPS)
}

/// A case for a device, without the tree.
#[must_use]
pub fn any(device: Device, bytes: &[u8]) -> Case {
    flowing(device, bytes).0
}

/// A case for a device that is chosen too.
#[must_use]
pub fn any_flow(mut choices: Choices) -> Case {
    let device = *choices.pick(&Device::EU);
    flowing_by(device, choices).0
}

/// Starts of a program with control flow: its other variables take it another way.
pub(super) const STARTS: usize = 4;

/// Gives the variables of a program other values.
pub(super) fn start_elsewhere(random: &mut SplitMix64, case: &mut Case) {
    fill_variables(random, case.device, &mut case.state);
}

/// Most steps of a program that may go on for ever. Now and then they are so few that the program is cut off
/// somewhere: what it was about must not be left to the next run.
fn limit(choices: &mut Choices, most: u64) -> u64 {
    if choices.sometimes(32) { 1 + choices.below(most as usize) as u64 } else { most }
}

/// Registers at the start, and what decides random contents.
fn start(choices: &mut Choices) -> (Box<State>, SplitMix64) {
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::new());
    values::fill(&mut random, &mut state);
    let dispatch = match choices.byte() {
        0..=127 => 0xFFFF,
        128..=163 => 0x00FF,
        164..=179 => !(1 << choices.below(16)),
        _ => choices.word() as u16,
    };
    state.mask[0] = dispatch;
    state.status[1] = state.status[1] & 0xFFFF_0000 | u32::from(dispatch);
    (state, random)
}

fn unstructured(device: Device, choices: &mut Choices) -> Case {
    let (mut state, random) = start(choices);
    if choices.sometimes(60) {
        state.control[0] ^= control::SINGLE_PROGRAM_FLOW;
    }
    if choices.sometimes(160) {
        let enabled = if choices.sometimes(160) { 0xF800 } else { choices.word() & 0xFF00 };
        state.control[1] = enabled & enables(device);
    }
    if choices.sometimes(60) {
        for (depth, counters) in state.mask_stack_depth.iter_mut().zip(&mut state.mask_stack) {
            *depth = choices.below(16) as u16;
            for counter in counters {
                // One third waits on all levels.
                *counter = match choices.below(3) {
                    0 => *depth as u8,
                    _ => choices.below(usize::from(*depth) + 1) as u8,
                };
            }
        }
    }
    begin_at_edges(device, choices, &mut state);
    let mut straight = Straight::new(device, choices, random, &mut state);
    let case = Case::new(device, Vec::new(), state, 0);
    unstructured::case(device, &mut straight, case)
}

/// Lets some states begin next to where a level more, or one less, is too many for a mask stack, next to where a
/// count begins again at 0, or with exceptions that are held already, of which one is raised first.
fn begin_at_edges(device: Device, choices: &mut Choices, state: &mut State) {
    const EDGES: [u16; 7] = [0, 1, 2, 10, 11, 12, 13];
    if choices.sometimes(64) {
        for (depth, counters) in state.mask_stack_depth.iter_mut().zip(&mut state.mask_stack) {
            *depth = *choices.pick(&EDGES);
            counters.iter_mut().for_each(|counter| *counter = (*counter).min(*depth as u8));
        }
    }
    if choices.sometimes(32) {
        state.notification[0] = values::most_notifications(device) - choices.below(3) as u32;
    }
    if choices.sometimes(32) {
        state.control[1] |= choices.word() & HELD;
    }
}

/// How often a program waits for a notification.
fn waits(tree: &Tree) -> usize {
    let waits =
        |statement: &&Statement| matches!(statement, Statement::Event(tree::Event::Wait(_)));
    tree.body.iter().filter(waits).count()
}

/// Status bits of `cr0.1` that enter the system routine before the next instruction.
const HELD: u32 = 7 << 29;

/// The enable bits of `cr0.1` that a device has.
fn enables(device: Device) -> u32 {
    if device.has(Feature::MaskStackExceptions) { 0xF800 } else { 0xF000 }
}

fn structured(device: Device, choices: &mut Choices, scalar: bool) -> (Case, Option<Tree>) {
    let (mut state, mut random) = start(choices);
    let single_program_flow = choices.sometimes(30);
    let exceptions = choices.sometimes(70);
    let flags = *choices.pick(FLAGS);
    let deepest = if scalar { 15 } else { 18 };
    let limits = Limits {
        device,
        scalar,
        single_program_flow,
        flags,
        conditionals: if choices.sometimes(60) { deepest } else { 4 },
        loops: if choices.sometimes(60) { deepest / 2 } else { 3 },
        exceptions,
        long: false,
    };
    let width = *choices.pick(&[8, 16, 16, 8, 16, 4, 2, 1]);
    if single_program_flow {
        // Channels that no instruction reaches would keep loops alive that all others have left, and
        // without stacks an inner loop then calls those back.
        state.mask[0] &= u16::MAX >> (16 - width);
    }
    let compacting = device.has(Feature::Compaction) && !exceptions && choices.sometimes(64);
    let system_routine = exceptions.then(|| {
        state.control[1] = surroundings::enables(choices) & enables(device);
        surroundings::system_routine(choices, Registers::GEN4, state.control[1])
    });
    prepare(&mut random, &mut state, limits);
    let seed = random.next();
    let budget = 4 + choices.below(28);
    let mut straight = Straight::new(device, choices, random, &mut state);
    let body = Generator { straight: &mut straight, limits, budget }.program();
    straight.piece();
    let end_of_thread = straight.choices.sometimes(60).then(|| end_of_thread(straight.choices));
    let registers = Registers::GEN4;
    let tree =
        Tree { registers, width, first: 0, body, compacting, system_routine, end_of_thread, seed };
    let emitted = emit::emit(device, &tree);
    let mut events = surroundings::events(choices, waits(&tree), exceptions);
    if let Some(routine) = emitted.system_routine
        && choices.sometimes(90)
    {
        events.extend(surroundings::breakpoints(device, choices, 0..routine as usize / 16));
        events.sort_by_key(|event| event.step);
    }
    if choices.sometimes(48) {
        // What arrives makes the counter begin again at 0.
        state.notification[0] = values::most_notifications(device) - choices.below(3) as u32;
    }
    let surroundings =
        Surroundings { system_routine: emitted.system_routine, events, ..Surroundings::default() };
    let case = Case { surroundings, ..Case::new(device, emitted.bytes, state, STEPS) };
    (case, scalar.then_some(tree))
}

/// Gives the variables of a tree their values. In single program flow all channels have the same,
/// so that they go the same way.
fn prepare(random: &mut SplitMix64, state: &mut State, limits: Limits) {
    let spf = limits.single_program_flow;
    if spf {
        state.control[0] |= control::SINGLE_PROGRAM_FLOW;
        state.mask[1..].fill(0xFFFF);
        state.flag = state.flag.map(|flag| if flag & 1 == 1 { 0xFFFF } else { 0 });
    } else {
        state.control[0] &= !control::SINGLE_PROGRAM_FLOW;
    }
    fill_variables(random, Device::G45, state);
}

/// Fills the variables of a tree.
fn fill_variables(random: &mut SplitMix64, device: Device, state: &mut State) {
    let spf = state.control[0] & control::SINGLE_PROGRAM_FLOW != 0;
    let registers = Registers::of(device);
    let channels = if Device::LATER.contains(&device) { 32 } else { 16 };
    let mut fill = |register: u8, value: &mut dyn FnMut(&mut SplitMix64) -> u32| {
        let same = value(random);
        for channel in 0..channels {
            let bits = if spf { same } else { value(random) };
            let row = &mut state.grf[usize::from(register) + channel / 8];
            row[4 * (channel % 8)..][..4].copy_from_slice(&bits.to_le_bytes());
        }
    };
    for number in 0..VARIABLES {
        fill(registers.variable(number as u8), &mut |random| {
            let bits = corners::integer(random);
            if random.next() & 1 == 0 { bits & 7 } else { bits }
        });
    }
    for number in VARIABLES..VARIABLES + FLOATS {
        fill(registers.variable(number as u8), &mut |random| (random.below(8) as f32).to_bits());
    }
    for number in 0..COUNTERS {
        fill(registers.counter(number as u8), &mut |_| 0);
    }
}
