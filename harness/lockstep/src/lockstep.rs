//! The one function through which campaigns, fuzz targets, the replayer, the minimiser and the
//! tests compare two engines.

use std::ops::Range;

use parallax_isa::{
    Engine, EngineError, Expectation, Extent, Image, LoadError, Machine, Outcome, Reference, Step,
};
use parallax_spec::{RuleId, coverage};

use crate::{
    stretch,
    subject::{OperandValues, Subject},
};

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
    /// How often states were compared.
    pub comparisons: u64,
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
    /// How the engine under test came there.
    pub path: Path,
}

/// How an engine executes a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Step by step.
    Steps,
    /// Many steps in a row: [`Engine::run_for`].
    Stretch,
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
    Diverged { step: u64, difference: Difference, path: Path },
    Refused { engine: String, error: LoadError },
}

/// How often states are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// After every step.
    Steps,
    /// After so many steps that the engine under test takes in a row, and where the reference leaves
    /// a result open: for programs of thousands of steps.
    Stretches(u64),
}

/// Runs a case on both engines until it ends or they differ, and then once more on the engine under
/// test, at a stretch, to the same end.
///
/// After every step the state is compared: large banks where something was written, and whole every
/// 64 steps and at the end; everything else whole. Where the reference lists an expectation that
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
    lockstep_at(Pace::Steps, reference, engine, case)
}

/// [`lockstep`] at a pace.
pub fn lockstep_at<M: Subject>(
    pace: Pace,
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Verdict {
    match run_at(pace, reference, engine, case) {
        Run::Agreed(agreement) => Verdict::Agreed(agreement),
        Run::Refused { engine, error } => Verdict::NotRun { engine, error },
        Run::Diverged { step, difference, path } => {
            let divergence = explain(reference, engine, case, step, difference);
            let divergence = Divergence { path, ..divergence };
            Verdict::Diverged(Box::new(divergence))
        }
    }
}

/// Steps from one look at all of the large banks to the next.
const CHECKPOINT: u64 = 64;

/// How much of the large banks is compared after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// What the reference has written.
    Written,
    /// All of it.
    Whole,
}

/// Runs a case on both engines at a pace, and only says where they differ.
pub(crate) fn run_at<M: Machine>(
    pace: Pace,
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Run {
    match pace {
        Pace::Steps => run(reference, engine, case),
        Pace::Stretches(length) => stretch::run(reference, engine, case, length),
    }
}

/// Runs a case on both engines until it ends or they differ, and only says where.
pub(crate) fn run<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Run {
    let run = step_by_step(reference, engine, case);
    let Run::Agreed(Agreement { steps, outcome, .. }) = &run else { return run };
    stretch::differs(reference, engine, case, *steps, outcome).unwrap_or(run)
}

/// Runs a case on both engines step by step.
pub(crate) fn step_by_step<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Run {
    let first = pass(reference, engine, case, Look::Written);
    if !first.is_doubtful {
        return first.run;
    }
    // Something is different that no step was seen to write: the step that did is looked for.
    let second = coverage::uncounted(|| pass(reference, engine, case, Look::Whole));
    match second.run {
        Run::Agreed(_) => first.run,
        differs => differs,
    }
}

/// What one run of both engines came to.
struct Pass {
    run: Run,
    /// Whether a step before may differ in a large bank: another look at all of them will tell.
    is_doubtful: bool,
}

fn pass<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
    look: Look,
) -> Pass {
    let certain = |run| Pass { run, is_doubtful: false };
    let diverged = |step, difference| Run::Diverged { step, difference, path: Path::Steps };
    if let Err(error) = reference.load(case) {
        return certain(Run::Refused { engine: reference.name().to_owned(), error });
    }
    if let Err(error) = engine.load(case) {
        return certain(Run::Refused { engine: engine.name().to_owned(), error });
    }
    let (mut step, mut accepted) = (0, 0);
    // Whether large banks were looked at in part since they were last looked at whole.
    let mut in_part = false;
    let has_large_banks = M::State::BANKS.iter().any(|bank| bank.is_large);
    loop {
        let is_checkpoint = step % CHECKPOINT == CHECKPOINT - 1;
        let look = if is_checkpoint { Look::Whole } else { look };
        let (run, is_doubtful) = match both(reference, engine, look, &mut accepted) {
            Ok(Both::Agree(None)) => {
                step += 1;
                in_part = look == Look::Written && has_large_banks;
                continue;
            }
            Ok(Both::Agree(Some(outcome))) => {
                let is_open = matches!(outcome, Outcome::Undefined(_));
                let comparisons = step + 1;
                let agreement = Agreement { steps: step, accepted, outcome, comparisons };
                (Run::Agreed(agreement), in_part && is_open)
            }
            Ok(Both::Differ(difference)) => (diverged(step, difference), in_part),
            Err(failed) => (diverged(step, failed.into()), in_part),
        };
        return Pass { run, is_doubtful };
    }
}

