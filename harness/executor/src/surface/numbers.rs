//! What the bits of a component stand for: its field to a number, and back.

pub(super) mod read;
pub(super) mod srgb;
pub(super) mod write;
