//! Comparisons, minimum and maximum (tables 10-3 to 10-14).

use parallax_isa::eu::{
    Opcode::{Cmp, Cmpn},
    instruction::ConditionalModifier::{
        self, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual,
    },
};

use super::{
    super::{g45, of_gen4},
    floats::{are_floats, have_opposite_signs, vanish},
};
use crate::{
    Rule, comparison,
    comparison::{compares, has_infinity, has_nan, has_no_nan},
    element::Element,
    rule::Decides,
    step::Step,
};

const CONDITIONS: [ConditionalModifier; 6] =
    [Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual];

/// Whether floats of some kinds are compared.
fn compares_any(step: Step, which: fn(Element, Element) -> bool) -> bool {
    CONDITIONS.iter().any(|condition| compares(step, *condition, which))
}

/// What `cmp` and `cmpn` do alike.
const fn alike(id: &str, when: fn(Step) -> bool) -> Rule {
    of_gen4(comparison::comparison(id, when))
}

const fn cmp(id: &str, when: fn(Step) -> bool) -> Rule {
    alike(id, when).of(&[Cmp])
}

const fn cmpn(id: &str, when: fn(Step) -> bool) -> Rule {
    alike(id, when).of(&[Cmpn])
}

/// Only src0 is a NaN.
fn has_first_nan(a: Element, b: Element) -> bool {
    a.is_nan() && !b.is_nan()
}

/// Only src1 is a NaN.
fn has_second_nan(a: Element, b: Element) -> bool {
    !a.is_nan() && b.is_nan()
}

fn has_one_nan(a: Element, b: Element) -> bool {
    a.is_nan() != b.is_nan()
}

fn have_opposite_zeros(a: Element, b: Element) -> bool {
    vanish(a, b) && have_opposite_signs(a, b)
}

/// Whether what a pair of `cmpn` and `sel` chooses of matters.
fn chooses(step: Step, condition: ConditionalModifier) -> bool {
    step.has_condition(condition) && step.any(|c| c.pair(|a, b| a.bits != b.bits))
}

pub(in super::super) const RULES: &[Rule] = &[
    cmp("g45.float.ieee.cmp-nan", |s| compares_any(s, has_nan)),
    cmpn("g45.float.ieee.cmpn-src1-nan", |s| compares_any(s, has_second_nan)),
    cmpn("g45.float.ieee.cmpn-src0-nan", |s| compares_any(s, has_first_nan)),
    cmpn("g45.float.ieee.cmpn-both-nan", leaves_two_nans_open),
    alike("g45.float.ieee.cmp-inf", |s| compares_any(s, has_infinity)),
    cmp("g45.float.ieee.nan-unordered", |s| {
        [Equal, NotEqual].iter().any(|c| compares(s, *c, |a, b| a.is_nan() && b.is_nan()))
    }),
    alike("g45.cmp.order", |s| {
        compares_any(s, |a, b| has_no_nan(a, b) && a.bits != b.bits && !vanish(a, b))
    }),
    cmp("g45.cmp.g", |s| compares(s, Greater, |_, _| true)),
    cmp("g45.cmp.l", |s| compares(s, Less, |_, _| true)),
    cmp("g45.cmp.e", |s| compares(s, Equal, |_, _| true)),
    cmp("g45.cmp.ne", |s| compares(s, NotEqual, |_, _| true)),
    cmp("g45.cmp.le", |s| compares(s, LessEqual, |_, _| true)),
    cmp("g45.cmp.ge", |s| compares(s, GreaterEqual, |_, _| true)),
    alike("g45.cmp.denorm-as-zero", |s| {
        compares_any(s, |a, b| vanish(a, b) && (a.is_denormal() || b.is_denormal()))
    }),
    alike("g45.cmp.signed-zero", |s| compares_any(s, have_opposite_zeros)),
    alike("g45.cmp.inf-same-sign", |s| {
        compares_any(s, |a, b| a.is_infinite() && b.is_infinite() && !have_opposite_signs(a, b))
    }),
    alike("g45.cmp.cross-sign-finite", |s| {
        compares_any(s, |a, b| a.is_normal() && b.is_normal() && have_opposite_signs(a, b))
    }),
    cmpn("g45.cmpn.g", |s| compares(s, Greater, |_, _| true)),
    cmpn("g45.cmpn.l", |s| compares(s, Less, |_, _| true)),
    cmpn("g45.cmpn.e", |s| compares(s, Equal, |_, _| true)),
    cmpn("g45.cmpn.ne", |s| compares(s, NotEqual, |_, _| true)),
    cmpn("g45.cmpn.le", |s| compares(s, LessEqual, |_, _| true)),
    cmpn("g45.cmpn.ge", |s| compares(s, GreaterEqual, |_, _| true)),
    cmpn("g45.cmpn.nan-row", |s| compares_any(s, has_first_nan)),
    cmpn("g45.cmpn.asymmetric", |s| compares_any(s, has_one_nan)),
    cmpn("g45.minmax.nan-rule", |s| {
        [Less, GreaterEqual].iter().any(|c| compares(s, *c, has_one_nan))
    }),
    cmpn("g45.minmax.two-nans", leaves_two_nans_open),
    cmpn("g45.minmax.min-macro", |s| chooses(s, Less)),
    cmpn("g45.minmax.max-macro", |s| chooses(s, GreaterEqual)),
    cmpn("g45.minmax.min-zero", |s| compares(s, Less, have_opposite_zeros)),
    cmpn("g45.minmax.max-zero", |s| compares(s, GreaterEqual, have_opposite_zeros)),
    cmpn("g45.vec.minmax", |s| {
        [Less, GreaterEqual].iter().any(|c| compares(s, *c, |a, b| a.bits != b.bits))
    }),
    g45("g45.cond.cmpn-two-nan").of(&[Cmpn]).when(leaves_two_nans_open).decides_of(Decides::Flags),
];

/// Whether `cmpn` compares two NaNs, of which it does not matter what the flag is.
fn leaves_two_nans_open(step: Step) -> bool {
    step.any_open(|c| c.pair(|a, b| are_floats(a, b) && a.is_nan() && b.is_nan()))
}
