//! What is computed on: sixteen channels of 64 bits.

/// One value per channel: `i64` or `f64` bits by execution type, or the element's own bits in a
/// raw move. Float and integer lanes are also exactly what an accumulator channel holds.
pub(super) type Lanes = [u64; 16];

/// What lanes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Float,
    /// The element's own bits.
    Raw,
}

/// A word mode channel: 33 bits of two's complement, sign-extended.
pub(super) fn word_mode(value: i64) -> i64 {
    value << 31 >> 31
}
