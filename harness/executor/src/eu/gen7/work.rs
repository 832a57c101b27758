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

impl Float {
    /// The operation of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "add" => Self::Add,
            "mul" => Self::Multiply,
            "mad" => Self::MultiplyAdd,
            "mov" => Self::Move,
            "rndu" => Self::RoundUp,
            "rndd" => Self::RoundDown,
            "rnde" => Self::RoundEven,
            "rndz" => Self::RoundTowardZero,
            "frc" => Self::Fraction,
            _ => return None,
        })
    }

    /// What machine code of it is.
    pub(super) fn operation(self) -> KernelOperation {
        match self {
            Self::Add => KernelOperation::Add,
            Self::Multiply => KernelOperation::Multiply,
            Self::MultiplyAdd => KernelOperation::AddProduct,
            Self::Move => KernelOperation::Move,
            Self::RoundUp => KernelOperation::RoundUp,
            Self::RoundDown => KernelOperation::RoundDown,
            Self::RoundEven => KernelOperation::RoundEven,
            Self::RoundTowardZero => KernelOperation::RoundTowardZero,
            Self::Fraction => KernelOperation::Fraction,
        }
    }
}

/// The operation of a name on integers, but products.
pub(super) fn integer(name: &str) -> Option<KernelOperation> {
    use KernelOperation as K;
    Some(match name {
        "and" => K::And,
        "or" => K::Or,
        "xor" => K::Xor,
        "not" => K::Not,
        "add" => K::Add,
        "shl" => K::ShiftLeft,
        "shr" => K::ShiftRight,
        "asr" => K::ShiftArithmetic,
        "avg" => K::Average,
        _ => return None,
    })
}
