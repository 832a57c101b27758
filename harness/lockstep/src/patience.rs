//! An engine on a thread of its own that is waited for so long and no longer: one that hangs is an
//! engine that fails, and its case can be minimised like any other. Every answer goes from thread to
//! thread, so this is for cases that are looked into and not for campaigns.

use std::{
    sync::Arc,
    sync::mpsc::{Receiver, RecvTimeoutError, SendError, Sender, channel},
    time::Duration,
};

use parallax_isa::{Engine, EngineError, Extent, Image, LoadError, Machine, Step};

use crate::{
    guard::Guarded,
    pulse,
    subject::Maker,
    threads::{Leavable, silent_for},
};

/// How long an answer may take. A step takes microseconds.
const LONGEST: Duration = Duration::from_secs(1);
/// Time between two looks whether it is the machine that is busy.
const LOOK: Duration = Duration::from_millis(250);
/// Threads in which the engine may be stuck. Each of them keeps a processor busy where it can.
const MOST_STUCK: usize = 8;

/// An engine that is waited for.
pub(crate) struct Patient<M: Machine> {
    make: Maker<M>,
    name: String,
    partner: Option<Partner<M>>,
    /// The state after the last answer.
    state: Box<M::State>,
    failed: Option<EngineError>,
    stuck: usize,
}

/// The thread the engine runs on.
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
    /// Takes over what stands in the image of a state.
    Adopt(Extent, Vec<u8>),
}

/// What the engine says, and the image of its state then.
struct Answer {
    name: String,
    step: Result<Step, LoadError>,
    image: Vec<u8>,
}

impl<M: Machine> Patient<M> {
    pub(crate) fn new(make: Maker<M>) -> Self {
        let name = "engine under test".to_owned();
        Self { make, name, partner: None, state: Box::default(), failed: None, stuck: 0 }
    }

    fn ask(&mut self, question: Question<M>) -> Result<Step, LoadError> {
        pulse::beat();
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
                Err(self.fail(EngineError::TimedOut(format!("waited {LONGEST:?}"))))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(self.fail(EngineError::Lost("its thread ended".to_owned())))
            }
        }
    }

    /// Fails from here to the next case.
    fn fail(&mut self, error: EngineError) -> LoadError {
        self.failed = Some(error.clone());
        error.into()
    }
}

impl<M: Machine> Partner<M> {
    /// Waits for an answer, for longer while other threads have the processor that this one needs.
    fn wait(&self) -> Result<Answer, RecvTimeoutError> {
        let mut silent = Duration::ZERO;
        // Asked for at the first look only: most answers come long before.
        let mut kept = None;
        loop {
            match self.answers.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout) if silent < LONGEST => {
                    let now = self.thread.kept_waiting();
                    silent = silent_for(silent, LOOK, now - kept.unwrap_or(now));
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
        let mut engine = Guarded::new(make);
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

/// The error of an engine that was not asked to load anything.
fn failure(error: LoadError) -> EngineError {
    match error {
        LoadError::Engine(error) => error,
        error => EngineError::Nonsense(error.to_string()),
    }
}

impl<M: Machine> Engine<M> for Patient<M> {
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
