//! A row: a rule, when it decides a step, and what it decides of it.

mod decision;

use parallax_isa::{device::Generation, eu::Opcode};
use parallax_reference::eu::ExceptionStep;
use parallax_spec::{RuleId, coverage};

use crate::{
    access::{Access, Port},
    codes::Codes,
    data_cache::Cache,
    extended_math::{Cell, Function, Math},
    flow::Flow,
    function_cell::FunctionCell,
    macros::Macro,
    message::Message,
    sampler::{Pixel, Sample},
    step::Step,
    unit_step::Units,
    word::Word,
};

/// What a rule decides of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decides {
    /// What a word of machine code stands for, and so anything that the instruction does.
    Word,
    /// The elements of the destination.
    Result,
    /// The bits of a flag register.
    Flags,
    /// The accumulator that is written besides the destination.
    Accumulator,
    /// Where the program goes on.
    NextInstruction,
    /// That memory stays as it is.
    Memory,
    /// What a message leaves in memory.
    Stored,
    /// That flag registers stay as they are.
    KeptFlags,
    /// That accumulators stay as they are.
    KeptAccumulator,
    /// The execution masks.
    Masks,
    /// That they stay as they are.
    KeptMasks,
    /// The mask stacks' counters and depths.
    MaskStacks,
    /// That they stay as they are.
    KeptMaskStacks,
    /// Where channels wait.
    Places,
    /// That those that wait stay there.
    KeptPlaces,
    /// Which exceptions are raised.
    Exceptions,
    /// The predicates of pixels: those that are stored, and those that go to the execute mask.
    Predicate,
    /// The address register.
    AddressRegister,
    /// Which pixels are valid.
    ValidPixels,
    /// Which pixels are active, and why others are not.
    PixelStates,
    /// What is on the stack, and how deep calls are.
    Stack,
    /// The trips that a loop has left, its index, its increment.
    Loop,
}

/// What the condition of a rule is on, by where such is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Data instructions.
    Data,
    /// What instructions and exceptions do to their thread.
    Thread,
    /// Messages to any shared function but the Sampling Engine.
    Message,
    /// Messages to the Sampling Engine.
    Sample,
    /// Codes of enumerations.
    Codes,
    /// Answers of units.
    Units,
}

