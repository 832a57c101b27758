//! The one function through which campaigns, fuzz targets, the replayer, the minimiser and the
//! tests compare two engines.

use parallax_isa::{Extent, Image, LoadError, Outcome, Step};
use parallax_spec::{RuleId, coverage};

use crate::engine::{Engine, Machine, OperandValues, Reference};

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
/// accepts the engine's value, the reference adopts it, so that both go on from the same state.
///
/// A divergence is looked into by running the case once more; that forgets this thread's coverage
/// counters.
pub fn lockstep<M: Machine>(
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
    let (mut steps, mut accepted) = (0, 0);
    loop {
        let expected = reference.step();
        let actual = engine.step();
        if let Step::Finished(outcome @ Outcome::Undefined(_)) = expected {
            // The manual leaves open what happens from here on: there is nothing to compare.
            return Run::Agreed(Agreement { steps, accepted, outcome });
        }
        let agree = compare(reference, engine, &mut accepted);
        let difference = if !agree {
            Difference::State(mismatches::<M>(reference.state(), engine.state()))
        } else if flow(&expected) != flow(&actual) {
            Difference::Flow { expected, actual }
        } else if let Step::Finished(outcome) = expected {
            return Run::Agreed(Agreement { steps, accepted, outcome });
        } else {
            steps += 1;
            continue;
        };
        return Run::Diverged { step: steps, difference };
    }
}

/// Runs a case once more up to the step that differed, and looks at it.
pub(crate) fn explain<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
    step: u64,
    difference: Difference,
) -> Divergence {
    if reference.load(case).is_ok() && engine.load(case).is_ok() {
        advance(reference, engine, step);
    }
    let before = *reference.state();
    coverage::discard();
    reference.step();
    let rules = coverage::take().covered().collect();
    Divergence {
        step,
        instruction: M::describe_next(case, &before),
        mnemonic: M::mnemonic(case, &before),
        operands: M::operands(case, &before),
        difference,
        rules,
    }
}

/// Takes steps that are known to agree.
pub(crate) fn advance<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    steps: u64,
) {
    for _ in 0..steps {
        reference.step();
        engine.step();
        compare(reference, engine, &mut 0);
    }
}

/// How a step goes on, without the sentence that explains it: engines word that as they like.
fn flow(step: &Step) -> &'static str {
    match step {
        Step::Continue => "continue",
        Step::Finished(outcome) => outcome.keyword(),
    }
}

/// Compares the states after a step, and lets the reference adopt what it accepts. Whether the
/// states are the same then.
fn compare<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &(impl Engine<M> + ?Sized),
    accepted: &mut u64,
) -> bool {
    if reference.state().image() == engine.state().image() {
        return true;
    }
    let adopted = accepted_places(reference, engine);
    *accepted += adopted.len() as u64;
    for extent in adopted {
        reference.adopt(extent, engine.state());
    }
    reference.state().image() == engine.state().image()
}

/// The places where the engine has something else than the reference, and the reference accepts it.
pub(crate) fn accepted_places<M: Machine>(
    reference: &(impl Reference<M> + ?Sized),
    engine: &(impl Engine<M> + ?Sized),
) -> Vec<Extent> {
    reference
        .expectations()
        .iter()
        .filter(|expectation| {
            let extent = expectation.extent;
            let expected = extent.read(reference.state().image());
            let actual = extent.read(engine.state().image());
            expected != actual && expectation.acceptance.accepts(expected, actual)
        })
        .map(|expectation| expectation.extent)
        .collect()
}

/// The bytes that differ between two states.
pub(crate) fn mismatches<M: Machine>(expected: &M::State, actual: &M::State) -> Vec<Mismatch> {
    let pairs = expected.image().iter().zip(actual.image());
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
