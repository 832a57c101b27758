//! The one function through which campaigns, fuzz targets, the replayer, the minimiser and the
//! tests compare two engines.

use parallax_isa::{
    Engine, EngineError, Expectation, Extent, Image, LoadError, Machine, Outcome, Reference, Step,
};
use parallax_spec::{RuleId, coverage};

use crate::subject::{OperandValues, Subject};

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

/// The first step whose effect is not accepted, with what a person needs to judge it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// Number of the step, from 0.
    pub step: u64,
    /// The instruction as text.
    pub instruction: String,
    /// Its mnemonic.
    pub mnemonic: String,
    /// What it read, channel by channel, before the step.
    pub operands: Vec<OperandValues>,
    /// What differs.
    pub difference: Difference,
    /// The rules that the reference applied in the step.
    pub rules: Vec<RuleId>,
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
    /// The last state as a whole: its CRC-32 is not the recorded one.
    Digest {
        /// The recorded one.
        expected: u32,
        /// That of the engine under test.
        actual: u32,
    },
    /// An engine did not answer.
    Failure {
        /// The engine's name.
        engine: String,
        /// What became of it.
        error: EngineError,
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

/// What came of a run, without the context of a [`Verdict`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Run {
    Agreed(Agreement),
    Diverged { step: u64, difference: Difference },
    Refused { engine: String, error: LoadError },
}

/// Runs a case on both engines until it ends or they differ.
///
/// After every step the whole state is compared. Where the reference lists an expectation that
/// accepts the engine's value, the reference adopts it, so that both go on from the same state. An
/// engine that fails differs.
///
/// A divergence is looked into by running the case once more; that forgets this thread's coverage
/// counters.
pub fn lockstep<M: Subject>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Verdict {
    match run(reference, engine, case) {
        Run::Agreed(agreement) => Verdict::Agreed(agreement),
        Run::Refused { engine, error } => Verdict::NotRun { engine, error },
        Run::Diverged { step, difference } => {
            let divergence = explain(reference, engine, case, step, difference);
            Verdict::Diverged(Box::new(divergence))
        }
    }
}

/// Runs a case on both engines until it ends or they differ, and only says where.
pub(crate) fn run<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Run {
    if let Err(error) = reference.load(case) {
        return Run::Refused { engine: reference.name().to_owned(), error };
    }
    if let Err(error) = engine.load(case) {
        return Run::Refused { engine: engine.name().to_owned(), error };
    }
    let (mut step, mut accepted) = (0, 0);
    loop {
        match both(reference, engine, &mut accepted) {
            Ok(Both::Agree(None)) => step += 1,
            Ok(Both::Agree(Some(outcome))) => {
                return Run::Agreed(Agreement { steps: step, accepted, outcome });
            }
            Ok(Both::Differ(difference)) => return Run::Diverged { step, difference },
            Err(Failed { engine, error }) => {
                return Run::Diverged { step, difference: Difference::Failure { engine, error } };
            }
        }
    }
}

/// What a step of both engines came to.
enum Both {
    /// They agree; an outcome if the run is over.
    Agree(Option<Outcome>),
    Differ(Difference),
}

/// An engine that failed.
struct Failed {
    engine: String,
    error: EngineError,
}

/// Makes errors of an engine carry its name.
fn of<M: Machine>(engine: &(impl Engine<M> + ?Sized)) -> impl FnOnce(EngineError) -> Failed {
    |error| Failed { engine: engine.name().to_owned(), error }
}

/// Lets both engines take a step and compares what it did.
fn both<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    accepted: &mut u64,
) -> Result<Both, Failed> {
    let expected = reference.step().map_err(|error| of(reference)(error))?;
    let actual = engine.step().map_err(|error| of(engine)(error))?;
    if let Step::Finished(outcome @ Outcome::Undefined(_)) = expected {
        // The manual leaves open what happens from here on: there is nothing to compare.
        return Ok(Both::Agree(Some(outcome)));
    }
    Ok(if !compare(reference, engine, accepted)? {
        let (expected, actual) = states(reference, engine)?;
        Both::Differ(Difference::State(mismatches(expected, actual)))
    } else if !is_same_flow(&expected, &actual) {
        Both::Differ(Difference::Flow { expected, actual })
    } else {
        Both::Agree(match expected {
            Step::Continue => None,
            Step::Finished(outcome) => Some(outcome),
        })
    })
}

