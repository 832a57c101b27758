//! Architecture registers that are written, exceptions and the system routine (chapter 12), notifications, debugging.

use parallax_isa::{
    device::Generation::Gen4,
    eu::{
        Opcode::{
            self, Break, Cont, Else, Halt, If, Iff, Illegal, Jmpi, Mov, Nenop, Nop, Send, Wait,
            While,
        },
        case::EventKind::{self, AttentionClear, HostNotification, ThreadNotification},
        operand::{Register, Source},
        register::ArfKind::{
            self, Address, Control, Flag, InstructionPointer, Mask, MaskStack, MaskStackDepth,
            Notification, State,
        },
    },
};
use parallax_reference::eu::ExceptionStep;

use super::super::{g45, of_gen4};
use crate::{
    Rule,
    flow::Flow,
    gen7::exceptions::{BREAKPOINT, EXTERNAL_HALT, ILLEGAL_OPCODE, SOFTWARE, has_several},
    rule::{
        Decides::{self, Exceptions, KeptAccumulator, KeptMaskStacks, MaskStacks, NextInstruction},
        exception, flow,
    },
    step::Step,
};

const BRANCHES: &[Opcode] = &[If, Iff, Else, While, Break, Cont, Halt, Jmpi];

/// A rule on the system routine that is entered.
const fn entry(id: &str, when: fn(&ExceptionStep) -> bool) -> Rule {
    of_gen4(exception(id, NextInstruction, when))
}

/// A rule on the registers of an exception.
const fn status(id: &str, when: fn(&ExceptionStep) -> bool) -> Rule {
    of_gen4(exception(id, Exceptions, when))
}

/// A rule on where the thread goes on.
const fn next(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    of_gen4(flow(id, NextInstruction, of, when))
}

/// A rule on the control register that an instruction leaves.
const fn control(id: &str, when: fn(Flow) -> bool) -> Rule {
    of_gen4(flow(id, Exceptions, &[], when))
}

/// A rule on `wait`, and on what arrives for it.
const fn notified(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    of_gen4(flow(id, Decides::Result, of, when))
}

/// Whether the destination is a register of a kind.
fn writes(step: Step, kind: ArfKind) -> bool {
    step.has_exact_result() && step.destination().register.arf() == Some(kind)
}

/// The byte of the destination's register at which that starts.
fn byte(step: Step) -> Option<u8> {
    match step.destination().register {
        Register::Direct { subregister, .. } => Some(subregister),
        Register::Indirect { .. } => None,
    }
}

/// Whether a doubleword of the control register gets some of some bits.
fn sets_control(step: Step, first: u8, bits: u64) -> bool {
    writes(step, Control) && byte(step) == Some(first) && step.any(|c| c.result().bits & bits != 0)
}

/// Whether a write to `cr0.0` has another master bit than that has.
fn writes_other_master_bit(step: Step) -> bool {
    writes(step, Control)
        && byte(step) == Some(0)
        && step.any(|c| c.result().bits >> 31 != u64::from(step.0.control >> 31))
}

/// Whether words with more than 12 bits go to `a0`, to its first doubleword or behind that.
fn loads_addresses(step: Step, is_behind: bool) -> bool {
    let first = byte(step).map_or(0, usize::from);
    writes(step, Address)
        && step.any(|c| c.result().bits & 0xF000 != 0 && (first + 2 * c.number() >= 4) == is_behind)
}

fn sets_unstored_counter_bits(step: Step) -> bool {
    writes(step, MaskStack) && step.any(|c| c.result().bits & 0xF0F0_F0F0 != 0)
}

fn jumps_absolutely(step: Step) -> bool {
    writes(step, InstructionPointer) && matches!(step.sources(), [Source::Immediate { .. }])
}

/// Whether an exception that has its status already is raised once more.
fn raises_again(step: Flow) -> bool {
    let has_status = |bit: u32| step.before.control[1] >> bit & 1 == 1;
    step.opcode() == Illegal && has_status(28)
        || (step.overflows() || step.underflows()) && !step.raises()
}

fn is_breakpoint(step: &ExceptionStep) -> bool {
    step.status == BREAKPOINT
}

/// Whether a status that was left set raises it.
fn is_lasting(step: &ExceptionStep) -> bool {
    step.status >= SOFTWARE && step.before.control[1] & step.status != 0
}

fn is_illegal(step: &ExceptionStep) -> bool {
    step.status == ILLEGAL_OPCODE
}

fn is_undefined(step: &ExceptionStep) -> bool {
    is_illegal(step) && step.instruction.is_some_and(|next| next.undefined_opcode().is_some())
}

