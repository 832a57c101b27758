//! Steps two engines and compares their states.

use std::ops::Range;

use parallax_isa::{
    Engine, EngineError, Expectation, Extent, Image, LoadError, Machine, Outcome, Reference, Step,
};
use parallax_spec::coverage;
use smallvec::SmallVec;

use crate::{
    verdict::{Difference, Path, Run, mismatches},
    weakness,
};

/// What is compared of the large banks after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sample {
    /// The places that the reference has written.
    Written,
    /// All of their bytes.
    Whole,
}

/// How both engines load a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loading {
    /// With its program.
    Whole,
    /// Only its start: the program is that of the case before.
    Start,
}

/// Loads a case into both engines. Returns the run if it ends there.
pub(crate) fn load<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    loading: Loading,
) -> Option<Run> {
    let of_both = reference.weaknesses().zip(engine.weaknesses());
    let of_both = of_both.map(|(reference, engine)| reference.joined(engine));
    weakness::want(of_both.as_ref().or(reference.weaknesses()).or(engine.weaknesses()));
    let [expected, actual] = match loading {
        Loading::Whole => [reference.load(case).err(), engine.load(case).err()],
        Loading::Start => [reference.start_again(case).err(), engine.start_again(case).err()],
    };
    // What generators and decoders have marked counts when a step depends on it, which marks it again.
    coverage::drop_marks();
    let difference = match (expected, actual) {
        (None, None) => return None,
        (Some(LoadError::Engine(EngineError::Declined(declined))), _)
        | (_, Some(LoadError::Engine(EngineError::Declined(declined)))) => {
            return Some(Run::Declined { step: None, declined });
        }
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

/// How the steps of two engines compare.
pub(crate) enum Compared {
    /// They agree; with an outcome if the run is over.
    Agree(Option<Outcome>),
    /// What happens from here on is unspecified.
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

impl Failed {
    /// What a run comes to that ends here: one that the engine declined does not differ.
    pub(crate) fn run(self, step: u64, path: Path) -> Run {
        match self.error {
            EngineError::Declined(declined) => Run::Declined { step: Some(step), declined },
            _ => Run::Diverged { step, difference: self.into(), path },
        }
    }
}

impl From<Failed> for Difference {
    fn from(Failed { engine, error }: Failed) -> Self {
        Self::Failure { engine, error }
    }
}

/// Makes errors of an engine carry its name.
pub(crate) fn of<M: Machine>(engine: &dyn Engine<M>) -> impl FnOnce(EngineError) -> Failed {
    |error| Failed { engine: engine.name().to_owned(), error }
}

/// Steps both engines and compares what the step did.
pub(crate) fn compare_step<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    sample: Sample,
    accepted: &mut u64,
) -> Result<Compared, Failed> {
    weakness::begin();
    let expected = reference.step().map_err(|error| of(reference)(error))?;
    let actual = engine.step().map_err(|error| of(engine)(error))?;
    if let Step::Finished(outcome) = &expected
        && is_beyond_an_undefined_end(&expected, &actual)
    {
        return Ok(Compared::Open { outcome: outcome.clone(), is_compared: false });
    }
    let sample = if expected == Step::Continue { sample } else { Sample::Whole };
    if let Some(difference) =
        remaining_difference(reference, engine, sample, (&expected, &actual), accepted)?
    {
        return Ok(Compared::Differ(difference));
    }
    Ok(match expected {
        Step::Continue => Compared::Agree(None),
        Step::Finished(outcome @ Outcome::Undefined(_)) => {
            Compared::Open { outcome, is_compared: true }
        }
        Step::Finished(outcome) => Compared::Agree(Some(outcome)),
    })
}

/// Takes steps that are known to agree; fewer if an engine fails.
pub(crate) fn advance<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    steps: u64,
) {
    for _ in 0..steps {
        // What an engine does may depend on what a step has marked.
        coverage::drop_marks();
        if compare_step(reference, engine, Sample::Written, &mut 0).is_err() {
            break;
        }
    }
}

/// Whether an engine goes on, or ends in another way, where the effect of a step is undefined: nothing that it does
/// from there on is judged. An engine that ends as undefined too has to leave the state as it was.
pub(crate) fn is_beyond_an_undefined_end(expected: &Step, actual: &Step) -> bool {
    let is_undefined = |step: &Step| matches!(step, Step::Finished(Outcome::Undefined(_)));
    is_undefined(expected) && !is_undefined(actual)
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

/// How an engine that has taken a step or a free run differs from the state and the step that are expected.
pub(crate) fn difference<M: Machine>(
    expected: (&M::State, Step),
    engine: &dyn Engine<M>,
    actual: Step,
) -> Result<Option<Difference>, Failed> {
    let ((state, expected), lacks) = (expected, engine.lacks());
    let ended = engine.state().map_err(of(engine))?;
    Ok(if !is_same_but(state.image(), ended.image(), lacks) {
        Some(Difference::State(mismatches(state, ended, lacks)))
    } else if !is_same_flow(&expected, &actual) {
        Some(Difference::Flow { expected, actual })
    } else {
        None
    })
}

/// How an engine that has taken the same step or free run as the reference differs from it once that has adopted what it
/// accepts.
pub(crate) fn remaining_difference<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &dyn Engine<M>,
    sample: Sample,
    (expected, actual): (&Step, &Step),
    accepted: &mut u64,
) -> Result<Option<Difference>, Failed> {
    if !compare_states(reference, engine, sample, accepted)? {
        let (expected, actual) = states(reference, engine)?;
        return Ok(Some(Difference::State(mismatches(expected, actual, engine.lacks()))));
    }
    let differs = !is_same_flow(expected, actual);
    Ok(differs.then(|| Difference::Flow { expected: expected.clone(), actual: actual.clone() }))
}

/// The states of the reference and of the engine.
fn states<'r, 'e, M: Machine>(
    reference: &'r dyn Reference<M>,
    engine: &'e dyn Engine<M>,
) -> Result<(&'r M::State, &'e M::State), Failed> {
    Ok((reference.state().map_err(of(reference))?, engine.state().map_err(of(engine))?))
}

/// Compares the states after a step, and lets the reference adopt the values that it accepts. Returns whether the
/// states are equal then.
pub(crate) fn compare_states<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &dyn Engine<M>,
    sample: Sample,
    accepted: &mut u64,
) -> Result<bool, Failed> {
    if is_same(reference, engine, sample)? {
        return Ok(true);
    }
    let (expected, actual) = states(reference, engine)?;
    let lacks = engine.lacks();
    let mut adopted = accepted_places::<M>(reference.expectations(), expected, actual, lacks);
    adopted.extend(accepted_places::<M>(&weakness::found(), expected, actual, lacks));
    *accepted += adopted.len() as u64;
    for extent in adopted {
        reference.adopt(extent, actual).map_err(|error| of(reference)(error))?;
    }
    is_same(reference, engine, sample)
}

