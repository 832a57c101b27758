//! What a message moves: elements, each at its place of the space and of the registers.

/// Bytes of an octword.
pub(super) const OCTWORD: usize = 16;

/// A piece of data: an octword, or what an offset of a channel leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    /// Byte offset in the message's space.
    pub(super) offset: i128,
    /// How many bytes.
    pub(super) bytes: usize,
    /// Where it is in the registers of data that are sent or come back: a byte.
    pub(super) at: usize,
}

/// What a message consists of.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// Registers of the payload in front of the data: header and addresses.
    pub(super) front: usize,
    /// Registers of data: of one operand of an atomic operation.
    pub(super) registers: usize,
    /// The elements of enabled channels.
    pub(super) elements: Vec<Element>,
    /// It has one slot: all of it is carried out, or nothing.
    pub(super) is_block: bool,
}
