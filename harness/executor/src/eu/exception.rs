//! Exceptions and what arrives from outside (G45 volume 4, chapter 12).

use super::breakpoint::Breakpoints;
use parallax_isa::{
    Device,
    eu::{
        State,
        case::{Event, EventKind, Surroundings},
    },
};

/// Bits of `cr0.0`: in the system routine; let one breakpoint pass; what the host is told.
const MASTER: u32 = 1 << 31;
const BREAKPOINT_SUPPRESS: u32 = 1 << 15;
const HOST_NOTIFICATION_DATA: u32 = 1 << 8;

/// An exception: its status and enable bits in `cr0.1`, and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exception {
    status: u32,
    enable: u32,
    pub(super) name: &'static str,
}

pub(super) const BREAKPOINT: Exception =
    Exception { status: 1 << 31, enable: 1 << 15, name: "Breakpoint" };
const EXTERNAL_HALT: Exception =
    Exception { status: 1 << 30, enable: 1 << 14, name: "External Halt" };
const SOFTWARE: Exception =
    Exception { status: 1 << 29, enable: 1 << 13, name: "Software Exception" };
pub(super) const ILLEGAL_OPCODE: Exception =
    Exception { status: 1 << 28, enable: 1 << 12, name: "Illegal Opcode" };

/// The mask stack exceptions, which share an enable bit: status bits of both stacks.
const MASK_STACK_STATUS: u32 = 0xF << 24;
const MASK_STACK_ENABLE: u32 = 1 << 11;

/// Whether the thread is in the system routine.
#[inline]
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
        state.control[1] & self.enable != 0 && !in_system_routine(state)
    }

    /// Sets the status bit; says whether that raises the exception. One whose bit was still set is
    /// lost.
    #[inline]
    pub(super) fn happens(self, state: &mut State) -> bool {
        let fresh = state.control[1] & self.status == 0;
        state.control[1] |= self.status;
        fresh && self.enabled(state)
    }
}

/// The exception whose status bit enters the system routine before the next instruction.
pub(super) fn held(state: &State) -> Option<Exception> {
    let suppressed = state.control[0] & BREAKPOINT_SUPPRESS != 0;
    [BREAKPOINT, EXTERNAL_HALT, SOFTWARE].into_iter().find(|exception| {
        let lets_pass = *exception == BREAKPOINT && suppressed;
        state.control[1] & exception.status != 0 && exception.enabled(state) && !lets_pass
    })
}

/// Whether breakpoints that the host sets are looked at: where they are enabled, even if the system
/// routine runs.
#[inline]
pub(super) fn stops_at_breakpoints(state: &State) -> bool {
    state.control[1] & BREAKPOINT.enable != 0
}

/// Whether the breakpoint of an instruction stops it. The status bit records it also where it does
/// not, because breakpoints are disabled or the system routine runs. Clears Breakpoint Suppress
/// where that lets the instruction, or one after an earlier breakpoint, run.
#[inline]
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

/// The mask stack exception that an instruction raised, by the status bits before it; of several, that
/// of the highest bit.
#[inline]
pub(super) fn mask_stack(state: &State, status_before: u32) -> Option<&'static str> {
    let raised = state.control[1] & !status_before & MASK_STACK_STATUS;
    let enabled = state.control[1] & MASK_STACK_ENABLE != 0 && !in_system_routine(state);
    let name = match raised >> 24 {
        0 => return None,
        1 => "IStack Underflow",
        2..4 => "IStack Overflow",
        4..8 => "LStack Underflow",
        _ => "LStack Overflow",
    };
    enabled.then_some(name)
}

/// Enters the system routine: the instruction at `ip` is the one to come back to.
pub(super) fn enter(state: &mut State, system_routine: u32) {
    const IP_MASK: u32 = !0xF;
    state.control[2] = state.ip & IP_MASK;
    state.control[0] |= MASTER;
    state.ip = system_routine;
}

/// What a write to `cr0` leaves, and whether it returns from the system routine. Status bits that
/// hardware alone sets can only be cleared, and that of the software exception by the system
/// routine only.
pub(super) fn write_control(state: &mut State, [modes, exceptions, aip]: [u32; 3]) {
    /// Host notification data, breakpoint suppress, and the modes.
    const MODES: u32 = 0x8107;
    const ENABLES: u32 = 0xF800;
    const CLEARED_ONLY: u32 = ILLEGAL_OPCODE.status | MASK_STACK_STATUS;
    const WRITABLE: u32 = BREAKPOINT.status | EXTERNAL_HALT.status | SOFTWARE.status | ENABLES;
    let before = state.control[1];
    let kept = if in_system_routine(state) { 0 } else { before & SOFTWARE.status };
    let returns = in_system_routine(state) && modes & MASTER == 0;
    let master = state.control[0] & modes & MASTER;
    let exceptions = exceptions & (WRITABLE | before & CLEARED_ONLY) | kept;
    state.control = [modes & MODES | master, exceptions, aip & !0xF];
    if returns {
        state.ip = state.control[2];
    }
}

/// Whether overflow and underflow of the mask stacks are exceptions: not on the first two devices.
pub(super) const fn has_mask_stack_exceptions(device: Device) -> bool {
    !matches!(device, Device::Bw | Device::Cl)
}

/// Takes back a write to an enable bit that a device reserves.
#[inline]
pub(super) fn drop_reserved(state: &mut State, before: u32, device: Device) {
    if !has_mask_stack_exceptions(device) && state.control[1] != before {
        state.control[1] &= !MASK_STACK_ENABLE;
    }
}

/// Lets the events of a step arrive; `next` counts those that have.
#[inline]
pub(super) fn arrive(
    state: &mut State,
    surroundings: &Surroundings,
    next: &mut usize,
    steps_taken: u64,
    device: Device,
    breakpoints: &mut Breakpoints,
) {
    while let Some(Event { kind, .. }) =
        surroundings.events.get(*next).filter(|event| event.step <= steps_taken)
    {
        *next += 1;
        match kind {
            EventKind::ExternalHalt => state.control[1] |= EXTERNAL_HALT.status,
            EventKind::ThreadNotification => {
                // The width of the count.
                let width = if device == Device::G45 { 0xFFFF } else { 0x7F };
                state.notification[0] = (state.notification[0] + 1) & width;
            }
            EventKind::HostNotification => state.notification[1] = 1,
            EventKind::AttentionClear => {
                state.notification[1] = 1;
                state.control[0] &= !HOST_NOTIFICATION_DATA;
            }
            EventKind::DebugRegister { register, value } => breakpoints.write(*register, *value),
            // Of the execution units after.
            EventKind::ThreadRetired { .. } | EventKind::ContextSwitch => {}
        }
    }
}
