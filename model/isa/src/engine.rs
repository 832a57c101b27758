//! What can run cases: engines. Every implementation stands beside the others behind these traits,
//! whether it lives in this process or outside.

use std::ops::Range;

use crate::{
    EngineError, Expectation, Extent, Image, LoadError, Machine, Step, Weaknesses,
    shared::LaunchMemory,
};

/// Anything that can run cases of a machine step by step.
pub trait Engine<M: Machine> {
    /// The name on the command line and in reports.
    fn name(&self) -> &str;

    /// Loads a case, at its first step.
    ///
    /// # Errors
    /// If the case cannot be started, for instance because an instruction does not decode.
    fn load(&mut self, case: &M::Case) -> Result<(), LoadError>;

    /// Executes one instruction (execution unit), group (R700) or operation (surface). A step that
    /// ends the run as undefined changes nothing.
    ///
    /// # Errors
    /// If the engine fails.
    fn step(&mut self) -> Result<Step, EngineError>;

    /// Goes back to the first step of the case that was loaded last, which is given again.
    ///
    /// # Errors
    /// As [`Engine::load`].
    fn restart(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.load(case)
    }

    /// Loads a case, at its first step, whose program and surroundings are those of the case that was
    /// loaded last: only the state that it starts from is another.
    ///
    /// # Errors
    /// As [`Engine::load`].
    fn start_again(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.load(case)
    }

    /// The cases that [`Engine::start_again`] will get next, in this order: an engine may run them together.
    fn announce(&mut self, starts: &mut dyn Iterator<Item = M::Case>) {
        let _ = starts;
    }

    /// Takes up to so many steps in a row, on whatever path is fastest: nobody looks at the states
    /// in between. [`Step::Continue`] if it took all of them and none ended the run; what
    /// [`Engine::step`] would say otherwise.
    ///
    /// # Errors
    /// If the engine fails.
    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        for _ in 0..steps {
            if let finished @ Step::Finished(_) = self.step()? {
                return Ok(finished);
            }
        }
        Ok(Step::Continue)
    }

    /// Exchanges the memory of a launch, which the messages of a thread reach instead of that of its case. After
    /// [`Engine::load`] and [`Engine::start_again`] an engine has none. Whether the engine can.
    fn exchange_memory(&mut self, memory: &mut Option<Box<LaunchMemory>>) -> bool {
        let _ = memory;
        false
    }

    /// The state after the last step.
    ///
    /// # Errors
    /// If the engine fails.
    fn state(&self) -> Result<&M::State, EngineError>;

    /// Takes over a value the other engine has and that was accepted.
    ///
    /// # Errors
    /// If the engine fails.
    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError>;

    /// Whether the engine can stop within a case; if not, only what it comes to at the end is compared.
    fn stops_within(&self, case: &M::Case) -> bool {
        let _ = case;
        true
    }

    /// What the engine does not claim to have right, if anything.
    fn weaknesses(&self) -> Option<&Weaknesses> {
        None
    }

    /// Ranges of the image that the engine does not have: nothing there is compared, and what it
    /// gives there says nothing.
    fn lacks(&self) -> &[Range<usize>] {
        &[]
    }
}

/// An engine inside this process: it always answers. Every model is an [`Engine`].
pub trait Model {
    /// The machine it models.
    type Machine: Machine;

    /// The name on the command line and in reports.
    const NAME: &'static str;

    /// Loads a case, at its first step.
    ///
    /// # Errors
    /// If the case cannot be started, for instance because an instruction does not decode.
    fn load(&mut self, case: &CaseOf<Self>) -> Result<(), LoadError>;

    /// Executes one instruction (execution unit), group (R700) or operation (surface). A step that
    /// ends the run as undefined changes nothing. Once the run is over, further steps change nothing
    /// and say the same.
    fn step(&mut self) -> Step;

    /// Goes back to the first step of the case that was loaded last, which is given again.
    ///
    /// # Errors
    /// As [`Model::load`].
    fn restart(&mut self, case: &CaseOf<Self>) -> Result<(), LoadError> {
        self.load(case)
    }

    /// Loads a case, at its first step, that is the one loaded last but for its state:
    /// [`Engine::start_again`].
    ///
    /// # Errors
    /// As [`Model::load`].
    fn start_again(&mut self, case: &CaseOf<Self>) -> Result<(), LoadError> {
        self.load(case)
    }

    /// Takes up to so many steps in a row: [`Engine::run_for`].
    fn run_for(&mut self, steps: u64) -> Step {
        for _ in 0..steps {
            if let finished @ Step::Finished(_) = self.step() {
                return finished;
            }
        }
        Step::Continue
    }

    /// Exchanges the memory of a launch: [`Engine::exchange_memory`].
    fn exchange_memory(&mut self, memory: &mut Option<Box<LaunchMemory>>) -> bool {
        let _ = memory;
        false
    }

    /// The state after the last step.
    fn state(&self) -> &StateOf<Self>;

    /// The same, to change.
    fn state_mut(&mut self) -> &mut StateOf<Self>;
}

type CaseOf<T> = <<T as Model>::Machine as Machine>::Case;
type StateOf<T> = <<T as Model>::Machine as Machine>::State;

impl<T: Model> Engine<T::Machine> for T {
    fn name(&self) -> &str {
        T::NAME
    }

    fn load(&mut self, case: &CaseOf<Self>) -> Result<(), LoadError> {
        Model::load(self, case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        Ok(Model::step(self))
    }

    fn restart(&mut self, case: &CaseOf<Self>) -> Result<(), LoadError> {
        Model::restart(self, case)
    }

    fn start_again(&mut self, case: &CaseOf<Self>) -> Result<(), LoadError> {
        Model::start_again(self, case)
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        Ok(Model::run_for(self, steps))
    }

    fn exchange_memory(&mut self, memory: &mut Option<Box<LaunchMemory>>) -> bool {
        Model::exchange_memory(self, memory)
    }

    fn state(&self) -> Result<&StateOf<Self>, EngineError> {
        Ok(Model::state(self))
    }

    fn adopt(&mut self, extent: Extent, from: &StateOf<Self>) -> Result<(), EngineError> {
        let value = extent.read(from.image());
        extent.write(self.state_mut().image_mut(), value);
        Ok(())
    }
}

/// The engine whose word counts: it says for which places it would accept other results.
pub trait Reference<M: Machine>: Engine<M> {
    /// The places the last step wrote whose result is not one exact bit pattern. At every other
    /// place of the state, the reference's own bits are the only ones accepted.
    fn expectations(&self) -> &[Expectation];

    /// Whether anything that the last step did is compared exactly: where it did nothing but results
    /// that are open, what decided them is only accepted.
    fn is_exact(&self) -> bool {
        self.expectations().iter().all(|expectation| expectation.acceptance.is_exact())
    }

    /// Ranges of the image that take in all that the last step wrote to large banks; `None` if that
    /// is not known. Everything else there is compared only now and then, and at the end.
    fn written(&self) -> Option<&[Range<usize>]> {
        None
    }
}
