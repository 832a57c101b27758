//! Programs for an executor that compiles blocks. Half of them are loops around blocks of data instructions:
//! packed and scalar operands of one type that overlap in every way, others of several types (`mixed`),
//! predicates, flags, jumps into the middle, and control registers written between them. The others are those of
//! `eu`, `eu-flow`, `eu-long` and `messages`, whose instructions and branches are of every kind.

mod channel_places;
mod compressed;

use parallax_isa::{
    Device,
    eu::{Case, State, state::control},
};

use super::{flowing_by, has_mask_stacks, long_by, unstructured};
use crate::{
    choices::Choices,
    eu::generate::{messages_by, straight_line_by, values},
    random::SplitMix64,
};

/// Bytes that are enough for any case.
pub const BLOCKS_BYTES: usize = super::LONG_BYTES;

/// Most steps of a case.
const STEPS: u64 = 4000;

/// General registers that blocks work on, few so that they meet.
const FIRST: u8 = 2;
const REGISTERS: usize = 12;

/// A case of blocks for a device.
///
/// # Panics
/// If a statement is none that the assembler takes, which none that is made here is.
#[must_use]
pub fn blocks(device: Device, bytes: &[u8]) -> Case {
    let mut choices = Choices::new(bytes);
    if !has_mask_stacks(device) {
        return match choices.byte() {
            0..=127 => channel_places::loops(device, choices),
            128..=159 => straight_line_by(device, choices),
            160..=195 => long_by(device, choices),
            _ => flowing_by(device, choices).0,
        };
    }
    // Code rounds as the IEEE mode does and acts on each channel for itself: programs in other modes are
    // interpreted.
    let is_compiled = !choices.sometimes(32);
    let mut case = match choices.byte() {
        0..=111 => compressed::loops(device, choices),
        112..=131 => straight_line_by(device, choices),
        132..=155 => long_by(device, choices),
        156..=195 => flowing_by(device, choices).0,
        // Branches that nest in no way, on masks of every kind.
        196..=239 => unstructured::case(device, &mut choices),
        _ => messages_by(device, choices),
    };
    if is_compiled {
        case.state.control[0] &= !NOT_COMPILED;
    }
    case
}

/// Modes of programs that are interpreted.
const NOT_COMPILED: u32 = control::ALTERNATIVE_FLOAT_MODE | control::SINGLE_PROGRAM_FLOW;

/// Lets floats be of an ordinary size for the most part, so that sums and products stay in range for a while.
fn fill_floats(choices: &mut Choices, random: &mut SplitMix64, state: &mut State) {
    if !choices.sometimes(48) {
        for place in state.grf.as_flattened_mut().chunks_exact_mut(4) {
            let bits = random.next() as u32;
            let bits = if bits & 0x70 == 0 { bits } else { bits & 0x80FF_FFFF | 0x3F00_0000 };
            place.copy_from_slice(&bits.to_le_bytes());
        }
    }
    if choices.sometimes(64) {
        // What is no number meets some that are.
        let registers = &mut state.grf[usize::from(FIRST)..];
        values::fill_with_what_seldom_meets(random.next(), registers);
    }
}
