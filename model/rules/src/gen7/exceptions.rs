//! Exceptions, notifications, `wait`, `sync`, `nop`: what happens to a thread beside its results.

use parallax_isa::{
    device::Generation::Gen12,
    eu::{
        Opcode::{Illegal, Nop, Sync, Wait},
        case::EventKind::{
            self, ContextSwitch, HostNotification, ThreadNotification, ThreadRetired,
        },
        instruction::SyncFunction::{self, AllRead, AllWritten, Barrier, Host},
        register::ArfKind,
    },
};
use parallax_reference::eu::ExceptionStep;

use crate::{
    Rule,
    flow::Flow,
    rule::{
        Decides::{self, Exceptions, NextInstruction},
        exception, flow, rule,
    },
};

/// The status bits of exceptions in `cr0.1`.
pub(crate) const BREAKPOINT: u32 = 1 << 31;
pub(crate) const EXTERNAL_HALT: u32 = 1 << 30;
pub(crate) const SOFTWARE: u32 = 1 << 29;
pub(crate) const ILLEGAL_OPCODE: u32 = 1 << 28;

/// A rule on the system routine that is entered.
const fn entry(id: &str, when: fn(&ExceptionStep) -> bool) -> Rule {
    exception(id, NextInstruction, when)
}

/// A rule on the register of an exception.
const fn status(id: &str, when: fn(&ExceptionStep) -> bool) -> Rule {
    exception(id, Exceptions, when)
}

/// A rule on `sync`.
const fn sync(id: &str, when: fn(Flow) -> bool) -> Rule {
    flow(id, Decides::Result, &[Sync], when).since(Gen12)
}

/// A rule on what arrives from outside.
const fn arrival(id: &str, when: fn(Flow) -> bool) -> Rule {
    flow(id, Decides::Result, &[], when)
}

fn is_notification(event: EventKind) -> bool {
    matches!(event, ThreadNotification | HostNotification)
}

fn is_of(step: Flow, function: SyncFunction) -> bool {
    step.instruction.sync == Some(function)
}

/// Whether several exceptions have their status.
pub(crate) fn has_several(step: &ExceptionStep) -> bool {
    (step.after.control[1] >> 24).count_ones() > 1
}

/// Whether the end of a thread clears a dependency on it.
fn clears_dependency(step: Flow) -> bool {
    step.comes_after(|event| matches!(event, ThreadRetired { .. }))
        && !step.writes(ArfKind::ThreadDependency)
        && step.before.thread_dependency != step.after.thread_dependency
}

pub(super) const RULES: &[Rule] = &[
    entry("gen7.term.sip", |e| e.enters),
    entry("gen7.term.system-routine", |e| e.enters),
    flow("gen7.term.exception-no-transfer", NextInstruction, &[Illegal], |f| f.raises()),
    status("gen7.cr.exception-order", has_several),
    flow("gen7.cr.exception-enable", Exceptions, &[], |f| f.raises_disabled()),
    status("gen7.cr.aip", |e| e.enters),
    flow("gen7.cr.bp-suppress", NextInstruction, &[], |f| f.is_suppressed()),
    status("gen7.exc.aip-save", |e| e.enters),
    status("gen7.exc.aip-breakpoint", |e| e.status == BREAKPOINT),
    status("gen7.exc.aip-software", |e| e.status == SOFTWARE),
    status("gen7.exc.aip-illegal", |e| e.status == ILLEGAL_OPCODE),
    flow("gen7.exc.aip-restore", NextInstruction, &[], |f| f.returns()),
    status("gen7.exc.external-halt", |e| e.status == EXTERNAL_HALT),
    status("gen7.exc.software", |e| e.status == SOFTWARE),
    status("gen7.exc.illegal-opcode", |e| e.status == ILLEGAL_OPCODE),
    entry("gen7.exc.bp-enable", |e| e.status == BREAKPOINT),
    entry("gen7.exc.software-enable", |e| e.status == SOFTWARE),
    entry("gen7.exc.illegal-enable", |e| e.status == ILLEGAL_OPCODE),
    arrival("gen7.n.shape", |f| f.comes_after(is_notification)),
    arrival("gen7.n.fields", |f| f.comes_after(is_notification)),
    flow("gen7.n.wait-only", Decides::Result, &[Wait], |_| true).unconditional(),
    arrival("gen7.tm.context", |f| f.comes_after(|event| matches!(event, ContextSwitch))),
    arrival("gen7.tdr.valid-life", clears_dependency),
    flow("gen7.isa.cf.wait", Decides::Result, &[Wait], |_| true).unconditional(),
    flow("gen7.isa.misc.nop", NextInstruction, &[Nop], |_| true).unconditional(),
    entry("gen7.isa.misc.illegal", |e| e.status == ILLEGAL_OPCODE),
    flow("gen7.isa.stream.ip-step", NextInstruction, &[], |f| f.instruction.compact && !f.jumps),
    rule("gen7.isa.stream.decode-order").when(|s| s.instruction().compact && s.has_exact_result()),
    sync("gen12.isa.swsb.sync-form", |_| true).unconditional(),
    sync("gen12.isa.swsb.sync-nop", |f| is_of(f, SyncFunction::Nop)),
    sync("gen12.isa.swsb.sync-allrd", |f| is_of(f, AllRead)),
    sync("gen12.isa.swsb.sync-allwr", |f| is_of(f, AllWritten)),
    sync("gen12.isa.swsb.sync-bar", |f| is_of(f, Barrier)),
    sync("gen12.isa.swsb.sync-host", |f| is_of(f, Host)),
    sync("dg1.sync.nop", |f| is_of(f, SyncFunction::Nop)),
    sync("dg1.sync.allrd", |f| is_of(f, AllRead)),
    sync("dg1.sync.allwr", |f| is_of(f, AllWritten)),
    sync("dg1.sync.bar", |f| is_of(f, Barrier)),
    sync("dg1.sync.bar-register", |f| is_of(f, Barrier)),
    sync("dg1.sync.bar-race", |f| is_of(f, Barrier) && f.after.notification_count[0] > 0),
    sync("dg1.sync.host", |f| is_of(f, Host)),
];
