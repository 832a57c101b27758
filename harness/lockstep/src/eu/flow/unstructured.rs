//! Programs without structure: branches to anywhere, masks and control registers overwritten, a system routine that
//! need not be one. They end at the step limit if nothing else ends them.

mod channel_places;
mod mask_stacks;

use parallax_isa::{
    Device,
    eu::{
        Case, Instruction,
        instruction::{Predicate, PredicateControl},
    },
};

use super::{has_mask_stacks, start};
use crate::choices::Choices;

/// Most steps of a program.
const STEPS: u64 = 160;
/// Most instructions of a program.
const LONGEST: usize = 48;

/// Status bits of `cr0.1` that enter the system routine before the next instruction.
const HELD: u32 = 7 << 29;

/// A case for a device.
pub(super) fn case(device: Device, choices: &mut Choices) -> Case {
    let (mut state, random) = start::registers(device, choices);
    start::dispatch(device, choices, &mut state, None);
    match has_mask_stacks(device) {
        true => mask_stacks::case(device, choices, state, random),
        false => channel_places::case(device, choices, state, random),
    }
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
