//! Exceptions, and what of them arrives from outside before Gen7 (G45 volume 4, chapter 12).

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

/// An exception: its status bit in `cr0.1`, its enable bit there unless it is always enabled, and its
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exception {
    pub(super) status: u32,
    pub(super) enable: Option<u32>,
    pub(super) name: &'static str,
}

pub(super) const BREAKPOINT: Exception =
    Exception { status: 1 << 31, enable: Some(1 << 15), name: "Breakpoint" };
const EXTERNAL_HALT: Exception =
    Exception { status: 1 << 30, enable: Some(1 << 14), name: "External Halt" };
pub(super) const SOFTWARE: Exception =
    Exception { status: 1 << 29, enable: Some(1 << 13), name: "Software Exception" };
pub(super) const ILLEGAL_OPCODE: Exception =
    Exception { status: 1 << 28, enable: Some(1 << 12), name: "Illegal Opcode" };

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
    /// Whether its enable bit is set, even if the system routine runs.
    fn is_switched_on(self, state: &State) -> bool {
        self.enable.is_none_or(|enable| state.control[1] & enable != 0)
    }

    fn enabled(self, state: &State) -> bool {
        self.is_switched_on(state) && !in_system_routine(state)
    }

    /// Whether its status bit enters the system routine before the next instruction.
    pub(super) fn is_held(self, state: &State) -> bool {
        state.control[1] & self.status != 0 && self.enabled(state)
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
        exception.is_held(state) && !lets_pass
    })
}

/// Whether breakpoints that the host sets are looked at: where they are enabled, even if the system
/// routine runs.
#[inline]
pub(super) fn stops_at_breakpoints(state: &State) -> bool {
    BREAKPOINT.is_switched_on(state)
}

/// Whether the breakpoint of an instruction stops it. The status bit records it also where it does
/// not, because breakpoints are disabled or the system routine runs. Clears Breakpoint Suppress
/// where that lets the instruction, or one after an earlier breakpoint, run; `held` is the exception
/// that stops it then.
#[inline]
pub(super) fn breaks(
    state: &mut State,
    breakpoint: bool,
    held: fn(&State) -> Option<Exception>,
) -> bool {
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

/// What there is in `cr0` on a generation.
pub(super) struct Control {
    /// Bits of `cr0.0` that can be written beside that of the system routine.
    pub(super) modes: u32,
    /// Enable bits of `cr0.1`.
    pub(super) enables: u32,
    /// Status bits of `cr0.1` that hardware alone sets: they can only be cleared.
    pub(super) cleared_only: u32,
    /// Bits of the address in `cr0.2`.
    pub(super) address: u32,
}

/// That of Gen4 and Gen4.5: modes are host notification data, breakpoint suppress and those of
/// arithmetic.
pub(super) const CONTROL: Control = Control {
    modes: 0x8107,
    enables: 0xF800,
    cleared_only: ILLEGAL_OPCODE.status | MASK_STACK_STATUS,
    address: !0xF,
};

impl Control {
    /// Enters the system routine: the instruction at `ip` is the one to come back to.
    pub(super) fn enter(&self, state: &mut State, system_routine: u32) {
        state.control[2] = state.ip & self.address;
        state.control[0] |= MASTER;
        state.ip = system_routine;
    }

    /// What a write to `cr0` leaves; it can return from the system routine. The status bit of the software
    /// exception is cleared by the system routine only.
    pub(super) fn write(&self, state: &mut State, [modes, exceptions, aip]: [u32; 3]) {
        const STATUS: u32 = BREAKPOINT.status | EXTERNAL_HALT.status | SOFTWARE.status;
        let before = state.control[1];
        let kept = if in_system_routine(state) { 0 } else { before & SOFTWARE.status };
        let returns = in_system_routine(state) && modes & MASTER == 0;
        let master = state.control[0] & modes & MASTER;
        let writable = STATUS | self.enables | before & self.cleared_only;
        let modes = modes & self.modes | master;
        state.control = [modes, exceptions & writable | kept, aip & self.address];
        if returns {
            state.ip = state.control[2];
        }
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
