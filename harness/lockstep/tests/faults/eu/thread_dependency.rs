//! Faults of what a thread knows of others and of itself: `tdr0` (what ends a dependency, what a write to
//! one does, what waits for it) and `tm0` (whether the context was switched).

use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Opcode, State,
        case::EventKind,
        operand::{Register, Source},
        register::ArfKind,
        state::thread_dependency::VALID,
    },
};
use rstest::rstest;

use super::{Eu, Fault, disturb, event, rewrite, straight_line_on};
use crate::fault_injection::all_are_found;

#[rstest]
fn faults_of_thread_dependencies_are_found(#[values(Device::Ivb, Device::Skl)] device: Device) {
    all_are_found(&straight_line_on(device, "thread dependencies", FAULTS));
}

fn is_dependency(register: Register) -> bool {
    matches!(register, Register::Direct { number, .. }
        if number == ArfKind::ThreadDependency.code() << 4)
        && register.arf().is_none()
}

/// Whether an instruction writes dependencies.
fn writes(instruction: &Instruction) -> bool {
    is_dependency(instruction.destination.register)
}

const FAULTS: &[Fault<Eu>] = &[
    event("threads never end", |event| match event {
        EventKind::ThreadRetired { .. } => {
            *event = EventKind::AttentionClear;
            Some(())
        }
        _ => None,
    }),
    event("another thread ends", |event| match event {
        EventKind::ThreadRetired { thread } => {
            *thread ^= 1;
            Some(())
        }
        _ => None,
    }),
    rewrite("sendc waits for nobody", |instruction| {
        let send = match instruction.opcode {
            Opcode::Sendc => Opcode::Send,
            Opcode::Sendsc => Opcode::Sends,
            _ => return None,
        };
        instruction.opcode = send;
        Some(())
    }),
    rewrite("send waits as well", |instruction| {
        let sendc = match instruction.opcode {
            Opcode::Send => Opcode::Sendc,
            Opcode::Sends => Opcode::Sendsc,
            _ => return None,
        };
        instruction.opcode = sendc;
        Some(())
    }),
    rewrite("dependencies read as the next one", |instruction| {
        let Source::Register { register, data_type, .. } = &mut instruction.sources[0] else {
            return None;
        };
        let step = data_type.size() as u8;
        match register {
            Register::Direct { subregister, number, .. }
                if *number == ArfKind::ThreadDependency.code() << 4
                    && *data_type != DataType::F =>
            {
                *subregister = (*subregister + step) % 16;
                Some(())
            }
            _ => None,
        }
    }),
    event("no context is ever switched", |event| match event {
        EventKind::ContextSwitch => {
            *event = EventKind::AttentionClear;
            Some(())
        }
        _ => None,
    }),
    disturb("the switch of a context is not forgotten", |instruction, before, after| {
        let reads = |source: &Source| {
            matches!(source, Source::Register { register: Register::Direct { number, .. }, .. }
            if *number == ArfKind::Timestamp.code() << 4)
        };
        if instruction.sources.iter().any(reads) {
            after.timestamp_event = before.timestamp_event;
        }
    }),
    disturb("a write changes the id", |instruction, before, after| {
        if writes(instruction) && before.thread_dependency != after.thread_dependency {
            after.thread_dependency[0] ^= 1;
        }
    }),
    disturb("a write forgets all", |instruction, before, after| {
        if writes(instruction) && before.thread_dependency != after.thread_dependency {
            after.thread_dependency = after.thread_dependency.map(|dependency| dependency & !VALID);
        }
    }),
    disturb("a write forgets none", |instruction, before, after: &mut State| {
        if writes(instruction) {
            after.thread_dependency = before.thread_dependency;
        }
    }),
];
