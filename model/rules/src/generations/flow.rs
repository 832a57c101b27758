//! Flow control of Gen7 to Gen12: every channel has a place of its own where it goes on.

use parallax_isa::{
    device::Generation::{Gen8, Gen9, Gen12, Gen75},
    eu::{
        Opcode::{
            self, Break, Call, Calla, Cont, Else, Endif, Goto, Halt, If, Jmpi, Join, Ret, While,
        },
        instruction::PredicateControl::{None, Sequential},
    },
};

use crate::{
    Rule,
    flow::Flow,
    rule::{
        Decides::{KeptPlaces, NextInstruction, Places, Result},
        flow,
    },
};

/// The instructions with distances.
const BRANCHES: &[Opcode] = &[If, Else, Endif, While, Break, Cont, Halt, Goto, Join, Call];
const PREDICATED: &[Opcode] = &[If, While, Break, Cont, Halt, Goto, Jmpi, Call, Calla, Ret];

/// A rule on where the thread goes on.
const fn next(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    flow(id, NextInstruction, of, when)
}

/// A rule on where channels wait.
const fn places(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    flow(id, Places, of, when)
}

fn leaps(f: Flow) -> bool {
    f.leaps()
}

fn parks(f: Flow) -> bool {
    f.parked() != 0
}

fn wakes(f: Flow) -> bool {
    f.woken() != 0
}

/// Whether all its channels are sent away.
fn empties(f: Flow) -> bool {
    f.leaps() && !f.is_alone()
}

/// Whether some channels of a forward `goto` go to its target, and others do not.
fn parts_forward(f: Flow) -> bool {
    parts(f) && !f.branch().control
}

/// Whether channels part, and some of them wait.
fn parts(f: Flow) -> bool {
    !f.is_alone() && f.parts()
}

/// Whether the instruction is at the place to which its own channels go.
fn is_halt_target(f: Flow) -> bool {
    let behind = (f.following - f.before.ip) as i32;
    !f.is_predicated() && f.branch().uip == Some(behind) && parks(f)
}

/// Whether a predicate of several bits is not what the first of them is.
fn combines(f: Flow) -> bool {
    let is_true = f.jumps != f.instruction.predicate.inverse;
    !f.has_control(&[None, Sequential]) && f.own_flag() != is_true
}

/// Whether a branch is taken whose distance is in a register.
fn leaps_by_register(f: Flow) -> bool {
    f.leaps() && f.branch().jip.is_none()
}

pub(super) const RULES: &[Rule] = &[
    // Gen7.
    places("gen7.isa.cf.pcip", &[], wakes),
    places("gen7.isa.cf.min-thread-ip", &[], wakes),
    next("gen7.isa.cf.units-gen7", BRANCHES, leaps).until(Gen75),
    next("gen7.isa.cf.units-jmpi-ivb", &[Jmpi], leaps).until(Gen75),
    next("gen7.isa.cf.base-branch", BRANCHES, leaps).until(Gen9),
    next("gen7.isa.cf.base-jmpi", &[Jmpi], leaps).until(Gen9),
    next("gen7.isa.cf.jmpi", &[Jmpi], leaps),
    next("gen7.isa.cf.jmpi-any", &[Jmpi], combines),
    flow("gen7.isa.cf.jmpi-parked", KeptPlaces, &[Jmpi], |f| f.leaps() && f.waiting() != 0),
    places("gen7.isa.cf.if-fields", &[If], parks),
    next("gen7.isa.cf.if-true", &[If], parts),
    places("gen7.isa.cf.if-false", &[If], parks),
    next("gen7.isa.cf.if-none", &[If], empties),
    next("gen7.isa.cf.if-nopred", &[If], |f| !f.is_predicated() && f.taken() != 0),
    places("gen7.isa.cf.else-fields", &[Else], parks).until(Gen75),
    places("gen7.isa.cf.else", &[Else], parks),
    places("gen7.isa.cf.endif", &[Endif], wakes),
    next("gen7.isa.cf.endif-jip", &[Endif], leaps),
    next("gen7.isa.cf.while-fields", &[While], leaps),
    next("gen7.isa.cf.while-true", &[While], empties),
    places("gen7.isa.cf.while-false", &[While], parks),
    next("gen7.isa.cf.while-jump", &[While], leaps),
    places("gen7.isa.cf.break-fields", &[Break], parks),
    places("gen7.isa.cf.break", &[Break], parks),
    next("gen7.isa.cf.break-none", &[Break], empties),
    places("gen7.isa.cf.cont-fields", &[Cont], parks),
    places("gen7.isa.cf.cont", &[Cont], parks),
    next("gen7.isa.cf.cont-none", &[Cont], empties),
    places("gen7.isa.cf.halt-fields", &[Halt], parks),
    places("gen7.isa.cf.halt", &[Halt], parks),
    places("gen7.isa.cf.halt-target", &[Halt], is_halt_target),
    flow("gen7.isa.cf.halt-nesting", KeptPlaces, &[Else, Endif, While], |f| {
        f.waiting_at(&[Halt]) != 0
    }),
    flow("gen7.isa.cf.call", Result, &[Call, Calla], |f| f.writes_destination()),
    next("gen7.isa.cf.calla", &[Calla], leaps),
    next("gen7.isa.cf.ret", &[Ret], leaps),
    places("gen7.isa.cf.ret-pred", &[Ret], |f| f.is_selective() && parks(f)),
    next("gen7.isa.cf.spf", PREDICATED, |f| f.is_alone() && f.parts()),
    next("gen7.isa.cf.noexec-skip", &[If], empties),
    next("gen7.isa.cr.spf-bit", PREDICATED, |f| f.is_alone() && f.parts()),
    // Gen8 and Gen9.
    next("gen9.isa.cf.units", BRANCHES, leaps).since(Gen8).until(Gen9),
    next("gen9.isa.cf.jmpi-units", &[Jmpi], leaps).since(Gen8).until(Gen9),
    places("gen9.isa.cf.else-uip", &[Else], |f| !f.branch().control && parks(f)).since(Gen8),
    places("gen9.isa.cf.else-branchctrl", &[Else], |f| f.branch().control && parks(f)).since(Gen8),
    places("gen9.isa.cf.goto-fields", &[Goto], parks),
    places("gen9.isa.cf.goto-forward", &[Goto], |f| !f.branch().control && parks(f)),
    next("gen9.isa.cf.goto-backward", &[Goto], |f| f.branch().control && f.leaps()),
    places("gen9.isa.cf.goto-polarity", &[Goto], parts_forward),
    places("gen9.isa.cf.join", &[Join], wakes),
    // Gen12.
    next("gen12.isa.cf.base", BRANCHES, leaps).since(Gen12),
    next("gen12.isa.cf.jmpi-zero", &[Jmpi], leaps).since(Gen12),
    next("gen12.isa.cf.operands", BRANCHES, leaps).since(Gen12),
    next("gen12.isa.cf.implicit-types", &[Call, Calla, Jmpi, Ret], leaps_by_register).since(Gen12),
    places("gen12.isa.cf.goto", &[Goto], parts_forward).since(Gen12),
    places("gen12.isa.cf.else", &[Else], |f| !f.branch().control && parks(f)).since(Gen12),
    flow("gen12.isa.cf.call", Result, &[Call, Calla], |f| f.writes_destination()).since(Gen12),
    next("gen12.isa.cf.ret", &[Ret], leaps).since(Gen12),
];
