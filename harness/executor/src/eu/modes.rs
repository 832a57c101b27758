//! Modes of a thread: the bits of `cr0.0` that instructions obey (G45 volume 4, section 11.3.4).

use parallax_isa::eu::State;

/// Whether floats are in the alternative mode.
#[inline]
pub(super) fn alternative(state: &State) -> bool {
    state.control[0] & 1 << 0 != 0
}

/// Whether implicit accumulator updates are off.
#[inline]
pub(super) fn accumulator_disabled(state: &State) -> bool {
    state.control[0] & 1 << 1 != 0
}

/// Whether branches act on the thread as a whole.
#[inline]
pub(super) fn single_program_flow(state: &State) -> bool {
    state.control[0] & 1 << 2 != 0
}