/// Runs a case once more up to the step that differed, and looks at it.
pub(crate) fn explain<M: Subject>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
    step: u64,
    difference: Difference,
) -> Divergence {
    let mut divergence = Divergence {
        step,
        instruction: String::new(),
        mnemonic: String::new(),
        operands: Vec::new(),
        difference,
        rules: Vec::new(),
    };
    if let Some(before) = before(reference, engine, case, step) {
        divergence.instruction = M::describe_next(case, before);
        divergence.mnemonic = M::mnemonic(case, before);
        divergence.operands = M::operands(case, before);
    }
    coverage::discard();
    if reference.step().is_ok() {
        divergence.rules = coverage::take().covered().collect();
    }
    divergence
}

/// Runs a case once more up to the step that differed: the state before it, if no engine fails.
pub(crate) fn before<'r, M: Machine>(
    reference: &'r mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
    step: u64,
) -> Option<&'r M::State> {
    reference.load(case).ok()?;
    engine.load(case).ok()?;
    advance(reference, engine, step);
    reference.state().ok()
}

/// Takes steps that are known to agree; fewer if an engine fails.
pub(crate) fn advance<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    steps: u64,
) {
    for _ in 0..steps {
        if both(reference, engine, &mut 0).is_err() {
            break;
        }
    }
}

/// Whether two steps go on in the same way, without the sentence that explains it: engines word
/// that as they like.
pub(crate) fn is_same_flow(expected: &Step, actual: &Step) -> bool {
    match (expected, actual) {
        (Step::Continue, Step::Continue) => true,
        (Step::Finished(expected), Step::Finished(actual)) => {
            expected.keyword() == actual.keyword()
        }
        _ => false,
    }
}

/// The states of both engines.
fn states<'r, 'e, M: Machine>(
    reference: &'r (impl Reference<M> + ?Sized),
    engine: &'e (impl Engine<M> + ?Sized),
) -> Result<(&'r M::State, &'e M::State), Failed> {
    Ok((reference.state().map_err(of(reference))?, engine.state().map_err(of(engine))?))
}

/// Compares the states after a step, and lets the reference adopt what it accepts. Whether the
/// states are the same then.
fn compare<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &(impl Engine<M> + ?Sized),
    accepted: &mut u64,
) -> Result<bool, Failed> {
    let (expected, actual) = states(reference, engine)?;
    if expected.image() == actual.image() {
        return Ok(true);
    }
    let adopted = accepted_places::<M>(reference.expectations(), expected, actual);
    *accepted += adopted.len() as u64;
    for extent in adopted {
        reference.adopt(extent, actual).map_err(|error| of(reference)(error))?;
    }
    let (expected, actual) = states(reference, engine)?;
    Ok(expected.image() == actual.image())
}

/// The places where an engine has something else than the reference, and the reference accepts it.
pub(crate) fn accepted_places<M: Machine>(
    expectations: &[Expectation],
    expected: &M::State,
    actual: &M::State,
) -> Vec<Extent> {
    expectations
        .iter()
        .filter(|expectation| {
            let extent = expectation.extent;
            let [expected, actual] = [expected, actual].map(|state| extent.read(state.image()));
            expected != actual && expectation.acceptance.accepts(expected, actual)
        })
        .map(|expectation| expectation.extent)
        .collect()
}

/// The bytes that differ between two states.
pub(crate) fn mismatches<S: Image>(expected: &S, actual: &S) -> Vec<Mismatch> {
    let pairs = expected.image().iter().zip(actual.image());
    pairs
        .enumerate()
        .filter(|(_, (expected, actual))| expected != actual)
        .map(|(offset, (&expected, &actual))| Mismatch {
            offset,
            place: S::place(offset),
            expected,
            actual,
        })
        .collect()
}
