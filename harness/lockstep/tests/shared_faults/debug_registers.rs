//! Faults of breakpoints that the host sets by address and by opcode, and of clearing the attention.

use parallax_isa::{
    Device,
    eu::case::{DebugRegister, EventKind},
};
use parallax_lockstep::eu::flow;

use super::{Eu, Fault, disturb, event};
use crate::fault_injection::{Family, all_are_found};

static DEBUG_REGISTERS: Family<Eu> = Family {
    name: "debug registers",
    device: Device::G45,
    generate: flow::any,
    bytes: flow::BYTES,
    faults: FAULTS,
};

#[test]
fn faults_of_debug_registers_are_found() {
    all_are_found(&DEBUG_REGISTERS);
}

/// What a register holds, if it is that one.
fn of(kind: &mut EventKind, which: DebugRegister) -> Option<&mut u32> {
    match kind {
        EventKind::DebugRegister { register, value } if *register == which => Some(value),
        _ => None,
    }
}

/// What an address register holds.
fn address(kind: &mut EventKind) -> Option<&mut u32> {
    match kind {
        EventKind::DebugRegister {
            register: DebugRegister::BreakpointAddress1 | DebugRegister::BreakpointAddress2,
            value,
        } => Some(value),
        _ => None,
    }
}

/// What an opcode register holds.
fn opcode(kind: &mut EventKind) -> Option<&mut u32> {
    match kind {
        EventKind::DebugRegister {
            register: DebugRegister::BreakpointOpcode1 | DebugRegister::BreakpointOpcode2,
            value,
        } => Some(value),
        _ => None,
    }
}

/// Host Notification Data, in `cr0.0`.
const HOST_NOTIFICATION_DATA: u32 = 1 << 8;

const FAULTS: &[Fault<Eu>] = &[
    event("the first address is ignored", |event| {
        of(event, DebugRegister::BreakpointAddress1).map(|value| *value = 0)
    }),
    event("the second address is ignored", |event| {
        of(event, DebugRegister::BreakpointAddress2).map(|value| *value = 0)
    }),
    event("the first opcode is ignored", |event| {
        of(event, DebugRegister::BreakpointOpcode1).map(|value| *value = 0)
    }),
    event("the second opcode is ignored", |event| {
        of(event, DebugRegister::BreakpointOpcode2).map(|value| *value = 0)
    }),
    event("addresses are always enabled", |event| address(event).map(|value| *value |= 1)),
    event("opcodes are always enabled", |event| opcode(event).map(|value| *value |= 1)),
    event("addresses are of the instruction behind", |event| {
        address(event).map(|value| *value += 16)
    }),
    event("opcodes have six bits", |event| opcode(event).map(|value| *value &= !(0x40 << 16))),
    event("any instruction may have the first opcode", |event| {
        of(event, DebugRegister::BreakpointOpcode1).map(|value| *value &= !2)
    }),
    event("only the last message may have the first opcode", |event| {
        of(event, DebugRegister::BreakpointOpcode1).map(|value| *value |= 2)
    }),
    event("clearing the attention keeps the data", |event| match event {
        EventKind::AttentionClear => {
            *event = EventKind::HostNotification;
            Some(())
        }
        _ => None,
    }),
    event("a notification of the host clears the data", |event| match event {
        EventKind::HostNotification => {
            *event = EventKind::AttentionClear;
            Some(())
        }
        _ => None,
    }),
    disturb("clearing the attention notifies nobody", |_, before, after| {
        let [was, is] = [before, after].map(|s| s.control[0] & HOST_NOTIFICATION_DATA);
        if was != 0 && is == 0 && after.control[0] >> 31 == 0 && before.notification[1] == 0 {
            after.notification[1] = 0;
        }
    }),
];