/// Whether the sampled parts of the engines' states are equal.
fn is_same<M: Machine>(
    reference: &dyn Reference<M>,
    engine: &dyn Engine<M>,
    sample: Sample,
) -> Result<bool, Failed> {
    let (expected, actual) = states(reference, engine)?;
    let (expected, actual) = (expected.image(), actual.image());
    let written = match (sample, reference.written()) {
        (Sample::Written, Some(written)) => written,
        _ => return Ok(is_same_but(expected, actual, engine.lacks())),
    };
    let lacks = engine.lacks();
    let same = |range: Range<usize>| {
        expected[range.clone()] == actual[range.clone()]
            || !lacks.is_empty() && is_same_in(range, expected, actual, lacks)
    };
    let large = M::State::BANKS.iter().filter(|bank| bank.is_large);
    let large: SmallVec<[Range<usize>; 8]> = large.map(|bank| bank.range()).collect();
    let mut start = 0;
    for bank in &large {
        if !same(start..bank.start) {
            return Ok(false);
        }
        start = bank.end;
    }
    // What the reference leaves open it need not have written.
    let open = reference.expectations().iter().map(|expectation| expectation.extent.range());
    let open = open.filter(|open| large.iter().any(|bank| bank.contains(&open.start)));
    Ok(same(start..expected.len()) && written.iter().cloned().chain(open).all(same))
}

/// Whether two images are the same in all places but some.
pub(crate) fn is_same_but(expected: &[u8], actual: &[u8], lacks: &[Range<usize>]) -> bool {
    expected == actual
        || !lacks.is_empty() && is_same_in(0..expected.len(), expected, actual, lacks)
}

/// The same in a range. The places that are left out stand in their order.
fn is_same_in(range: Range<usize>, expected: &[u8], actual: &[u8], lacks: &[Range<usize>]) -> bool {
    let mut start = range.start;
    for gap in lacks {
        let end = gap.start.clamp(start, range.end);
        if expected[start..end] != actual[start..end] {
            return false;
        }
        start = gap.end.clamp(start, range.end);
    }
    expected[start..range.end] == actual[start..range.end]
}

/// The places where an engine has something else than the reference, and the reference accepts it.
pub(crate) fn accepted_places<M: Machine>(
    expectations: &[Expectation],
    expected: &M::State,
    actual: &M::State,
    lacks: &[Range<usize>],
) -> Vec<Extent> {
    let mut places = acceptable_places::<M>(expectations, expected, actual, lacks);
    places.retain(|extent| extent.read(expected.image()) != extent.read(actual.image()));
    places
}

/// The open places where the reference accepts what an engine has, its own choice or another one.
pub(crate) fn acceptable_places<M: Machine>(
    expectations: &[Expectation],
    expected: &M::State,
    actual: &M::State,
    lacks: &[Range<usize>],
) -> Vec<Extent> {
    expectations
        .iter()
        .filter(|expectation| {
            let start = expectation.extent.range().start;
            !lacks.iter().any(|lacking| lacking.contains(&start))
        })
        .filter(|expectation| {
            let extent = expectation.extent;
            let [expected, actual] = [expected, actual].map(|state| extent.read(state.image()));
            expectation.acceptance.accepts(expected, actual)
        })
        .map(|expectation| expectation.extent)
        .collect()
}
