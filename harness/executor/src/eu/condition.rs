//! Conditional modifiers and what they say of a result (G45 volume 4, section 11.8).

use super::result::Final;

/// Conditional modifier (bits 27:24).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Condition {
    None,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    RoundIncrement,
    Overflow,
    Unordered,
}

impl Condition {
    /// The channels it is true for.
    pub(super) fn holds(self, result: &Final) -> u16 {
        let Final { zero, sign, nan, .. } = *result;
        let ordered = !nan;
        let truth = match self {
            Self::None => 0,
            Self::Equal => zero & ordered,
            Self::NotEqual => return !(zero & ordered) & !result.second_nan,
            Self::Greater => !sign & !zero & ordered,
            Self::GreaterEqual => (!sign | zero) & ordered,
            Self::Less => sign & !zero & ordered,
            Self::LessEqual => (sign | zero) & ordered,
            Self::RoundIncrement => result.increment & !result.overflow,
            Self::Overflow => result.overflow,
            Self::Unordered => nan,
        };
        truth | result.second_nan
    }
}
