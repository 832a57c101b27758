//! Control flow: the condition test, the stack, branches, loops, calls, ALU clauses (sections 3.5 to 3.7 and 9.1).

use parallax_isa::r700::{
    Cf,
    CfOpcode::{
        self, AluBreak, AluContinue, AluElseAfter, AluPop2After, AluPopAfter, AluPushBefore, Call,
        CallFs, CutVertex, Else, EmitCutVertex, EmitVertex, Jump, Kill, LoopBreak, LoopContinue,
        LoopEnd, LoopStart, LoopStartDx10, LoopStartNoAl, Nop, Pop, PopJump, PopPush, PopPushElse,
        Push, PushElse, Return, Tex, Vtx, VtxTc, WaitAck,
    },
    state::frame,
};

use super::{
    control::Flow,
    fetches::VERTEX,
    rule::{Rule, end, fetch, flow},
};
use crate::Decides::{self, NextInstruction, PixelStates, Predicate, ValidPixels};

const LOOP_STARTS: &[CfOpcode] = &[LoopStart, LoopStartDx10, LoopStartNoAl];
const LEAVING: &[CfOpcode] = &[LoopBreak, LoopContinue];
/// Instructions that push pixels' states.
const PUSHING: &[CfOpcode] = &[Push, PushElse, PopPush, PopPushElse, AluPushBefore, AluElseAfter];
const CALLS: &[CfOpcode] = &[Call, CallFs];
const EMITTING: &[CfOpcode] = &[EmitVertex, EmitCutVertex, CutVertex];
/// Instructions that pop before they look at the pixels.
const POPPING: &[CfOpcode] = &[Pop, PopJump, PopPush, PopPushElse];

/// A rule of some instructions that decides the pixels' states.
const fn states(id: &str, of: &'static [CfOpcode], when: fn(Flow) -> bool) -> Rule {
    flow(id, of, when).decides_of(PixelStates)
}

/// A rule of some instructions that decides where the program goes on.
const fn next(id: &str, of: &'static [CfOpcode], when: fn(Flow) -> bool) -> Rule {
    flow(id, of, when).decides_of(NextInstruction)
}

/// A rule of some instructions that decides what is on the stack.
const fn stack(id: &str, of: &'static [CfOpcode], when: fn(Flow) -> bool) -> Rule {
    flow(id, of, when).decides_of(Decides::Stack)
}

fn always(_: Flow) -> bool {
    true
}

/// Active pixels for which the clause computed a predicate that skips.
fn skips(f: Flow) -> bool {
    f.skipping() != 0
}

fn is_entered(f: Flow) -> bool {
    f.enters()
}

fn is_left(f: Flow) -> bool {
    f.popped() != 0
}

