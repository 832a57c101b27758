//! What kernels look at: where sources and destination are, and masks without decisions.

use parallax_isa::eu::State;

use super::mask::MaskRule;
use crate::eu::mask::Predicate;

/// How a source's channels map to elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Neighbouring elements.
    Packed,
    /// One element for all channels.
    Splat,
    /// An immediate.
    Constant,
}

/// A source of a kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) shape: Shape,
    pub(super) absolute: bool,
    pub(super) negate: bool,
    /// First byte in the state.
    pub(super) offset: u16,
}

/// What kernels look at.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) sources: [View; 3],
    /// First byte of the destination in the state.
    pub(super) target: u16,
    pub(super) writes: bool,
    pub(super) saturate: bool,
    /// The second source decides if it is not a number.
    pub(super) second_nan_wins: bool,
    pub(super) mask: SimpleMask,
    /// The channels of the thread that it needs to have all of its own.
    pub(super) needs: u32,
}

impl Plan {
    /// That of an instruction which no kernel serves.
    pub(super) const fn empty() -> Self {
        Self {
            sources: [ABSENT; 3],
            target: 0,
            writes: false,
            saturate: false,
            second_nan_wins: false,
            mask: SimpleMask {
                flag: 0,
                shift: 0,
                first: 0,
                no_predicate: 0,
                inverse: 0,
                no_mask: 0,
                select: 0,
                channels: 0,
            },
            needs: 0,
        }
    }
}

/// A source that an operation does not have.
pub(super) const ABSENT: View =
    View { shape: Shape::Packed, absolute: false, negate: false, offset: 0 };

/// A `MaskRule` whose predicate is at most the flag bit of each channel, as masks: no decisions are
/// left.
#[derive(Debug, Clone, Copy)]
pub(super) struct SimpleMask {
    flag: u8,
    shift: u8,
    first: u8,
    no_predicate: u32,
    inverse: u32,
    no_mask: u32,
    select: u32,
    channels: u32,
}

impl SimpleMask {
    pub(super) fn of(rule: &MaskRule) -> Option<Self> {
        let every = |all: bool| if all { u32::MAX } else { 0 };
        let predicated = match rule.predicate {
            Predicate::None => false,
            Predicate::Sequential => true,
            _ => return None,
        };
        let shift = u32::from(rule.first) + 16 * u32::from(rule.flag & 1);
        (shift < 32).then(|| Self {
            flag: rule.flag >> 1,
            shift: shift as u8,
            first: rule.first,
            no_predicate: every(!predicated),
            inverse: every(predicated && rule.inverse),
            no_mask: every(rule.no_mask),
            select: every(rule.select),
            channels: rule.channels,
        })
    }

    /// The enabled channels, and the predicate by channel.
    #[inline]
    pub(super) fn enabled(&self, state: &State, active: u32) -> (u32, u32) {
        let predicate = self.predicate(state);
        let base = active >> (self.first & 31) | self.no_mask;
        (base & (predicate | self.select) & self.channels, predicate)
    }

    /// The predicate by channel.
    #[inline]
    pub(super) fn predicate(&self, state: &State) -> u32 {
        let first = usize::from(2 * (self.flag & 1));
        let flags = u32::from(state.flag[first]) | u32::from(state.flag[first + 1]) << 16;
        (flags >> (self.shift & 31) | self.no_predicate) ^ self.inverse
    }

    /// Gives the flag bits of the enabled channels their new values.
    #[inline]
    pub(super) fn set_flags(&self, state: &mut State, enabled: u32, truth: u32) {
        let first = usize::from(2 * (self.flag & 1));
        let old = u32::from(state.flag[first]) | u32::from(state.flag[first + 1]) << 16;
        let shift = self.shift & 31;
        let new = old & !(enabled << shift) | (truth & enabled) << shift;
        state.flag[first] = new as u16;
        state.flag[first + 1] = (new >> 16) as u16;
    }

    /// The flag bit of the first channel, of the 64 that there are.
    pub(super) fn flag_bit(&self) -> u8 {
        32 * (self.flag & 1) + self.shift
    }

    /// Whether a predicate is inverted, if there is one.
    pub(super) fn is_predicated(&self) -> Option<bool> {
        (self.no_predicate == 0).then_some(self.inverse != 0)
    }

    /// Whether the predicate selects a source, and disables no channel.
    pub(super) fn selects(&self) -> bool {
        self.select != 0
    }

    /// Whether channels that are not active are enabled too.
    pub(super) fn is_without_mask(&self) -> bool {
        self.no_mask != 0
    }

    /// The first channel.
    pub(super) fn first(&self) -> u8 {
        self.first
    }

    /// Whether the places of channels alone can disable one.
    pub(super) fn is_open(&self) -> bool {
        self.no_predicate | self.select == u32::MAX
    }
}
