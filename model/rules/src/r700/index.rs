//! Which rules decide a group.

use std::sync::LazyLock;

use parallax_isa::r700::AluOpcode;
use parallax_reference::r700::GroupStep;
use parallax_spec::coverage;

use super::{
    Rule, doubles, groups, instructions, operands, program, results,
    step::{Facts, Step},
};

/// Every rule that has a predicate.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let chapters = [
        program::RULES,
        groups::RULES,
        operands::RULES,
        results::RULES,
        instructions::RULES,
        doubles::RULES,
    ];
    chapters.into_iter().flatten().chain(instructions::FAMILIES.iter())
}

/// The rules that speak of groups, and those that speak of each operation.
struct Index {
    of_groups: Vec<&'static Rule>,
    of_operations: Vec<Vec<&'static Rule>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let of = |opcode: &AluOpcode| {
        rules().filter(|rule| rule.is_of_operations() && rule.speaks_of(*opcode)).collect()
    };
    Index {
        of_groups: rules().filter(|rule| !rule.is_of_operations()).collect(),
        of_operations: AluOpcode::ALL.iter().map(of).collect(),
    }
});

/// Counts the rules that decide a group; to be lent to
/// [`Reference::observed_by`](parallax_reference::r700::Reference::observed_by).
pub fn observe(group: &GroupStep) {
    let facts = Facts::of(group);
    let (step, index) = (Step(&facts), &*INDEX);
    for rule in index.of_groups.iter().filter(|rule| rule.decides_group(step)) {
        coverage::hit(rule.id());
    }
    for operation in step.operations() {
        for rule in &index.of_operations[operation.opcode as usize] {
            if rule.decides_operation(operation) {
                coverage::hit(rule.id());
            }
            if rule.is_told_apart(operation) {
                coverage::hit_told_apart(rule.id());
            }
        }
        doubles::observe_tables(operation);
    }
    step.slots().filter(|slot| slot.is_decided()).for_each(instructions::observe_tables);
}
