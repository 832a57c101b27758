//! Conditions on types and conversions, which the documents state alike.

use parallax_isa::eu::{
    DataType::{self, B, D, Q, Ub, Ud, Uq, Uw, W},
    operand::SourceModifier,
    register::ArfKind,
};

use crate::{element::Element, step::Step};

/// Whether an integer source has a number that its type decides.
pub(crate) fn shows_sign(step: Step, data_type: DataType) -> bool {
    step.reads_numbers() && step.any_of_sources(data_type, |e| e.shows_its_sign())
        || step.destination().data_type == data_type
            && step.instruction().saturate
            && step.any(|c| c.overflowed())
}

/// Whether a conversion of one source is from and to types.
pub(crate) fn converts(step: Step, from: &[DataType], to: &[DataType]) -> bool {
    from.contains(&step.0.source_type(0)) && to.contains(&step.destination().data_type)
}

pub(crate) const UNSIGNED: &[DataType] = &[Ub, Uw, Ud, Uq];
pub(crate) const SIGNED: &[DataType] = &[B, W, D, Q];
pub(crate) const INTEGERS: &[DataType] = &[Ub, Uw, Ud, Uq, B, W, D, Q];

/// Whether an integer is converted from one type to another whose size is in an order to its own.
pub(crate) fn resizes(
    step: Step,
    from: &[DataType],
    to: &[DataType],
    order: std::cmp::Ordering,
) -> bool {
    converts(step, from, to)
        && step.destination().data_type.size().cmp(&step.0.source_type(0).size()) == order
}

/// Whether an operation computes with a float of a type, and not only moves it.
pub(crate) fn computes_with(step: Step, data_type: DataType, which: fn(Element) -> bool) -> bool {
    step.reads_numbers() && step.any_element(data_type, which)
}

/// Whether elements are moved as they are.
pub(crate) fn is_raw(step: Step) -> bool {
    let own = step.destination().data_type;
    !step.instruction().saturate
        && step.sources().iter().all(|source| source.data_type() == own)
        && step.registers().all(|source| {
            source.modifier == SourceModifier::default()
                && source.arf() != Some(ArfKind::Accumulator)
        })
}
