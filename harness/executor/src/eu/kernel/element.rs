//! What kernels compute, and on which elements.

use parallax_isa::eu::DataType;

/// What a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::eu) enum KernelOperation {
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
    /// The first source and the product of the others, rounded once.
    AddProduct,
    /// The source for which a condition holds between the two.
    SelectByOrder,
    /// One divided by the source, rounded to nearest: only machine code has it, and the next one.
    Inverse,
    SquareRoot,
}

/// The type of the elements a kernel works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::eu) enum Element {
    Ud,
    D,
    Uw,
    W,
    F,
}

impl Element {
    /// The element of a type, if kernels work on it.
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
        bytes_of(self as u8)
    }
}

/// Bytes of an element.
pub(in crate::eu) const fn bytes_of(element: u8) -> usize {
    if element == Element::Uw as u8 || element == Element::W as u8 { 2 } else { 4 }
}

/// Whether an element is a signed integer.
pub(in crate::eu) const fn is_signed(element: u8) -> bool {
    element == Element::D as u8 || element == Element::W as u8
}

/// What arithmetic on F gives from Gen7 on that is not a number: always the same.
pub(in crate::eu) const NAN_SINGLE: u32 = 0x7FC0_0000;
