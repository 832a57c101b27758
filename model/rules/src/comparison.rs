//! Conditions on the two elements that are compared, which the documents state alike.

use parallax_isa::eu::{
    Opcode::{Cmp, Cmpn},
    instruction::ConditionalModifier,
};

use crate::{
    Rule,
    element::Element,
    rule::{Decides, rule},
    step::Step,
};

/// Whether `cmp` with a condition compares floats of some kinds.
pub(crate) fn compares(
    step: Step,
    condition: ConditionalModifier,
    which: fn(Element, Element) -> bool,
) -> bool {
    step.has_condition(condition)
        && step
            .any(|c| c.pair(|a, b| a.data_type.is_float() && b.data_type.is_float() && which(a, b)))
}

/// A row of the tables of `cmp`: it decides a flag.
pub(crate) const fn comparison(id: &str, when: fn(Step) -> bool) -> Rule {
    rule(id).of(&[Cmp, Cmpn]).when(when).decides_of(Decides::Flags)
}

pub(crate) fn has_nan(a: Element, b: Element) -> bool {
    a.is_nan() || b.is_nan()
}

pub(crate) fn has_no_nan(a: Element, b: Element) -> bool {
    !has_nan(a, b)
}

pub(crate) fn has_infinity(a: Element, b: Element) -> bool {
    !has_nan(a, b) && (a.is_infinite() || b.is_infinite())
}

pub(crate) fn are_zeros_of_both_signs(a: Element, b: Element) -> bool {
    a.is_zero() && b.is_zero() && a.is_negative() != b.is_negative()
}

/// Whether the difference of two elements is no number of their type: integers too far apart, infinities of one sign.
pub(crate) fn differ_beyond_their_type(a: Element, b: Element) -> bool {
    match (a.integer(), b.integer()) {
        (Some(first), Some(second)) => {
            let bits = 8 * a.data_type.size().max(b.data_type.size());
            !(-(1_i128 << (bits - 1))..1 << (bits - 1)).contains(&(first - second))
        }
        _ => a.is_infinite() && b.is_infinite() && a.is_negative() == b.is_negative(),
    }
}
