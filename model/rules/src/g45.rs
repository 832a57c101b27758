//! G45, volume 4: the execution unit of Gen4 and Gen4.5.

mod data_port;
mod environment;
mod extended_math;
mod gateway;
mod instructions;
mod messages;
mod sampler;
pub mod text;
mod urb;
mod words;

use parallax_isa::device::Generation::{Gen4, Gen45};

use crate::{Rule, rule};
pub(crate) use data_port::observe_tables;
pub(crate) use extended_math::CELLS;
pub(crate) use instructions::ATTRIBUTES;
pub(crate) use words::{OPCODES, count_words};

/// The rules of its chapters.
pub(crate) static RULES: &[&[Rule]] = &[
    words::RULES,
    environment::floats::RULES,
    environment::comparisons::RULES,
    environment::conversions::RULES,
    environment::immediates::RULES,
    environment::operands::RULES,
    environment::regions::RULES,
    environment::conditions::RULES,
    environment::moves::RULES,
    environment::accumulators::RULES,
    environment::masks::RULES,
    environment::compression::RULES,
    environment::stacks::RULES,
    environment::exceptions::RULES,
    instructions::arithmetic::RULES,
    instructions::comparisons::RULES,
    instructions::logic::RULES,
    instructions::moves::RULES,
    instructions::rounding::RULES,
    instructions::vectors::RULES,
    instructions::flow::RULES,
    messages::RULES,
    extended_math::RULES,
    extended_math::FLOAT_MODES,
    data_port::RULES[0],
    data_port::RULES[1],
    data_port::RULES[2],
    data_port::RULES[3],
    instructions::send::RULES,
    data_port::RULES[4],
    sampler::PIXELS[0],
    sampler::PIXELS[1],
    sampler::PIXELS[2],
    sampler::RULES,
    gateway::RULES,
    urb::RULES,
];

/// A rule that decides the result of each data instruction that has one, until more is said.
const fn g45(id: &str) -> Rule {
    of_gen4(rule::rule(id))
}

/// The same rule, of Gen4 and Gen4.5 alone.
const fn of_gen4(rule: Rule) -> Rule {
    rule.since(Gen4).until(Gen45)
}
