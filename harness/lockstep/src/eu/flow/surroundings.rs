//! What a program with exceptions runs in: a system routine, enabled exceptions, events.

use std::ops::Range;

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode,
        case::{DebugRegister, Event, EventKind},
        instruction::{ConditionalModifier, Predicate, PredicateControl},
        register::ArfKind,
    },
};

use super::{
    instructions::{architecture, constant, general, scalar, scalar_move, single, to},
    tree::Registers,
};
use crate::choices::Choices;

/// Illegal Opcode Exception Status, in `cr0.1`.
const ILLEGAL: u32 = 1 << 28;
/// Breakpoint Exception Status, in `cr0.1`.
const BREAKPOINT: u32 = 1 << 31;
/// Illegal Opcode Exception Enable, in `cr0.1`.
const ILLEGAL_ENABLE: u32 = 1 << 12;
/// Breakpoint Suppress, in `cr0.0`.
const BREAKPOINT_SUPPRESS: u32 = 1 << 15;
/// All of `cr0.0` but the Master Exception State.
const WITHOUT_MASTER: u32 = 0x7FFF_FFFF;
const ENABLES: u32 = 0xFFFF;

/// How a system routine deals with an illegal opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Illegal {
    /// Returns behind it.
    Skip,
    /// Leaves its status bit set, so that it is not raised again.
    Keep,
}

/// A system routine that a program does not notice, as the manual's example is built: it keeps the
/// flags, looks at the status, clears it, and returns. Which exceptions are enabled it has to know:
/// the status of a disabled illegal opcode is no reason to skip an instruction.
pub(super) fn system_routine(
    choices: &mut Choices,
    registers: Registers,
    enables: u32,
) -> Vec<Instruction> {
    let skips = enables & ILLEGAL_ENABLE != 0 && choices.sometimes(128);
    let illegal = if skips { Illegal::Skip } else { Illegal::Keep };
    let ud = DataType::Ud;
    let kept = |dword: u8| general(registers.routine, 4 * dword);
    let control = |dword: u8| architecture(ArfKind::Control, 4 * dword);
    let flags = architecture(ArfKind::Flag, 0);
    let combine = |opcode, into, first, bits| {
        single(opcode, to(into, ud), [scalar(first, ud), constant(ud, bits)])
    };
    let mut routine = vec![
        scalar_move(to(kept(0), ud), scalar(flags, ud)),
        scalar_move(to(kept(1), ud), scalar(control(1), ud)),
        scalar_move(to(kept(2), ud), scalar(control(2), ud)),
    ];
    if choices.sometimes(60) {
        routine.push(scalar_move(to(kept(3), ud), scalar(control(0), ud)));
        routine.push(Instruction::bare(Opcode::Nop));
    }
    if illegal == Illegal::Skip {
        routine.push(Instruction {
            condition: ConditionalModifier::NotEqual,
            ..combine(Opcode::And, kept(4), kept(1), ILLEGAL)
        });
        let predicate = Predicate { control: PredicateControl::Sequential, inverse: false };
        routine.push(Instruction { predicate, ..combine(Opcode::Add, control(2), control(2), 16) });
    }
    // A breakpoint whose status stays set stops at every instruction from then on.
    let steps = if choices.sometimes(20) { BREAKPOINT } else { 0 };
    let cleared = match illegal {
        Illegal::Skip => ENABLES | steps,
        Illegal::Keep => ENABLES | ILLEGAL | steps,
    };
    routine.push(combine(Opcode::And, control(1), control(1), cleared));
    routine.push(scalar_move(to(flags, ud), scalar(kept(0), ud)));
    routine.push(combine(Opcode::Or, control(0), control(0), BREAKPOINT_SUPPRESS));
    routine.push(combine(Opcode::And, control(0), control(0), WITHOUT_MASTER));
    routine.push(Instruction::bare(Opcode::Nop));
    routine
}

/// Exceptions that are enabled, in `cr0.1`.
pub(super) fn enables(choices: &mut Choices) -> u32 {
    if choices.sometimes(160) { 0xF800 } else { u32::from(choices.byte() & 0x1F) << 11 }
}

/// What arrives: notifications for every wait, and external halts.
pub(super) fn events(choices: &mut Choices, waits: usize, halts: bool) -> Vec<Event> {
    let mut events: Vec<_> = (0..waits)
        .map(|_| Event { step: choices.below(40) as u64, kind: EventKind::ThreadNotification })
        .collect();
    for _ in 0..choices.below(if halts { 4 } else { 1 }) {
        events.push(Event { step: choices.below(100) as u64, kind: EventKind::ExternalHalt });
    }
    if choices.sometimes(40) {
        let kind = *choices.pick(&[EventKind::HostNotification, EventKind::AttentionClear]);
        events.push(Event { step: choices.below(100) as u64, kind });
    }
    events.sort_by_key(|event| event.step);
    events
}

/// Opcodes that no system routine here has: one that stops at its own instructions never ends.
const OPCODES: &[Opcode] = {
    use Opcode::{Break, Cmp, Do, Else, Endif, If, Iff, Mul, Sel, Send, Shl, While, Xor};
    &[Break, Cmp, Do, Else, Endif, If, Iff, Mul, Sel, Send, Shl, While, Xor]
};

/// The host sets breakpoints for instructions outside of the system routine, which are in these slots
/// of 16 bytes.
pub(super) fn breakpoints(
    device: Device,
    choices: &mut Choices,
    slots: Range<usize>,
) -> Vec<Event> {
    let mut writes: Vec<_> = (0..choices.below(4))
        .map(|_| {
            let register = *choices.pick(&DebugRegister::ALL);
            let slot = slots.start + choices.below(slots.len());
            let opcode = choices.pick(OPCODES).code(device).unwrap_or_default();
            let value = breakpoint(choices, register, slot, opcode);
            let step = choices.below(24) as u64;
            Event { step, kind: EventKind::DebugRegister { register, value } }
        })
        .collect();
    writes.sort_by_key(|event| event.step);
    writes
}

/// What a breakpoint register may hold for a slot or an opcode: mostly enabled.
pub(super) fn breakpoint(
    choices: &mut Choices,
    register: DebugRegister,
    slot: usize,
    opcode: u8,
) -> u32 {
    let enable = u32::from(!choices.sometimes(24));
    match register {
        DebugRegister::BreakpointAddress1 | DebugRegister::BreakpointAddress2 => {
            (slot as u32) << 4 | enable
        }
        DebugRegister::BreakpointOpcode1 | DebugRegister::BreakpointOpcode2 => {
            let end_of_thread = if choices.sometimes(80) { 2 } else { 0 };
            u32::from(opcode) << 16 | end_of_thread | enable
        }
    }
}
