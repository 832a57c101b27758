//! The results that a run leaves unspecified, and what each engine has there.
//!
//! Where a result is unspecified any value is accepted, and the reference goes on with the engine's. That the
//! engines agree then says nothing of it.

use std::{collections::BTreeMap, ops::Range, rc::Rc};

use parallax_isa::{
    Acceptance, Engine, EngineError, Expectation, Extent, Image, LoadError, Reference, Step,
};

use crate::{
    elements::{number, typed},
    forward::{forward_claims, forward_reference},
    lockstep::{Verdict, lockstep},
    subject::{Subject, Typed},
};

/// An element at the end of a run whose value is not exactly specified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unspecified {
    /// Its name, with its type if that is known: `r4.3:f`.
    pub element: String,
    /// The step that wrote it, from 0.
    pub step: u64,
    /// The instruction of that step.
    pub instruction: String,
    /// Which values are accepted.
    pub acceptance: Acceptance,
    /// The reference's own value, as a number and in hexadecimal digits.
    pub reference: String,
    /// The engine's.
    pub engine: String,
}

impl Unspecified {
    /// Whether the engines have different values.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.reference != self.engine
    }
}

/// What came of a case on the reference and an engine.
pub struct Watched<M: Subject> {
    /// As [`lockstep`] says.
    pub verdict: Verdict,
    /// The last state of the reference, with the engine's values where results are unspecified.
    pub state: Box<M::State>,
    /// The elements of it that hold unspecified results: those of which any value is accepted, in banks for results,
    /// and those of which the engines have different ones. What is computed from them is compared, and not listed.
    pub unspecified: Vec<Unspecified>,
}

/// Runs a case as [`lockstep`] does, and keeps what it leaves unspecified.
///
/// # Errors
/// If the reference fails.
pub fn watched<M: Subject>(
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Result<Watched<M>, EngineError> {
    let mut reference = Watching::<M>::new(case);
    let verdict = lockstep::<M>(&mut reference, engine, case);
    let End { state, unspecified } = match reference.first.take() {
        Some(end) => end,
        None => reference.end()?,
    };
    Ok(Watched { verdict, state, unspecified })
}

/// The reference, and what it has left unspecified since it loaded the case.
struct Watching<'c, M: Subject> {
    inner: Box<dyn Reference<M>>,
    case: &'c M::Case,
    /// The state before the last step.
    before: Rc<M::State>,
    steps: u64,
    /// By the first byte of their extents.
    places: BTreeMap<usize, Place<M::State>>,
    is_over: bool,
    /// How the first whole run ended: where something differs at first, the case is run again in part.
    first: Option<End<M::State>>,
}

struct End<S> {
    state: Box<S>,
    unspecified: Vec<Unspecified>,
}

/// A place with an unspecified result.
struct Place<S> {
    step: u64,
    expectation: Expectation,
    before: Rc<S>,
    /// The reference's own bytes of the element; those of the engine are in its state from the next step on.
    after: Rc<S>,
}

impl<'c, M: Subject> Watching<'c, M> {
    fn new(case: &'c M::Case) -> Self {
        Self {
            inner: M::reference(),
            case,
            before: Rc::default(),
            steps: 0,
            places: BTreeMap::new(),
            is_over: false,
            first: None,
        }
    }

    fn begin(&mut self) {
        if self.is_over && self.first.is_none() {
            self.first = self.end().ok();
        }
        self.places.clear();
        (self.steps, self.is_over) = (0, false);
    }

    /// What the run has come to so far.
    fn end(&self) -> Result<End<M::State>, EngineError> {
        let state = Box::new(*self.inner.state()?);
        let mut unspecified: Vec<Unspecified> = Vec::new();
        let mut last: Range<usize> = 0..0;
        for Place { step, expectation, before, after } in self.places.values() {
            let offset = expectation.extent.range().start;
            if last.contains(&offset) {
                continue;
            }
            let Typed { name, places, show } = typed::<M>(self.case, before, offset);
            let [reference, engine] =
                [after.image(), state.image()].map(|image| show(number(&image[places.clone()])));
            let found = Unspecified {
                element: name,
                step: *step,
                instruction: M::describe_next(self.case, before),
                acceptance: expectation.acceptance,
                reference,
                engine,
            };
            let is_result = M::State::bank(offset).holds_results;
            if found.differs() || is_result && found.acceptance == Acceptance::Undefined {
                unspecified.push(found);
                last = places;
            }
        }
        Ok(End { state, unspecified })
    }
}

impl<M: Subject> Engine<M> for Watching<'_, M> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.begin();
        self.inner.load(case)
    }

    fn restart(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.begin();
        self.inner.restart(case)
    }

    fn start_again(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.begin();
        self.inner.start_again(case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        let state = self.inner.state()?;
        match Rc::get_mut(&mut self.before) {
            Some(before) => *before = *state,
            // A place still refers to it.
            None => self.before = Rc::new(*state),
        }
        let step = self.inner.step()?;
        let state = self.inner.state()?;
        // What an exact result has taken the place of.
        let [was, is] = [self.before.image(), state.image()];
        self.places.retain(|_, place| {
            let range = place.expectation.extent.range();
            was[range.clone()] == is[range]
        });
        let expectations = self.inner.expectations();
        if !expectations.is_empty() {
            let after = Rc::new(*state);
            for expectation in expectations {
                let place = Place {
                    step: self.steps,
                    expectation: *expectation,
                    before: Rc::clone(&self.before),
                    after: Rc::clone(&after),
                };
                self.places.insert(expectation.extent.range().start, place);
            }
        }
        self.steps += 1;
        self.is_over |= matches!(step, Step::Finished(_));
        Ok(step)
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        self.inner.state()
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        self.inner.adopt(extent, from)
    }

    forward_claims!(inner);
}

impl<M: Subject> Reference<M> for Watching<'_, M> {
    forward_reference!(inner);
}
