//! The one function through which campaigns, fuzz targets, the replayer, the minimiser and the
//! tests compare two engines.

use parallax_isa::{Extent, Image, LoadError, Outcome, Step};

use crate::engine::{Engine, Machine, Reference};

/// What came of running a case on two engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every effect was accepted.
    Agreed(Agreement),
    /// The first step whose effect was not.
    Diverged(Box<Divergence>),
    /// An engine could not start the case.
    NotRun {
        /// The engine's name.
        engine: String,
        /// Why.
        error: LoadError,
    },
}

/// A run without divergence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// Steps both engines took.
    pub steps: u64,
    /// Places where a result other than the reference's was accepted.
    pub accepted: u64,
    /// How the run ended.
    pub outcome: Outcome,
}

/// The first step whose effect is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// Number of the step, from 0.
    pub step: u64,
    /// The instruction as text.
    pub instruction: String,
    /// What differs.
    pub difference: Difference,
}

/// What differs between two engines after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// State bytes.
    State(Vec<Mismatch>),
    /// One goes on, or ends in another way.
    Flow {
        /// What the reference does.
        expected: Step,
        /// What the engine under test does.
        actual: Step,
    },
}

/// One differing byte of state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Byte of the state image.
    pub offset: usize,
    /// Its architectural name.
    pub place: String,
    /// The reference's byte.
    pub expected: u8,
    /// The other's.
    pub actual: u8,
}

/// Runs a case on both engines until it ends or they differ.
///
/// After every step the whole state is compared. Where the reference lists an expectation that
/// accepts the engine's value, the reference adopts it, so that both go on from the same state.
pub fn lockstep<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Verdict {
    if let Err(error) = reference.load(case) {
        return Verdict::NotRun { engine: reference.name().to_owned(), error };
    }
    if let Err(error) = engine.load(case) {
        return Verdict::NotRun { engine: engine.name().to_owned(), error };
    }
    let (mut steps, mut accepted) = (0, 0);
    loop {
        let before = *reference.state();
        let expected = reference.step();
        let actual = engine.step();
        let differing = compare(reference, engine, &mut accepted);
        let difference = if !differing.is_empty() {
            Difference::State(differing)
        } else if flow(&expected) != flow(&actual) {
            Difference::Flow { expected, actual }
        } else if let Step::Finished(outcome) = expected {
            return Verdict::Agreed(Agreement { steps, accepted, outcome });
        } else {
            steps += 1;
            continue;
        };
        let instruction = M::describe_next(case, &before);
        return Verdict::Diverged(Box::new(Divergence { step: steps, instruction, difference }));
    }
}

/// How a step goes on, without the sentence that explains it: engines word that as they like.
fn flow(step: &Step) -> &'static str {
    match step {
        Step::Continue => "continue",
        Step::Finished(outcome) => outcome.keyword(),
    }
}

/// Compares the states after a step, lets the reference adopt what it accepts, and returns the
/// bytes that still differ.
fn compare<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &(impl Engine<M> + ?Sized),
    accepted: &mut u64,
) -> Vec<Mismatch> {
    if reference.state().image() == engine.state().image() {
        return Vec::new();
    }
    let adopted: Vec<Extent> = reference
        .expectations()
        .iter()
        .filter(|expectation| {
            let extent = expectation.extent;
            let expected = extent.read(reference.state().image());
            let actual = extent.read(engine.state().image());
            expected != actual && expectation.acceptance.accepts(expected, actual)
        })
        .map(|expectation| expectation.extent)
        .collect();
    *accepted += adopted.len() as u64;
    for extent in adopted {
        reference.adopt(extent, engine.state());
    }
    let pairs = reference.state().image().iter().zip(engine.state().image());
    pairs
        .enumerate()
        .filter(|(_, (expected, actual))| expected != actual)
        .map(|(offset, (&expected, &actual))| Mismatch {
            offset,
            place: M::State::place(offset),
            expected,
            actual,
        })
        .collect()
}
