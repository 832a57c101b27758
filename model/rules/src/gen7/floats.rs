//! Float modes and comparisons (sections on floating-point modes, and their tables).

use parallax_isa::eu::{
    DataType::Df,
    Opcode::{Cmp, Cmpn, Csel, Sel},
    instruction::ConditionalModifier::{
        Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Overflow, Unordered,
    },
};

use crate::{
    Rule,
    comparison::{
        are_zeros_of_both_signs, compares, comparison, has_infinity, has_nan, has_no_nan,
    },
    element::Element,
    rule::{Decides, rule},
};

fn are_normal(a: Element, b: Element) -> bool {
    (a.is_normal() || a.is_zero())
        && (b.is_normal() || b.is_zero())
        && !(a.is_zero() && b.is_zero())
}

/// Doubles below all normal ones, one of them a denormal.
fn are_small(a: Element, b: Element) -> bool {
    let is_small = |e: Element| e.data_type == Df && (e.is_denormal() || e.is_zero());
    is_small(a) && is_small(b) && (a.is_denormal() || b.is_denormal())
}

/// Two small doubles of which the second is the greater one, whether denormals are kept or not.
fn ascend(a: Element, b: Element) -> bool {
    are_small(a, b)
        && (a.is_negative() && a.is_denormal() && !b.is_negative()
            || a.is_zero() && b.is_denormal() && !b.is_negative())
}

pub(super) const RULES: &[Rule] = &[
    rule("gen7.alt.f-only").when(|s| {
        s.is_alternative()
            && s.any(|c| {
                c.any(|e| e.data_type.is_float() && e.data_type != parallax_isa::eu::DataType::F)
            })
    }),
    comparison("gen7.ieee.cmp-nan-false", |s| {
        [Equal, Greater, GreaterEqual, Less, LessEqual]
            .iter()
            .any(|condition| compares(s, *condition, has_nan))
    }),
    comparison("gen7.ieee.cmp-nan-ne", |s| compares(s, NotEqual, has_nan)),
    comparison("gen7.ieee.nan-unordered", |s| {
        [Equal, NotEqual]
            .iter()
            .any(|condition| compares(s, *condition, |a, b| a.is_nan() && b.is_nan()))
    }),
    comparison("gen7.ieee.cmp-inf-exact", |s| {
        [Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual]
            .iter()
            .any(|condition| compares(s, *condition, has_infinity))
    }),
    rule("gen7.ieee.no-fp-exceptions")
        .when(|s| {
            !matches!(s.instruction().opcode, Cmp | Cmpn | Sel | Csel)
                && (s.has_condition(Overflow) || s.has_condition(Unordered))
                && s.sets_flags()
        })
        .decides_of(Decides::Flags),
    comparison("gen7.cmp.g-fin", |s| compares(s, Greater, are_normal)),
    comparison("gen7.cmp.g-inf", |s| compares(s, Greater, has_infinity)),
    comparison("gen7.cmp.g-nan", |s| compares(s, Greater, has_nan)),
    comparison("gen7.cmp.g-zero", |s| compares(s, Greater, are_zeros_of_both_signs)),
    comparison("gen7.cmp.g-denorm", |s| compares(s, Greater, are_small)),
    comparison("gen7.cmp.l-fin", |s| compares(s, Less, are_normal)),
    comparison("gen7.cmp.l-inf", |s| compares(s, Less, has_infinity)),
    comparison("gen7.cmp.l-nan", |s| compares(s, Less, has_nan)),
    comparison("gen7.cmp.l-zero", |s| compares(s, Less, are_zeros_of_both_signs)),
    comparison("gen7.cmp.l-denorm", |s| compares(s, Less, are_small)),
    comparison("gen7.cmp.e-fin", |s| compares(s, Equal, are_normal)),
    comparison("gen7.cmp.e-inf", |s| compares(s, Equal, has_infinity)),
    comparison("gen7.cmp.e-nan", |s| compares(s, Equal, has_nan)),
    comparison("gen7.cmp.e-zero", |s| compares(s, Equal, are_zeros_of_both_signs)),
    comparison("gen7.cmp.e-denorm", |s| compares(s, Equal, are_small)),
    comparison("gen7.cmp.ne-complement", |s| compares(s, NotEqual, has_no_nan)),
    comparison("gen7.cmp.ne-nan", |s| compares(s, NotEqual, has_nan)),
    comparison("gen7.cmp.le-union", |s| compares(s, LessEqual, has_no_nan)),
    comparison("gen7.cmp.le-nan", |s| compares(s, LessEqual, has_nan)),
    comparison("gen7.cmp.le-mode-free", |s| compares(s, LessEqual, ascend)),
    comparison("gen7.cmp.ge-union", |s| compares(s, GreaterEqual, has_no_nan)),
    comparison("gen7.cmp.ge-nan", |s| compares(s, GreaterEqual, has_nan)),
    comparison("gen7.cmp.ge-mode-free", |s| compares(s, GreaterEqual, |a, b| ascend(b, a))),
];
