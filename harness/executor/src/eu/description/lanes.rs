//! What machine code does to lanes, and what those hold.

use parallax_isa::eu::DataType;

/// An operation on lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eu) enum LaneOperation {
    Move,
    Select,
    Not,
    And,
    Or,
    Xor,
    ShiftRight,
    ShiftLeft,
    ShiftArithmetic,
    Compare,
    Add,
    Multiply,
    MultiplyLowHalf,
    MultiplyAdd,
    Average,
    RoundUp,
    RoundDown,
    RoundEven,
    RoundTowardZero,
    Fraction,
    /// The first source plus the product of the others, rounded once.
    AddProduct,
    /// The source for which a condition holds between the two.
    SelectByOrder,
    /// One divided by the source, rounded to nearest.
    Inverse,
    SquareRoot,
}

/// The type of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eu) enum Element {
    Ud,
    D,
    Uw,
    W,
    F,
}

impl Element {
    /// The lanes that elements of a type are without a conversion, if there are any.
    pub(in crate::eu) fn of(data_type: DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Ud => Self::Ud,
            DataType::D => Self::D,
            DataType::Uw => Self::Uw,
            DataType::W => Self::W,
            DataType::F => Self::F,
            _ => return None,
        })
    }

    pub(in crate::eu) const fn bytes(self) -> usize {
        match self {
            Self::Uw | Self::W => 2,
            Self::Ud | Self::D | Self::F => 4,
        }
    }
}
