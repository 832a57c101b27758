//! An engine in another process as the reference that another engine is held against.
//!
//! Its results count, not the model's. The model runs beside it: it says which results may differ, what stands in the
//! banks that the engine does not have, and, of a difference, which of the two is right.

use std::{cell::Cell, ops::Range, sync::Arc};

use parallax_isa::{
    Engine, EngineError, Expectation, Extent, Image, LoadError, Outcome, Reference, Step,
    Weaknesses,
};

use crate::{
    escape,
    lockstep::{Pace, Run, run_at},
    outside::{Outside, OutsideEngine},
    subject::Subject,
    weakness,
};

/// Where an engine that only runs to the end is cut to see what it has come to. Each time it runs from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stops {
    /// Where the model leaves a result open.
    WhereOpen,
    /// After every step, to find the one that differs.
    Everywhere,
}

/// An engine in another process whose results count.
pub(crate) struct OutsideReference<M: Subject> {
    engine: OutsideEngine<M>,
    model: Box<dyn Reference<M>>,
    /// Whether the engine can stop after a step.
    steps: bool,
    stops: Stops,
    /// Whether the last step left a result open.
    is_open: bool,
    /// Whether somebody has looked at the state after the last step, and holds the other engine to it.
    is_seen: Cell<bool>,
    /// Whether an engine that only runs to the end went on with another result than the other engine.
    is_lost: bool,
    /// Whether it may have: it could not be seen where a result was left open.
    may_be_lost: bool,
    /// Whether the program of the case can be cut, so that such an engine can stop within it.
    can_be_cut: bool,
    /// Steps that the model has taken and such an engine has not.
    pending: u64,
    /// The results of the engine; where those may differ, and where it has none, the model's.
    state: Box<M::State>,
}

impl<M: Subject> OutsideReference<M> {
    pub(crate) fn new(outside: &Arc<Outside>, stops: Stops) -> Self {
        let steps = outside.hello().steps;
        let engine = OutsideEngine::new(Arc::clone(outside));
        Self {
            engine,
            model: M::reference(),
            steps,
            stops,
            is_open: false,
            is_seen: Cell::new(false),
            is_lost: false,
            may_be_lost: false,
            can_be_cut: false,
            pending: 0,
            state: Box::default(),
        }
    }

    fn begin(&mut self, case: &M::Case) -> Result<(), LoadError> {
        *self.state = *self.model.state()?;
        (self.is_open, self.is_lost, self.may_be_lost, self.pending) = (false, false, false, 0);
        self.can_be_cut = self.engine.stops_within(case);
        Ok(())
    }

    /// Follows a step of the model with an engine that only runs to the end. Where a result is left open it runs up to
    /// there, if its program can be cut.
    fn go_on(&mut self) -> Result<Step, EngineError> {
        *self.state = *self.model.state()?;
        self.pending += 1;
        self.is_open = weakness::leaves_open(self.model.expectations(), self.engine.lacks());
        let is_wanted = self.stops == Stops::Everywhere || self.is_open;
        if !is_wanted || !self.can_be_cut {
            self.may_be_lost |= self.is_open;
            return Ok(Step::Continue);
        }
        let by_engine = self.engine.run_for(self.pending)?;
        self.pending = 0;
        self.take_over()?;
        Ok(by_engine)
    }

    /// Lets the engine run to the end that the model has come to. An end that is another one is not compared if the
    /// engine went on with another result on the way.
    fn run_to_the_end(&mut self) -> Result<Step, EngineError> {
        let by_engine = self.engine.run_for(u64::MAX)?;
        if self.may_be_lost && self.filled()?.image() != self.model.state()?.image() {
            return Ok(self.lost());
        }
        self.take_over()?;
        Ok(by_engine)
    }

    /// After a result that is left open, an engine that only runs to the end goes on with its own, and the model with
    /// it. Nothing more can be compared if the other engine was held to another result.
    fn keep_up(&mut self) -> Result<(), EngineError> {
        let own = self.filled()?;
        if own.image() == self.state.image() {
            return Ok(());
        }
        self.is_lost = self.is_seen.get();
        if !self.is_lost {
            for extent in differences(self.model.state()?.image(), own.image()) {
                self.model.adopt(extent, &own)?;
            }
        }
        Ok(())
    }

    /// An end behind which nothing is compared.
    fn lost(&self) -> Step {
        let name = self.engine.name();
        let why = format!("{name} cannot take over a result that is left open on the way");
        Step::Finished(Outcome::Undefined(why))
    }

    /// The state of the engine, and that of the model where the engine has none.
    fn filled(&self) -> Result<Box<M::State>, EngineError> {
        let by_model = self.model.state()?.image();
        let mut state = Box::new(*self.engine.state()?);
        for range in self.engine.lacks() {
            state.image_mut()[range.clone()].copy_from_slice(&by_model[range.clone()]);
        }
        Ok(state)
    }

