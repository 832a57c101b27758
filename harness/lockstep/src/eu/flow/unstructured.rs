//! Programs without structure: branches to anywhere, masks and control registers overwritten, a system routine that
//! need not be one. They end at the step limit if nothing else ends them.

mod channel_places;
mod mask_stacks;

use parallax_isa::{
    Device,
    device::Feature,
    eu::{
        Case, Instruction,
        case::{Event, EventKind, Surroundings},
        instruction::{Predicate, PredicateControl},
        state::control,
    },
};

use super::{enables, has_mask_stacks, limit, start};
use crate::{choices::Choices, eu::generate::later::dependencies, random::SplitMix64};

/// Most steps of a program.
const STEPS: u64 = 160;
/// Most instructions of a program.
const LONGEST: usize = 48;

/// Status bits of `cr0.1` that enter the system routine before the next instruction.
const HELD: u32 = 7 << 29;

/// A program, where its system routine starts, which need not be one, and what arrives.
struct Written {
    bytes: Vec<u8>,
    system_routine: Option<u32>,
    events: Vec<Event>,
}

/// A case for a device.
pub(super) fn case(device: Device, choices: &mut Choices) -> Case {
    let (mut state, random) = start::registers(device, choices);
    start::dispatch(device, choices, &mut state, None);
    let has_stacks = has_mask_stacks(device);
    let [modes, exceptions] = if has_stacks { [60, 160] } else { [50, 120] };
    if choices.sometimes(modes) {
        state.control[0] ^= control::SINGLE_PROGRAM_FLOW;
    }
    if choices.sometimes(exceptions) {
        let enabled = if choices.sometimes(160) { u32::MAX } else { choices.word() };
        state.control[1] = enabled & enables(device);
    }
    let write = if has_stacks { mask_stacks::write } else { channel_places::write };
    let Written { bytes, system_routine, mut events } = write(device, choices, random, &mut state);
    events.sort_by_key(|event| event.step);
    let surroundings = Surroundings { system_routine, events, ..Surroundings::default() };
    let mut case = Case { surroundings, ..Case::new(device, bytes, state, STEPS) };
    if !has_stacks {
        dependencies::depend(&mut SplitMix64::new(choices.seed()), &mut case);
    }
    case.step_limit = limit(choices, STEPS);
    case
}

/// How many instructions a program has, and whether they are compacted where they can be.
fn extent(device: Device, choices: &mut Choices) -> (usize, bool) {
    let count = 10 + choices.below(LONGEST - 10);
    (count, device.has(Feature::Compaction) && choices.sometimes(80))
}

/// So many things that arrive some time.
fn events(choices: &mut Choices, count: usize, kinds: &[EventKind]) -> Vec<Event> {
    let event =
        |_| Event { step: choices.below(STEPS as usize) as u64, kind: *choices.pick(kinds) };
    (0..count).map(event).collect()
}

/// Any predicate on any flags.
fn predicate(device: Device, choices: &mut Choices, instruction: &mut Instruction) {
    use PredicateControl::{
        All2H, All4H, All8H, All16H, All32H, AllV, Any2H, Any4H, Any8H, Any16H, Any32H, AnyV, None,
        Sequential,
    };
    const CONTROLS: [PredicateControl; 17] = [
        Sequential, Sequential, Sequential, Sequential, None, AnyV, AllV, Any2H, All2H, Any4H,
        All4H, Any8H, All8H, Any16H, All16H, Any32H, All32H,
    ];
    let has_stacks = has_mask_stacks(device);
    // Those of 32 channels came with Gen7.
    let control = *choices.pick(if has_stacks { &CONTROLS[1..15] } else { &CONTROLS });
    let inverse = control != None && choices.sometimes(90);
    instruction.predicate = Predicate { control, inverse };
    instruction.flag_register = if has_stacks { 0 } else { choices.byte() & 1 };
    instruction.flag_subregister = choices.byte() & 1;
}