/// What a condition is on.
#[derive(Debug, Clone, Copy)]
enum When {
    /// A data instruction that was executed.
    Data(fn(Step) -> bool),
    /// A function of `math` of an operand of some class.
    Function(FunctionCell),
    /// What an instruction did to its thread.
    Flow(fn(Flow) -> bool),
    /// The word that an instruction was decoded from.
    Word(fn(Word) -> bool),
    /// A code among those that such a word has, a bit each.
    Code(fn(Word) -> u32, u32),
    /// An exception instead of an instruction.
    Exception(fn(&ExceptionStep) -> bool),
    /// A code of an enumeration.
    Codes(Codes),
    /// An answer of units to some events.
    Units(fn(Units) -> bool, fn(Units) -> bool),
    /// A message to one of some targets.
    Message(&'static [u8], fn(Message) -> bool),
    /// What is sampled for a pixel or sample.
    Pixel(fn(Pixel) -> bool),
    /// A message to the Sampling Engine.
    Sample(fn(Sample) -> bool),
    /// A message of some kinds to the data port.
    Access(&'static [Port], fn(Access) -> bool),
    /// A message to the data cache of Gen7 and later.
    Cache(fn(Cache) -> bool),
    /// A step of an exact quotient or root.
    Macro(fn(Macro) -> bool),
    /// A result of some functions of Extended Math.
    Math(&'static [Function], fn(Math) -> bool),
    /// A cell of its tables.
    Cell(Cell),
}

/// When a rule decides what an instruction does.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    id: RuleId,
    first: Generation,
    last: Generation,
    /// The instructions it speaks of; empty for any.
    of: &'static [Opcode],
    when: When,
    decides: Decides,
    is_unconditional: bool,
    excludes_others: bool,
}

/// A rule that decides the result of each data instruction from Gen7 on that has one, until more is said.
pub(crate) const fn rule(id: &str) -> Rule {
    Rule::of_id(RuleId::named(id))
}

/// A rule that decides what instructions of Gen7 and later that meet a condition do to their thread.
pub(crate) const fn flow(
    id: &str,
    decides: Decides,
    of: &'static [Opcode],
    when: fn(Flow) -> bool,
) -> Rule {
    Rule { when: When::Flow(when), decides, of, ..rule(id) }
}

/// A rule that decides what words of Gen7 and later that meet a condition stand for.
pub(crate) const fn word(id: &str, when: fn(Word) -> bool) -> Rule {
    Rule { when: When::Word(when), decides: Decides::Word, ..rule(id) }
}

/// A rule that decides what words with an opcode stand for.
pub(crate) const fn of_opcode(id: RuleId, opcode: &'static Opcode) -> Rule {
    let rule = Rule { when: When::Word(|_| true), decides: Decides::Word, ..Rule::of_id(id) };
    rule.of(std::slice::from_ref(opcode)).unconditional()
}

/// A rule that decides what words of Gen12 with a code stand for.
pub(crate) const fn of_code(id: RuleId, codes: fn(Word) -> u32, code: u32) -> Rule {
    let rule = Rule { when: When::Code(codes, code), decides: Decides::Word, ..Rule::of_id(id) };
    rule.since(Generation::Gen12)
}

/// A rule that decides answers of units to some events that meet a condition.
pub(crate) const fn units(id: &str, of: fn(Units) -> bool, when: fn(Units) -> bool) -> Rule {
    Rule { when: When::Units(of, when), ..rule(id) }
}

/// A rule that decides the reply to messages to some targets that meet a condition.
pub(crate) const fn message(id: &str, targets: &'static [u8], when: fn(Message) -> bool) -> Rule {
    Rule { when: When::Message(targets, when), ..rule(id) }
}

/// A rule that decides what is sampled for pixels and samples that meet a condition.
pub(crate) const fn pixel(id: &str, when: fn(Pixel) -> bool) -> Rule {
    Rule { when: When::Pixel(when), ..rule(id) }
}

/// A rule that decides the reply to messages to the Sampling Engine that meet a condition.
pub(crate) const fn sample(id: &str, when: fn(Sample) -> bool) -> Rule {
    Rule { when: When::Sample(when), ..rule(id) }
}

/// A rule that decides the reply to some messages to the data port that meet a condition.
pub(crate) const fn access(id: &str, of: &'static [Port], when: fn(Access) -> bool) -> Rule {
    Rule { when: When::Access(of, when), ..rule(id) }
}

/// A rule that decides what messages to the data cache of Gen7 and later that meet a condition do.
pub(crate) const fn cache(id: &str, when: fn(Cache) -> bool) -> Rule {
    Rule { when: When::Cache(when), ..rule(id) }
}

/// A rule that decides steps of exact quotients and roots (Gen9) that meet a condition.
pub(crate) const fn macro_step(id: &str, when: fn(Macro) -> bool) -> Rule {
    let rule = Rule { when: When::Macro(when), ..rule(id) };
    rule.since(Generation::Gen9).until(Generation::Gen9)
}

/// A rule that decides results of some functions of Extended Math that meet a condition.
pub(crate) const fn math(id: &str, of: &'static [Function], when: fn(Math) -> bool) -> Rule {
    Rule { when: When::Math(of, when), ..rule(id) }
}

/// A rule that decides what happens instead of an instruction where exceptions that meet a condition are raised.
pub(crate) const fn exception(
    id: &str,
    decides: Decides,
    when: fn(&ExceptionStep) -> bool,
) -> Rule {
    Rule { when: When::Exception(when), decides, ..rule(id) }
}

impl Rule {
    /// A rule that decides what codes of an enumeration stand for.
    pub(crate) const fn of_codes(id: RuleId, codes: Codes) -> Self {
        Self { when: When::Codes(codes), ..Self::of_id(id) }
    }

    /// A rule that decides a cell of the tables of Extended Math.
    pub(crate) const fn of_cell(id: RuleId, cell: Cell) -> Self {
        Self { when: When::Cell(cell), ..Self::of_id(id) }
    }

    /// The same of a rule that is known.
    pub(crate) const fn of_id(id: RuleId) -> Self {
        Self {
            id,
            first: Generation::Gen7,
            last: Generation::Gen12,
            of: &[],
            when: When::Data(|step| step.has_exact_result()),
            decides: Decides::Result,
            is_unconditional: false,
            excludes_others: false,
        }
    }

    /// The first generation it holds for.
    pub(crate) const fn since(self, first: Generation) -> Self {
        Self { first, ..self }
    }

    /// The last generation it holds for.
    pub(crate) const fn until(self, last: Generation) -> Self {
        Self { last, ..self }
    }

    /// The instructions it speaks of.
    pub(crate) const fn of(self, of: &'static [Opcode]) -> Self {
        Self { of, ..self }
    }

    /// The cell of a table that it is.
    pub(crate) const fn function(self, cell: FunctionCell) -> Self {
        Self { when: When::Function(cell), ..self }
    }

    /// The steps that it decides.
    pub(crate) const fn when(self, when: fn(Step) -> bool) -> Self {
        Self { when: When::Data(when), ..self }
    }

    /// What it decides of them.
    pub(crate) const fn decides_of(self, decides: Decides) -> Self {
        Self { decides, ..self }
    }

    /// It decides every step of its instructions that has a result: none of those is a counterexample.
    pub(crate) const fn unconditional(self) -> Self {
        Self { is_unconditional: true, ..self }
    }

    /// Where it decides a result that is accepted within a tolerance, that excludes every other reading of the rule.
    pub(crate) const fn excludes_others(self) -> Self {
        Self { excludes_others: true, ..self }
    }

    /// Counts a step that it decides.
    pub(crate) fn count(&self) {
        match self.excludes_others {
            true => coverage::hit_distinguished(self.id),
            false => coverage::hit(self.id),
        }
    }

    /// The rule of the catalogue.
    #[must_use]
    pub const fn id(&self) -> RuleId {
        self.id
    }

    /// What it decides.
    #[must_use]
    pub const fn decides(&self) -> Decides {
        self.decides
    }

    /// Whether it decides every step of its instructions that has a result.
    #[must_use]
    pub const fn is_unconditional(&self) -> bool {
        self.is_unconditional
    }

    /// What its condition is on.
    #[must_use]
    pub const fn record(&self) -> Record {
        match self.when {
            When::Data(_) | When::Function(_) | When::Word(_) | When::Code(..) | When::Macro(_) => {
                Record::Data
            }
            When::Flow(_) | When::Exception(_) => Record::Thread,
            When::Message(..)
            | When::Access(..)
            | When::Cache(_)
            | When::Math(..)
            | When::Cell(_) => Record::Message,
            When::Pixel(_) | When::Sample(_) => Record::Sample,
            When::Codes(_) => Record::Codes,
            When::Units(..) => Record::Units,
        }
    }
}
