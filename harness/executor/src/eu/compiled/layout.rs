//! How machine code sees the state of a thread, and what it says at its end.

use std::mem::offset_of;

use parallax_isa::eu::State;

/// What a vector register has, and what is saved of the state at a time.
pub(in crate::eu) type Chunk = [u8; CHUNK_BYTES];
pub(super) const CHUNK_BYTES: usize = 32;

/// Everything that code reads or writes of a state lies in front of this.
pub(super) const REGISTERS: usize = offset_of!(State, memory);

/// What code gives whose results are to be taken back.
pub(super) const TAKEN_BACK: u64 = u64::MAX;
