//! What the harness asks of a machine and of anything that can run it.

use parallax_isa::{Device, Expectation, Extent, Image, LoadError, Step};
use serde::{Deserialize as _, Deserializer, Serialize, de::DeserializeOwned};

/// A kind of machine: execution unit, R700, surface. It names the types its engines share.
pub trait Machine: Sized + 'static {
    /// The name in traces and reports.
    const NAME: &'static str;
    /// Everything that decides a run.
    type Case: Clone + PartialEq + Send + Sync + Serialize + DeserializeOwned;
    /// What is compared.
    type State: Image;

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

    /// The device a case is for.
    fn device(case: &Self::Case) -> Device;
}

/// The values of one operand before a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperandValues {
    /// What it is: `src0 r2.0<8;8,1>:f`.
    pub name: String,
    /// The value of each channel.
    pub channels: Vec<String>,
}

/// Anything that can run a case step by step.
pub trait Engine<M: Machine> {
    /// The name on the command line and in reports.
    fn name(&self) -> &str;

    /// Takes up a case at its first step.
    ///
    /// # Errors
    /// If the case cannot be started, for instance because an instruction does not decode.
    fn load(&mut self, case: &M::Case) -> Result<(), LoadError>;

    /// Executes one instruction (execution unit), group (R700) or operation (surface).
    fn step(&mut self) -> Step;

    /// The state after the last step.
    fn state(&self) -> &M::State;

    /// Takes over a value the other engine has and that was accepted.
    fn adopt(&mut self, extent: Extent, from: &M::State);
}

/// The engine whose word counts: it says for which places it would accept other results.
pub trait Reference<M: Machine>: Engine<M> {
    /// The places the last step wrote whose result is not one exact bit pattern. At every other
    /// place of the state, the reference's own bits are the only ones accepted.
    fn expectations(&self) -> &[Expectation];
}

/// Makes the reference and the executor of a machine its engines: both have the methods already.
macro_rules! engines {
    ($machine:ty: $reference:ty, $executor:ty) => {
        $crate::engine::engines!(@engine $machine, $reference, "reference");
        $crate::engine::engines!(@engine $machine, $executor, "executor");

        impl $crate::engine::Reference<$machine> for $reference {
            fn expectations(&self) -> &[parallax_isa::Expectation] {
                self.expectations()
            }
        }
    };
    (@engine $machine:ty, $engine:ty, $name:literal) => {
        impl $crate::engine::Engine<$machine> for $engine {
            fn name(&self) -> &str {
                $name
            }

            fn load(
                &mut self,
                case: &<$machine as $crate::engine::Machine>::Case,
            ) -> Result<(), parallax_isa::LoadError> {
                self.load(case)
            }

            fn step(&mut self) -> parallax_isa::Step {
                self.step()
            }

            fn state(&self) -> &<$machine as $crate::engine::Machine>::State {
                self.state()
            }

            fn adopt(
                &mut self,
                extent: parallax_isa::Extent,
                from: &<$machine as $crate::engine::Machine>::State,
            ) {
                self.adopt(extent, from);
            }
        }
    };
}
pub(crate) use engines;
