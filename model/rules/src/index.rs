//! Which rules speak of an instruction, and which of them decide a step.

use std::{cell::RefCell, collections::BTreeMap, ops::Range, sync::LazyLock};

use parallax_isa::{
    device::Generation,
    eu::{Opcode, instruction::Compression},
};
use parallax_reference::eu::{DataStep, Observed, ThreadStep};
use parallax_spec::{
    RuleId,
    coverage::{Marks, Wanted, wanted},
};

use crate::{
    Decides, Rule,
    access::{Access, Port},
    data_cache::Cache,
    dg1, enums,
    extended_math::{Function, Math},
    flow::Flow,
    g45, gen7, generations,
    macros::Macro,
    message::Message,
    r700,
    sampler::{Pixel, Sample},
    semantics,
    step::{Facts, Step},
    talk, units,
    word::Word,
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
    /// Those with one on words.
    of_words: Vec<Vec<&'static Rule>>,
}

static BY_INSTRUCTION: LazyLock<ByInstruction> = LazyLock::new(|| {
    let mut all = ByInstruction::default();
    for generation in Generation::ALL {
        for opcode in Opcode::ALL {
            let speaking = || rules().filter(|rule| rule.speaks_of(*opcode, generation));
            all.of_data.push(speaking().filter(|rule| rule.is_of_data()).collect());
            all.of_threads.push(speaking().filter(|rule| rule.is_of_threads()).collect());
            all.of_words.push(speaking().filter(|rule| rule.is_of_words()).collect());
        }
    }
    all
});

/// The rules of shared functions, and of steps of macros.
struct OfShared {
    of_messages: Vec<&'static Rule>,
    of_samples: Vec<&'static Rule>,
    of_pixels: Vec<&'static Rule>,
    of_cache: Vec<&'static Rule>,
    of_macros: Vec<&'static Rule>,
    /// Those of messages to the data port, by kind.
    of_accesses: Vec<Vec<&'static Rule>>,
    /// Those of results of Extended Math, by function.
    of_math: Vec<Vec<&'static Rule>>,
}

static OF_SHARED: LazyLock<OfShared> = LazyLock::new(|| OfShared {
    of_messages: rules().filter(|rule| rule.is_of_messages()).collect(),
    of_samples: rules().filter(|rule| rule.is_of_samples()).collect(),
    of_pixels: rules().filter(|rule| rule.is_of_pixels()).collect(),
    of_cache: rules().filter(|rule| rule.is_of_cache()).collect(),
    of_macros: rules().filter(|rule| rule.is_of_macros()).collect(),
    of_accesses: Port::ALL
        .iter()
        .map(|port| rules().filter(|rule| rule.is_of_access(*port)).collect())
        .collect(),
    of_math: Function::ALL
        .iter()
        .map(|function| rules().filter(|rule| rule.is_of_math(*function)).collect())
        .collect(),
});

/// The rules of exceptions.
static OF_EXCEPTIONS: LazyLock<Vec<&'static Rule>> =
    LazyLock::new(|| rules().filter(|rule| rule.is_of_exceptions()).collect());

/// The place of an instruction among them.
fn place(opcode: Opcode, generation: Generation) -> usize {
    generation as usize * Opcode::ALL.len() + opcode as usize
}

/// Every rule that has a predicate.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let documents = g45::RULES.iter().chain(gen7::RULES).chain(generations::RULES);
    let documents = documents.chain(generations::COMPUTE);
    let documents =
        documents.chain(talk::RULES).copied().chain([dg1::RULES, dg1::WORDS, units::RULES]);
    let made = g45::OPCODES.iter().chain(dg1::CODES.iter()).chain(g45::ATTRIBUTES.iter());
    let made = made.chain(g45::CELLS.iter()).chain(dg1::CELLS.iter());
    let made = made.chain(semantics::RULES.iter()).chain(enums::RULES.iter());
    documents.flatten().chain(made)
}

/// The rows of each rule: those of machines with one record, and those of instruction groups.
static BY_RULE: LazyLock<BTreeMap<RuleId, RowsOfRule>> = LazyLock::new(|| {
    let mut by_rule: BTreeMap<RuleId, RowsOfRule> = BTreeMap::new();
    for rule in rules() {
        by_rule.entry(rule.id()).or_default().own.push(rule);
    }
    for rule in r700::rules() {
        by_rule.entry(rule.id()).or_default().of_groups.push(rule);
    }
    by_rule
});

