//! What a program starts from: its registers, its channels, and how large it may become.

use parallax_isa::{
    Device,
    device::Generation,
    eu::{State, state::control},
};

use super::{
    generator::Limits,
    has_mask_stacks,
    tree::{COUNTERS, FLOATS, Registers, VARIABLES},
};
use crate::{
    choices::Choices,
    corners,
    eu::generate::{later, values},
    random::SplitMix64,
};

/// Flag subregisters that the tests of a program use: twice the register and the half.
const FLAGS: &[&[u8]] = &[&[0], &[2], &[1], &[3], &[0, 2], &[1, 3], &[0, 2], &[0, 1, 2, 3]];
/// The same where channels have their flags in both halves.
const WHOLE_FLAGS: &[&[u8]] = &[&[0], &[2], &[0, 2]];
/// The same where there is one register.
const FLAGS_OF_ONE: &[&[u8]] = &[&[0], &[1], &[0, 1]];

/// What a program is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Scalar code follows it.
    Scalar,
    /// Engines are compared after every step.
    Steps,
    /// It runs for thousands of steps.
    Long,
}

/// What is chosen before the statements of a program.
pub(super) struct Start {
    pub(super) state: Box<State>,
    pub(super) random: SplitMix64,
    pub(super) limits: Limits,
    /// How many channels it has, and the number of the first.
    pub(super) width: u8,
    pub(super) first: u8,
}

impl Start {
    pub(super) fn choose(device: Device, choices: &mut Choices, purpose: Purpose) -> Self {
        match has_mask_stacks(device) {
            true => Self::with_mask_stacks(device, choices, purpose),
            false => Self::with_channel_places(device, choices, purpose),
        }
    }

    fn with_mask_stacks(device: Device, choices: &mut Choices, purpose: Purpose) -> Self {
        let is_long = purpose == Purpose::Long;
        let (mut state, random) = registers(device, choices);
        dispatch(device, choices, &mut state, None);
        let mut limits = Limits::of(device, purpose);
        if is_long {
            if choices.sometimes(176) {
                // Blocks run fastest where no channel is off.
                (state.mask, state.status[1]) = ([0xFFFF; 4], state.status[1] | 0xFFFF);
            }
            if choices.sometimes(216) {
                // Much of what goes to accumulators on the side is open, and nothing here reads them.
                state.control[0] |= control::ACCUMULATOR_DISABLE;
            }
            limits.flags = &[0, 1];
        } else {
            limits.single_program_flow = choices.sometimes(30);
            limits.exceptions = choices.sometimes(70);
            limits.flags = *choices.pick(FLAGS_OF_ONE);
        }
        limits.deepen(choices);
        let widths =
            if is_long { [8, 16, 8, 16, 8, 16, 4, 1] } else { [8, 16, 16, 8, 16, 4, 2, 1] };
        let width = *choices.pick(&widths);
        if limits.single_program_flow {
            // Channels that no instruction reaches would keep loops alive that all others have left, and
            // without stacks an inner loop then calls those back.
            state.mask[0] &= u16::MAX >> (16 - width);
        }
        Self { state, random, limits, width, first: 0 }
    }

    fn with_channel_places(device: Device, choices: &mut Choices, purpose: Purpose) -> Self {
        let is_long = purpose == Purpose::Long;
        let (mut state, random) = registers(device, choices);
        let mut limits = Limits::of(device, purpose);
        limits.single_program_flow = !is_long && choices.sometimes(30);
        let (width, first) = channels(device, choices);
        limits.exceptions = !is_long && choices.sometimes(70);
        let has_whole_flags = first + width > 16;
        limits.flags = *choices.pick(if has_whole_flags { WHOLE_FLAGS } else { FLAGS });
        limits.deepen(choices);
        dispatch(device, choices, &mut state, limits.scalar.then_some((width, first)));
        if is_long && choices.sometimes(176) {
            // Blocks run fastest where no channel is off.
            state.status[2..].fill(u32::MAX);
        }
        if limits.single_program_flow {
            // The first channel decides, so that its flags have to follow.
            state.status[2..].iter_mut().for_each(|mask| *mask |= 1 << first);
        }
        Self { state, random, limits, width, first }
    }
}

impl Limits {
    fn of(device: Device, purpose: Purpose) -> Self {
        Self {
            device,
            scalar: purpose == Purpose::Scalar,
            single_program_flow: false,
            flags: &[],
            conditionals: 0,
            loops: 0,
            exceptions: false,
            long: purpose == Purpose::Long,
        }
    }

    /// Chooses how deep blocks lie.
    fn deepen(&mut self, choices: &mut Choices) {
        let (often, deepest, loops) = match has_mask_stacks(self.device) {
            _ if self.long => (40, 14, 4),
            // As many levels overflow a mask stack.
            true if !self.scalar => (60, 18, 3),
            _ => (60, 15, 3),
        };
        self.conditionals = if choices.sometimes(often) { deepest } else { 4 };
        self.loops = if choices.sometimes(often) { deepest / 2 } else { loops };
    }
}

/// Registers at the start, and what decides random contents.
pub(super) fn registers(device: Device, choices: &mut Choices) -> (Box<State>, SplitMix64) {
    let mut random = SplitMix64::new(choices.seed());
    let mut state = Box::new(State::of(device));
    if has_mask_stacks(device) {
        values::fill(&mut random, &mut state);
    } else {
        later::addresses::fill(&mut random, device, &mut state);
        later::values::fill(&mut random, device, &mut state);
    }
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

/// Dispatches channels: any, or some of those that a program is for.
pub(super) fn dispatch(
    device: Device,
    choices: &mut Choices,
    state: &mut State,
    of: Option<(u8, u8)>,
) {
    if has_mask_stacks(device) {
        let mask = match choices.byte() {
            0..=127 => 0xFFFF,
            128..=163 => 0x00FF,
            164..=179 => !(1 << choices.below(16)),
            _ => choices.word() as u16,
        };
        state.mask[0] = mask;
        state.status[1] = state.status[1] & 0xFFFF_0000 | u32::from(mask);
        return;
    }
    let mut mask = match choices.byte() {
        0..=150 => u32::MAX,
        151..=180 => 0x00FF_00FF,
        _ => choices.word(),
    };
    if let Some((width, first)) = of {
        mask &= u32::MAX >> (32 - u32::from(width)) << first;
    }
    state.status[2..].fill(mask);
}

/// Gives the variables of a tree their values. In single program flow all channels have the same, so
/// that they go the same way.
pub(super) fn prepare(random: &mut SplitMix64, state: &mut State, limits: Limits) {
    if limits.single_program_flow {
        state.control[0] |= control::SINGLE_PROGRAM_FLOW;
        state.flag = state.flag.map(|flag| if flag & 1 == 1 { 0xFFFF } else { 0 });
        if has_mask_stacks(limits.device) {
            state.mask[1..].fill(0xFFFF);
        } else {
            (state.flag[1], state.flag[3]) = (state.flag[0], state.flag[2]);
        }
    } else {
        state.control[0] &= !control::SINGLE_PROGRAM_FLOW;
    }
    fill_variables(random, limits.device, state);
}

/// Fills the variables of a tree.
pub(super) fn fill_variables(random: &mut SplitMix64, device: Device, state: &mut State) {
    let spf = state.control[0] & control::SINGLE_PROGRAM_FLOW != 0;
    let registers = Registers::of(device);
    let channels = if has_mask_stacks(device) { 16 } else { 32 };
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
