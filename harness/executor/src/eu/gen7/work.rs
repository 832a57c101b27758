//! What kernels and compiled blocks are made for.

use crate::eu::{condition::Condition, kernel::element::KernelOperation};

/// What a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Integer(KernelOperation),
    Float(Float),
    Half(Float),
    Compare(Condition),
    /// The source for which the condition holds between the two.
    SelectByOrder(Condition),
}

/// An operation on floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Float {
    Add,
    Multiply,
    /// The first source is what is added.
    MultiplyAdd,
    Move,
    RoundUp,
    RoundDown,
    RoundEven,
    RoundTowardZero,
    Fraction,
}
