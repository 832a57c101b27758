//! Conditions on results of Extended Math.

use std::ops::Deref;

use parallax_isa::eu::DataType;
use parallax_reference::eu::MathStep;

use crate::{element::Element, message::doubleword};

/// A result of a channel.
#[derive(Clone, Copy)]
pub(crate) struct Math<'a>(pub(crate) &'a MathStep<'a>);

impl<'a> Deref for Math<'a> {
    type Target = MathStep<'a>;

    fn deref(&self) -> &MathStep<'a> {
        self.0
    }
}

/// What a result is of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Inverse,
    Logarithm,
    Exponential,
    Root,
    InverseRoot,
    Sine,
    Cosine,
    Power,
    Divide,
}

impl Function {
    pub(crate) const ALL: [Self; 9] = [
        Self::Inverse,
        Self::Logarithm,
        Self::Exponential,
        Self::Root,
        Self::InverseRoot,
        Self::Sine,
        Self::Cosine,
        Self::Power,
        Self::Divide,
    ];
}

impl Math<'_> {
    /// Bits 3:0 of the descriptor.
    pub(crate) fn code(self) -> u32 {
        self.request.function_control & 0xF
    }

    fn has_bit(self, bit: u32) -> bool {
        self.request.function_control >> bit & 1 == 1
    }

    pub(crate) fn function(self) -> Function {
        match (self.code(), self.which) {
            (0x1, _) => Function::Inverse,
            (0x2, _) => Function::Logarithm,
            (0x3, _) => Function::Exponential,
            (0x4, _) => Function::Root,
            (0x5, _) => Function::InverseRoot,
            (0x6, _) | (0x8, 0) => Function::Sine,
            (0x7 | 0x8, _) => Function::Cosine,
            (0xA, _) => Function::Power,
            _ => Function::Divide,
        }
    }

    pub(crate) fn is_scalar(self) -> bool {
        self.has_bit(7)
    }

    pub(crate) fn saturates(self) -> bool {
        self.has_bit(6)
    }

    pub(crate) fn is_partial(self) -> bool {
        self.has_bit(5)
    }

    pub(crate) fn is_signed(self) -> bool {
        self.has_bit(4)
    }

    pub(crate) fn is_alternative(self) -> bool {
        self.request.alternative_float_mode
    }

    /// Whether the function has its full precision.
    pub(crate) fn is_full(self) -> bool {
        !self.is_partial() || !self.is_alternative()
    }

    /// Whether it is the remainder of a division.
    pub(crate) fn is_remainder(self) -> bool {
        self.which == 1 || self.code() == 0xD
    }

    /// An operand as a float.
    pub(crate) fn operand(self, number: usize) -> Element {
        Element { bits: self.operands[number].into(), data_type: DataType::F }
    }

    pub(crate) fn any_operand(self, which: fn(Element) -> bool) -> bool {
        which(self.operand(0)) || which(self.operand(1))
    }

    /// The bits of the first operand without its sign.
    pub(crate) fn magnitude(self) -> u32 {
        self.operands[0] & !(1 << 31)
    }

    /// Whether the first operand is a number below zero.
    pub(crate) fn has_negative(self) -> bool {
        self.operand(0).is_negative() && self.operand(0).is_normal()
    }

    /// Whether a function that only has positive operands takes a negative one for its magnitude.
    pub(crate) fn drops_sign(self) -> bool {
        use Function::{InverseRoot, Logarithm, Root};
        self.is_alternative()
            && matches!(self.function(), Logarithm | Root | InverseRoot)
            && self.has_negative()
    }

    /// Whether the result is the largest number, of either sign.
    pub(crate) fn gives_largest(self) -> bool {
        Element { bits: self.result.into(), data_type: DataType::F }.is_largest()
    }

    /// Whether numerator and denominator meet a condition.
    pub(crate) fn divides(self, which: fn(i64, i64) -> bool) -> bool {
        let [denominator, numerator] = self.operands.map(|bits| match self.is_signed() {
            true => i64::from(bits.cast_signed()),
            false => i64::from(bits),
        });
        which(numerator, denominator)
    }

    // Channels.

    /// The first channel of its group of four.
    pub(crate) fn lead(self) -> usize {
        self.channel / 4 * 4
    }

    pub(crate) fn is_enabled(self, channel: usize) -> bool {
        self.request.channel_enables >> channel & 1 == 1
    }

    /// What an operand register has for a channel.
    fn payload(self, register: usize, channel: usize) -> Option<u32> {
        let register = self.request.payload.get(register + channel / 8)?;
        Some(doubleword(Some(register), channel % 8))
    }

    /// Whether the payload has another first operand for a channel than for it.
    pub(crate) fn differs_from(self, channel: usize) -> bool {
        self.payload(0, channel) != self.payload(0, self.channel)
    }

    /// The same of the first channel of its group.
    pub(crate) fn differs_from_lead(self) -> bool {
        self.differs_from(self.lead())
    }

    /// Whether the payload has another second operand for the first channel of its group.
    pub(crate) fn second_differs_from_lead(self) -> bool {
        self.payload(1, self.lead()) != self.payload(1, self.channel)
    }
}

/// A cell of the tables of special values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) function: Function,
    pub(crate) is_alternative: bool,
    pub(crate) first: fn(Element) -> bool,
    pub(crate) second: Option<fn(Element) -> bool>,
}

impl Cell {
    /// Whether a result is that of the cell.
    pub(crate) fn holds(&self, step: Math) -> bool {
        step.is_alternative() == self.is_alternative
            && (self.first)(step.operand(0))
            && self.second.is_none_or(|second| second(step.operand(1)))
    }
}
