//! Control flow of Gen12.

use parallax_isa::{
    Device,
    eu::{Opcode, instruction::SyncFunction},
};

use super::{
    super::flow::{FAULTS, OF_GOTO, OF_JOIN, OF_SEVERAL, SLOT, SPARE, family, jip},
    Eu, Fault, rewrite,
};
use crate::fault_injection::{Mutate, all_are_found, all_are_found_at};
use parallax_lockstep::lockstep::Pace;

/// Faults of what Gen12 changed.
const OWN: &[Fault<Eu>] = &[
    rewrite("goto forward of the polarity of Gen9", |i| {
        let forward = i.branch.is_some_and(|branch| !branch.control);
        (i.opcode == Opcode::Goto && forward).then(|| i.predicate.inverse = !i.predicate.inverse)
    }),
    rewrite("jmpi counts from the next instruction", |i| jip(i, Opcode::Jmpi, SLOT)),
    rewrite("jmpi counts from the instruction before", |i| jip(i, Opcode::Jmpi, -SLOT)),
    rewrite("call counts from the next instruction", |i| jip(i, Opcode::Call, SLOT)),
    rewrite("while goes back an instruction too far", |i| jip(i, Opcode::While, -SLOT)),
    rewrite("sync.bar does not wait", |i| {
        (i.sync == Some(SyncFunction::Barrier)).then(|| i.sync = Some(SyncFunction::Nop))
    }),
    rewrite("sync.host waits for the barrier", |i| {
        (i.sync == Some(SyncFunction::Host)).then(|| i.sync = Some(SyncFunction::Barrier))
    }),
    rewrite("sync.nop waits for the host", |i| {
        (i.sync == Some(SyncFunction::Nop)).then(|| i.sync = Some(SyncFunction::Host))
    }),
];

#[test]
fn faults_of_control_flow_are_found() {
    // The index of jmpi is no second source, and few instructions before a loop have 8 bytes.
    let lost = ["jmpi counts from itself", "while goes back too far"];
    let shared = family("control flow", Device::Dg1, FAULTS).without(&lost);
    all_are_found_at(&shared, Pace::Steps, Eu::LONGEST, SPARE);
    let goto = family("goto and join", Device::Dg1, OF_GOTO);
    all_are_found_at(&goto, Pace::Steps, Eu::LONGEST, SPARE);
    all_are_found(&family("what only Gen12 has", Device::Dg1, OWN));
}

#[test]
fn faults_of_waiting_channels_are_found() {
    for faults in [OF_SEVERAL, OF_JOIN] {
        let family = family("waiting", Device::Dg1, faults);
        all_are_found_at(&family, Pace::Steps, Eu::LONGEST, SPARE);
    }
}

#[test]
fn faults_of_free_runs_are_found() {
    // What is skipped has to show at the end, which may take an instruction before it.
    let faults = family("control flow", Device::Dg1, FAULTS).in_free_runs(6);
    all_are_found_at(&faults, Pace::Steps, Eu::LONGEST + 1, SPARE);
}
