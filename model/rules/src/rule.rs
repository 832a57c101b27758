//! A row: a rule, when it decides a step, and what it decides of it.

use parallax_isa::{Device, device::Generation, eu::Opcode};
use parallax_reference::{
    eu::{ExceptionStep, MessageStep, Observed},
    units::UnitsStep,
};
use parallax_spec::{RuleId, coverage};

use crate::{
    dg1::Cell as FunctionCell,
    enums::{Codes, Enumeration},
    flow::Flow,
    g45::{Access, Cell, Function, Math, Port},
    generations::{CACHES, Cache, Macro},
    message::Message,
    sampler::{Pixel, Sample},
    step::{Facts, Step},
    units::Units,
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

    /// Whether it speaks of one of the instructions that there are.
    #[must_use]
    pub fn speaks_of_any(&self, has: impl Fn(&str) -> bool) -> bool {
        self.of.is_empty() || self.of.iter().any(|opcode| has(opcode.mnemonic()))
    }

    /// Whether it speaks of messages to one of the functions that there are.
    #[must_use]
    pub fn speaks_of_messages_to(&self, has: impl Fn(u8) -> bool) -> bool {
        match self.when {
            When::Message(targets, _) => targets.iter().any(|target| has(*target)),
            When::Cache(_) => CACHES.iter().any(|target| has(*target)),
            When::Math(..) | When::Cell(_) => has(1),
            When::Pixel(_) | When::Sample(_) => has(2),
            _ => true,
        }
    }

    /// Whether it speaks of an instruction of a generation.
    #[must_use]
    pub fn speaks_of(&self, opcode: Opcode, generation: Generation) -> bool {
        self.holds_for(generation) && (self.of.is_empty() || self.of.contains(&opcode))
    }

    /// Whether it holds for a generation.
    fn holds_for(&self, generation: Generation) -> bool {
        (self.first..=self.last).contains(&generation)
    }

    /// Whether it decides something of a step; `None` if it does not speak of it, or the step has no result.
    #[must_use]
    pub fn holds(&self, observed: &Observed) -> Option<bool> {
        let (device, instruction) = match observed {
            Observed::Data(step) => (step.device, Some(step.instruction)),
            Observed::Thread(step) => (step.device, Some(step.instruction)),
            Observed::Exception(step) => (step.device, None),
            Observed::Message(step) => {
                return self.speaks_of_message(step).then(|| self.decides_message(Message(step)));
            }
            Observed::Access(step) => {
                let speaks = self.speaks_of_access(step.device, Access(step).port());
                return speaks.then(|| self.decides_access(Access(step)));
            }
            Observed::Cache(step) => {
                return self.speaks_of_cache(step.device).then(|| self.decides_cache(Cache(step)));
            }
            Observed::Macro(step) => {
                return self.speaks_of_macro(step.device).then(|| self.decides_macro(Macro(step)));
            }
            Observed::Pixel(step) => {
                let speaks = self.is_of_pixels() && self.is_of(step.device);
                return speaks.then(|| self.decides_pixel(Pixel(step)));
            }
            Observed::Sample(step) => {
                let speaks = self.is_of_samples() && self.is_of(step.device);
                return speaks.then(|| self.decides_sample(Sample(step)));
            }
            Observed::Math(step) => {
                let speaks = self.speaks_of_math(step.device, Math(step).function());
                return speaks.then(|| self.decides_math(Math(step)));
            }
        };
        let speaks = |generation| match instruction {
            Some(instruction) => self.speaks_of(instruction.opcode, generation),
            None => self.holds_for(generation),
        };
        device.generation().filter(|generation| speaks(*generation))?;
        match (self.when, observed) {
            (When::Data(_) | When::Function(_), Observed::Data(step)) => {
                let holds = self.decides_step(Step(&Facts::of(step)));
                (holds || step.exact() != 0).then_some(holds)
            }
            (When::Flow(when), Observed::Thread(step)) => Some(when(Flow(step))),
            (When::Word(_) | When::Code(..), Observed::Thread(step)) => {
                Some(self.decides_word(Word::of(step)?))
            }
            (When::Exception(when), Observed::Exception(step)) => Some(when(step)),
            _ => None,
        }
    }

    /// Whether it decides what a code stands for; `None` if it does not speak of the enumeration.
    #[must_use]
    pub fn holds_of_code(&self, of: Enumeration, code: u8) -> Option<bool> {
        match self.when {
            When::Codes(codes) => codes.holds(of, code),
            _ => None,
        }
    }

    /// Whether it decides an answer of units; `None` if it does not speak of the event.
    #[must_use]
    pub fn holds_of_units(&self, step: &UnitsStep) -> Option<bool> {
        let When::Units(of, when) = self.when else { return None };
        let step = Units(step);
        (self.is_of(step.device) && of(step)).then(|| when(step))
    }

    /// Whether its condition is on answers of units.
    #[must_use]
    pub const fn is_of_units(&self) -> bool {
        matches!(self.when, When::Units(..))
    }

    /// Whether its condition is on instructions.
    #[must_use]
    pub const fn is_of_instructions(&self) -> bool {
        self.is_of_data()
            || matches!(self.when, When::Flow(_) | When::Exception(_) | When::Macro(_))
    }

    /// Whether its condition is on messages to shared functions.
    #[must_use]
    pub const fn is_of_shared_functions(&self) -> bool {
        !self.is_of_instructions()
            && !self.is_of_words()
            && !matches!(self.when, When::Codes(_) | When::Units(..))
    }

    /// Whether it holds on a device.
    fn is_of(&self, device: Device) -> bool {
        device.generation().is_some_and(|generation| self.holds_for(generation))
    }

    /// Whether it speaks of messages to the target of one.
    pub(crate) fn speaks_of_message(&self, step: &MessageStep) -> bool {
        let target = step.request.target;
        matches!(self.when, When::Message(of, _) if of.contains(&target)) && self.is_of(step.device)
    }

    /// Whether its condition is on messages to the data cache of Gen7 and later.
    pub(crate) const fn is_of_cache(&self) -> bool {
        matches!(self.when, When::Cache(_))
    }

    /// Whether it speaks of such messages on a device.
    pub(crate) fn speaks_of_cache(&self, device: Device) -> bool {
        self.is_of_cache() && self.is_of(device)
    }

    /// Whether it decides such a message that it speaks of.
    pub(crate) fn decides_cache(&self, step: Cache) -> bool {
        matches!(self.when, When::Cache(when) if when(step))
    }

    /// Whether its condition is on steps of exact quotients and roots.
    pub(crate) const fn is_of_macros(&self) -> bool {
        matches!(self.when, When::Macro(_))
    }

    /// Whether it speaks of such steps on a device.
    pub(crate) fn speaks_of_macro(&self, device: Device) -> bool {
        self.is_of_macros() && self.is_of(device)
    }

    /// Whether it decides such a step that it speaks of.
    pub(crate) fn decides_macro(&self, step: Macro) -> bool {
        matches!(self.when, When::Macro(when) if when(step))
    }

    /// Whether its condition is on what is sampled for a pixel or sample.
    pub(crate) const fn is_of_pixels(&self) -> bool {
        matches!(self.when, When::Pixel(_))
    }

    /// Whether it decides that, on its devices.
    pub(crate) fn decides_pixel(&self, step: Pixel) -> bool {
        let is_compared = self.is_of(step.device) && !step.is_unspecified;
        is_compared && matches!(self.when, When::Pixel(when) if when(step))
    }

    /// Whether its condition is on messages to the Sampling Engine.
    pub(crate) const fn is_of_samples(&self) -> bool {
        matches!(self.when, When::Sample(_))
    }

    /// Whether it decides such a message, on its devices.
    pub(crate) fn decides_sample(&self, step: Sample) -> bool {
        let is_compared = self.is_of(step.device) && !step.is_unspecified;
        is_compared && matches!(self.when, When::Sample(when) if when(step))
    }

    /// Whether its condition is on a kind of messages to the data port.
    pub(crate) fn is_of_access(&self, port: Port) -> bool {
        matches!(self.when, When::Access(of, _) if of.contains(&port))
    }

    /// Whether it speaks of such messages on a device.
    pub(crate) fn speaks_of_access(&self, device: Device, port: Port) -> bool {
        self.is_of_access(port) && self.is_of(device)
    }

    /// Whether it decides a message to the data port that it speaks of.
    pub(crate) fn decides_access(&self, step: Access) -> bool {
        matches!(self.when, When::Access(_, when) if when(step))
    }

    /// Whether its condition is on messages.
    pub(crate) const fn is_of_messages(&self) -> bool {
        matches!(self.when, When::Message(..))
    }

    /// Whether its condition is on results of a function of Extended Math.
    pub(crate) fn is_of_math(&self, function: Function) -> bool {
        match self.when {
            When::Math(of, _) => of.contains(&function),
            When::Cell(cell) => cell.function == function,
            _ => false,
        }
    }

    /// Whether it speaks of results of a function of Extended Math on a device.
    pub(crate) fn speaks_of_math(&self, device: Device, function: Function) -> bool {
        self.is_of_math(function) && self.is_of(device)
    }

    /// Whether it decides a message that it speaks of.
    pub(crate) fn decides_message(&self, step: Message) -> bool {
        matches!(self.when, When::Message(_, when) if when(step))
    }

    /// Whether it decides a result of a function that it speaks of.
    pub(crate) fn decides_math(&self, step: Math) -> bool {
        match self.when {
            When::Math(_, when) => when(step),
            When::Cell(cell) => cell.holds(step),
            _ => false,
        }
    }

    /// Whether its condition is on what instructions do to their thread.
    pub(crate) const fn is_of_threads(&self) -> bool {
        matches!(self.when, When::Flow(_))
    }

    /// Whether its condition is on words of machine code.
    pub(crate) const fn is_of_words(&self) -> bool {
        matches!(self.when, When::Word(_) | When::Code(..))
    }

    /// Whether it decides what a word of an instruction that it speaks of stands for.
    pub(crate) fn decides_word(&self, word: Word) -> bool {
        match self.when {
            When::Word(when) => when(word),
            When::Code(codes, code) => codes(word) >> code & 1 == 1,
            _ => false,
        }
    }

    /// Whether its condition is on data instructions.
    pub(crate) const fn is_of_data(&self) -> bool {
        matches!(self.when, When::Data(_) | When::Function(_))
    }

    /// Whether it decides a data instruction that it speaks of.
    pub(crate) fn decides_step(&self, step: Step) -> bool {
        match self.when {
            When::Data(when) => when(step),
            When::Function(cell) => cell.holds(step),
            _ => false,
        }
    }

    /// Whether its condition is on exceptions.
    pub(crate) fn is_of_exceptions(&self) -> bool {
        matches!(self.when, When::Exception(_))
    }

    /// Whether it decides an exception on a generation.
    pub(crate) fn decides_exception(&self, step: &ExceptionStep) -> bool {
        self.is_of(step.device) && matches!(self.when, When::Exception(when) if when(step))
    }

    /// Whether it decides what an instruction that it speaks of does to its thread.
    pub(crate) fn decides_flow(&self, step: Flow) -> bool {
        matches!(self.when, When::Flow(when) if when(step))
    }
}
