//! A row: a rule, when it decides a step, and what it decides of it.

use parallax_isa::{device::Generation, eu::Opcode};
use parallax_reference::eu::Observed;
use parallax_spec::RuleId;

use crate::{
    flow::Flow,
    step::{Facts, Step},
};

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

/// What a condition is on.
#[derive(Debug, Clone, Copy)]
enum When {
    /// A data instruction that was executed.
    Data(fn(Step) -> bool),
    /// What an instruction did to its thread.
    Flow(fn(Flow) -> bool),
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

impl Rule {
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

    /// Whether it decides something of a step; `None` if it does not speak of it, or the step has no result.
    #[must_use]
    pub fn holds(&self, observed: &Observed) -> Option<bool> {
        let (device, instruction) = match observed {
            Observed::Data(step) => (step.device, step.instruction),
            Observed::Thread(step) => (step.device, step.instruction),
        };
        let generation = device.generation().filter(|g| self.speaks_of(instruction.opcode, *g));
        generation.and_then(|_| match (self.when, observed) {
            (When::Data(when), Observed::Data(step)) => {
                let holds = when(Step(&Facts::of(step)));
                (holds || step.exact() != 0).then_some(holds)
            }
            (When::Flow(when), Observed::Thread(step)) => Some(when(Flow(step))),
            _ => None,
        })
    }

    /// Whether its condition is on data instructions.
    pub(crate) const fn is_of_data(&self) -> bool {
        matches!(self.when, When::Data(_))
    }

    /// Whether it decides a data instruction that it speaks of.
    pub(crate) fn decides_step(&self, step: Step) -> bool {
        matches!(self.when, When::Data(when) if when(step))
    }

    /// Whether it decides what an instruction that it speaks of does to its thread.
    pub(crate) fn decides_flow(&self, step: Flow) -> bool {
        matches!(self.when, When::Flow(when) if when(step))
    }
}
