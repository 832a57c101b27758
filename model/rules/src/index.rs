//! Which rules speak of an instruction, and which of them decide a step.

use std::sync::LazyLock;

use parallax_isa::{device::Generation, eu::Opcode};
use parallax_reference::eu::DataStep;
use parallax_spec::{RuleId, coverage};

use crate::{
    Rule, dg1, gen7, generations, semantics,
    step::{Facts, Step},
    talk,
};

/// The rules that speak of each instruction of each generation.
static BY_INSTRUCTION: LazyLock<Vec<Vec<&'static Rule>>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for generation in Generation::ALL {
        for opcode in Opcode::ALL {
            all.push(rules().filter(|rule| rule.speaks_of(*opcode, generation)).collect());
        }
    }
    all
});

/// Every rule that has a predicate.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let documents =
        gen7::RULES.iter().copied().chain([generations::RULES, talk::RULES, dg1::RULES]);
    documents.flatten().chain(semantics::RULES.iter())
}

/// When a rule decides something, if it has a predicate.
#[must_use]
pub fn rule_of(id: RuleId) -> Option<&'static Rule> {
    rules().find(|rule| rule.id() == id)
}

/// Counts the rules that decide a step; to be lent to
/// [`Reference::observed_by`](parallax_reference::eu::Reference::observed_by).
pub fn observe(step: &DataStep) {
    let Some(generation) = step.device.generation() else { return };
    let opcode = step.instruction.opcode as usize;
    let facts = Facts::of(step);
    let step = Step(&facts);
    for rule in &BY_INSTRUCTION[generation as usize * Opcode::ALL.len() + opcode] {
        if rule.decides_step(step) {
            coverage::hit(rule.id());
        }
    }
    dg1::observe_tables(step);
}
