//! Structured and unstructured control flow.

use parallax_isa::{
    device::Generation::Gen9,
    eu::Opcode::{self, Break, Else, Endif, Goto, If, Join, While},
};

use crate::{
    Rule,
    flow::Flow,
    rule::{
        Decides::{KeptPlaces, NextInstruction, Places},
        flow,
    },
};

/// A rule on where the thread goes on.
const fn next(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    flow(id, NextInstruction, of, when)
}

/// A rule on where channels wait.
const fn places(id: &str, of: &'static [Opcode], when: fn(Flow) -> bool) -> Rule {
    flow(id, Places, of, when)
}

fn parks(f: Flow) -> bool {
    f.parked() != 0
}

fn parts(f: Flow) -> bool {
    !f.is_alone() && f.parts()
}

/// Whether no channel is left where the thread would go on.
fn skips(f: Flow) -> bool {
    !f.is_alone() && f.leaps()
}

/// Whether channels wait that are none of the instruction's own.
fn parks_others(f: Flow) -> bool {
    f.beyond_size(f.parked()) != 0
}

fn is_forward(f: Flow) -> bool {
    !f.branch().control
}

fn is_backward(f: Flow) -> bool {
    f.branch().control
}

pub(super) const RULES: &[Rule] = &[
    places("talk.if.operands", &[If], parks),
    places("talk.if.failing", &[If], parks),
    next("talk.if.entering", &[If], parts),
    next("talk.if.skip", &[If], skips),
    flow("talk.if.inactive-channels", KeptPlaces, &[If], |f| parks(f) && f.waiting() != 0),
    places("talk.else.operands", &[Else], parks),
    places("talk.else.semantics", &[Else], parks),
    places("talk.endif.semantics", &[Endif], |f| f.woken() != 0),
    next("talk.endif.jip-target", &[Endif], skips),
    places("talk.if.example", &[If], |f| f.is_predicated() && parts(f)),
    next("talk.nested.example", &[Break], |f| skips(f) && f.jumps_to(&[Endif])),
    next("talk.nested.all-break", &[Break], |f| skips(f) && f.taken().count_ones() > 1),
    next("talk.while.operands", &[While], skips),
    places("talk.while.semantics", &[While], parts),
    places("talk.while.loop-32", &[While], parks_others),
    places("talk.while.break-waiters", &[While], |f| !f.jumps && f.waiting_for_end() != 0),
    places("talk.break.operands", &[Break], parks),
    places("talk.break.semantics", &[Break], parks),
    next("talk.break.jump", &[Break], skips),
    next("talk.break.example", &[Break], |f| skips(f) && f.jumps_to(&[Endif])),
    places("talk.goto.operands", &[Goto], parks),
    next("talk.goto.forward-enabled", &[Goto], |f| is_forward(f) && f.taken() != 0).until(Gen9),
    places("talk.goto.forward-disabled", &[Goto], |f| is_forward(f) && parks(f)).until(Gen9),
    next("talk.goto.forward-jump", &[Goto], |f| is_forward(f) && skips(f)),
    places("talk.goto.forward-polarity", &[Goto], |f| is_forward(f) && parts(f)).until(Gen9),
    next("talk.goto.backward-enabled", &[Goto], |f| is_backward(f) && skips(f)),
    places("talk.goto.backward-disabled", &[Goto], |f| is_backward(f) && parks(f)),
    next("talk.goto.backward-jump-target", &[Goto], |f| {
        is_backward(f) && skips(f) && f.taken() != 0
    }),
    next("talk.goto.backward-jump-next", &[Goto], |f| is_backward(f) && f.taken() == 0),
    places("talk.goto.all-channels", &[Goto], parks_others),
    places("talk.goto.cfg-example", &[Goto], |f| is_forward(f) && parts(f)),
    next("talk.join.operands", &[Join], skips),
    places("talk.join.wake", &[Join], |f| f.woken() != 0),
    next("talk.join.advance", &[Join], |f| f.taken() != 0),
    next("talk.join.skip", &[Join], skips),
];
