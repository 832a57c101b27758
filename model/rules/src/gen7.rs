//! Gen7, volume 4 part 3: the execution unit.

mod accumulators;
mod arithmetic;
mod data;
pub(crate) mod exceptions;
mod flags;
mod floats;
mod flow;
mod introduction;
mod masks;
mod numbers;
mod operands;
mod regions;
mod registers;

use crate::Rule;
pub(crate) use operands::{mixes_accumulators, writes_fourth_control_register};

/// The rules of its chapters.
pub(crate) const RULES: &[&[Rule]] = &[
    introduction::RULES,
    data::RULES,
    registers::RULES,
    regions::RULES,
    floats::RULES,
    numbers::RULES,
    operands::RULES,
    flags::RULES,
    flow::RULES,
    exceptions::RULES,
    masks::RULES,
    accumulators::RULES,
    arithmetic::RULES,
];
