//! Free runs: an engine takes many steps in a row, on its fastest path, the one that benchmarks time. A case on which
//! both engines agree step by step has to end in the same state.

use std::ops::Range;

use parallax_isa::{Engine, EngineError, Image, LoadError, Machine, Outcome, Reference, Step};
use parallax_spec::coverage;

use crate::{
    compare::{
        self, Compared, Failed, Loading, Sample, acceptable_places, compare_states, compare_step,
        difference, is_same_but, of, remaining_difference,
    },
    heartbeat,
    verdict::{Agreement, Difference, Path, Run, mismatches},
    weakness,
};

/// The most steps that the runs of a case take together that are run in a row: a long program has loops, which get
/// warm in fewer runs.
const MOST_REPEATED: u64 = 1 << 20;

/// Runs a case on both engines, on the one under test in free runs of `length` steps, and compares the states at their
/// ends. A free run ends sooner where the reference leaves a result unspecified, which it then adopts, unless
/// `over_open` is set and the states are equal without that.
pub(crate) fn run<M: Machine>(
    loading: Loading,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    length: u64,
    over_open: bool,
) -> Run {
    let first = pass(loading, reference, engine, case, length, over_open);
    if !over_open {
        return first;
    }
    // The first pass chose what the reference has wherever it leaves a result unspecified.
    unless_unspecified(first, 0, || {
        coverage::uncounted(|| pass(Loading::Whole, reference, engine, case, length, false))
    })
}

/// What a case comes to after a run to its end: where that differs, what a careful run does, which stops at each
/// unspecified result. `accepted` are the results on the way to the end that was expected which the reference has not,
/// but accepts.
pub(crate) fn unless_unspecified(first: Run, accepted: u64, careful: impl FnOnce() -> Run) -> Run {
    let Run::Diverged { difference, .. } = &first else { return first };
    // What makes no sense does not come of unspecified results.
    if matches!(difference, Difference::Failure { error: EngineError::Nonsense(_), .. }) {
        return first;
    }
    let again = careful();
    match &again {
        // No result is unspecified: the engine does not do the same twice, or not in a batch.
        Run::Agreed(agreement) if accepted + agreement.accepted == 0 && !agreement.is_open() => {
            first
        }
        _ => again,
    }
}

/// Runs a case in free runs up to the first that ends in another state.
fn pass<M: Machine>(
    loading: Loading,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    length: u64,
    over_open: bool,
) -> Run {
    if let Some(run) = compare::load(reference, engine, case, loading) {
        return run;
    }
    let (mut steps, mut accepted, mut comparisons) = (0, 0, 0);
    loop {
        heartbeat::beat();
        let step = u64::saturating_sub(steps, 1);
        let taken = free_run(reference, engine, length, over_open, &mut accepted);
        comparisons += 1;
        // Later steps may have hidden what a rule decided: the suites that compare every step count.
        coverage::drop_marks();
        let difference = match taken {
            Ok(FreeRun { steps: taken, compared }) => {
                steps += taken;
                match compared {
                    Compared::Agree(None) => continue,
                    Compared::Agree(Some(outcome)) => {
                        return Run::Agreed(Agreement { steps, accepted, outcome, comparisons });
                    }
                    Compared::Open { outcome, .. } => {
                        // The state before the step that is open was compared, if it is not the
                        // first.
                        comparisons -= u64::from(steps == 0);
                        return Run::Agreed(Agreement { steps, accepted, outcome, comparisons });
                    }
                    Compared::Differ(difference) => difference,
                }
            }
            Err(failed) => return failed.run(step, Path::FreeRun),
        };
        let step = u64::saturating_sub(steps, 1);
        return Run::Diverged { step, difference, path: Path::FreeRun };
    }
}

/// How often a case of so many steps is run, if it is to be run so often and that does not take too long.
pub(crate) fn repeats(runs: u64, steps: u64) -> u64 {
    runs.min(MOST_REPEATED / (steps + 1)).max(1)
}

/// Steps that the engine under test took in a row.
struct FreeRun {
    steps: u64,
    /// What they came to.
    compared: Compared,
}

