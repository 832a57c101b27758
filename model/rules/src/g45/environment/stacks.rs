//! Mask stacks, jumps, single program flow (sections 11.3.4.7 to 11.3.4.9, 11.3.5, 11.4.8 and 14.1).

use parallax_isa::{
    device::Generation::Gen45,
    eu::{
        Opcode::{
            self, Break, Cont, Do, Else, Endif, Halt, If, Iff, Jmpi, Mrest, Msave, Pop, Push, While,
        },
        instruction::ThreadControl,
    },
};

use super::super::of_gen4;
use crate::{
    Rule,
    flow::{Flow, Stack},
    rule::{
        Decides::{
            self, Exceptions, KeptAccumulator, KeptMaskStacks, MaskStacks, Masks, NextInstruction,
        },
        flow,
    },
};

const BRANCHES: &[Opcode] = &[If, Iff, Else, Endif, Do, While, Break, Cont];
/// Those whose exit code says how far they jump.
const JUMPS: &[Opcode] = &[If, Iff, Else, While, Break, Cont, Halt];
const MOVES: &[Opcode] = &[If, Iff, Else, Endif, Do, While, Break, Cont, Msave, Mrest, Push, Pop];
const FLOW: &[Opcode] =
    &[If, Iff, Else, Endif, Do, While, Break, Cont, Halt, Jmpi, Msave, Mrest, Push, Pop];
const PUSHES: &[Opcode] = &[If, Iff, Do, Msave, Push];
const POPS: &[Opcode] = &[Else, Endif, While, Break, Cont, Mrest, Pop];
const RESTORES: &[Opcode] = &[Else, Endif, While, Break, Cont, Mrest];

const fn on(id: &str, decides: Decides, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    of_gen4(flow(id, decides, of, when))
}

const fn stacks(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    on(id, MaskStacks, of, when)
}

/// Whether it takes several levels at once.
fn takes_several_levels(f: Flow) -> bool {
    f.levels(Stack::I) > 1 || f.opcode() == Pop && f.levels(Stack::L) > 1
}

fn raises_by_push(f: Flow) -> bool {
    f.pushes() && f.raises()
}

fn raises_by_pop(f: Flow) -> bool {
    f.pops() && f.raises()
}

fn jumps_over_compact(f: Flow) -> bool {
    f.leaps() && f.jumps_over_compact()
}

pub(in super::super) const RULES: &[Rule] = &[
    on("g45.opcode.group.flow", KeptAccumulator, FLOW, |_| true).unconditional(),
    stacks("g45.mask.branch-use", BRANCHES, |f| f.moves()),
    stacks("g45.mstack.encoding", &[Msave, Mrest, Push, Pop], |f| f.moves()),
    stacks("g45.mstack.push", PUSHES, |f| f.pushes() && f.counts(0)),
    on("g45.mstack.pop", Masks, RESTORES, |f| f.pops() && f.counts(0) && f.changes_masks()),
    stacks("g45.mstack.pop-multi", POPS, takes_several_levels),
    stacks("g45.mstack.full-push", PUSHES, |f| f.pushes() && !f.counts(0)),
    stacks("g45.mdepth.modular", MOVES, |f| f.overflows() || f.underflows()),
    on("g45.mdepth.overflow", Exceptions, PUSHES, raises_by_push).since(Gen45),
    on("g45.mdepth.underflow", Exceptions, POPS, raises_by_pop).since(Gen45),
    stacks("g45.mdepth.loop-counting", &[Do], |f| f.pushes()),
    on("g45.cr.spf", KeptMaskStacks, MOVES, |f| f.keeps_stacks()),
    on("g45.compact.offsets", NextInstruction, JUMPS, jumps_over_compact).since(Gen45),
    on("g45.vec.push-pop", Masks, RESTORES, |f| f.restores_some() && f.changes_masks()),
    stacks("g45.vec.depth-overflow", PUSHES, |f| f.overflows()),
    stacks("g45.vec.depth-underflow", POPS, |f| f.underflows()),
    on("g45.compact.branch-base", NextInstruction, JUMPS, |f| f.leaps() && f.is_in_upper_half())
        .since(Gen45),
    stacks("g45.opcode.push-code", &[Push], |f| f.pushes()),
    // Jumps and the stacks' functions of section 14.1.
    on("g45.conv.inst-byte-count", NextInstruction, JUMPS, |f| f.leaps()),
    on("g45.conv.jump", NextInstruction, JUMPS, |f| f.leaps()),
    stacks("g45.mask.push.counters", PUSHES, |f| f.pushes() && f.counts(0)),
    stacks("g45.mask.push.depth", PUSHES, |f| f.pushes()),
    on("g45.mask.push.overflow", Exceptions, PUSHES, raises_by_push).since(Gen45),
    stacks("g45.mask.push.16wide", PUSHES, |f| f.pushes() && f.counts_beyond_size()),
    on("g45.mask.push.spf", KeptMaskStacks, PUSHES, |f| f.keeps_stacks()),
    stacks("g45.mask.pop.counters", POPS, |f| f.pops() && f.counts(0)),
    stacks("g45.mask.pop.depth", POPS, |f| f.pops()),
    on("g45.mask.pop.underflow", Exceptions, POPS, raises_by_pop).since(Gen45),
    on("g45.mask.pop.zero", KeptMaskStacks, &[Pop], |f| !f.is_alone() && f.operand(1) == Some(0)),
    on("g45.mask.pop.spf", KeptMaskStacks, POPS, |f| f.keeps_stacks()),
    on("g45.mask.top", Masks, RESTORES, |f| f.restores() && f.changes_masks()),
    on("g45.mask.lstack-subset", Masks, &[While, Break], |f| f.leaves_loop() && f.changes_masks()),
    stacks("g45.mask.stack-16-channels", MOVES, |f| f.moves() && f.counts_beyond_size()),
    stacks("g45.mask.counter-width", PUSHES, |f| f.counter_wraps()),
    on("g45.compact.branch-target", NextInstruction, JUMPS, jumps_over_compact).since(Gen45),
    on(
        "g45.inst.flow.implied-switch",
        NextInstruction,
        &[If, Iff, Else, While, Break, Cont, Halt, Jmpi],
        |f| f.leaps() && f.instruction.thread_control != ThreadControl::Switch,
    ),
];
