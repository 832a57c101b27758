//! Threads that a thread depends on (`tdr0`), which `sendc` waits for.

use parallax_isa::eu::State;

/// The mark of a thread dependency: that thread runs.
const IN_FLIGHT: u16 = 0x8000;

/// Takes the marks of some thread dependencies away.
pub(super) fn forget(state: &mut State, which: impl Fn(usize, u16) -> bool) {
    for (n, dependency) in state.thread_dependency.iter_mut().enumerate() {
        if which(n, *dependency) {
            *dependency &= !IN_FLIGHT;
        }
    }
}

/// Whether a thread that this one depends on runs.
pub(super) fn is_dependent(state: &State) -> bool {
    state.thread_dependency.iter().any(|dependency| dependency & IN_FLIGHT != 0)
}
