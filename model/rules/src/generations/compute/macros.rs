//! Steps of exact quotients and roots (Gen9).

use parallax_isa::eu::instruction::PredicateControl;
use parallax_reference::eu::MacroChannel;

use crate::{
    Rule,
    macros::{KEEPS_DENORMALS, Macro},
    rule::{Decides, macro_step},
};

/// Whether it ends a sequence with a number that no step before it had.
fn ends_exactly(m: Macro) -> bool {
    m.is_last() && m.reads_wide() && m.any(|channel| m.has_number(channel))
}

pub(super) const RULES: &[Rule] = &[
    macro_step("gen9.msg.macro.encoding", |_| true).unconditional(),
    macro_step("gen9.msg.macro.pair", |m| m.any(|channel| m.reads_more(channel))),
    macro_step("gen9.msg.macro.madm", |m| !m.is_first() && m.any(|channel| m.has_number(channel))),
    macro_step("gen9.msg.macro.precision", |m| {
        m.is_last() && m.any(|channel| m.reads_more(channel) && m.has_number(channel))
    }),
    macro_step("gen9.msg.macro.approx", |m| m.is_first() && m.any(|channel| !channel.is_final)),
    macro_step("gen9.msg.macro.final", ends_exactly),
    macro_step("gen9.msg.macro.eo", |m| m.is_first() && !m.channels.is_empty())
        .decides_of(Decides::Flags),
    macro_step("gen9.msg.macro.eo-rsqtm", |m| {
        m.is_root() && m.any(|channel| channel.is_final && !m.result(channel).is_nan())
    }),
    macro_step("gen9.msg.macro.eo-denorm", |m| {
        m.is_first() && m.any(|channel| m.reads_denormal(channel))
    }),
    macro_step("gen9.msg.macro.ifs", |m| {
        let is_predicated = m.instruction.predicate.control != PredicateControl::None;
        !m.is_first() && is_predicated && m.any(|channel| m.has_number(channel))
    }),
    macro_step("gen9.msg.macro.modes", |m| {
        let is_denormal = |channel: &MacroChannel| {
            m.reads_denormal(channel) || m.is_last() && m.result(channel).is_denormal()
        };
        m.control & KEEPS_DENORMALS == KEEPS_DENORMALS && m.any(is_denormal)
    }),
];