    /// Takes over what the engine came to.
    fn take_over(&mut self) -> Result<(), EngineError> {
        self.state = self.filled()?;
        let (by_model, image) = (self.model.state()?, self.state.image_mut());
        // Two engines that are both within a tolerance may differ by twice as much: each is held against the model.
        let accepted = |Expectation { extent, acceptance }: &&Expectation| {
            let (expected, actual) = (extent.read(by_model.image()), extent.read(&*image));
            acceptance.accepts(expected, actual)
        };
        let found = weakness::found();
        let open: Vec<_> =
            self.model.expectations().iter().chain(&found).filter(accepted).collect();
        let open: Vec<Extent> = open.into_iter().map(|expectation| expectation.extent).collect();
        for extent in open {
            extent.write(image, extent.read(by_model.image()));
        }
        for extent in differences(by_model.image(), self.state.image()) {
            self.model.adopt(extent, &self.state)?;
        }
        if self.steps {
            for extent in differences(self.engine.state()?.image(), self.state.image()) {
                self.engine.adopt(extent, &self.state)?;
            }
        }
        Ok(())
    }
}

/// Where two images differ, in extents of up to eight bytes.
fn differences(one: &[u8], other: &[u8]) -> Vec<Extent> {
    const BYTES: usize = 8;
    if one == other {
        return Vec::new();
    }
    let chunks = one.chunks(BYTES).zip(other.chunks(BYTES)).enumerate();
    let differing = chunks.filter(|(_, (one, other))| one != other);
    differing.map(|(number, (one, _))| Extent::whole(number * BYTES, one.len())).collect()
}

impl<M: Subject> Engine<M> for OutsideReference<M> {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.model.load(case)?;
        self.engine.load(case)?;
        self.begin(case)
    }

    fn restart(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.model.restart(case)?;
        self.engine.restart(case)?;
        self.begin(case)
    }

    fn start_again(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.model.start_again(case)?;
        self.engine.start_again(case)?;
        self.begin(case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        if self.is_open && self.can_be_cut && !self.steps {
            self.keep_up()?;
        }
        if self.is_lost {
            return Ok(self.lost());
        }
        self.is_seen.set(false);
        let by_model = self.model.step()?;
        match &by_model {
            // Nothing is compared from here on.
            Step::Finished(Outcome::Undefined(_)) => Ok(by_model),
            _ if self.steps => {
                let by_engine = self.engine.step()?;
                self.take_over()?;
                Ok(by_engine)
            }
            Step::Continue => self.go_on(),
            Step::Finished(Outcome::StepLimit) => Ok(by_model),
            Step::Finished(_) => self.run_to_the_end(),
        }
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        self.is_seen.set(true);
        Ok(&self.state)
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        extent.write(self.state.image_mut(), extent.read(from.image()));
        self.model.adopt(extent, from)?;
        if self.steps { self.engine.adopt(extent, from) } else { Ok(()) }
    }

    fn stops_within(&self, case: &M::Case) -> bool {
        self.steps || self.stops == Stops::Everywhere && self.engine.stops_within(case)
    }

    fn weaknesses(&self) -> Option<&Weaknesses> {
        self.engine.weaknesses()
    }

    fn lacks(&self) -> &[Range<usize>] {
        self.engine.lacks()
    }
}

impl<M: Subject> Reference<M> for OutsideReference<M> {
    fn expectations(&self) -> &[Expectation] {
        self.model.expectations()
    }

    fn is_exact(&self) -> bool {
        self.model.is_exact()
    }
}

/// Which of two engines that differ in a case the model agrees with, as a sentence.
pub(crate) fn referee<M: Subject>(
    reference: &Arc<Outside>,
    engine: &mut dyn Engine<M>,
    pace: Pace,
    case: &M::Case,
) -> String {
    let mut other = OutsideEngine::<M>::new(Arc::clone(reference));
    let of_engine = format!("the engine under test ({})", escape::line(engine.name()));
    let of_other = format!("the reference ({})", escape::line(other.name()));
    let mut model = M::reference();
    let is_right = |run: &Run| match run {
        Run::Agreed(_) => Some(true),
        Run::Diverged { .. } => Some(false),
        Run::Refused(_) | Run::Declined { .. } => None,
    };
    let engine = is_right(&run_at(pace, &mut *model, engine, case));
    let other = is_right(&run_at(pace, &mut *model, &mut other, case));
    match (other, engine) {
        (Some(true), Some(false)) => {
            format!("by the model {of_other} is right, {of_engine} is not")
        }
        (Some(false), Some(true)) => {
            format!("by the model {of_engine} is right, {of_other} is not")
        }
        (Some(false), Some(false)) => {
            format!("by the model neither {of_engine} nor {of_other} is right")
        }
        (Some(true), Some(true)) => "by the model both results are possible".to_owned(),
        _ => "the model does not say which of the two is right".to_owned(),
    }
}