/// Whether it is the first step of some more: Breakpoint Suppress and the status are set.
fn is_single_step(step: Flow) -> bool {
    step.is_suppressed() && step.before.control[1] & BREAKPOINT != 0
}

/// Whether it returns with Breakpoint Suppress, and with the status of a breakpoint or without.
fn returns_suppressing(step: Flow, has_status: bool) -> bool {
    step.returns()
        && step.after.control[0] >> 15 & 1 == 1
        && (step.after.control[1] & BREAKPOINT != 0) == has_status
}

fn is_thread(event: EventKind) -> bool {
    matches!(event, ThreadNotification)
}

fn is_host(event: EventKind) -> bool {
    matches!(event, HostNotification)
}

/// Whether a host notification comes while there is one.
fn collapses(step: Flow) -> bool {
    step.comes_after(is_host) && step.before.notification[1] != 0
}

pub(in super::super) const RULES: &[Rule] = &[
    // Registers.
    g45("g45.arf.ro-write").when(|s| writes(s, State) || writes(s, Notification)),
    g45("g45.addr.properties").when(|s| writes(s, Address)),
    g45("g45.addr.width-a0-0").when(|s| loads_addresses(s, false)),
    g45("g45.addr.width-a0-2").when(|s| loads_addresses(s, true)),
    g45("g45.flag.f0-subreg-explicit").when(|s| writes(s, Flag) && byte(s) == Some(2)),
    g45("g45.mask.properties").when(|s| writes(s, Mask)),
    g45("g45.mask.reset")
        .when(|s| writes(s, MaskStack) && s.any(|c| c.result().bits == 0))
        .decides_of(MaskStacks),
    g45("g45.mstack.layout").when(|s| writes(s, MaskStack)).decides_of(MaskStacks),
    g45("g45.mstack.msbs").when(sets_unstored_counter_bits).decides_of(MaskStacks),
    g45("g45.mstack.spf-readonly")
        .when(|s| s.is_alone() && (writes(s, MaskStack) || writes(s, MaskStackDepth)))
        .decides_of(KeptMaskStacks),
    g45("g45.vec.ms-save").of(&[Mov]).when(|s| writes(s, MaskStack)).decides_of(MaskStacks),
    g45("g45.mdepth.layout").when(|s| writes(s, MaskStackDepth)).decides_of(MaskStacks),
    g45("g45.sr.write").when(|s| writes(s, State)),
    g45("g45.notif.readonly").when(|s| writes(s, Notification)),
    g45("g45.ip.write").when(|s| writes(s, InstructionPointer)).decides_of(NextInstruction),
    g45("g45.ip.align")
        .when(|s| writes(s, InstructionPointer) && s.any(|c| c.result().bits & 0xF != 0))
        .decides_of(NextInstruction),
    g45("g45.pg.ip.absolute").of(&[Mov]).when(jumps_absolutely).decides_of(NextInstruction),
    g45("g45.sysroutine.absolute-label-jump")
        .of(&[Mov])
        .when(jumps_absolutely)
        .decides_of(NextInstruction),
    g45("g45.inst.mov.ip-dst").when(|s| writes(s, InstructionPointer)).decides_of(NextInstruction),
    g45("g45.compact.ip").when(|s| {
        s.0.offset % 16 != 0 && s.any_register(|source| source.arf() == Some(InstructionPointer))
    }),
    // The control register.
    g45("g45.cr.master").when(writes_other_master_bit),
    g45("g45.cr.status-sw-write").when(|s| sets_control(s, 4, 0xFF00_0000)),
    g45("g45.cr.software-raise").when(|s| sets_control(s, 4, SOFTWARE.into())),
    g45("g45.cr.mask-bw").until(Gen4).when(|s| s.is_before_ctg() && sets_control(s, 4, 0x800)),
    g45("g45.exc.aip-stable").when(|s| writes(s, Control) && byte(s) != Some(8)),
    g45("g45.sysroutine.acc-disable").when(|s| sets_control(s, 0, 2)),
    control("g45.sysroutine.service-structure", |f| {
        f.is_in_system_routine() && f.before.control[1] & !f.after.control[1] & 0xFF00_0000 != 0
    }),
    control("g45.cr.enables", |f| f.raises_disabled()),
    status("g45.cr.status", |e| e.after.control[1] & e.status != 0).unconditional(),
    status("g45.cr.status-order", has_several),
    status("g45.cr.aip", |e| e.enters),
    status("g45.cr.aip-values", |e| e.enters),
    next("g45.cr.bp-suppress", &[], |f| f.is_suppressed()),
    control("g45.cr.status-set-sticky", is_single_step),
    // Exceptions.
    status("g45.exc.registers", |e| e.enters),
    entry("g45.exc.entry", |e| e.enters),
    entry("g45.exc.no-app-issue", |e| e.enters),
    of_gen4(exception("g45.exc.state-shared", Decides::Result, |e| e.enters)),
    of_gen4(exception("g45.exc.masks-inherited", Decides::KeptMasks, |e| e.enters)),
    entry("g45.gen.term.aip", |e| e.enters),
    entry("g45.gen.term.sip", |e| e.enters),
    control("g45.exc.types", |f| f.raises()),
    control("g45.exc.enables", |f| f.raises_disabled()),
    control("g45.exc.disabled-status", |f| f.raises_disabled()),
    control("g45.exc.one-per-type", raises_again),
    control("g45.exc.no-nesting", |f| f.raises() && f.is_in_system_routine()),
    next("g45.exc.return", &[], |f| f.returns()),
    entry("g45.exc.reenter", is_lasting),
    entry("g45.exc.software", |e| e.status == SOFTWARE),
    entry("g45.exc.halt", |e| e.status == EXTERNAL_HALT),
    entry("g45.exc.breakpoint", is_breakpoint),
    next("g45.exc.singlestep", &[], is_single_step),
    entry("g45.exc.illegal", is_illegal),
    entry("g45.exc.undefined-opcode", is_undefined),
    entry("g45.opcode.reserved", is_undefined),
    entry("g45.inst.illegal.semantics", is_illegal),
    entry("g45.special.illegal-use", |e| is_illegal(e) && !is_undefined(e)),
    next("g45.sysroutine.master-exit", &[], |f| f.returns()),
    // Breakpoints.
    entry("g45.dw0.debugctrl", |e| {
        is_breakpoint(e) && e.instruction.is_some_and(|next| next.breakpoint)
    }),
    entry("g45.debug.bp.sources", is_breakpoint),
    entry("g45.debug.bp.timing", is_breakpoint),
    next("g45.debug.bp.enable", &[], |f| {
        f.instruction.breakpoint && f.before.control[1] >> 15 & 1 == 0
    }),
    next("g45.debug.bp.suppress", &[], |f| f.is_suppressed()),
    entry("g45.debug.l1.addr-bp", |e| is_breakpoint(e) && e.breakpoint_registers[0]),
    entry("g45.debug.l1.opc-bp", |e| is_breakpoint(e) && e.breakpoint_registers[1]),
    next("g45.debug.step.return", &[], |f| f.returns()),
    next("g45.debug.step.loop", &[], |f| returns_suppressing(f, true)),
    next("g45.debug.step.end", &[], |f| returns_suppressing(f, false)),
    // Notifications.
    notified("g45.inst.wait.semantics", &[Wait], |_| true).unconditional(),
    notified("g45.inst.wait.registers", &[Wait], |_| true).unconditional(),
    of_gen4(flow("g45.inst.wait.acc-update", KeptAccumulator, &[Wait], |_| true)).unconditional(),
    notified("g45.inst.wait.one-per", &[Wait], |f| f.after.notification.iter().any(|n| *n != 0)),
    notified("g45.inst.wait.wake", &[], |f| f.comes_after(is_thread)),
    notified("g45.notif.wait-block", &[Wait], |f| f.stalls()),
    notified("g45.notif.properties", &[Wait], |f| !f.stalls()),
    notified("g45.notif.n0-width", &[], |f| f.comes_after(is_thread)),
    notified("g45.notif.n1-width", &[], |f| f.comes_after(is_host)),
    notified("g45.notif.host-collapse", &[], collapses),
    notified("g45.debug.att.aclear", &[], |f| {
        f.comes_after(|event| matches!(event, AttentionClear))
    }),
    // Instructions that do nothing, and those that branch nowhere.
    next("g45.inst.nop.semantics", &[Nop], |_| true).unconditional(),
    next("g45.special.nop", &[Nop], |_| true).unconditional(),
    next("g45.inst.nenop.semantics", &[Nenop], |_| true).unconditional(),
    next("g45.compact.nenop", &[Nenop], |f| f.instruction.compact).unconditional(),
    of_gen4(flow("g45.opcode.group.special", KeptAccumulator, &[Nop, Nenop, Illegal], |_| true))
        .unconditional(),
    of_gen4(flow("g45.opcode.group.misc", KeptAccumulator, &[Wait, Send], |_| true))
        .unconditional(),
    next("g45.conv.jump-not-taken", BRANCHES, |f| !f.jumps),
];