pub(super) const RULES: &[Rule] = &[
    flow("r700.alu.pred.initial", Flow::CLAUSES, |f| f.starts_clause()).decides_of(Predicate),
    end("r700.alu.pred.active-mask-persist", &[], |f| f.before.predicate != 0)
        .decides_of(Predicate),
    flow("r700.progtype.emit-order", EMITTING, |f| f.passing() != 0),
    flow("r700.org.fetch-inst-size", Flow::FETCHES, |f| f.fetches() > 1),
    flow("r700.org.cf-inst-size", &[], always).decides_of(NextInstruction).unconditional(),
    flow("r700.state.int-const", &[LoopStart, LoopStartNoAl], is_entered),
    flow("r700.state.bool-const", &[], |f| f.tests() && f.condition() > 1),
    flow("r700.state.al.width", &[LoopStart, LoopEnd], |f| match f.opcode {
        LoopStart => is_entered(f) && f.constant().initial > 0x1FFF,
        _ => f.iterates() && !(0..0x2000).contains(&f.next_index()),
    }),
    stack("r700.state.al.nesting", &[LoopEnd], |f| {
        is_left(f) && f.after.current_loop.index != f.before.current_loop.index
    }),
    end("r700.state.pv-ps.life", &[], |f| !f.is_skipped()),
    end("r700.state.pred.life", &[], |f| f.before.predicate != 0).decides_of(Predicate),
    states("r700.state.pixel-state.enum", &[], |f| {
        let states = f.before.pixels;
        f.inactive_branch() != 0 && states.inactive_continue | states.inactive_break != 0
    }),
    fetch("r700.state.al.uses", &[], |f| {
        f.moves(f.relative_source()) || f.moves(f.relative_destination())
    }),
    flow("r700.state.valid-mask", &[Kill], |f| f.passing() & f.before.valid != 0)
        .decides_of(ValidPixels),
    flow("r700.state.valid.sticky", &[], |f| is_left(f) && f.before.valid != f.case.state.valid)
        .decides_of(ValidPixels),
    flow("r700.state.valid.initial-inactive", Flow::CLAUSES, |f| {
        f.starts_clause() && f.case.state.valid != u64::MAX && !f.whole_quad()
    })
    .decides_of(PixelStates),
    states("r700.state.kill.stays-active", &[Kill], |f| f.passing() & f.before.valid != 0),
    end("r700.state.active-mask.update", &[], skips).decides_of(PixelStates),
    flow(
        "r700.cf.clause.skip",
        &[
            CfOpcode::Alu,
            AluPushBefore,
            AluPopAfter,
            AluPop2After,
            AluContinue,
            AluBreak,
            AluElseAfter,
            Tex,
            Vtx,
            VtxTc,
        ],
        |f| match f.word() {
            Some(_) => f.passing() == 0,
            None => !f.is_end && !f.starts_clause(),
        },
    ),
    flow("r700.cf.eop", &[], |f| f.cf.end_of_program()),
    next("r700.cf.addr.units", &[], |f| {
        f.jumps() && f.word().is_some_and(|word| word.addr() == f.after.cf)
    }),
    flow("r700.cf.count.fetch", Flow::FETCHES, |f| f.fetches() > 1),
    flow("r700.cf.count.alu", Flow::CLAUSES, |f| f.starts_clause() && f.clause_words() > 1),
    flow("r700.cf.decode.format", &[], always).unconditional(),
    flow("r700.cf.decode.export-variant", &[], |f| matches!(f.cf, Cf::Export(_) | Cf::Memory(_))),
    // The test.
    flow("r700.cf.test.active", &[], |f| {
        f.tests() && !f.whole_quad() && !f.valid_pixel() && f.is_mixed()
    }),
    flow("r700.cf.test.false", &[], |f| {
        f.tests() && f.condition() == 1 && f.before.pixels.active != 0
    }),
    flow("r700.cf.test.bool", &[], |f| f.tests() && f.condition() == 2),
    flow("r700.cf.test.not-bool", &[], |f| f.tests() && f.condition() == 3),
    flow("r700.cf.test.wqm", &[], |f| f.whole_quad() && f.has_mixed_quads()),
    flow("r700.cf.test.vpm", &[], |f| {
        f.valid_pixel() && f.before.pixels.active & !f.before.valid != 0
    }),
    flow("r700.cf.wqm.temporary", Flow::CLAUSES, |f| f.whole_quad() && f.has_mixed_quads())
        .decides_of(PixelStates),
    states("r700.cf.wqm.branch", &[Push, PushElse, LoopStart, LoopStartDx10, LoopStartNoAl], |f| {
        f.whole_quad() && f.passing() & !f.before.pixels.active != 0
    }),
    flow("r700.cf.wqm.all-support", &[], |f| f.whole_quad() && f.has_mixed_quads()),
    states("r700.cf.wqm.scope-end", &[], |f| {
        let frames = f.frames_popped();
        frames.iter().any(|popped| popped.kind == frame::BRANCH && popped.whole_quad == 1)
    }),
    flow("r700.cf.vpm.alu", Flow::CLAUSES, |f| {
        f.starts_clause() && f.before.pixels.active & !f.before.valid != 0
    }),
    states("r700.cf.vpm.pop", &[], |f| {
        f.valid_pixel()
            && f.saved().is_some()
            && f.restored().is_some_and(|states| states.active & !f.before.valid != 0)
    }),
    flow("r700.cf.seq.nonpop", &[Push, PushElse], |f| {
        f.pushed() == Some(frame::BRANCH) && f.after.pixels != f.before.pixels
    })
    .decides_of(Decides::Stack),
    states("r700.cf.seq.pop", POPPING, |f| {
        f.restored().is_some_and(|states| states != f.after.pixels)
    }),
    states("r700.cf.pops.vs-breaks", &[], |f| {
        let left = f.before.pixels.inactive_continue | f.before.pixels.inactive_break;
        f.saved().is_some_and(|saved| saved.active & left != 0)
    }),
    // Branches.
    next("r700.cf.push.fail", &[Push], |f| f.passing() == 0),
    states("r700.cf.push.pass", &[Push], |f| f.pushed() == Some(frame::BRANCH)),
    stack("r700.cf.push.saved-state", PUSHING, |f| f.pushed() == Some(frame::BRANCH)),
    states("r700.cf.push.inactive-unchanged", &[Push], |f| {
        f.pushed() == Some(frame::BRANCH) && f.before.pixels.active | f.passing() != u64::MAX
    }),
    stack("r700.cf.push-else.always", &[PushElse], always).unconditional(),
    states("r700.cf.pop.basic", POPPING, |f| f.saved().is_some()),
    states("r700.cf.pop.test", &[Pop], |f| {
        f.restored().is_some_and(|states| states.active & !f.after.pixels.active != 0)
    }),
    states("r700.cf.pop.kill-idiom", &[Pop], |f| {
        f.valid_pixel()
            && f.condition() == 0
            && f.restored().is_some_and(|states| states.active & !f.before.valid != 0)
    }),
    states("r700.cf.pop.zero", &[Pop], |f| f.pop_count() == 0),
    next("r700.cf.pop.never-jumps", &[Pop], |f| {
        f.word().is_some_and(|word| word.addr() != f.before.cf + 1)
    }),
    states("r700.cf.else.invert", &[Else], |f| f.after.pixels.active != f.before.pixels.active),
    states("r700.cf.else.ref-state", &[Else], |f| {
        f.top().is_some_and(|saved| saved.pixels.active != f.before.pixels.active)
    }),
    next("r700.cf.else.jump", &[Else], |f| f.jumps()),
    stack("r700.cf.else.pop", &[Else], |f| f.pop_count() > 0),
    states("r700.cf.else.vpm", &[Else], |f| {
        let concerned = f.top().map_or(0, |saved| saved.pixels.active);
        f.valid_pixel() && f.inactive_branch() & concerned & !f.before.valid != 0
    }),
    next("r700.cf.jump.taken", &[Jump], always).unconditional(),
    stack("r700.cf.jump.pop", &[Jump], |f| f.pop_count() > 0),
    stack("r700.stack.jump-only", &[Jump, Call, CallFs], |f| {
        !f.jumps() && (f.opcode != Jump || f.pop_count() > 0)
    }),
    next("r700.cf.pop-jump", &[PopJump], always).unconditional(),
    stack("r700.cf.pop-push", &[PopPush], |f| f.pop_count() > 0),
    stack("r700.cf.pop-push-else", &[PopPushElse], |f| f.pop_count() > 0),
    // Loops.
    stack("r700.cf.loop.start.enter", LOOP_STARTS, is_entered),
    next("r700.cf.loop.start.skip", LOOP_STARTS, |f| f.jumps()),
    states("r700.cf.loop.start.failing", LOOP_STARTS, |f| {
        is_entered(f) && f.after.pixels.inactive_break != 0
    }),
    flow("r700.cf.loop.start.constant", &[LoopStart, LoopStartNoAl], |f| {
        f.opcode != LoopStart && is_entered(f) || f.starts_index()
    })
    .decides_of(Decides::Loop),
    next("r700.cf.loop.start.zero-index", &[LoopStart, LoopStartNoAl], |f| {
        (f.constant().count == 0) != (f.constant().initial == 0) && f.passing() != 0
    }),
    states("r700.cf.loop.end.reactivate", &[LoopEnd], |f| {
        let left = f.before.pixels.inactive_break;
        f.iterates() && f.before.pixels.active != !left
    }),
    next("r700.cf.loop.end.count", &[LoopEnd], |f| {
        f.before.current_loop.kind != LoopStartDx10.code()
    }),
    flow("r700.cf.loop.end.al", &[LoopEnd], |f| {
        f.iterates() && f.before.current_loop.increment != 0
    })
    .decides_of(Decides::Loop),
    stack("r700.cf.loop.end.exit", &[LoopEnd], is_left),
    states("r700.cf.loop.break.pixels", &[LoopBreak], |f| f.passing() != 0),
    next("r700.cf.loop.break.jump", &[LoopBreak], |f| f.jumps()),
    stack("r700.cf.loop.break.popcount", &[LoopBreak], |f| {
        f.jumps() && f.popped() != f.pop_count()
    }),
    states("r700.cf.loop.continue.pixels", &[LoopContinue], |f| f.passing() != 0 && !f.jumps()),
    next("r700.cf.loop.continue.jump", &[LoopContinue], |f| f.jumps()),
    next("r700.cf.loop.branch-pixels-block", LEAVING, |f| !f.jumps() && f.after.pixels.active == 0),
    stack("r700.cf.loop.dx10.enter", &[LoopStartDx10], is_entered),
    stack("r700.cf.loop.dx10.stack", &[LoopStartDx10], is_entered),
    flow("r700.cf.loop.no-al", &[LoopStartNoAl], |f| {
        is_entered(f) && f.before.current_loop.index != 0
    })
    .decides_of(Decides::Loop),
    stack("r700.cf.loop.nest", LOOP_STARTS, |f| is_entered(f) && f.before.current_loop.kind != 0),
    flow("r700.cf.loop.innermost", LEAVING, |f| f.loops() > 1 && f.passing() != 0)
        .decides_of(PixelStates),
    // Calls.
    next("r700.cf.call.taken", CALLS, |f| f.calls()),
    next("r700.cf.call.skip", CALLS, |f| !f.calls()),
    stack("r700.cf.call.count-zero", CALLS, |f| {
        f.calls() && f.after.call_depth == f.before.call_depth
    }),
    stack("r700.cf.call.range", CALLS, |f| f.calls() && f.after.call_depth != f.before.call_depth),
    stack("r700.cf.call.nest", CALLS, |f| f.calls() && f.before.call_depth != 0),
    states("r700.cf.call.state", CALLS, |f| f.calls() && f.before.pixels.active != u64::MAX),
    next("r700.cf.call-fs.addr", &[CallFs], |f| f.calls() && f.case.fetch_program != 0),
    stack("r700.cf.call-fs.mode", &[CallFs], |f| f.calls()),
    next("r700.cf.return.pop", &[Return], always).unconditional(),
    // ALU clauses.
    flow("r700.cf.alu.exec", Flow::CLAUSES, |f| f.starts_clause()),
    end("r700.cf.alu.pred-state", &[CfOpcode::Alu, AluPushBefore], skips).decides_of(PixelStates),
    end("r700.cf.alu.no-jump", &[], |f| !f.is_skipped()).decides_of(NextInstruction),
    stack("r700.cf.alu.push-before", &[AluPushBefore], always).unconditional(),
    end("r700.cf.alu.pop-after", &[AluPopAfter], always).decides_of(PixelStates).unconditional(),
    end("r700.cf.alu.pop2-after", &[AluPop2After], always).decides_of(PixelStates).unconditional(),
    end("r700.cf.alu.continue", &[AluContinue], skips).decides_of(PixelStates),
    end("r700.cf.alu.break", &[AluBreak], skips).decides_of(PixelStates),
    end("r700.cf.alu.else-after", &[AluElseAfter], |f| f.after.pixels != f.before.pixels)
        .decides_of(PixelStates),
    flow("r700.cf.alu.addr-is-clause", &[AluBreak, AluContinue], |f| f.starts_clause()),
    // Fetch clauses.
    flow("r700.cf.unused-fields", Flow::FETCHES, |f| {
        f.fetches() > 0
            && f.word()
                .is_some_and(|word| word.cf_const() | word.pop_count() | word.call_count() != 0)
    }),
    flow("r700.cf.tex", &[Tex], |f| f.fetches() > 0),
    flow("r700.cf.vtx", &[Vtx], |f| f.fetches() > 0),
    flow("r700.cf.vtx-tc", &[VtxTc], |f| f.fetches() > 0),
    fetch("r700.cf.clause.tex-for-vtx", VERTEX, |f| f.is_in_texture_clause()),
    flow("r700.tex.wqm", &[Tex], |f| f.whole_quad() && f.passing() & !f.before.pixels.active != 0),
    // What else there is.
    flow("r700.cf.kill", &[Kill], |f| f.passing() & f.before.valid != 0).decides_of(ValidPixels),
    flow("r700.cf.emit.vertex", &[EmitVertex], |f| f.passing() != 0),
    flow("r700.cf.emit.cut", &[EmitCutVertex], |f| f.passing() != 0),
    flow("r700.cf.cut", &[CutVertex], |f| f.passing() != 0),
    flow("r700.cf.wait-ack", &[WaitAck], always).unconditional(),
    flow("r700.cf.nop", &[Nop], always).unconditional(),
    stack("r700.stack.subentries", PUSHING, |f| {
        f.fills(|_| true) && f.after.stack_depth > f.case.stack_size
    }),
    stack("r700.stack.cost.push", PUSHING, |f| {
        f.fills(|frame| frame.kind == frame::BRANCH && frame.whole_quad == 0)
    }),
    stack("r700.stack.cost.push-wqm", PUSHING, |f| {
        f.fills(|frame| frame.kind == frame::BRANCH && frame.whole_quad == 1)
    }),
    stack("r700.stack.cost.push-reserve", PUSHING, |f| f.pushes && f.fills(|_| true)),
    stack("r700.stack.cost.loop", LOOP_STARTS, |f| f.fills(|frame| frame.kind == frame::LOOP)),
    stack("r700.stack.cost.call", CALLS, |f| {
        f.fills(|frame| matches!(frame.kind, frame::CALL | frame::CALL_FETCH))
    }),
    stack("r700.stack.release", &[], is_left),
    flow(
        "r700.kcache.mode.nop",
        Flow::CLAUSES,
        |f| matches!(f.cf, Cf::Alu(word) if word.kcache_mode0() == 0 || word.kcache_mode1() == 0),
    ),
    end("r700.cf.ar-clause", &[], |f| !f.is_skipped()).decides_of(Decides::AddressRegister),
    next("r700.cf.loop.trip-max", &[LoopEnd], |f| {
        is_left(f) && f.before.current_loop.count == 1 && f.before.pixels.inactive_break != u64::MAX
    }),
    next("r700.cf.loop.early-exit", &[LoopEnd], |f| is_left(f) && f.before.current_loop.count != 1),
    states("r700.cf.loop.exit-restores", &[LoopEnd], |f| {
        is_left(f) && f.top().is_some_and(|saved| saved.pixels != f.before.pixels)
    }),
    flow("r700.cf.inactive.no-effect", Flow::CLAUSES, |f| {
        f.starts_clause() && f.after.executing != u64::MAX
    }),
    flow("r700.cf.alu.wqm", Flow::CLAUSES, |f| f.after.executing & !f.before.pixels.active != 0),
    states("r700.cf.vpm.branch", &[Push, LoopStart, LoopStartDx10, LoopStartNoAl], |f| {
        f.valid_pixel() && f.pushed().is_some() && f.before.pixels.active & !f.before.valid != 0
    }),
    states("r700.cf.all-fail.state", &[Push, Jump, LoopStart, LoopStartDx10, LoopStartNoAl], |f| {
        f.jumps() && f.before.pixels.active != 0
    }),
    stack("r700.cf.some-pass.popcount", &[Push, LoopStart, LoopStartDx10, LoopStartNoAl], |f| {
        f.pushed().is_some() && f.pop_count() > 0
    }),
    end("r700.cf.alu.pop-after.skipped", &[AluPopAfter, AluPop2After], |f| f.is_skipped())
        .decides_of(Decides::Stack),
    end("r700.cf.alu.break.no-pred", &[AluBreak, AluContinue], |f| {
        f.before.pixels.active & !f.before.execute_set != 0
    })
    .decides_of(PixelStates),
    next("r700.cf.eop.branch", &[], |f| f.cf.end_of_program() && f.jumps()),
];
