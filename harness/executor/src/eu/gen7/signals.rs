//! What conditions look at, and for which channels they are true.

use crate::eu::condition::Condition;

/// What conditions look at: a bit for each channel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signals {
    pub(super) zero: u32,
    pub(super) sign: u32,
    pub(super) nan: u32,
    pub(super) overflow: u32,
    /// The second source of a comparison in which that decides is not a number.
    pub(super) second_nan: u32,
}

impl Signals {
    pub(super) fn set(&mut self, channel: usize, zero: bool, sign: bool, nan: bool) {
        self.zero |= u32::from(zero) << channel;
        self.sign |= u32::from(sign) << channel;
        self.nan |= u32::from(nan) << channel;
    }

    /// The channels that a condition is true for.
    pub(super) fn hold(&self, condition: Condition) -> u32 {
        let Self { zero, sign, nan, overflow, second_nan } = *self;
        let ordered = !nan;
        let truth = match condition {
            Condition::None | Condition::RoundIncrement => 0,
            Condition::Equal => zero & ordered,
            Condition::NotEqual => return !(zero & ordered) & !second_nan,
            Condition::Greater => !sign & !zero & ordered,
            Condition::GreaterEqual => (!sign | zero) & ordered,
            Condition::Less => sign & !zero & ordered,
            Condition::LessEqual => (sign | zero) & ordered,
            Condition::Overflow => overflow,
            Condition::Unordered => return nan,
        };
        truth | second_nan
    }
}
