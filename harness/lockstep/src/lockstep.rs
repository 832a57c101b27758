//! The one function through which campaigns, fuzz targets, the replayer, the minimiser and the
//! tests compare two engines.

use std::ops::Range;

use parallax_isa::{
    Engine, EngineError, Expectation, Extent, Image, LoadError, Machine, Outcome, Reference, Step,
};
use parallax_spec::{
    RuleId,
    coverage::{self, Weight},
};

use crate::{
    pulse, stake, stretch,
    subject::{OperandValues, Subject},
};

/// What came of running a case on two engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every effect was accepted.
    Agreed(Agreement),
    /// The first step whose effect was not.
    Diverged(Box<Divergence>),
    /// Both engines refuse the case: why the reference does.
    NotRun(LoadError),
}

/// A run without divergence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// Steps both engines took. All of them were compared.
    pub steps: u64,
    /// Places where a result other than the reference's was accepted.
    pub accepted: u64,
    /// How the run ended.
    pub outcome: Outcome,
    /// How often states were compared: after steps, and at an end that is not open.
    pub comparisons: u64,
}

impl Agreement {
    /// Whether what the last step did is open, so that it could not be compared.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.outcome, Outcome::Undefined(_))
    }
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
    /// The rules that the reference applied in the step: those that set its instruction apart from
    /// others come first.
    pub rules: Vec<RuleId>,
    /// How many of them do.
    pub at_stake: usize,
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
    /// One takes the case up, the other refuses it.
    Load {
        /// Why the reference refuses it, if it does.
        expected: Option<LoadError>,
        /// Why the engine under test does.
        actual: Option<LoadError>,
    },
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
    /// Its number in its register.
    pub byte: usize,
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
    Refused(LoadError),
}

/// How often states are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// After every step.
    Steps,
    /// After so many steps that the engine under test takes in a row: for programs of thousands of
    /// steps.
    Stretches {
        /// How many steps.
        length: u64,
        /// Whether a stretch goes on where the reference leaves a result open. If the engine has
        /// another one there, the case is run again with stretches that end there.
        over_open: bool,
    },
}

/// Runs a case on both engines until it ends or they differ, and then once more on the engine under
/// test, at a stretch, to the same end.
///
/// An engine that refuses what the other takes up differs, and so does one that fails. After every
/// step the state is compared: large banks where something was written, and whole every 64 steps and
/// at the end; everything else whole. Where the reference lists an expectation that accepts the
/// engine's value, the reference adopts it, so that both go on from the same state. At an end that the
/// manual leaves open the engine may do as it likes; if it ends there too, nothing has changed.
///
/// The rules of a step count once its effect was compared and agreed. A divergence is looked into by
/// running the case once more.
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
        Run::Refused(error) => Verdict::NotRun(error),
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
        Pace::Stretches { length, over_open } => {
            stretch::run(reference, engine, case, length, over_open)
        }
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
    pulse::beat();
    if let Some(run) = load(reference, engine, case) {
        return Pass { run, is_doubtful: false };
    }
    let (mut step, mut accepted) = (0, 0);
    // Whether large banks were looked at in part since they were last looked at whole.
    let mut in_part = false;
    let has_large_banks = M::State::BANKS.iter().any(|bank| bank.is_large);
    loop {
        let is_checkpoint = step % CHECKPOINT == CHECKPOINT - 1;
        if is_checkpoint {
            pulse::beat();
        }
        let look = if is_checkpoint { Look::Whole } else { look };
        let came_to = both(reference, engine, look, &mut accepted);
        // The rules that decided what a step does count for what became of that.
        match &came_to {
            Ok(Both::Agree(_)) if reference.is_exact() => coverage::settle(Weight::Exact),
            Ok(Both::Agree(_)) => coverage::settle(Weight::Accepted),
            Ok(Both::Differ(_)) => coverage::settle(Weight::Failed),
            _ => coverage::discard(),
        }
        let agreed = |outcome: Outcome| {
            let comparisons = step + u64::from(!matches!(outcome, Outcome::Undefined(_)));
            Run::Agreed(Agreement { steps: step, accepted, outcome, comparisons })
        };
        let diverged = |step, difference| Run::Diverged { step, difference, path: Path::Steps };
        let (run, is_doubtful) = match came_to {
            Ok(Both::Agree(None)) => {
                step += 1;
                in_part = look == Look::Written && has_large_banks;
                continue;
            }
            Ok(Both::Agree(Some(outcome))) => (agreed(outcome), false),
            Ok(Both::Open { outcome, is_compared }) => (agreed(outcome), in_part && !is_compared),
            Ok(Both::Differ(difference)) => (diverged(step, difference), in_part),
            Err(failed) => (diverged(step, failed.into()), in_part),
        };
        return Pass { run, is_doubtful };
    }
}