/// What a step of both engines came to.
pub(crate) enum Both {
    /// They agree; an outcome if the run is over.
    Agree(Option<Outcome>),
    Differ(Difference),
}

/// An engine that failed.
pub(crate) struct Failed {
    engine: String,
    error: EngineError,
}

impl From<Failed> for Difference {
    fn from(Failed { engine, error }: Failed) -> Self {
        Self::Failure { engine, error }
    }
}

/// Makes errors of an engine carry its name.
pub(crate) fn of<M: Machine>(
    engine: &(impl Engine<M> + ?Sized),
) -> impl FnOnce(EngineError) -> Failed {
    |error| Failed { engine: engine.name().to_owned(), error }
}

/// Lets both engines take a step and compares what it did.
pub(crate) fn both<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    look: Look,
    accepted: &mut u64,
) -> Result<Both, Failed> {
    let expected = reference.step().map_err(|error| of(reference)(error))?;
    let actual = engine.step().map_err(|error| of(engine)(error))?;
    if let Step::Finished(outcome @ Outcome::Undefined(_)) = expected {
        // The manual leaves open what happens from here on: there is nothing to compare.
        return Ok(Both::Agree(Some(outcome)));
    }
    let look = if expected == Step::Continue { look } else { Look::Whole };
    Ok(if !compare(reference, engine, look, accepted)? {
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
        path: Path::Steps,
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
        if both(reference, engine, Look::Written, &mut 0).is_err() {
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
pub(crate) fn states<'r, 'e, M: Machine>(
    reference: &'r (impl Reference<M> + ?Sized),
    engine: &'e (impl Engine<M> + ?Sized),
) -> Result<(&'r M::State, &'e M::State), Failed> {
    Ok((reference.state().map_err(of(reference))?, engine.state().map_err(of(engine))?))
}

/// Compares the states after a step, and lets the reference adopt what it accepts. Whether the
/// states are the same then.
pub(crate) fn compare<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &(impl Engine<M> + ?Sized),
    look: Look,
    accepted: &mut u64,
) -> Result<bool, Failed> {
    if is_same(reference, engine, look)? {
        return Ok(true);
    }
    let (expected, actual) = states(reference, engine)?;
    let adopted = accepted_places::<M>(reference.expectations(), expected, actual);
    *accepted += adopted.len() as u64;
    for extent in adopted {
        reference.adopt(extent, actual).map_err(|error| of(reference)(error))?;
    }
    is_same(reference, engine, look)
}

/// Whether the engines' states are the same, as far as one looks.
fn is_same<M: Machine>(
    reference: &(impl Reference<M> + ?Sized),
    engine: &(impl Engine<M> + ?Sized),
    look: Look,
) -> Result<bool, Failed> {
    let (expected, actual) = states(reference, engine)?;
    let (expected, actual) = (expected.image(), actual.image());
    let written = match (look, reference.written()) {
        (Look::Written, Some(written)) => written,
        _ => return Ok(expected == actual),
    };
    let same = |range: Range<usize>| expected[range.clone()] == actual[range];
    let mut start = 0;
    for bank in M::State::BANKS.iter().filter(|bank| bank.is_large) {
        if !same(start..bank.offset) {
            return Ok(false);
        }
        start = bank.range().end;
    }
    // What the reference leaves open it need not have written.
    let open = reference.expectations().iter().map(|expectation| expectation.extent.range());
    Ok(same(start..expected.len()) && written.iter().cloned().chain(open).all(same))
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
