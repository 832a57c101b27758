//! A row: a rule, when it decides a step, and what it decides of it.

use parallax_isa::{device::Generation, eu::Opcode};
use parallax_reference::eu::DataStep;
use parallax_spec::RuleId;

use crate::step::{Facts, Step};

/// What a rule decides of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decides {
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
    /// That flag registers stay as they are.
    KeptFlags,
    /// That accumulators stay as they are.
    KeptAccumulator,
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

/// When a rule decides what a data instruction does.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    id: RuleId,
    first: Generation,
    last: Generation,
    /// The instructions it speaks of; empty for any.
    of: &'static [Opcode],
    when: fn(Step) -> bool,
    decides: Decides,
    is_unconditional: bool,
}

/// A rule that decides the result of each data instruction from Gen7 on that has one, until more is said.
pub(crate) const fn rule(id: &str) -> Rule {
    Rule::of_id(RuleId::named(id))
}

impl Rule {
    /// The same of a rule that is known.
    pub(crate) const fn of_id(id: RuleId) -> Self {
        Self {
            id,
            first: Generation::Gen7,
            last: Generation::Gen12,
            of: &[],
            when: |step| step.has_exact_result(),
            decides: Decides::Result,
            is_unconditional: false,
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

    /// The steps that it decides.
    pub(crate) const fn when(self, when: fn(Step) -> bool) -> Self {
        Self { when, ..self }
    }

    /// What it decides of them.
    pub(crate) const fn decides_of(self, decides: Decides) -> Self {
        Self { decides, ..self }
    }

    /// It decides every step of its instructions that has a result: none of those is a counterexample.
    pub(crate) const fn unconditional(self) -> Self {
        Self { is_unconditional: true, ..self }
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

    /// Whether it speaks of an instruction of a generation.
    #[must_use]
    pub fn speaks_of(&self, opcode: Opcode, generation: Generation) -> bool {
        (self.first..=self.last).contains(&generation)
            && (self.of.is_empty() || self.of.contains(&opcode))
    }

    /// Whether it decides a step of an instruction that it speaks of.
    #[must_use]
    pub fn holds(&self, step: &DataStep) -> bool {
        self.decides_step(Step(&Facts::of(step)))
    }

    pub(crate) fn decides_step(&self, step: Step) -> bool {
        (self.when)(step)
    }
}
