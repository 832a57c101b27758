//! What differs about exceptions on Gen7 and later, and what arrives from outside (table gen7-arf).

use parallax_isa::eu::{
    State,
    case::{Event, EventKind, Surroundings},
};

use super::{dependency, fields::Generation};
use crate::eu::exception::{Control, Exception, ILLEGAL_OPCODE, SOFTWARE};

/// Of its enable bit the table has no row (E-gen7-talk-dg1-33).
const EXTERNAL_HALT: Exception = Exception { status: 1 << 30, enable: None, name: "External Halt" };
const STACK_OVERFLOW_STATUS: u32 = 1 << 27;

/// The exception whose status bit enters the system routine before the next instruction, other than
/// that of a breakpoint.
pub(super) fn held(state: &State) -> Option<Exception> {
    [EXTERNAL_HALT, SOFTWARE].into_iter().find(|exception| exception.is_held(state))
}

/// What there is in `cr0` on a generation.
pub(super) const fn control(generation: Generation) -> Control {
    Control {
        modes: match generation {
            Generation::Gen7 => 0x0000_807F,
            // The denormals of F and HF have bits of their own.
            _ => 0x0000_84FF,
        },
        enables: 0xB800,
        cleared_only: ILLEGAL_OPCODE.status | STACK_OVERFLOW_STATUS,
        address: !7,
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
