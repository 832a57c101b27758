//! Programs with control flow of Gen7 and later: no mask stacks, a place of its own for each channel,
//! two distances in a branch.

mod blocks;
mod emit;
mod unstructured;

use parallax_isa::{
    Device,
    device::Generation,
    eu::{Case, State, case::Surroundings, state::control},
};

use super::{
    LONG_STEPS, fill_variables,
    generator::{Generator, Limits},
    surroundings,
    tree::{Registers, Tree},
    waits,
};
use crate::{
    choices::Choices,
    eu::generate::{
        end_of_thread_later,
        later::{Later, addresses, values},
    },
    random::SplitMix64,
};

/// Flag subregisters, twice the register and the half, that the tests of a program use.
const FLAGS: &[&[u8]] = &[&[0], &[2], &[1], &[3], &[0, 2], &[1, 3], &[0, 2], &[0, 1, 2, 3]];
/// The same where channels have their flags in both halves.
const WHOLE_FLAGS: &[&[u8]] = &[&[0], &[2], &[0, 2]];

/// Most steps of a structured program.
const STEPS: u64 = 600;

pub(super) use blocks::loops;

/// A case for a device and, where scalar code can follow it, the tree of its program.
pub(super) fn flowing(device: Device, mut choices: Choices) -> (Case, Option<Tree>) {
    match choices.byte() {
        0..=159 => structured(device, &mut choices, true),
        160..=209 => structured(device, &mut choices, false),
        _ => (unstructured::case(device, &mut choices), None),
    }
}

/// Exceptions that have an enable bit in `cr0.1`, but that of mask stacks that there are none of:
/// breakpoints, software, illegal opcodes.
const ENABLES: u32 = 0xB000;

/// A program of thousands of steps whose way depends on all that it computes; a case that no byte lets run
/// for ever.
pub(super) fn long(device: Device, mut choices: Choices) -> Case {
    let choices = &mut choices;
    let (mut state, mut random) = start(device, choices);
    let (width, first) = channels(device, choices);
    let has_whole_flags = u32::from(first) + u32::from(width) > 16;
    let flags = *choices.pick(if has_whole_flags { WHOLE_FLAGS } else { FLAGS });
    let limits = Limits {
        device,
        scalar: false,
        single_program_flow: false,
        flags,
        conditionals: if choices.sometimes(40) { 14 } else { 4 },
        loops: if choices.sometimes(40) { 7 } else { 4 },
        exceptions: false,
        long: true,
    };
    dispatch(choices, &mut state, None);
    if choices.sometimes(176) {
        // Blocks run fastest where no channel is off.
        state.status[2..].fill(u32::MAX);
    }
    prepare(&mut random, device, &mut state, false);
    let compacting = choices.sometimes(64);
    let seed = random.next();
    let budget = 16 + choices.below(60);
    let mut later = Later::new(device, choices, random, &state);
    let body = Generator { straight: &mut later, limits, budget }.program();
    let registers = Registers::LATER;
    let (system_routine, end_of_thread) = (None, None);
    let tree =
        Tree { registers, width, first, body, compacting, system_routine, end_of_thread, seed };
    Case::new(device, emit::emit(device, &tree).bytes, state, LONG_STEPS)
}

/// Registers at the start, and what decides random contents.
fn start(device: Device, choices: &mut Choices) -> (Box<State>, SplitMix64) {
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::of(device));
    addresses::fill(&mut random, device, &mut state);
    values::fill(&mut random, device, &mut state);
    (state, random)
}

/// Where the channels of a program are: how many, and the number of the first.
fn channels(device: Device, choices: &mut Choices) -> (u8, u8) {
    let of_gen7 = device.generation() == Some(Generation::Gen7);
    let width = *choices.pick(&[8, 16, 16, 32, 8, 16, 4, 2, 1, 32]);
    let width = if of_gen7 { width.min(16) } else { width };
    // Groups start at multiples of their size, of four where that is less.
    let size = width.max(4);
    let groups = if of_gen7 { 16 } else { 32 } / size;
    let first = if choices.sometimes(90) { size * choices.below(groups.into()) as u8 } else { 0 };
    (width, first)
}

pub(super) fn structured(
    device: Device,
    choices: &mut Choices,
    scalar: bool,
) -> (Case, Option<Tree>) {
    let (mut state, mut random) = start(device, choices);
    let single_program_flow = choices.sometimes(30);
    let (width, first) = channels(device, choices);
    let exceptions = choices.sometimes(70);
    let has_whole_flags = u32::from(first) + u32::from(width) > 16;
    let flags = *choices.pick(if has_whole_flags { WHOLE_FLAGS } else { FLAGS });
    let limits = Limits {
        device,
        scalar,
        single_program_flow,
        flags,
        conditionals: if choices.sometimes(60) { 15 } else { 4 },
        loops: if choices.sometimes(60) { 7 } else { 3 },
        exceptions,
        long: false,
    };
    dispatch(choices, &mut state, scalar.then_some((width, first)));
    if single_program_flow {
        // The first channel decides, so that its flags have to follow.
        state.status[2..].iter_mut().for_each(|mask| *mask |= 1 << first);
    }
    prepare(&mut random, device, &mut state, single_program_flow);
    let compacting = choices.sometimes(64);
    let system_routine = exceptions.then(|| {
        state.control[1] = surroundings::enables(choices) & ENABLES;
        surroundings::system_routine(choices, Registers::LATER, state.control[1])
    });
    let seed = random.next();
    let budget = 4 + choices.below(28);
    let mut later = Later::new(device, choices, random, &state);
    let body = Generator { straight: &mut later, limits, budget }.program();
    later.piece();
    let last = choices.sometimes(60).then(|| end_of_thread_later(device, choices));
    let registers = Registers::LATER;
    let end_of_thread = last;
    let tree =
        Tree { registers, width, first, body, compacting, system_routine, end_of_thread, seed };
    let emitted = emit::emit(device, &tree);
    let events = surroundings::events(choices, waits(&tree), exceptions);
    let surroundings =
        Surroundings { system_routine: emitted.system_routine, events, ..Surroundings::default() };
    let case = Case { surroundings, ..Case::new(device, emitted.bytes, state, STEPS) };
    (case, scalar.then_some(tree))
}

/// Dispatches channels: any, or some of those that a program is for.
fn dispatch(choices: &mut Choices, state: &mut State, of: Option<(u8, u8)>) {
    let mut mask = match choices.byte() {
        0..=150 => u32::MAX,
        151..=180 => 0x00FF_00FF,
        _ => choices.word(),
    };
    if let Some((width, first)) = of {
        mask &= u32::MAX >> (32 - u32::from(width)) << first;
    }
    (state.status[2], state.status[3]) = (mask, mask);
}

/// Gives the variables of a tree their values. In single program flow all channels have the same, so
/// that they go the same way.
fn prepare(random: &mut SplitMix64, device: Device, state: &mut State, single_program_flow: bool) {
    if single_program_flow {
        state.control[0] |= control::SINGLE_PROGRAM_FLOW;
        state.flag = state.flag.map(|flag| if flag & 1 == 1 { 0xFFFF } else { 0 });
        for register in [0, 2] {
            state.flag[register + 1] = state.flag[register];
        }
    } else {
        state.control[0] &= !control::SINGLE_PROGRAM_FLOW;
    }
    fill_variables(random, device, state);
}
