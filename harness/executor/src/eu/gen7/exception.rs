//! Exceptions and what arrives from outside, on Gen7 and later (table gen7-arf).

use parallax_isa::eu::{
    State,
    case::{Event, EventKind, Surroundings},
};

use super::{dependency, fields::Generation};

/// Bits of `cr0.0`: in the system routine; let one breakpoint pass.
const MASTER: u32 = 1 << 31;
const BREAKPOINT_SUPPRESS: u32 = 1 << 15;

/// An exception: its status and enable bits in `cr0.1`, and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exception {
    status: u32,
    enable: u32,
    pub(super) name: &'static str,
}

pub(super) const BREAKPOINT: Exception =
    Exception { status: 1 << 31, enable: 1 << 15, name: "Breakpoint" };
/// Of its enable bit the table has no row (E-gen7-talk-dg1-33).
const EXTERNAL_HALT: Exception = Exception { status: 1 << 30, enable: 0, name: "External Halt" };
const SOFTWARE: Exception =
    Exception { status: 1 << 29, enable: 1 << 13, name: "Software Exception" };
pub(super) const ILLEGAL_OPCODE: Exception =
    Exception { status: 1 << 28, enable: 1 << 12, name: "Illegal Opcode" };
const STACK_OVERFLOW_STATUS: u32 = 1 << 27;

fn in_system_routine(state: &State) -> bool {
    state.control[0] & MASTER != 0
}

/// Whether nothing about exceptions needs a look before each instruction.
#[inline]
pub(super) fn quiet(state: &State) -> bool {
    let held = BREAKPOINT.status | EXTERNAL_HALT.status | SOFTWARE.status;
    state.control[1] & held == 0
}

impl Exception {
    fn enabled(self, state: &State) -> bool {
        let enabled = self.enable == 0 || state.control[1] & self.enable != 0;
        enabled && !in_system_routine(state)
    }

    /// Sets the status bit; says whether that raises the exception. One whose bit was still set is
    /// lost.
    pub(super) fn happens(self, state: &mut State) -> bool {
        let fresh = state.control[1] & self.status == 0;
        state.control[1] |= self.status;
        fresh && self.enabled(state)
    }
}

/// The exception whose status bit enters the system routine before the next instruction, other than
/// that of a breakpoint.
pub(super) fn held(state: &State) -> Option<Exception> {
    let is_held = |exception: &Exception| {
        state.control[1] & exception.status != 0 && exception.enabled(state)
    };
    [EXTERNAL_HALT, SOFTWARE].into_iter().find(is_held)
}

/// Whether the breakpoint of an instruction stops it. The status bit records it also where it does
/// not. Clears Breakpoint Suppress where that lets the instruction run.
pub(super) fn breaks(state: &mut State, breakpoint: bool) -> bool {
    if !BREAKPOINT.enabled(state) {
        state.control[1] |= if breakpoint { BREAKPOINT.status } else { 0 };
        return false;
    }
    let condition = breakpoint || state.control[1] & BREAKPOINT.status != 0;
    if condition && state.control[0] & BREAKPOINT_SUPPRESS != 0 {
        // Where another exception stops the instruction, the next attempt still needs it.
        if held(state).is_none() {
            state.control[0] &= !BREAKPOINT_SUPPRESS;
        }
        return false;
    }
    state.control[1] |= if condition { BREAKPOINT.status } else { 0 };
    condition
}

/// Enters the system routine: the instruction at `ip` is the one to come back to.
pub(super) fn enter(state: &mut State, system_routine: u32) {
    state.control[2] = state.ip & !7;
    state.control[0] |= MASTER;
    state.ip = system_routine;
}

/// What a write to `cr0` leaves, and whether it returns from the system routine. Status bits that
/// hardware alone sets can only be cleared, and that of the software exception by the system
/// routine only.
pub(super) fn write_control(
    generation: Generation,
    state: &mut State,
    [modes, exceptions, aip]: [u32; 3],
) {
    let kept_modes = match generation {
        Generation::Gen7 => 0x0000_807F,
        // The denormals of F and HF have bits of their own.
        _ => 0x0000_84FF,
    };
    const ENABLES: u32 = 0xB800;
    const CLEARED_ONLY: u32 = ILLEGAL_OPCODE.status | STACK_OVERFLOW_STATUS;
    const WRITABLE: u32 = BREAKPOINT.status | EXTERNAL_HALT.status | SOFTWARE.status | ENABLES;
    let before = state.control[1];
    let kept = if in_system_routine(state) { 0 } else { before & SOFTWARE.status };
    let returns = in_system_routine(state) && modes & MASTER == 0;
    let master = state.control[0] & modes & MASTER;
    let exceptions = exceptions & (WRITABLE | before & CLEARED_ONLY) | kept;
    state.control = [modes & kept_modes | master, exceptions, aip & !7];
    if returns {
        state.ip = state.control[2];
    }
}

/// Lets the events of a step arrive; `next` counts those that have.
#[inline]
pub(super) fn arrive(
    state: &mut State,
    surroundings: &Surroundings,
    next: &mut usize,
    steps_taken: u64,
) {
    while let Some(Event { kind, .. }) =
        surroundings.events.get(*next).filter(|event| event.step <= steps_taken)
    {
        *next += 1;
        match kind {
            EventKind::ExternalHalt => state.control[1] |= EXTERNAL_HALT.status,
            EventKind::ThreadNotification => {
                let count = &mut state.notification_count[0];
                *count = (*count + 1) & 0xFFFF;
            }
            EventKind::HostNotification => state.notification_count[1] = 1,
            EventKind::ThreadRetired { thread } => {
                dependency::forget(state, |_, dependency| dependency as u8 == *thread);
            }
            EventKind::ContextSwitch => state.timestamp_event = 1,
            // Of the execution units before.
            EventKind::AttentionClear | EventKind::DebugRegister { .. } => {}
        }
    }
}