/// Lets both engines take steps up to the next comparison.
fn free_run<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    length: u64,
    over_open: bool,
    accepted: &mut u64,
) -> Result<FreeRun, Failed> {
    let mut steps = 0;
    let expected = loop {
        weakness::begin();
        let step = reference.step().map_err(|error| of(reference)(error))?;
        if step != Step::Continue {
            break step;
        }
        steps += 1;
        let is_open = || !reference.expectations().is_empty() || weakness::is_any();
        if steps >= length || !over_open && is_open() {
            break step;
        }
    };
    // What the manual leaves open is not run into.
    let (wanted, outcome) = match expected {
        Step::Finished(outcome @ Outcome::Undefined(_)) => (Step::Continue, Some(outcome)),
        Step::Finished(outcome) => (Step::Finished(outcome.clone()), Some(outcome)),
        Step::Continue => (Step::Continue, None),
    };
    let actual = match wanted {
        Step::Finished(_) => to_the_end(engine, steps, (steps + 1).saturating_mul(2)),
        Step::Continue => engine.run_for(steps),
    };
    let actual = actual.map_err(|error| of(engine)(error))?;
    let difference =
        remaining_difference(reference, engine, Sample::Whole, (&wanted, &actual), accepted)?;
    let compared = match (difference, outcome) {
        (Some(difference), _) => Compared::Differ(difference),
        (None, Some(outcome @ Outcome::Undefined(_))) => {
            Compared::Open { outcome, is_compared: true }
        }
        (None, outcome) => Compared::Agree(outcome),
    };
    Ok(FreeRun { steps, compared })
}

/// Runs a case freely, `runs` times in a row, on an engine that has just come to the same end as the reference
/// step by step. The first step after which the state is another one than step by step.
///
/// Where the reference would accept that too, nothing is said: what comes after it is open.
pub(crate) fn differs<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    agreement: &Agreement,
    runs: u64,
) -> Option<Run> {
    let Agreement { steps, outcome, .. } = agreement;
    let steps = *steps;
    let path = if runs > 1 { Path::Repeated } else { Path::FreeRun };
    let runs = repeats(runs, steps);
    let diverged = |step, difference| Run::Diverged { step, difference, path };
    let mut found = Ok(None);
    for _ in 0..runs {
        heartbeat::beat();
        found = end(reference, engine, case, steps, outcome);
        if !matches!(found, Ok(None)) {
            break;
        }
    }
    match found {
        Ok(None) => None,
        Ok(Some(difference)) => coverage::uncounted(|| {
            let found = locate(reference, engine, case, steps, runs);
            match found {
                Ok(Located::Step(step, difference)) => Some(diverged(step, difference)),
                Ok(Located::Open) => None,
                Ok(Located::AtTheEnd) => Some(diverged(steps, difference)),
                Err(failed) => Some(failed.run(steps, path)),
            }
        }),
        Err(failed) => Some(failed.run(steps, path)),
    }
}

/// Runs a case freely from its start. Returns how the end differs from the state of the reference.
fn end<M: Machine>(
    reference: &dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    steps: u64,
    outcome: &Outcome,
) -> Result<Option<Difference>, Failed> {
    // What the manual leaves open is not run into.
    let is_open = matches!(outcome, Outcome::Undefined(_));
    let wanted = if is_open { Step::Continue } else { Step::Finished(outcome.clone()) };
    let flow = if is_open {
        from_start(engine, case, steps)?
    } else {
        start(engine, case)?;
        to_the_end(engine, steps, u64::MAX).map_err(|error| of(engine)(error))?
    };
    let expected = reference.state().map_err(of(reference))?;
    difference((expected, wanted), engine, flow)
}

/// Takes a run to its end, so many steps away. More are asked for than are left, as by those who do not know
/// how long it is. Where the way was odd one more is asked for after that: nothing changes any more, and the
/// engine says the same. Where it was even the first answer is what is compared.
fn to_the_end<M: Machine>(
    engine: &mut dyn Engine<M>,
    way: u64,
    asked: u64,
) -> Result<Step, EngineError> {
    match engine.run_for(asked)? {
        Step::Finished(_) if way % 2 == 1 => engine.run_for(1),
        step => Ok(step),
    }
}

/// Goes back to a case's start.
fn start<M: Machine>(engine: &mut dyn Engine<M>, case: &M::Case) -> Result<(), Failed> {
    engine.restart(case).map_err(|error| refused(engine)(error))
}

/// Takes so many steps from a case's start in a row.
fn from_start<M: Machine>(
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    steps: u64,
) -> Result<Step, Failed> {
    start(engine, case)?;
    engine.run_for(steps).map_err(|error| of(engine)(error))
}

/// Where a free run goes wrong.
enum Located {
    /// After this step, and what is wrong then.
    Step(u64, Difference),
    /// After steps that may leave that too.
    Open,
    /// After all steps the state is right, or it is so when it is looked at again.
    AtTheEnd,
}