/// The rows of one rule.
#[derive(Default)]
struct RowsOfRule {
    own: Vec<&'static Rule>,
    of_groups: Vec<&'static r700::Rule>,
}

/// When a rule decides something, if it has a predicate.
#[must_use]
pub fn rule_of(id: RuleId) -> Option<&'static Rule> {
    BY_RULE.get(&id)?.own.first().copied()
}

/// What a rule decides, by each of its rows.
pub fn decides(id: RuleId) -> impl Iterator<Item = Decides> {
    let rows = BY_RULE.get(&id).into_iter();
    rows.flat_map(|RowsOfRule { own, of_groups }| {
        let of_groups = of_groups.iter().map(|rule| rule.decides());
        own.iter().map(|rule| rule.decides()).chain(of_groups)
    })
}

/// The rules that may decide steps of the instructions of a program.
#[derive(Default)]
struct Program {
    /// The number of the program, and of the rules that are sought in it.
    numbers: [u64; 2],
    /// The rules of its instructions, one after the other.
    rules: Vec<&'static Rule>,
    /// Where those of an instruction are, by its place in the program, of either half.
    ranges: Vec<Option<Range<usize>>>,
    /// The marks of the rules that decide what instructions are decoded from, by their places in the program.
    words: Vec<Option<Marks>>,
}

impl Program {
    /// The program of a number in which some rules are sought.
    fn of(&mut self, number: u64, wanted: &Wanted) -> &mut Self {
        let numbers = [number, wanted.number()];
        if self.numbers != numbers {
            self.numbers = numbers;
            self.rules.clear();
            self.ranges.clear();
            self.words.clear();
        }
        self
    }
}

/// The rules that are sought, by instruction and generation.
#[derive(Default)]
struct Sought {
    /// The number of the choice of rules.
    number: u64,
    of_data: Vec<Option<Box<[&'static Rule]>>>,
    of_threads: Vec<Option<Box<[&'static Rule]>>>,
    of_words: Vec<Option<Box<[&'static Rule]>>>,
}

impl Sought {
    /// Those of a choice of rules.
    fn of(&mut self, wanted: &Wanted) -> &mut Self {
        if self.number != wanted.number() {
            *self = Self { number: wanted.number(), ..Self::default() };
        }
        self
    }
}

/// Those of a list for one instruction that are sought.
fn sought_in<'a>(
    sought: &'a mut Vec<Option<Box<[&'static Rule]>>>,
    place: usize,
    all: &[Vec<&'static Rule>],
    wanted: &Wanted,
) -> &'a [&'static Rule] {
    at(sought, place).get_or_insert_with(|| {
        all[place].iter().copied().filter(|rule| wanted.has(rule.id())).collect()
    })
}

/// The element at a place of a list, which grows as far as that.
fn at<T>(list: &mut Vec<Option<T>>, place: usize) -> &mut Option<T> {
    if place >= list.len() {
        list.resize_with(place + 1, || None);
    }
    &mut list[place]
}

thread_local! {
    /// The program that was observed last: most steps are of the same one as the step before.
    static PROGRAM: RefCell<Program> = RefCell::default();
    /// The rules that were sought last.
    static SOUGHT: RefCell<Sought> = RefCell::default();
}

/// The rules that may decide a step of the instruction of one, whatever it reads.
#[must_use]
pub fn rules_of(step: &DataStep) -> Vec<&'static Rule> {
    let mut rules = Vec::new();
    add_sought_of(step, &Wanted::EVERY, &mut rules);
    rules
}

/// Adds those of them that are sought.
fn add_sought_of(step: &DataStep, wanted: &Wanted, rules: &mut Vec<&'static Rule>) {
    let Some(generation) = step.device.generation() else { return };
    let facts = Facts::of_instruction(step);
    let place = place(step.instruction.opcode, generation);
    SOUGHT.with_borrow_mut(|sought| {
        let of_data = &mut sought.of(wanted).of_data;
        let sought = sought_in(of_data, place, &BY_INSTRUCTION.of_data, wanted).iter().copied();
        rules.extend(sought.filter(|rule| rule.decides_step(Step(&facts))));
    });
}

