//! Messages to the data cache of Gen7 and later, and to what stands beside it.

use parallax_isa::device::Generation::Gen8;

use crate::{
    Rule,
    data_cache::{CACHES, Kind, PORT0, is_of, kind},
    rule,
    rule::Decides,
};

pub(super) const RULES: &[Rule] = &[
    rule::message("gen7.term.oword", CACHES, |m| is_of(m, Kind::Block)),
    rule::message("gen7.isa.send.hsw-move", CACHES, |m| {
        matches!(kind(m), Kind::Untyped | Kind::Atomic)
    }),
    rule::message("gen7.isa.send.scratch", &[PORT0], |m| is_of(m, Kind::Scratch)),
    rule::message("gen7.isa.send.atomic-ops", CACHES, |m| is_of(m, Kind::Atomic))
        .decides_of(Decides::Stored),
    rule::message("gen9.isa.send.scratch-size", &[PORT0], |m| {
        is_of(m, Kind::Scratch) && m.control(13, 12) > 1
    })
    .since(Gen8),
];
