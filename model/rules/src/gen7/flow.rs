//! Flow control: distances, flags, single program flow.

use parallax_isa::{
    device::Generation::Gen75,
    eu::Opcode::{self, Break, Call, Cont, Else, Endif, Halt, If, Jmpi, Ret, While},
};

use crate::{
    Rule,
    rule::{
        Decides::{NextInstruction, Places},
        flow,
    },
};

/// The instructions with a predicate.
const PREDICATED: &[Opcode] = &[If, While, Break, Cont, Halt, Jmpi, Call, Ret];

pub(super) const RULES: &[Rule] = &[
    flow(
        "gen7.intro.branch-offset-signed",
        NextInstruction,
        &[If, Else, Endif, While, Break, Cont, Halt, Call],
        |f| f.leaps_back(),
    )
    .until(Gen75),
    flow("gen7.flag.branch-dispatch", Places, PREDICATED, |f| {
        f.is_selective() && f.beyond_size(f.parked()) != 0
    }),
    flow("gen7.cr.spf", NextInstruction, PREDICATED, |f| f.is_alone() && f.parts()),
];
