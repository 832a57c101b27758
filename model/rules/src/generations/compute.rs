//! Compute messages of Gen7 to Gen12 and what goes with them: the data cache, barriers of the gateway, macros of exact
//! quotients and roots, operand forms that compilers use. In the order of the catalogue (`eu-messages`).

mod accesses;
mod addresses;
mod descriptors;
mod gateway;
mod macros;
mod operands;

use crate::Rule;

pub(super) const RULES: &[&[Rule]] = &[
    descriptors::RULES,
    addresses::RULES,
    accesses::RULES,
    gateway::RULES,
    macros::RULES,
    operands::RULES,
];
