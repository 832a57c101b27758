//! `cmp` and `cmpn`.

use parallax_isa::eu::{
    Opcode::{self, Cmp, Cmpn},
    instruction::ConditionalModifier::{GreaterEqual, Less},
};

use super::super::{environment::floats::are_floats, g45};
use crate::{Rule, comparison::has_no_nan, element::Element, rule::Decides, step::Step};

const fn flags(id: &str, opcodes: &'static [Opcode], when: fn(Step) -> bool) -> Rule {
    g45(id).of(opcodes).when(when).decides_of(Decides::Flags)
}

/// A float that is compared as its table says.
fn is_special(element: Element) -> bool {
    element.vanishes() || element.is_infinite() || element.is_nan()
}

fn is_narrow(step: Step) -> bool {
    step.size() <= 8 && step.sets_flags()
}

fn keeps_some_flags(step: Step) -> bool {
    step.sets_flags() && (step.is_masked() || step.is_selective())
}

pub(in super::super) const RULES: &[Rule] = &[
    g45("g45.inst.cmp.dst-upper-bits")
        .of(&[Cmp, Cmpn])
        .when(|s| !s.destination().register.is_null() && s.has_exact_result()),
    flags("g45.inst.cmp.flag-disabled", &[Cmp], keeps_some_flags),
    flags("g45.inst.cmp.flag-half", &[Cmp, Cmpn], is_narrow),
    flags("g45.inst.cmp.dst-null", &[Cmp, Cmpn], |s| {
        s.destination().register.is_null() && s.sets_flags()
    }),
    flags("g45.inst.cmp.float-tables", &[Cmp], |s| {
        s.any(|c| c.pair(|a, b| are_floats(a, b) && (is_special(a) || is_special(b))))
    }),
    flags("g45.inst.cmpn.flag-disabled", &[Cmpn], keeps_some_flags),
    flags("g45.inst.cmpn.flag-half", &[Cmpn], is_narrow),
    flags("g45.inst.cmpn.int", &[Cmpn], |s| s.any(|c| c.are(|[_, _]| true))),
    flags("g45.inst.cmpn.minmax-use", &[Cmpn], |s| {
        (s.has_condition(Less) || s.has_condition(GreaterEqual))
            && s.any(|c| c.pair(|a, b| a.bits != b.bits))
    }),
    flags("g45.inst.cmp.read-before-write", &[Cmp, Cmpn], |s| s.is_selective() && s.sets_flags()),
    flags("g45.conv.condition-nan", &[Cmpn], |s| {
        s.any(|c| c.pair(|a, b| are_floats(a, b) && !has_no_nan(a, b)))
    }),
];
