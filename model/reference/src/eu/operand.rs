//! Elements of sources, as an instruction computes with them.

use super::number::Value;
use crate::number::Number;

/// An element of a source, in an execution channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    /// Its value, with source modifiers.
    pub(super) value: Value,
    /// Its bits as they stand in the register.
    pub(super) bits: u64,
    /// Whether the value is defined.
    pub(super) defined: bool,
}

impl Operand {
    pub(super) const UNDEFINED_INTEGER: Self =
        Self { value: Value::Integer(0), bits: 0, defined: false };
    pub(super) const UNDEFINED_FLOAT: Self =
        Self { value: Value::Float(Number::ZERO), bits: 0, defined: false };

    pub(super) fn integer(&self) -> i128 {
        self.value.integer()
    }

    pub(super) fn float(&self) -> Number {
        self.value.float()
    }
}

/// The elements of a source, by channel: those of whole groups of four.
pub(super) type Operands = Vec<Operand>;
