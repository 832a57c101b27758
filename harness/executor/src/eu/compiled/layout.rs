//! How machine code sees the state of a thread.

use std::mem::offset_of;

use parallax_isa::eu::State;

/// What a vector register has, and what is saved of the state at a time.
pub(super) type Chunk = [u8; CHUNK_BYTES];
pub(super) const CHUNK_BYTES: usize = 32;

/// Everything that code reads or writes of a state lies in front of this.
pub(super) const REGISTERS: usize = offset_of!(State, memory);
