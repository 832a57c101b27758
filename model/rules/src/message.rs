//! Conditions on messages to shared functions. Each is written once.

use std::ops::Deref;

use parallax_reference::eu::MessageStep;

/// A message that was answered.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a>(pub(crate) &'a MessageStep<'a>);

impl<'a> Deref for Message<'a> {
    type Target = MessageStep<'a>;

    fn deref(&self) -> &MessageStep<'a> {
        self.0
    }
}

/// The doubleword of a register of a payload or reply; 0 of one that it does not have.
pub(crate) fn doubleword(register: Option<&[u8; 32]>, number: usize) -> u32 {
    let bytes = register.map_or(&[][..], |register| &register[4 * number..][..4]);
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

impl Message<'_> {
    /// A field of the function control.
    pub(crate) fn control(self, high: u32, low: u32) -> u32 {
        self.request.function_control >> low & (u32::MAX >> (31 - (high - low)))
    }

    /// A doubleword of the first register of the payload.
    pub(crate) fn payload(self, number: usize) -> u32 {
        doubleword(self.request.payload.first(), number)
    }

    /// Whether one of some of its doublewords has a bit.
    pub(crate) fn has_payload_in(self, numbers: &[usize]) -> bool {
        numbers.iter().any(|number| self.payload(*number) != 0)
    }

    /// The channel enables of the first register.
    pub(crate) fn enables(self) -> u8 {
        self.request.channel_enables as u8
    }
}
