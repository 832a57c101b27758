//! Which channels an instruction executes on, and which flag bits it writes (G45 volume 4,
//! sections 11.5, 11.8 and 14.1: the Evaluate pseudo-code).

use parallax_isa::eu::State;

use super::{condition::Condition, result::Final};

/// Predicate control (bits 19:16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Predicate {
    None,
    Sequential,
    /// One channel of each group of four for all of it.
    Replicate(u8),
    AnyVertical,
    AllVertical,
    /// Any or all channels of groups of this many.
    Any(u8),
    All(u8),
}

/// How an instruction's execution mask is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaskRule {
    pub(super) no_mask: bool,
    /// Channels use mask and flag bits 8 to 15.
    pub(super) upper_half: bool,
    /// The predicate selects a source instead of disabling channels.
    pub(super) select: bool,
    pub(super) predicate: Predicate,
    pub(super) inverse: bool,
    pub(super) flag: u8,
    /// Execution size and channel enables.
    pub(super) channels: u16,
}

impl MaskRule {
    /// The enabled channels, and the predicate by channel.
    #[inline]
    pub(super) fn enabled(&self, state: &State) -> (u16, u16) {
        let base = if self.no_mask { 0xFFFF } else { active(state) };
        self.apply(state, base)
    }

    /// As `enabled`, from given thread masks.
    #[inline]
    pub(super) fn apply(&self, state: &State, base: u16) -> (u16, u16) {
        let predicate = self.predicate_mask(state);
        let masked = if self.select { base } else { base & predicate };
        (self.half(masked) & self.channels, self.half(predicate))
    }

    /// The short way to the mask, where there is one.
    pub(super) fn simple(&self) -> Option<SimpleMask> {
        let every = |all: bool| if all { 0xFFFF } else { 0 };
        let predicated = match self.predicate {
            Predicate::None => false,
            Predicate::Sequential => true,
            _ => return None,
        };
        (!self.upper_half).then(|| SimpleMask {
            flag: self.flag,
            no_predicate: every(!predicated),
            inverse: every(predicated && self.inverse),
            no_mask: every(self.no_mask),
            select: every(self.select),
            channels: self.channels,
        })
    }

    /// Moves the upper half of a mask down where the instruction uses it.
    #[inline]
    fn half(&self, mask: u16) -> u16 {
        if self.upper_half { mask & 0xFF00 | mask >> 8 } else { mask }
    }

    #[inline]
    fn predicate_mask(&self, state: &State) -> u16 {
        let flag = state.flag[usize::from(self.flag)];
        let mask = match self.predicate {
            Predicate::None => return 0xFFFF,
            Predicate::Sequential => flag,
            Predicate::Replicate(channel) => (flag >> channel & 0x1111) * 0xF,
            Predicate::AnyVertical => state.flag[0] | state.flag[1],
            Predicate::AllVertical => state.flag[0] & state.flag[1],
            Predicate::Any(group) => any(flag, group),
            Predicate::All(group) => !any(!flag, group),
        };
        if self.inverse { !mask } else { mask }
    }

    /// Writes the flag bits of the enabled channels.
    pub(super) fn update_flags(
        &self,
        state: &mut State,
        enabled: u16,
        condition: Condition,
        result: &Final,
    ) {
        if condition != Condition::None {
            self.set_flags(state, enabled, condition.holds(result));
        }
    }

    /// Gives the flag bits of the enabled channels their new values.
    pub(super) fn set_flags(&self, state: &mut State, enabled: u16, truth: u16) {
        let (enabled, truth) =
            if self.upper_half { (enabled << 8, truth << 8) } else { (enabled, truth) };
        let flag = &mut state.flag[usize::from(self.flag)];
        *flag = *flag & !enabled | truth & enabled;
    }
}

/// A `MaskRule` whose predicate is at most the flag bit of each channel, as masks: no decisions are
/// left.
#[derive(Debug, Clone, Copy)]
pub(super) struct SimpleMask {
    flag: u8,
    no_predicate: u16,
    inverse: u16,
    no_mask: u16,
    select: u16,
    channels: u16,
}

impl SimpleMask {
    /// The enabled channels, and the predicate by channel.
    #[inline]
    pub(super) fn enabled(&self, state: &State) -> (u16, u16) {
        let predicate = self.predicate(state);
        let base = active(state) | self.no_mask;
        (base & (predicate | self.select) & self.channels, predicate)
    }

    /// The predicate by channel.
    #[inline]
    pub(super) fn predicate(&self, state: &State) -> u16 {
        (state.flag[usize::from(self.flag & 1)] | self.no_predicate) ^ self.inverse
    }

    /// Whether the thread masks, if they are not open, can disable a channel.
    pub(super) fn reads_thread_masks(&self, open: bool) -> bool {
        !open && self.no_mask == 0
    }

    /// Whether the predicate selects a source, and disables no channel.
    pub(super) fn selects(&self) -> bool {
        self.select != 0
    }

    /// The flag that it has as a predicate, and whether that is inverted.
    pub(super) fn flag_read(&self) -> Option<(u8, bool)> {
        (self.no_predicate == 0).then_some((self.flag & 1, self.inverse != 0))
    }

    /// The flag that a condition writes.
    pub(super) fn flag_written(&self) -> u8 {
        self.flag & 1
    }

    /// Whether the thread masks alone can disable a channel.
    pub(super) fn is_open(&self) -> bool {
        self.no_predicate | self.select == 0xFFFF
    }

    /// Gives the flag bits of the enabled channels their new values.
    #[inline]
    pub(super) fn set_flags(&self, state: &mut State, enabled: u16, truth: u16) {
        let flag = &mut state.flag[usize::from(self.flag & 1)];
        *flag = *flag & !enabled | truth & enabled;
    }
}

/// Channels active in every thread mask.
#[inline]
pub(super) fn active(state: &State) -> u16 {
    let [amask, imask, lmask, cmask] = state.mask;
    amask & imask & lmask & cmask
}

/// For each group of channels, all ones if any of its bits is set.
fn any(flag: u16, group: u8) -> u16 {
    let members = (1u32 << group) - 1;
    let groups = (0..16).step_by(usize::from(group));
    let mask = groups
        .filter(|first| u32::from(flag) >> first & members != 0)
        .fold(0, |mask, first| mask | members << first);
    mask as u16
}