/// Counts the rules that decide a step; to be lent to
/// [`Reference::observed_by`](parallax_reference::eu::Reference::observed_by).
pub fn observe(observed: &Observed) {
    let wanted = &wanted();
    let count = |rules: &[&'static Rule], decides: &dyn Fn(&Rule) -> bool| {
        let sought = rules.iter().filter(|rule| wanted.has(rule.id()));
        sought.filter(|rule| decides(rule)).for_each(|rule| rule.count());
    };
    match observed {
        Observed::Data(step) => observe_data(step, wanted),
        Observed::Thread(step) => {
            let Some(generation) = step.device.generation() else { return };
            let place = place(step.instruction.opcode, generation);
            SOUGHT.with_borrow_mut(|sought| {
                let of_threads = &mut sought.of(wanted).of_threads;
                let sought = sought_in(of_threads, place, &BY_INSTRUCTION.of_threads, wanted);
                let decide = sought.iter().filter(|rule| rule.decides_flow(Flow(step)));
                decide.for_each(|rule| rule.count());
            });
            dg1::observe_flow(Flow(step));
            observe_word(step, generation, wanted);
        }
        Observed::Exception(step) => {
            count(&OF_EXCEPTIONS, &|rule| rule.decides_exception(step));
        }
        Observed::Message(step) => count(&OF_SHARED.of_messages, &|rule| {
            rule.speaks_of_message(step) && rule.decides_message(Message(step))
        }),
        Observed::Access(step) => {
            let (device, port) = (step.device, Access(step).port());
            count(&OF_SHARED.of_accesses[port as usize], &|rule| {
                rule.speaks_of_access(device, port) && rule.decides_access(Access(step))
            });
            g45::observe_tables(Access(step));
        }
        Observed::Cache(step) => count(&OF_SHARED.of_cache, &|rule| {
            rule.speaks_of_cache(step.device) && rule.decides_cache(Cache(step))
        }),
        Observed::Macro(step) => count(&OF_SHARED.of_macros, &|rule| {
            rule.speaks_of_macro(step.device) && rule.decides_macro(Macro(step))
        }),
        Observed::Pixel(step) => {
            count(&OF_SHARED.of_pixels, &|rule| rule.decides_pixel(Pixel(step)));
        }
        Observed::Sample(step) => {
            count(&OF_SHARED.of_samples, &|rule| rule.decides_sample(Sample(step)));
        }
        Observed::Math(step) => {
            let (device, function) = (step.device, Math(step).function());
            count(&OF_SHARED.of_math[function as usize], &|rule| {
                rule.speaks_of_math(device, function) && rule.decides_math(Math(step))
            });
        }
    }
}

/// Counts the rules that decide what an instruction is decoded from.
fn observe_word(step: &ThreadStep, generation: Generation, wanted: &Wanted) {
    PROGRAM.with_borrow_mut(|program| {
        let words = &mut program.of(step.program_number, wanted).words;
        let place = step.offset as usize / COMPACT_BYTES;
        let of_word = || Marks::of(|| count_words(step, generation, wanted)).1.wanted(wanted);
        at(words, place).get_or_insert_with(of_word).repeat();
    });
}

fn count_words(step: &ThreadStep, generation: Generation, wanted: &Wanted) {
    let Some(word) = Word::of(step) else { return };
    let place = place(step.instruction.opcode, generation);
    SOUGHT.with_borrow_mut(|sought| {
        let of_words = &mut sought.of(wanted).of_words;
        let sought = sought_in(of_words, place, &BY_INSTRUCTION.of_words, wanted);
        sought.iter().filter(|rule| rule.decides_word(word)).for_each(|rule| rule.count());
    });
    g45::count_words(word);
    generations::count_words(word);
}

fn observe_data(step: &DataStep, wanted: &Wanted) {
    PROGRAM.with_borrow_mut(|program| {
        let Program { rules, ranges, .. } = program.of(step.program, wanted);
        // Of a compressed instruction the halves are two.
        let is_second = step.instruction.compression == Compression::SecHalf;
        let place = 2 * (step.offset as usize / COMPACT_BYTES) + usize::from(is_second);
        let range = at(ranges, place).get_or_insert_with(|| {
            let first = rules.len();
            add_sought_of(step, wanted, rules);
            first..rules.len()
        });
        let facts = Facts::of(step);
        for rule in rules[range.clone()].iter().filter(|rule| rule.decides_step(Step(&facts))) {
            rule.count();
        }
        dg1::observe_tables(Step(&facts));
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Where surfaces are in memory the Sampling Engine and the data port have a row of.
    #[test]
    fn each_rule_has_one_row_of_a_record() {
        let mut seen = BTreeSet::new();
        let own = rules().map(|rule| (rule.id(), rule.is_of_pixels()));
        let ids = own.chain(r700::rules().map(|rule| (rule.id(), false)));
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
