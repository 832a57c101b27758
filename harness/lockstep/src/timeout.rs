//! Runs an engine with a timeout, on a thread of its own. An engine that hangs fails, and its case can be minimised
//! like any other. Every answer crosses threads, which is too slow for campaigns: this is for investigating findings.

use std::{
    sync::Arc,
    sync::mpsc::{Receiver, RecvTimeoutError, SendError, Sender, channel},
    time::Duration,
};

use parallax_isa::{Engine, EngineError, Extent, Image, LoadError, Machine, Step};

use crate::{
    heartbeat,
    panic_guard::PanicGuard,
    subject::Maker,
    threads::{Leavable, silent_for},
};

/// The timeout of an answer. A step takes microseconds.
const TIMEOUT: Duration = Duration::from_secs(1);
/// How often a wait checks whether the machine is busy.
const POLL: Duration = Duration::from_millis(250);
/// The most threads that may hang. Each of them keeps a processor busy.
const MOST_STUCK: usize = 8;

/// An engine whose answers have a timeout.
pub(crate) struct TimedEngine<M: Machine> {
    make: Maker<M>,
    name: String,
    partner: Option<Partner<M>>,
    /// The state after the last answer.
    state: Box<M::State>,
    failed: Option<EngineError>,
    stuck: usize,
}

/// The thread that the engine runs on.
struct Partner<M: Machine> {
    questions: Sender<Question<M>>,
    answers: Receiver<Answer>,
    thread: Leavable,
}

enum Question<M: Machine> {
    Load(Box<M::Case>),
    Step,
    Restart(Box<M::Case>),
    RunFor(u64),
    /// Adopts an extent of the image of a state.
    Adopt(Extent, Vec<u8>),
}

/// What the engine answers, with the image of its state.
struct Answer {
    name: String,
    step: Result<Step, LoadError>,
    image: Vec<u8>,
}

impl<M: Machine> TimedEngine<M> {
    pub(crate) fn new(make: Maker<M>) -> Self {
        let name = "engine under test".to_owned();
        Self { make, name, partner: None, state: Box::default(), failed: None, stuck: 0 }
    }

    fn ask(&mut self, question: Question<M>) -> Result<Step, LoadError> {
        heartbeat::beat();
        if let Some(error) = &self.failed {
            return Err(error.clone().into());
        }
        let partner = match self.partner.take() {
            Some(partner) => partner,
            None if self.stuck == MOST_STUCK => {
                let why = format!("{MOST_STUCK} cases have not come back");
                return Err(self.fail(EngineError::Lost(why)));
            }
            None => match start(Arc::clone(&self.make)) {
                Ok(partner) => partner,
                Err(error) => return Err(self.fail(EngineError::Lost(error.to_string()))),
            },
        };
        let answer = match partner.questions.send(question) {
            Ok(()) => partner.wait(),
            Err(SendError(_)) => Err(RecvTimeoutError::Disconnected),
        };
        match answer {
            Ok(Answer { name, step, image }) => {
                self.partner = Some(partner);
                self.name = name;
                if image.len() == self.state.image().len() {
                    self.state.image_mut().copy_from_slice(&image);
                }
                step
            }
            Err(RecvTimeoutError::Timeout) => {
                partner.thread.leave();
                self.stuck += 1;
                Err(self.fail(EngineError::TimedOut(format!("waited {TIMEOUT:?}"))))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(self.fail(EngineError::Lost("its thread ended".to_owned())))
            }
        }
    }

    /// Fails until the next case.
    fn fail(&mut self, error: EngineError) -> LoadError {
        self.failed = Some(error.clone());
        error.into()
    }
}

impl<M: Machine> Partner<M> {
    /// Waits for an answer. Time in which the thread waited for a processor does not count.
    fn wait(&self) -> Result<Answer, RecvTimeoutError> {
        let mut silent = Duration::ZERO;
        // Read at the first check only: most answers come long before.
        let mut kept = None;
        loop {
            match self.answers.recv_timeout(POLL) {
                Err(RecvTimeoutError::Timeout) if silent < TIMEOUT => {
                    let now = self.thread.kept_waiting();
                    silent = silent_for(silent, POLL, now - kept.unwrap_or(now));
                    kept = Some(now);
                }
                answer => return answer,
            }
        }
    }
}

/// Starts the thread of an engine.
fn start<M: Machine>(make: Maker<M>) -> std::io::Result<Partner<M>> {
    let (questions, asked) = channel();
    let (said, answers) = channel();
    let thread = Leavable::start(move || {
        let mut engine = PanicGuard::new(make);
        for question in asked {
            let step = match question {
                Question::Load(case) => engine.load(&case).map(|()| Step::Continue),
                Question::Step => engine.step().map_err(LoadError::from),
                Question::Restart(case) => engine.restart(&case).map(|()| Step::Continue),
                Question::RunFor(steps) => engine.run_for(steps).map_err(LoadError::from),
                Question::Adopt(extent, image) => {
                    let mut from = Box::new(M::State::default());
                    from.image_mut().copy_from_slice(&image);
                    engine.adopt(extent, &from).map(|()| Step::Continue).map_err(LoadError::from)
                }
            };
            let image = engine.state().map(|state| state.image().to_vec()).unwrap_or_default();
            if said.send(Answer { name: engine.name().to_owned(), step, image }).is_err() {
                break;
            }
        }
    })?;
    Ok(Partner { questions, answers, thread })
}

/// The error of a question other than loading a case.
fn failure(error: LoadError) -> EngineError {
    match error {
        LoadError::Engine(error) => error,
        error => EngineError::Nonsense(error.to_string()),
    }
}

impl<M: Machine> Engine<M> for TimedEngine<M> {
    fn name(&self) -> &str {
        &self.name
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.failed = None;
        self.ask(Question::Load(Box::new(case.clone()))).map(drop)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        self.ask(Question::Step).map_err(failure)
    }

    fn restart(&mut self, case: &M::Case) -> Result<(), LoadError> {
        if self.failed.is_some() {
            return self.load(case);
        }
        self.ask(Question::Restart(Box::new(case.clone()))).map(drop)
    }

    fn run_for(&mut self, steps: u64) -> Result<Step, EngineError> {
        self.ask(Question::RunFor(steps)).map_err(failure)
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => Ok(&self.state),
        }
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        let image = from.image().to_vec();
        self.ask(Question::Adopt(extent, image)).map(drop).map_err(failure)
    }
}
