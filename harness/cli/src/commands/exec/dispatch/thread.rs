//! One thread of many, on one engine or on both.

use csv::StringRecord;
use parallax_isa::{Engine, Image, LoadError, Outcome, Reference, Step};
use parallax_lockstep::{
    lockstep::{Pace, lockstep_at},
    subject::{UnderTest, engine},
};

use super::{elements::Elements, machine::Dispatched, threads::Threads};
use crate::{commands::exec::run::agreed, failure::Failure};

/// What is looked at when a thread has ended.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// What is printed.
    pub(super) printed: Vec<Elements>,
    /// What is drawn: one or three.
    pub(super) drawn: Vec<Elements>,
}

/// Most threads whose results are held at a time, and characters that these may have.
const MOST_AT_A_TIME: usize = 4096;
const MOST_CHARACTERS: usize = 1 << 26;

impl Looks {
    /// How many threads may run before their results are written.
    pub(super) fn threads_at_a_time(&self) -> usize {
        let characters: usize = self.printed.iter().map(Elements::characters).sum();
        (MOST_CHARACTERS / characters.max(1)).clamp(1, MOST_AT_A_TIME)
    }
}

/// The outcome of a thread on which engines differ, in a word.
pub(super) const DIVERGENCE: &str = "divergence";

/// What a thread came to.
#[derive(Debug)]
pub(super) struct Ended {
    /// How it ended, in a word.
    pub(super) outcome: &'static str,
    /// More about that, if there is more to say.
    pub(super) message: Option<String>,
    /// Whether the engines have different values where results are unspecified.
    pub(super) is_unspecified: bool,
    /// What is printed, behind a comma each.
    pub(super) printed: String,
    /// The colours of its channels.
    pub(super) colours: Vec<[u8; 3]>,
}

/// How the run of a thread ended.
struct Came {
    outcome: &'static str,
    message: Option<String>,
    is_unspecified: bool,
}

/// Engines that run threads one after the other.
pub(super) struct Runner<'t, M: Dispatched> {
    threads: &'t Threads<M>,
    looks: &'t Looks,
    /// The case of the last thread.
    case: M::Case,
    engines: Option<Engines<M>>,
}

/// The engine that threads run on, and the reference if they are compared.
struct Engines<M: Dispatched> {
    engine: Box<dyn Engine<M>>,
    reference: Option<Box<dyn Reference<M>>>,
    /// Whether the engine has the program.
    is_loaded: bool,
}

impl<'t, M: Dispatched> Runner<'t, M> {
    pub(super) fn new(threads: &'t Threads<M>, looks: &'t Looks) -> Self {
        Self { threads, looks, case: threads.case.clone(), engines: None }
    }

    /// Runs a thread.
    pub(super) fn run(
        &mut self,
        thread: u64,
        row: Option<&StringRecord>,
    ) -> Result<Ended, Failure> {
        let wrong = |wrong: String| Failure::input(format!("thread {thread}: {wrong}"));
        M::start_over(&mut self.case, &self.threads.case);
        self.threads.begin(&mut self.case, thread, row).map_err(wrong)?;
        let under_test = self.threads.under_test.as_ref();
        if let Some(beyond) = under_test.and_then(|engine| engine.beyond::<M>(&self.case)) {
            let name = under_test.map_or("", UnderTest::name);
            return Err(wrong(format!("{name} does not have {beyond}")));
        }
        let engines = match &mut self.engines {
            Some(engines) => engines,
            none => none.insert(Engines::new(under_test)?),
        };
        let Came { outcome, message, is_unspecified } = engines.run(&self.case, thread)?;
        let state = engines.state()?.image();
        let mut printed = String::new();
        self.looks.printed.iter().for_each(|elements| elements.print(state, &mut printed));
        let colour = |channel| match self.looks.drawn.as_slice() {
            [red, green, blue] => [red, green, blue].map(|light| light.light(state, channel)),
            [grey] => [grey.light(state, channel); 3],
            _ => [0; 3],
        };
        let channels = match &self.threads.grid {
            Some(grid) if !self.looks.drawn.is_empty() => grid.places(thread).len(),
            _ => 0,
        };
        let colours = (0..channels).map(colour).collect();
        Ok(Ended { outcome, message, is_unspecified, printed, colours })
    }
}

impl<M: Dispatched> Engines<M> {
    /// The engine that was asked for, or the executor; beside the reference unless it is one of this process
    /// that was asked for.
    fn new(under_test: Option<&UnderTest>) -> Result<Self, Failure> {
        let (engine, is_alone) = match under_test {
            Some(asked @ UnderTest::Named(_)) => (asked.engine::<M>()?, true),
            Some(asked @ UnderTest::Outside(_)) => (asked.engine::<M>()?, false),
            None => (engine::<M>("executor")?, false),
        };
        let reference = (!is_alone).then(M::reference);
        Ok(Self { engine, reference, is_loaded: false })
    }

    /// Runs a case; how it ended.
    fn run(&mut self, case: &M::Case, thread: u64) -> Result<Came, Failure> {
        let mut is_unspecified = false;
        let outcome = match &mut self.reference {
            Some(reference) => {
                let whole = Pace::FreeRuns { length: u64::MAX, over_open: true };
                match agreed(lockstep_at(whole, &mut **reference, &mut *self.engine, case))? {
                    Ok(agreement) => {
                        is_unspecified = agreement.accepted > 0;
                        agreement.outcome
                    }
                    Err(divergence) => {
                        let message = Some(divergence.to_string());
                        return Ok(Came { outcome: DIVERGENCE, message, is_unspecified });
                    }
                }
            }
            None => self.alone(case).map_err(|error| {
                let name = self.engine.name();
                Failure::input(format!("thread {thread}: the {name}: {error}"))
            })?,
        };
        let message = match &outcome {
            Outcome::Exception(what) | Outcome::Undefined(what) => Some(what.clone()),
            _ => None,
        };
        Ok(Came { outcome: outcome.keyword(), message, is_unspecified })
    }

    fn alone(&mut self, case: &M::Case) -> Result<Outcome, LoadError> {
        if self.is_loaded {
            self.engine.start_again(case)?;
        } else {
            self.engine.load(case)?;
            self.is_loaded = true;
        }
        loop {
            if let Step::Finished(outcome) = self.engine.run_for(u64::MAX)? {
                return Ok(outcome);
            }
        }
    }

    fn state(&self) -> Result<&M::State, Failure> {
        Ok(match &self.reference {
            Some(reference) => reference.state()?,
            None => self.engine.state()?,
        })
    }
}
