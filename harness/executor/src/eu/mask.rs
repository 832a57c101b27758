//! Which channels an instruction executes on, and which flag bits it writes (G45 volume 4,
//! sections 11.5, 11.8 and 14.1: the Evaluate pseudo-code).

use parallax_isa::eu::State;

use super::{condition::Condition, description::Channels, result::Final};

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

    /// The same for machine code, whose predicates are the flag bit of each channel or none.
    pub(super) fn described(&self) -> Option<Channels> {
        let flag = 16 * (self.flag & 1);
        let predicate = match self.predicate {
            Predicate::None => None,
            Predicate::Sequential => Some((flag, self.inverse)),
            _ => return None,
        };
        (!self.upper_half).then_some(Channels {
            predicate,
            selects: self.select,
            no_mask: self.no_mask,
            first: 0,
            flag,
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
