//! What the bits of a component stand for: its field to a number, and back.

pub(super) mod component;
pub(super) mod srgb;