/// Finds the shortest free run whose end is wrong while that of one a step shorter is right. `runs` is how
/// often the case was run until it was wrong, at most.
fn locate<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    steps: u64,
    runs: u64,
) -> Result<Located, Failed> {
    let digests = digests(reference, engine, case, steps)?;
    for _ in 1..runs {
        heartbeat::beat();
        from_start(engine, case, steps)?;
    }
    let mut is_wrong = |steps: usize| -> Result<bool, Failed> {
        from_start(engine, case, steps as u64)?;
        let state = engine.state().map_err(of(engine))?;
        Ok(digest(state, engine.lacks()) != digests[steps])
    };
    let (mut right, mut wrong) = (0, digests.len() - 1);
    if !is_wrong(wrong)? {
        return Ok(Located::AtTheEnd);
    }
    while right + 1 < wrong {
        let middle = right.midpoint(wrong);
        if is_wrong(middle)? {
            wrong = middle;
        } else {
            right = middle;
        }
    }
    // Once more freely, then the same step by step.
    let step = wrong as u64 - 1;
    from_start(engine, case, step + 1)?;
    let free = Box::new(*engine.state().map_err(of(engine))?);
    load(reference, engine, case)?;
    for _ in 0..=step {
        compare_step(reference, engine, Sample::Written, &mut 0)?;
    }
    let stepped = Box::new(*reference.state().map_err(of(reference))?);
    let difference = Difference::State(mismatches(&*stepped, &*free, engine.lacks()));
    let is_open = is_accepted(reference, engine, case, &stepped, &free, step)?;
    Ok(if is_open { Located::Open } else { Located::Step(step, difference) })
}

/// Whether the reference would accept a state to which steps in a row came, by what each of the steps
/// leaves open: a free run may choose one NaN of many where single steps choose another.
fn is_accepted<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    stepped: &M::State,
    free: &M::State,
    step: u64,
) -> Result<bool, Failed> {
    load(reference, engine, case)?;
    for _ in 0..=step {
        reference.step().map_err(|error| of(reference)(error))?;
        engine.step().map_err(|error| of(engine)(error))?;
        let state = reference.state().map_err(of(reference))?;
        // What the reference itself would choose is among them, since a single step may not have.
        let mut chosen =
            acceptable_places::<M>(reference.expectations(), state, free, engine.lacks());
        // Other places may be open and written over later: there the choice of single steps stands.
        let [stepped, at_end] = [stepped, free].map(Image::image);
        chosen.retain(|extent| extent.read(stepped) != extent.read(at_end));
        compare_states(reference, engine, Sample::Written, &mut 0)?;
        for extent in chosen {
            reference.adopt(extent, free).map_err(|error| of(reference)(error))?;
        }
    }
    let state = reference.state().map_err(of(reference))?;
    Ok(is_same_but(state.image(), free.image(), engine.lacks()))
}

fn load<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Result<(), Failed> {
    reference.load(case).map_err(|error| refused(reference)(error))?;
    engine.load(case).map_err(|error| refused(engine)(error))
}

/// Makes of a case that is refused although it was taken before the failure of an engine.
fn refused<M: Machine>(engine: &dyn Engine<M>) -> impl FnOnce(LoadError) -> Failed {
    |error| {
        of(engine)(match error {
            LoadError::Engine(error) => error,
            refused => EngineError::Nonsense(format!("it ran the case before, and now: {refused}")),
        })
    }
}

/// Digests of the reference's state before the first step and after each.
fn digests<M: Machine>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    steps: u64,
) -> Result<Vec<u32>, Failed> {
    load(reference, engine, case)?;
    let mut digests = Vec::new();
    loop {
        digests.push(digest(reference.state().map_err(of(reference))?, engine.lacks()));
        let over = digests.len() as u64 > steps;
        if over
            || !matches!(
                compare_step(reference, engine, Sample::Written, &mut 0)?,
                Compared::Agree(None)
            )
        {
            return Ok(digests);
        }
    }
}

/// Of all that an engine has.
fn digest<S: Image>(state: &S, lacks: &[Range<usize>]) -> u32 {
    if lacks.is_empty() {
        return crc32fast::hash(state.image());
    }
    let mut state = Box::new(*state);
    lacks.iter().for_each(|lacking| state.image_mut()[lacking.clone()].fill(0));
    crc32fast::hash(state.image())
}

#[cfg(test)]
mod tests;