/// Lets both engines take up a case; what that comes to if it does not run.
pub(crate) fn load<M: Machine>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Option<Run> {
    let [expected, actual] = [reference.load(case).err(), engine.load(case).err()];
    // What generators and decoders have marked counts when a step depends on it, which marks it again.
    coverage::discard();
    let difference = match (expected, actual) {
        (None, None) => return None,
        (Some(LoadError::Engine(error)), _) => {
            Difference::Failure { engine: reference.name().to_owned(), error }
        }
        (_, Some(LoadError::Engine(error))) => {
            Difference::Failure { engine: engine.name().to_owned(), error }
        }
        (Some(error), Some(_)) => return Some(Run::Refused(error)),
        (expected, actual) => Difference::Load { expected, actual },
    };
    Some(Run::Diverged { step: 0, difference, path: Path::Steps })
}

/// What a step of both engines came to.
pub(crate) enum Both {
    /// They agree; an outcome if the run is over.
    Agree(Option<Outcome>),
    /// The manual leaves open what happens from here on.
    Open {
        outcome: Outcome,
        /// Whether the engine ends here too, with the state that the reference ends with.
        is_compared: bool,
    },
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
    if let Step::Finished(outcome @ Outcome::Undefined(_)) = &expected
        && !matches!(actual, Step::Finished(Outcome::Undefined(_)))
    {
        return Ok(Both::Open { outcome: outcome.clone(), is_compared: false });
    }
    let look = if expected == Step::Continue { look } else { Look::Whole };
    Ok(if !compare(reference, engine, look, accepted)? {
        let (expected, actual) = states(reference, engine)?;
        Both::Differ(Difference::State(mismatches(expected, actual)))
    } else if !is_same_flow(&expected, &actual) {
        Both::Differ(Difference::Flow { expected, actual })
    } else {
        match expected {
            Step::Continue => Both::Agree(None),
            Step::Finished(outcome @ Outcome::Undefined(_)) => {
                Both::Open { outcome, is_compared: true }
            }
            Step::Finished(outcome) => Both::Agree(Some(outcome)),
        }
    })
}

/// Runs a case once more up to the step that differed, and looks at it. The rules of that run do not
/// count.
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
        at_stake: 0,
        path: Path::Steps,
    };
    coverage::uncounted(|| {
        if let Some(before) = before(reference, engine, case, step, &divergence.difference) {
            divergence.instruction = M::describe_next(case, &before);
            divergence.mnemonic = M::mnemonic(case, &before);
            divergence.operands = M::operands(case, &before);
        }
        let is_loaded = !matches!(divergence.difference, Difference::Load { .. });
        coverage::discard();
        if is_loaded && reference.step().is_ok() {
            let rules = coverage::marked();
            let stake = stake::stake::<M>(case, &divergence.instruction, rules);
            (divergence.rules, divergence.at_stake) = (stake.rules, stake.own);
        }
    });
    divergence
}

/// Runs a case once more up to what differed: the state before it, if no engine fails. Of a program
/// that was refused it is a state in which the refused instruction is the next.
pub(crate) fn before<M: Subject>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
    step: u64,
    difference: &Difference,
) -> Option<Box<M::State>> {
    let [by_reference, by_engine] = [reference.load(case), engine.load(case)];
    if let Difference::Load { expected, actual } = difference {
        let loaded = if by_reference.is_ok() { reference.state() } else { engine.state() };
        let mut state = Box::new(*loaded.ok()?);
        if let Some(LoadError::Instruction { offset, .. }) = expected.as_ref().or(actual.as_ref()) {
            M::seek(case, &mut state, *offset);
        }
        return Some(state);
    }
    by_reference.ok()?;
    if by_engine.is_ok() {
        advance(reference, engine, step);
    }
    Some(Box::new(*reference.state().ok()?))
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

/// Whether two steps go on in the same way: to the next one, or to the same end by the same exception.
/// Why something is undefined, engines word as they like.
pub(crate) fn is_same_flow(expected: &Step, actual: &Step) -> bool {
    match (expected, actual) {
        (Step::Continue, Step::Continue) => true,
        (Step::Finished(Outcome::Undefined(_)), Step::Finished(Outcome::Undefined(_))) => true,
        (Step::Finished(expected), Step::Finished(actual)) => expected == actual,
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
            byte: (offset - S::bank(offset).offset) % S::bank(offset).bytes,
            expected,
            actual,
        })
        .collect()
}
