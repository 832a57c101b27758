//! Of which steps a rule speaks, and which of them it decides.

use parallax_isa::{Device, device::Generation, eu::Opcode};
use parallax_reference::{
    eu::{ExceptionStep, MessageStep, Observed},
    units::UnitsStep,
};

use super::{Rule, When};
use crate::{
    access::{Access, Port},
    codes::Enumeration,
    data_cache::{CACHES, Cache},
    extended_math::{Function, Math},
    flow::Flow,
    macros::Macro,
    message::Message,
    sampler::{Pixel, Sample},
    step::{Facts, Step},
    unit_step::Units,
    word::Word,
};

impl Rule {
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
