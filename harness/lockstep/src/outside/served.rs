//! An engine of this process, served to others: `parallax engine serve`.

use parallax_engine::{Case as Sent, Flow, Hello, Refusal, Served};
use parallax_isa::{
    Declined, Device, Engine, EngineError, Extent, Image, LoadError, Outcome, Step,
};

use super::Portable;

/// An engine that is served.
pub struct ServedEngine<M: Portable> {
    engine: Box<dyn Engine<M>>,
    /// The state that the other side writes to.
    state: Box<M::State>,
    /// Whether a case is under way, which has its state in the engine.
    is_running: bool,
    /// Whether it says that it can stop after so many steps.
    steps: bool,
    /// The only device whose cases it says it runs.
    device: Option<Device>,
}

impl<M: Portable> ServedEngine<M> {
    /// Serves an engine.
    #[must_use]
    pub fn new(engine: Box<dyn Engine<M>>) -> Self {
        Self { engine, state: Box::default(), is_running: false, steps: true, device: None }
    }

    /// The same engine, which says that it only runs to the end.
    #[must_use]
    pub fn without_steps(self) -> Self {
        Self { steps: false, ..self }
    }

    /// The same engine, which says that it only runs cases of one device.
    #[must_use]
    pub fn on(self, device: Device) -> Self {
        Self { device: Some(device), ..self }
    }

    fn load_case(&mut self, sent: &Sent, again: bool) -> Result<(), Refusal> {
        let refused = |message: String| Refusal::wrong(None, message);
        let case = M::of_outside(sent, &self.state).map_err(refused)?;
        let loaded = if again { self.engine.start_again(&case) } else { self.engine.load(&case) };
        match loaded {
            Ok(()) => {
                self.is_running = true;
                Ok(())
            }
            Err(LoadError::Instruction { offset, message }) => {
                Err(Refusal::wrong(u32::try_from(offset).ok(), message))
            }
            Err(LoadError::Engine(EngineError::Declined(Declined { offset, reason }))) => {
                Err(Refusal::declined(offset, reason))
            }
            Err(error) => Err(refused(error.to_string())),
        }
    }

    /// What it is in now.
    fn now(&self) -> &M::State {
        match self.engine.state() {
            Ok(state) if self.is_running => state,
            _ => &self.state,
        }
    }

    /// How a step ended.
    fn came_to(step: Result<Step, EngineError>) -> Flow {
        match step {
            Ok(Step::Continue) => Flow::Continue,
            Ok(Step::Finished(outcome)) => match outcome {
                Outcome::Halted => Flow::Halted,
                Outcome::EndOfThread => Flow::EndOfThread,
                Outcome::StepLimit => Flow::StepLimit,
                Outcome::Exception(name) => Flow::Exception(name),
                Outcome::Undefined(what) => Flow::Undefined(what),
            },
            Err(EngineError::Declined(declined)) => Flow::Declined(declined.reason),
            Err(error) => Flow::Undefined(error.to_string()),
        }
    }
}

impl<M: Portable> Served for ServedEngine<M> {
    fn hello(&self) -> Hello {
        let devices: Vec<_> = Device::ALL
            .iter()
            .filter(|device| self.device.is_none_or(|only| only == **device))
            .filter(|device| M::is_on(**device))
            .map(|device| device.name())
            .collect();
        let banks: Vec<_> = M::State::BANKS.iter().map(|bank| bank.name).collect();
        let hello = Hello::new(self.engine.name(), &devices, &banks);
        Hello { machine: M::NAME.to_owned(), steps: self.steps, batch: !self.steps, ..hello }
    }

    fn bank_bytes(&self) -> Vec<usize> {
        M::State::BANKS.iter().map(|bank| bank.len()).collect()
    }

    fn load(&mut self, case: &Sent) -> Result<(), Refusal> {
        self.load_case(case, false)
    }

    fn start(&mut self, case: &Sent) -> Result<(), Refusal> {
        self.load_case(case, true)
    }

    fn bank(&self, number: usize) -> &[u8] {
        &self.now().image()[M::State::BANKS[number].range()]
    }

    fn bank_mut(&mut self, number: usize) -> &mut [u8] {
        if self.is_running {
            *self.state = *self.now();
            self.is_running = false;
        }
        &mut self.state.image_mut()[M::State::BANKS[number].range()]
    }

    fn written(&mut self) {
        let Ok(state) = self.engine.state() else { return };
        let pairs = state.image().chunks(8).zip(self.state.image().chunks(8)).enumerate();
        let changed: Vec<_> = pairs
            .filter(|(_, (engine, written))| engine != written)
            .map(|(number, (bytes, _))| Extent::whole(8 * number, bytes.len()))
            .collect();
        for extent in changed {
            // An engine that cannot do so goes on with its own, which differs.
            let _ = self.engine.adopt(extent, &self.state);
        }
        self.is_running = true;
    }

    fn step(&mut self) -> Flow {
        Self::came_to(self.engine.step())
    }

    fn run(&mut self, most: u64) -> Flow {
        Self::came_to(self.engine.run_for(most))
    }
}
