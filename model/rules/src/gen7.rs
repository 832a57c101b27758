//! Gen7, volume 4 part 3: the execution unit.

mod accumulators;
mod arithmetic;
mod data;
mod flags;
mod floats;
mod flow;
mod introduction;
mod masks;
mod regions;
mod registers;

use crate::Rule;

/// The rules of its chapters.
pub(crate) const RULES: &[&[Rule]] = &[
    introduction::RULES,
    data::RULES,
    registers::RULES,
    regions::RULES,
    floats::RULES,
    flags::RULES,
    flow::RULES,
    masks::RULES,
    accumulators::RULES,
    arithmetic::RULES,
];
