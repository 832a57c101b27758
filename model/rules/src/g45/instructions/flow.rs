//! Flow control: branches, loops, mask instructions (section 14.2), and the guide's programs of them (section 15.2).

use parallax_isa::eu::{
    Opcode::{
        self, Break, Cont, Do, Else, Endif, Halt, If, Iff, Jmpi, Mrest, Msave, Pop, Push, While,
    },
    instruction::PredicateControl::{AllV, AnyV},
};

use super::super::of_gen4;
use crate::{
    Rule,
    flow::{
        Flow,
        Mask::{A, C, I, L},
    },
    rule::{
        Decides::{
            self, KeptAccumulator, KeptMaskStacks, KeptMasks, MaskStacks, Masks, NextInstruction,
        },
        flow,
    },
};

const fn on(id: &str, decides: Decides, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    of_gen4(flow(id, decides, of, when))
}

/// A rule on where the thread goes on.
const fn next(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    on(id, NextInstruction, of, when)
}

/// A rule on masks.
const fn masks(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    on(id, Masks, of, when)
}

/// A rule on the mask stacks.
const fn stacks(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    on(id, MaskStacks, of, when)
}

/// A rule on single program flow, which lets the stacks be.
const fn alone(id: &str, of: &'static [Opcode]) -> Rule {
    on(id, KeptMaskStacks, of, |f| f.keeps_stacks())
}

/// A rule on accumulators, which the mask instructions let be.
const fn accumulator(id: &str, of: &'static [Opcode]) -> Rule {
    on(id, KeptAccumulator, of, |_| true).unconditional()
}

fn leaps(f: Flow) -> bool {
    f.leaps()
}

/// Whether it jumps though no channel executes it.
fn runs_for_none(f: Flow) -> bool {
    f.jumps && f.running() == 0
}

/// Whether a branch that leaves channels out by a predicate changes masks.
fn selects(f: Flow) -> bool {
    f.is_selective() && f.changes_masks()
}

/// Whether a branch restores the IMask that was some conditional blocks ago.
fn unwinds(f: Flow) -> bool {
    f.jumps && f.pop_count() != 0
}

/// Whether `while` looks at channels that wait for the next iteration.
fn tests_parked(f: Flow) -> bool {
    f.taken() & !u32::from(f.before(C)) != 0
}

/// Whether the predicate of `jmpi` is not the same for all channels.
fn is_mixed(f: Flow) -> bool {
    f.is_predicated() && !matches!(f.taken() & 0xFFFF, 0 | 0xFFFF)
}

/// The index of `jmpi`, if it is not its low half with the sign of that.
fn has_other_high_half(f: Flow) -> bool {
    f.jumps && f.operand(1).is_some_and(|index| index as i32 != i32::from(index as i16))
}

