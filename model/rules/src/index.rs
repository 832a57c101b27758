//! Which rules speak of an instruction, and which of them decide a step.

use std::{cell::RefCell, sync::LazyLock};

use parallax_isa::{
    device::Generation,
    eu::{Opcode, instruction::Compression},
};
use parallax_reference::eu::{DataStep, Observed};
use parallax_spec::{RuleId, coverage};

use crate::{
    Decides, Rule, dg1,
    flow::Flow,
    g45, gen7, generations, r700, semantics,
    step::{Facts, Step},
    talk,
};

/// Bytes of the shortest instruction.
const COMPACT_BYTES: usize = 8;

/// The rules that speak of each instruction of each generation.
#[derive(Default)]
struct ByInstruction {
    /// Those with a condition on data instructions.
    of_data: Vec<Vec<&'static Rule>>,
    /// Those with one on what an instruction does to its thread.
    of_threads: Vec<Vec<&'static Rule>>,
}

static BY_INSTRUCTION: LazyLock<ByInstruction> = LazyLock::new(|| {
    let mut all = ByInstruction::default();
    for generation in Generation::ALL {
        for opcode in Opcode::ALL {
            let (of_data, of_threads) = rules()
                .filter(|rule| rule.speaks_of(*opcode, generation))
                .partition(|rule| rule.is_of_data());
            all.of_data.push(of_data);
            all.of_threads.push(of_threads);
        }
    }
    all
});

/// The place of an instruction among them.
fn place(opcode: Opcode, generation: Generation) -> usize {
    generation as usize * Opcode::ALL.len() + opcode as usize
}

/// Every rule that has a predicate.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let documents = g45::RULES.iter().chain(gen7::RULES).chain(generations::RULES);
    let documents = documents.chain(talk::RULES).copied().chain([dg1::RULES]);
    documents.flatten().chain(g45::ATTRIBUTES.iter()).chain(semantics::RULES.iter())
}

/// When a rule decides something, if it has a predicate.
#[must_use]
pub fn rule_of(id: RuleId) -> Option<&'static Rule> {
    rules().find(|rule| rule.id() == id)
}

/// What a rule decides, if it has a predicate.
#[must_use]
pub fn decides(id: RuleId) -> Option<Decides> {
    let of_groups = || r700::rules().find(|rule| rule.id() == id).map(r700::Rule::decides);
    rule_of(id).map(Rule::decides).or_else(of_groups)
}

/// The rules that may decide steps of the instructions of a program.
#[derive(Default)]
struct Program {
    /// The number of the program.
    number: u64,
    /// The rules by the place of the instruction in the program, of either half.
    rules: Vec<Option<Box<[&'static Rule]>>>,
}

thread_local! {
    /// The program that was observed last: most steps are of the same one as the step before.
    static PROGRAM: RefCell<Program> = RefCell::default();
}

/// The rules that may decide a step of an instruction.
fn rules_of_instruction(step: &DataStep, generation: Generation) -> Box<[&'static Rule]> {
    let facts = Facts::of_instruction(step);
    let rules = &BY_INSTRUCTION.of_data[place(step.instruction.opcode, generation)];
    rules.iter().copied().filter(|rule| rule.decides_step(Step(&facts))).collect()
}

/// Counts the rules that decide a step; to be lent to
/// [`Reference::observed_by`](parallax_reference::eu::Reference::observed_by).
pub fn observe(observed: &Observed) {
    match observed {
        Observed::Data(step) => observe_data(step),
        Observed::Thread(step) => {
            let Some(generation) = step.device.generation() else { return };
            let rules = &BY_INSTRUCTION.of_threads[place(step.instruction.opcode, generation)];
            let deciding = rules.iter().filter(|rule| rule.decides_flow(Flow(step)));
            deciding.for_each(|rule| coverage::hit(rule.id()));
        }
    }
}

fn observe_data(step: &DataStep) {
    let Some(generation) = step.device.generation() else { return };
    let facts = Facts::of(step);
    PROGRAM.with_borrow_mut(|program| {
        if program.number != step.program {
            program.number = step.program;
            program.rules.clear();
        }
        // Of a compressed instruction the halves are two.
        let is_second = step.instruction.compression == Compression::SecHalf;
        let place = 2 * (step.offset as usize / COMPACT_BYTES) + usize::from(is_second);
        if place >= program.rules.len() {
            program.rules.resize_with(place + 1, || None);
        }
        let rules =
            program.rules[place].get_or_insert_with(|| rules_of_instruction(step, generation));
        for rule in rules {
            if rule.decides_step(Step(&facts)) {
                coverage::hit(rule.id());
            }
        }
    });
    dg1::observe_tables(Step(&facts));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_rule_has_one_row() {
        let mut seen = BTreeSet::new();
        let ids = rules().map(Rule::id).chain(r700::rules().map(r700::Rule::id));
        let twice: Vec<_> = ids.filter(|id| !seen.insert(*id)).collect();
        assert_eq!(twice, []);
    }

    #[test]
    fn each_rule_speaks_of_an_instruction() {
        let speaks = |rule: &Rule| {
            let generations = Generation::ALL.into_iter();
            generations
                .flat_map(|g| Opcode::ALL.iter().map(move |o| (*o, g)))
                .any(|(o, g)| rule.speaks_of(o, g))
        };
        let silent: Vec<_> = rules().filter(|rule| !speaks(rule)).map(Rule::id).collect();
        assert_eq!(silent, []);
    }
}
