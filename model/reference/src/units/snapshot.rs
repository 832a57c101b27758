//! The snapshot mechanism of a fixed function (section 3.2): a thread is compared with a trigger value, and
//! words about it are latched.

use super::registers::{COMPLETE, Registers};

/// Snapshot Enable, Thread Snapshot Enable and Snapshot All Threads in a control register.
const ENABLE: u32 = 0;
const THREAD: u32 = 1;
const ALL: u32 = 2;

/// What was found of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// The words about it are latched, and the next unit hears of it.
    pub(super) is_taken: bool,
    /// The thread is told.
    pub(super) flag: bool,
}

/// Compares an element of a unit whose control register is at an address.
pub(super) fn of_thread(registers: &mut Registers, control: u16, is_match: bool) -> Snapshot {
    if registers.is_enabled(control, ALL) {
        return Snapshot { is_taken: true, flag: true };
    }
    let is_taken = compare(registers, control, is_match);
    Snapshot { is_taken, flag: is_taken && registers.is_enabled(control, THREAD) }
}

/// Whether an element is trapped: snapshots are enabled, it matches, and none was taken since the host
/// has taken the last one.
pub(super) fn compare(registers: &mut Registers, control: u16, is_match: bool) -> bool {
    if !registers.is_enabled(control, ENABLE) || !is_match {
        return false;
    }
    if registers.bit(control, COMPLETE) {
        return false;
    }
    registers.complete(control);
    true
}
