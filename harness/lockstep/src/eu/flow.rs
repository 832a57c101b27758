//! Programs with control flow: structured ones, whose channels plain scalar code can follow, free
//! ones and unstructured ones.

mod blocks;
mod emit;
mod foreign;
mod generator;
mod instructions;
mod program;
mod scalar;
mod start;
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
    eu::{Case, State, case::Surroundings},
};

use self::{
    generator::{Generator, Limits},
    start::{Purpose, Start},
    tree::{Registers, Statement, Tree},
};
use super::generate::{end_of_thread, values};
use crate::{choices::Choices, random::SplitMix64};

/// Bytes that are enough for any case.
pub const BYTES: usize = 4096;

/// Most steps of a structured program.
const STEPS: u64 = 600;

/// Bytes that are enough for any long case.
pub const LONG_BYTES: usize = 8192;

/// Most steps of a long program.
const LONG_STEPS: u64 = 6000;

/// Whether a device has mask stacks for control flow. From Gen7 on every channel has a place of its own instead,
/// where it goes on.
fn has_mask_stacks(device: Device) -> bool {
    Device::GEN4.contains(&device)
}

/// A case for a device and, where scalar code can follow it, the tree of its program.
pub(super) fn flowing(device: Device, bytes: &[u8]) -> (Case, Option<Tree>) {
    flowing_by(device, Choices::new(bytes))
}

fn flowing_by(device: Device, mut choices: Choices) -> (Case, Option<Tree>) {
    let choices = &mut choices;
    match choices.byte() {
        0..=159 => {
            let (case, tree) = structured(device, choices, Purpose::Scalar);
            (case, Some(tree))
        }
        160..=209 => (structured(device, choices, Purpose::Steps).0, None),
        _ => (unstructured::case(device, choices), None),
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
    let (tree, state, _) = tree(device, &mut choices, Purpose::Long);
    Case::new(device, emit::emit(device, &tree).bytes, state, LONG_STEPS)
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
    start::fill_variables(random, case.device, &mut case.state);
}

/// Most steps of a program that may go on for ever. Now and then they are so few that the program is cut off
/// somewhere: what it was about must not be left to the next run.
fn limit(choices: &mut Choices, most: u64) -> u64 {
    if choices.sometimes(32) { 1 + choices.below(most as usize) as u64 } else { most }
}

/// How often a program waits for a notification.
fn waits(tree: &Tree) -> usize {
    let waits = |statement: &&Statement| matches!(statement, Statement::Event(tree::Event::Wait));
    tree.body.iter().filter(waits).count()
}

/// The enable bits of `cr0.1` that a device has: of breakpoints, software exceptions, illegal opcodes, and mask stacks.
fn enables(device: Device) -> u32 {
    match has_mask_stacks(device) {
        true if device.has(Feature::MaskStackExceptions) => 0xF800,
        true => 0xF000,
        false => 0xB000,
    }
}

/// The tree of a program, and the state and the limits that it is made for.
fn tree(device: Device, choices: &mut Choices, purpose: Purpose) -> (Tree, Box<State>, Limits) {
    let Start { mut state, mut random, limits, width, first } =
        Start::choose(device, choices, purpose);
    let Limits { exceptions, long, .. } = limits;
    let may_compact = device.has(Feature::Compaction) && !(exceptions && has_mask_stacks(device));
    let compacting = may_compact && choices.sometimes(64);
    let registers = Registers::of(device);
    let system_routine = exceptions.then(|| {
        state.control[1] = surroundings::enables(choices) & enables(device);
        surroundings::system_routine(choices, registers, state.control[1])
    });
    start::prepare(&mut random, &mut state, limits);
    let seed = random.next();
    let budget = if long { 16 + choices.below(60) } else { 4 + choices.below(28) };
    let mut source = foreign::of(device, choices, random, &mut state);
    let body = Generator { source: &mut *source, limits, budget }.program();
    if !long {
        source.piece();
    }
    drop(source);
    let ends = !long && choices.sometimes(60);
    let end_of_thread = ends.then(|| end_of_thread(device, choices));
    let tree =
        Tree { registers, width, first, body, compacting, system_routine, end_of_thread, seed };
    (tree, state, limits)
}

fn structured(device: Device, choices: &mut Choices, purpose: Purpose) -> (Case, Tree) {
    let (tree, mut state, limits) = tree(device, choices, purpose);
    let emitted = emit::emit(device, &tree);
    let mut events = surroundings::events(choices, waits(&tree), limits.exceptions);
    if has_mask_stacks(device) {
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
    }
    let surroundings =
        Surroundings { system_routine: emitted.system_routine, events, ..Surroundings::default() };
    (Case { surroundings, ..Case::new(device, emitted.bytes, state, STEPS) }, tree)
}