pub(in super::super) const RULES: &[Rule] = &[
    // Predication, accumulators.
    masks("g45.inst.break.predication", &[Break], selects),
    masks("g45.inst.cont.predication", &[Cont], selects),
    masks("g45.inst.halt.predication", &[Halt], selects),
    masks("g45.inst.if.predication", &[If], selects),
    masks("g45.inst.iff.predication", &[Iff], selects),
    next("g45.inst.jmpi.predication", &[Jmpi], |f| f.is_predicated() && !f.jumps),
    accumulator("g45.inst.mrest.acc-update", &[Mrest]),
    accumulator("g45.inst.msave.acc-update", &[Msave]),
    accumulator("g45.inst.pop.acc-update", &[Pop]),
    accumulator("g45.inst.push.acc-update", &[Push]),
    masks("g45.inst.while.predication", &[While], selects),
    // break.
    masks("g45.inst.break.semantics", &[Break], |f| f.taken() != 0 && f.changes_masks()),
    next("g45.inst.break.test", &[Break], |f| f.leaps() || f.after(C) & f.after(A) == 0),
    stacks("g45.inst.break.unwind-lstack", &[Break], |f| f.pops()),
    masks("g45.inst.break.unwind-istack", &[Break], |f| unwinds(f) && f.changes(I)),
    next("g45.inst.break.jump", &[Break], leaps),
    on("g45.inst.break.not-finished", KeptMaskStacks, &[Break], |f| f.taken() != 0 && !f.jumps),
    masks("g45.inst.break.subset-note", &[Break], |f| !f.jumps && f.changes(L) && f.changes(C)),
    next("g45.inst.break.exit-code", &[Break], leaps),
    next("g45.inst.break.always-issues", &[Break], runs_for_none),
    stacks("g45.inst.break.16wide", &[Break], |f| f.pops() && f.counts_beyond_size()),
    alone("g45.inst.break.spf", &[Break]),
    // cont.
    masks("g45.inst.cont.semantics", &[Cont], |f| f.changes(C)),
    next("g45.inst.cont.test", &[Cont], leaps),
    masks("g45.inst.cont.unwind-istack", &[Cont], |f| unwinds(f) && f.changes(I)),
    next("g45.inst.cont.jump", &[Cont], leaps),
    masks("g45.inst.cont.reenable", &[While], |f| f.jumps && f.after(C) & !f.before(C) != 0),
    next("g45.inst.cont.exit-code", &[Cont], leaps),
    next("g45.inst.cont.always-issues", &[Cont], runs_for_none),
    alone("g45.inst.cont.spf", &[Cont]),
    // do.
    stacks("g45.inst.do.semantics", &[Do], |f| f.pushes()),
    stacks("g45.inst.do.equiv", &[Do], |f| f.pushes()),
    stacks("g45.inst.do.depth", &[Do], |f| f.pushes()),
    on("g45.inst.do.execsize-ignored", KeptMasks, &[Do], |f| f.beyond_size(f.after(L).into()) != 0),
    alone("g45.inst.do.spf", &[Do]),
    // else.
    masks("g45.inst.else.semantics", &[Else], |f| f.changes(I)),
    next("g45.inst.else.jump", &[Else], leaps),
    next("g45.inst.else.target", &[Else], |f| f.jumps_behind_endif()),
    next("g45.inst.else.empty-by-other-masks", &[Else], |f| f.leaps() && f.others() != 0),
    next("g45.inst.else.exit-code", &[Else], leaps),
    alone("g45.inst.else.spf", &[Else]),
    // endif.
    masks("g45.inst.endif.semantics", &[Endif], |f| f.changes(I)),
    stacks("g45.inst.endif.exit-code", &[Endif], |f| f.pops()),
    masks("g45.inst.endif.execsize-ignored", &[Endif], |f| {
        f.beyond_size((f.after(I) & !f.before(I)).into()) != 0
    }),
    alone("g45.inst.endif.spf", &[Endif]),
    // halt.
    masks("g45.inst.halt.semantics", &[Halt], |f| f.changes(A)),
    on("g45.inst.halt.no-stack", KeptMaskStacks, &[Halt], |f| f.changes(A)),
    next("g45.inst.halt.exit-code", &[Halt], leaps),
    next("g45.inst.halt.always-issues", &[Halt], runs_for_none),
    // if.
    masks("g45.inst.if.semantics", &[If], |f| f.changes(I)),
    stacks("g45.inst.if.push-always", &[If], |f| f.jumps && f.pushes()),
    next("g45.inst.if.target", &[If], |f| f.leaps() && f.jumps_to(&[Else, Endif])),
    masks("g45.inst.if.exec-size-effect", &[If], |f| f.beyond_size(f.before(I).into()) != 0),
    next("g45.inst.if.exit-code", &[If], leaps),
    stacks("g45.inst.if.always-issues", &[If], |f| f.pushes() && f.running() == 0),
    stacks("g45.inst.if.16wide", &[If], |f| f.pushes() && f.counts_beyond_size()),
    alone("g45.inst.if.spf", &[If]),
    // iff.
    masks("g45.inst.iff.semantics", &[Iff], |f| f.changes(I)),
    next("g45.inst.iff.target", &[Iff], |f| f.jumps_behind_endif()),
    next("g45.inst.iff.exit-code", &[Iff], leaps),
    next("g45.inst.iff.always-issues", &[Iff], runs_for_none),
    alone("g45.inst.iff.spf", &[Iff]),
    // jmpi.
    next("g45.inst.jmpi.semantics", &[Jmpi], leaps),
    next("g45.inst.jmpi.base", &[Jmpi], leaps),
    next("g45.inst.jmpi.low16", &[Jmpi], has_other_high_half),
    next("g45.inst.jmpi.predicate", &[Jmpi], is_mixed),
    // Mask instructions.
    masks("g45.inst.mrest.semantics", &[Mrest], |f| f.changes_masks()),
    stacks("g45.inst.mrest.operands", &[Mrest], |f| f.pops()),
    alone("g45.inst.mrest.spf", &[Mrest]),
    stacks("g45.inst.msave.semantics", &[Msave], |f| f.pushes()),
    on("g45.inst.msave.emask", KeptMasks, &[Msave], |f| f.named_beyond_size() != 0),
    stacks("g45.inst.msave.operands", &[Msave], |f| f.pushes() && f.counts(0)),
    alone("g45.inst.msave.spf", &[Msave]),
    stacks("g45.inst.pop.semantics", &[Pop], |f| f.pops()),
    stacks("g45.inst.pop.depth-operand", &[Pop], |f| f.pops() && f.operand(1) != Some(1)),
    alone("g45.inst.pop.spf", &[Pop]),
    stacks("g45.inst.push.semantics", &[Push], |f| f.pushes()),
    stacks("g45.inst.push.operands", &[Push], |f| f.pushes() && f.counts(0)),
    alone("g45.inst.push.spf", &[Push]),
    // while.
    masks("g45.inst.while.emask", &[While], |f| tests_parked(f) && f.changes_masks()),
    next("g45.inst.while.taken", &[While], leaps),
    masks("g45.inst.while.fallthrough", &[While], |f| f.leaves_loop() && f.changes_masks()),
    next("g45.inst.while.cmask-ignored", &[While], |f| f.leaps() && tests_parked(f)),
    next("g45.inst.while.exit-code", &[While], leaps),
    on("g45.inst.while.no-istack", KeptMasks, &[While], |f| f.leaves_loop()),
    masks("g45.inst.while.always-issues", &[While], |f| f.running() == 0 && f.changes_masks()),
    stacks("g45.inst.while.16wide", &[While], |f| f.pops() && f.counts_beyond_size()),
    alone("g45.inst.while.spf", &[While]),
    // Programs.
    next("g45.pg.flow.if-else", &[If], |f| f.is_predicated() && f.leaps() && f.jumps_to(&[Else])),
    next("g45.pg.flow.iff", &[Iff], |f| f.jumps_behind_endif()),
    stacks("g45.pg.flow.cascade", &[Endif], |f| f.pops() && f.before.mask_stack_depth[0] > 1),
    masks("g45.pg.flow.compound-or", &[If, Iff, While, Break, Cont, Halt], |f| {
        f.has_control(&[AnyV]) && selects(f)
    }),
    masks("g45.pg.flow.compound-all", &[If, Iff, While, Break, Cont, Halt], |f| {
        f.has_control(&[AllV]) && selects(f)
    }),
    masks("g45.pg.flow.loop-basic", &[While], |f| f.jumps && selects(f)),
    masks("g45.pg.flow.cmask-init", &[While], |f| f.jumps && f.changes(C)),
    next("g45.pg.flow.break-plain", &[Break], |f| f.leaps() && f.pop_count() == 0),
    next("g45.pg.flow.break-nested", &[Break], |f| f.leaps() && f.pop_count() != 0),
    next("g45.pg.flow.cont", &[Cont], |f| f.leaps() && f.jumps_to(&[While])),
    masks("g45.pg.flow.while-mask-text", &[While], |f| tests_parked(f) && f.changes_masks()),
    next("g45.pg.flow.jump-table", &[Jmpi], |f| f.leaps() && f.has_register(1)),
    // What else there is to say of each.
    masks("g45.inst.else.exec-size-effect", &[Else], |f| {
        f.beyond_size((f.after(I) & !f.before(I)).into()) != 0
    }),
    on("g45.inst.else.fallthrough-stack", KeptMaskStacks, &[Else], |f| !f.jumps),
    stacks("g45.inst.if.nested-counter", &[If], |f| f.pushes() && f.counts(0)),
    next("g45.inst.if.taken-executes-endif", &[If], |f| f.leaps() && f.jumps_to(&[Endif])),
    masks("g45.inst.while.stale-flag", &[While], |f| {
        f.jumps && f.is_predicated() && tests_parked(f)
    }),
    next("g45.inst.while.predicate-off", &[While], |f| f.leaps() && !f.is_predicated()),
    masks("g45.inst.while.lmask-shrink", &[While], |f| f.jumps && f.changes(L)),
    next("g45.inst.break.last-channel-mix", &[Break], |f| {
        f.leaps() && f.before(L) & !(f.taken() as u16) != 0
    }),
    masks("g45.inst.break.spf-restores", &[Break], |f| f.is_alone() && unwinds(f) && f.changes(I)),
    next("g45.inst.jmpi.conditional-flag", &[Jmpi], is_mixed),
    masks("g45.inst.break.imask-restored", &[Break], |f| unwinds(f) && f.changes(I)),
    masks("g45.inst.cont.imask-restored", &[Cont], |f| unwinds(f) && f.changes(I)),
    masks("g45.inst.cont.break-clears-cmask", &[Break], |f| !f.jumps && f.changes(C)),
    stacks("g45.inst.cont.16wide", &[Cont], |f| f.pops() && f.counts_beyond_size()),
    next("g45.inst.else.always-issues", &[Else], runs_for_none),
    stacks("g45.inst.else.16wide", &[Else], |f| f.pops() && f.counts_beyond_size()),
    next("g45.inst.else.new-mask-in-test", &[Else], |f| f.jumps != (f.running() == 0)),
    stacks("g45.inst.iff.16wide", &[Iff], |f| f.pushes() && f.counts_beyond_size()),
    next("g45.inst.jmpi.exit-code", &[Jmpi], has_other_high_half),
];
