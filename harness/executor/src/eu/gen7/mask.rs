//! Which channels an instruction executes on, and which flag bits it writes.

use parallax_isa::eu::State;

use super::{fields::Generation, instruction::Instruction};
use crate::eu::{description::Channels, mask::Predicate};

/// The channels that go with the thread: dispatched, and not waiting somewhere else.
#[inline]
pub(super) fn active(generation: Generation, state: &State) -> u32 {
    dispatched(generation, state) & together(state)
}

/// The channels whose place is that of the thread. Single program flow looks at no other place.
#[inline]
pub(super) fn together(state: &State) -> u32 {
    if is_single_flow(state) {
        return u32::MAX;
    }
    let places = state.channel_ip.iter().enumerate();
    places.fold(0, |mask, (channel, place)| mask | u32::from(*place == 0) << channel)
}

/// The channels that were dispatched: 16 at most on Gen7.
#[inline]
pub(super) fn dispatched(generation: Generation, state: &State) -> u32 {
    let mask = state.status[if state.control[0] & VECTOR_MASK == 0 { 2 } else { 3 }];
    match generation {
        Generation::Gen7 => mask & 0xFFFF,
        _ => mask,
    }
}

/// Whether branches act on the thread as a whole.
#[inline]
pub(super) fn is_single_flow(state: &State) -> bool {
    state.control[0] & SINGLE_PROGRAM_FLOW != 0
}

const SINGLE_PROGRAM_FLOW: u32 = 1 << 2;
const VECTOR_MASK: u32 = 1 << 3;

/// How an instruction's channels are enabled.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaskRule {
    pub(super) no_mask: bool,
    /// The predicate selects a source instead of disabling channels.
    pub(super) select: bool,
    pub(super) predicate: Predicate,
    pub(super) inverse: bool,
    /// Flag register times two, and the half of it.
    pub(super) flag: u8,
    /// The first channel's number in masks and flags.
    pub(super) first: u8,
    /// Gen7: channels 16 to 31 are enabled as 0 to 15 are.
    repeats: bool,
    /// Execution size and channel enables.
    pub(super) channels: u32,
}

impl MaskRule {
    pub(super) fn of(instruction: &Instruction, channels: u32, select: bool) -> Self {
        Self {
            no_mask: instruction.no_mask,
            select,
            predicate: instruction.predicate,
            inverse: instruction.predicate_inverse,
            flag: instruction.flag,
            first: instruction.first_channel,
            repeats: instruction.generation == Generation::Gen7 && instruction.execution_size == 32,
            channels,
        }
    }

    /// The same for machine code, whose predicates are the flag bit of each channel or none.
    pub(super) fn described(&self) -> Option<Channels> {
        let shift = self.shift();
        let flag = 32 * (self.flag >> 1) + shift as u8;
        let predicate = match self.predicate {
            Predicate::None => None,
            Predicate::Sequential => Some((flag, self.inverse)),
            _ => return None,
        };
        (shift < 32).then_some(Channels {
            predicate,
            selects: self.select,
            no_mask: self.no_mask,
            first: self.first,
            flag,
        })
    }

    /// The enabled channels and the predicate, both counted from the instruction's first channel.
    #[inline]
    pub(super) fn enabled(&self, state: &State, active: u32) -> (u32, u32) {
        let active = if self.repeats { active | active << 16 } else { active };
        let base = if self.no_mask { u32::MAX } else { active >> self.first };
        let predicate = self.predicate(state);
        (if self.select { base } else { base & predicate } & self.channels, predicate)
    }

    /// The predicate of each channel.
    #[inline]
    pub(super) fn predicate(&self, state: &State) -> u32 {
        let mask = match self.predicate {
            Predicate::None => return u32::MAX,
            Predicate::Sequential => self.flags(state),
            Predicate::Replicate(channel) => (self.flags(state) >> channel & 0x1111_1111) * 0xF,
            Predicate::AnyVertical => self.both(state, |a, b| a | b),
            Predicate::AllVertical => self.both(state, |a, b| a & b),
            Predicate::Any(group) => self.groups(state, group, false),
            Predicate::All(group) => self.groups(state, group, true),
        };
        if self.inverse { !mask } else { mask }
    }

    /// A flag register as a whole.
    fn register(state: &State, number: usize) -> u32 {
        u32::from(state.flag[2 * number]) | u32::from(state.flag[2 * number + 1]) << 16
    }

    /// Where the instruction's first channel is in the flag register.
    fn shift(&self) -> u32 {
        u32::from(self.first) + 16 * u32::from(self.flag & 1)
    }

    /// The flag bits of the instruction's channels.
    #[inline]
    fn flags(&self, state: &State) -> u32 {
        Self::register(state, usize::from(self.flag >> 1)).checked_shr(self.shift()).unwrap_or(0)
    }

    /// The same bits of both flag registers.
    fn both(&self, state: &State, join: impl Fn(u32, u32) -> u32) -> u32 {
        let joined = join(Self::register(state, 0), Self::register(state, 1));
        joined.checked_shr(self.shift()).unwrap_or(0)
    }

    /// For each channel whether any (all) flags of its group are set. Groups are aligned in the flag
    /// register, not to the instruction (E-eu-later-gens-41).
    fn groups(&self, state: &State, group: u8, all: bool) -> u32 {
        let register = Self::register(state, usize::from(self.flag >> 1));
        let flags = if all { !register } else { register };
        let members = u32::MAX >> (32 - u32::from(group));
        let any = (0..32)
            .step_by(group.into())
            .filter(|first| flags >> first & members != 0)
            .fold(0, |mask, first| mask | members << first);
        let mask = if all { !any } else { any };
        mask.checked_shr(self.shift()).unwrap_or(0)
    }

    /// Gives the flag bits of the enabled channels their new values.
    #[inline]
    pub(super) fn set_flags(&self, state: &mut State, enabled: u32, truth: u32) {
        let shift = self.shift();
        let place = |mask: u32| mask.checked_shl(shift).unwrap_or(0);
        let (enabled, truth) = (place(enabled), place(truth & enabled));
        let number = usize::from(self.flag >> 1);
        let register = Self::register(state, number) & !enabled | truth;
        state.flag[2 * number] = register as u16;
        state.flag[2 * number + 1] = (register >> 16) as u16;
    }
}
