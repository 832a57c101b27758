//! Conditions on a channel: what it read and got.

use parallax_isa::eu::{DataType, operand::Source};

use super::Step;
use crate::element::Element;

/// A channel whose result is one value.
#[derive(Clone, Copy)]
pub(crate) struct Channel<'a> {
    pub(super) step: Step<'a>,
    pub(super) number: usize,
}

impl Channel<'_> {
    /// Whether the conditional modifier set its flag to a defined value.
    pub(crate) fn sets_flag(self) -> bool {
        self.step.0.flags() >> self.number & 1 == 1
    }

    /// Whether its result, a float, is not the exact one but what is left of that within the type's digits.
    pub(crate) fn is_rounded(self) -> bool {
        self.step.0.rounded() >> self.number & 1 == 1
    }

    /// Whether its result, an integer, has more bits than a channel.
    pub(crate) fn wraps(self) -> bool {
        self.step.0.wrapped() >> self.number & 1 == 1
    }

    /// Whether its result perhaps overflows on the way to it.
    pub(crate) fn may_overflow(self) -> bool {
        self.step.0.may_overflow() >> self.number & 1 == 1
    }

    pub(crate) fn number(self) -> usize {
        self.number
    }

    /// Its element of a source without modifiers.
    pub(crate) fn unmodified(self, source: usize) -> Option<Element> {
        let bits = self.step.0.element(source, self.number)?;
        let data_type = match self.step.0.source_type(source) {
            // Elements of restricted floats are floats once expanded.
            DataType::Vf => DataType::F,
            data_type => data_type,
        };
        Some(Element { bits, data_type })
    }

    /// Its element of a source; of a float with the source's modifiers.
    pub(crate) fn element(self, source: usize) -> Option<Element> {
        let element = self.unmodified(source)?;
        Some(match self.step.instruction().sources[source] {
            Source::Register { modifier, .. } => element.with_sign(modifier),
            Source::Immediate { .. } => element,
        })
    }

    /// Whether an element of some source meets a condition.
    pub(crate) fn any(self, condition: impl Fn(Element) -> bool) -> bool {
        (0..self.step.0.sources).any(|source| self.element(source).is_some_and(&condition))
    }

    /// Whether what it read of some source meets a condition, defined or not.
    pub(crate) fn reads_any(self, condition: impl Fn(Element) -> bool) -> bool {
        (0..self.step.0.sources).any(|source| condition(self.read(source)))
    }

    /// What it read of a source, defined or not.
    pub(crate) fn read(self, source: usize) -> Element {
        let bits = self.step.0.bits_read(source, self.number);
        Element { bits, data_type: self.step.0.source_type(source) }
    }

    /// The integers of the first sources, with their modifiers.
    pub(crate) fn integers<const N: usize>(self) -> Option<[i128; N]> {
        let mut integers = [0; N];
        for (source, integer) in integers.iter_mut().enumerate() {
            *integer = self.element(source)?.integer()?;
            if let Source::Register { modifier, .. } = self.step.instruction().sources[source] {
                *integer = if modifier.absolute { integer.abs() } else { *integer };
                *integer = if modifier.negate { -*integer } else { *integer };
            }
        }
        Some(integers)
    }

    /// Whether the integers of the first sources meet a condition.
    pub(crate) fn are<const N: usize>(self, condition: impl Fn([i128; N]) -> bool) -> bool {
        self.integers().is_some_and(condition)
    }

    /// Whether the elements of the first two sources meet a condition.
    pub(crate) fn pair(self, condition: impl Fn(Element, Element) -> bool) -> bool {
        let [a, b] = [self.element(0), self.element(1)];
        matches!((a, b), (Some(a), Some(b)) if condition(a, b))
    }

    /// Its element of the destination.
    pub(crate) fn result(self) -> Element {
        let data_type = self.step.destination().data_type;
        Element { bits: self.step.0.result(self.number), data_type }
    }

    /// Whether its result lay outside of the range of the destination's type.
    pub(crate) fn overflowed(self) -> bool {
        self.step.0.overflowed(self.number)
    }
}
