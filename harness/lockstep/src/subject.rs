//! What the harness asks of a machine beside its engines.

use parallax_isa::{Engine, Machine, Reference};
use serde::{Deserialize as _, Deserializer};

/// A machine that the harness can test: it explains its cases to people.
pub trait Subject: Machine {
    /// The engines that can be put under test, by name; the first one is unless another is asked
    /// for.
    const ENGINES: &'static [EngineEntry<Self>];

    /// Makes the engine whose word counts.
    fn reference() -> Box<dyn Reference<Self>>;

    /// Reads a case as traces of an earlier version hold it, where that is not as it is now.
    ///
    /// # Errors
    /// If it is no such case.
    fn earlier_case<'de, D: Deserializer<'de>>(
        version: u32,
        deserializer: D,
    ) -> Result<Self::Case, D::Error> {
        let _ = version;
        Self::Case::deserialize(deserializer)
    }

    /// The instruction the machine is about to execute, as text, for people.
    fn describe_next(case: &Self::Case, state: &Self::State) -> String;

    /// What the instruction the machine is about to execute reads and where it writes, for people.
    fn operands(case: &Self::Case, state: &Self::State) -> Vec<OperandValues> {
        let _ = (case, state);
        Vec::new()
    }

    /// The word by which divergences are told apart: the mnemonic of the next instruction.
    fn mnemonic(case: &Self::Case, state: &Self::State) -> String {
        let text = Self::describe_next(case, state);
        text.split_whitespace().next().unwrap_or_default().to_owned()
    }

    /// The mnemonic of what the machine is about to execute that writes a place; another word than
    /// [`Self::mnemonic`] where the machine executes several instructions in a step.
    fn writer(case: &Self::Case, state: &Self::State, place: &str) -> String {
        let _ = place;
        Self::mnemonic(case, state)
    }

    /// The name of the device a case is for.
    fn device(case: &Self::Case) -> &'static str;
}

/// Makes an engine.
pub type MakeEngine<M> = fn() -> Box<dyn Engine<M>>;

/// An engine by its name.
#[derive(Debug, Clone, Copy)]
pub struct EngineEntry<M> {
    /// The name on the command line.
    pub name: &'static str,
    /// Makes one.
    pub make: MakeEngine<M>,
}

/// A name that no engine has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no engine `{name}` for {machine}; there are {}", known.join(", "))]
pub struct UnknownEngine {
    name: String,
    machine: &'static str,
    known: Vec<&'static str>,
}

/// Makes the engine of a name.
///
/// # Errors
/// If no engine of the machine has it.
pub fn engine<M: Subject>(name: &str) -> Result<Box<dyn Engine<M>>, UnknownEngine> {
    let entry = M::ENGINES.iter().find(|entry| entry.name == name);
    entry.map(|entry| (entry.make)()).ok_or_else(|| UnknownEngine {
        name: name.to_owned(),
        machine: M::NAME,
        known: M::ENGINES.iter().map(|entry| entry.name).collect(),
    })
}

/// The values of one operand before a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperandValues {
    /// What it is: `src0 r2<8;8,1>:f`.
    pub name: String,
    /// The value of each channel.
    pub channels: Vec<String>,
}
