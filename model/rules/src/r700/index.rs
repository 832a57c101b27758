//! Which rules decide a step.

use std::sync::LazyLock;

use parallax_isa::r700::{AluOpcode, CfOpcode, FetchOpcode};
use parallax_reference::r700::{FetchStep, GroupStep, Observed};
use parallax_spec::coverage::{self, Wanted, wanted};

use super::{
    Rule,
    control::Flow,
    doubles, exports,
    fetch::Fetched,
    fetches, flow, formats, groups, instructions, local_share, memory_reads, operands, program,
    results,
    rule::When,
    step::{Facts, Step},
    textures,
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
        flow::RULES,
        exports::RULES,
        fetches::RULES,
        formats::RULES,
        textures::RULES,
        memory_reads::RULES,
        local_share::RULES,
    ];
    chapters.into_iter().flatten().chain(instructions::FAMILIES.iter())
}

/// The rules by what they speak of.
struct Index {
    of_groups: Vec<&'static Rule>,
    of_operations: Vec<Vec<&'static Rule>>,
    of_fetches: Vec<Vec<&'static Rule>>,
    of_flow: Vec<Vec<&'static Rule>>,
    of_ends: Vec<Vec<&'static Rule>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let is_of_groups = |rule: &&Rule| matches!(rule.when(), When::Group(_));
    let is_of_operations = |rule: &&Rule| matches!(rule.when(), When::Operation(..));
    let of_flow = |is_end: bool| {
        let of = |opcode| rules().filter(|rule| rule.speaks_of_flow(opcode, is_end)).collect();
        CfOpcode::ALL.iter().map(|opcode| of(*opcode)).collect()
    };
    let of_fetches =
        |opcode: &FetchOpcode| rules().filter(|rule| rule.speaks_of_fetch(*opcode)).collect();
    let of = |opcode: &AluOpcode| {
        rules().filter(is_of_operations).filter(|rule| rule.speaks_of(*opcode)).collect()
    };
    Index {
        of_groups: rules().filter(is_of_groups).collect(),
        of_operations: AluOpcode::ALL.iter().map(of).collect(),
        of_fetches: FetchOpcode::ALL.iter().map(of_fetches).collect(),
        of_flow: of_flow(false),
        of_ends: of_flow(true),
    }
});

/// Counts the rules that decide a step; to be lent to
/// [`Reference::observed_by`](parallax_reference::r700::Reference::observed_by).
pub fn observe(observed: &Observed) {
    let wanted = &wanted();
    match observed {
        Observed::Group(group) => observe_group(group, wanted),
        Observed::Fetch(step) => observe_fetch(step, wanted),
        Observed::Flow(step) => {
            let rules = if step.is_end { &INDEX.of_ends } else { &INDEX.of_flow };
            let sought = sought(&rules[step.opcode as usize], wanted);
            let deciding = sought.filter(|rule| rule.decides_flow(Flow(step)));
            deciding.for_each(|rule| coverage::hit(rule.id()));
        }
    }
}

/// Those of some rules that are looked for.
fn sought<'r>(
    rules: &'r [&'static Rule],
    wanted: &'r Wanted,
) -> impl Iterator<Item = &'static Rule> + 'r {
    rules.iter().copied().filter(|rule| wanted.has(rule.id()))
}

fn observe_fetch(step: &FetchStep, wanted: &Wanted) {
    let sought = sought(&INDEX.of_fetches[step.opcode as usize], wanted);
    let step = Fetched(step);
    let deciding = sought.filter(|rule| rule.decides_fetch(step));
    deciding.for_each(|rule| coverage::hit(rule.id()));
    formats::observe_tables(step);
    memory_reads::observe_tables(step);
}

fn observe_group(group: &GroupStep, wanted: &Wanted) {
    let facts = Facts::of(group);
    let (step, index) = (Step(&facts), &*INDEX);
    for rule in sought(&index.of_groups, wanted).filter(|rule| rule.decides_group(step)) {
        coverage::hit(rule.id());
    }
    for operation in step.operations() {
        for rule in sought(&index.of_operations[operation.opcode as usize], wanted) {
            if rule.decides_operation(operation) {
                coverage::hit(rule.id());
            }
            if rule.is_distinguished(operation) {
                coverage::hit_distinguished(rule.id());
            }
        }
        doubles::observe_tables(operation);
    }
    step.slots().filter(|slot| slot.is_decided()).for_each(instructions::observe_tables);
}
