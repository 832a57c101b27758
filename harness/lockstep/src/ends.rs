//! Cases of engines that cannot stop within them: only the ends are compared. The step that differs is found by leaving
//! instructions out: the end is wrong as soon as the instruction that is wrong is there.

use parallax_isa::{Engine, Outcome, Reference, Step};
use parallax_spec::coverage;

use crate::{
    compare::{Failed, Loading, Sample, load, of, remaining_difference},
    heartbeat,
    subject::Subject,
    verdict::{Agreement, Difference, Path, Run},
    weakness,
};

/// What both engines come to at the end of a case.
struct End {
    agreement: Agreement,
    /// The first step of which the manual leaves something open.
    open: Option<u64>,
    difference: Option<Difference>,
}

/// Runs a case, loaded in this way, on both engines to its end, and says at which step they differ. Where they differ and the manual leaves
/// a result open on the way, what comes before that is compared.
pub(crate) fn run<M: Subject>(
    loading: Loading,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Run {
    let whole = match end(loading, reference, engine, case) {
        Ok(whole) => whole,
        Err(run) => return run,
    };
    let End { agreement, open, difference } = whole;
    let Some(difference) = difference else { return Run::Agreed(agreement) };
    coverage::uncounted(|| {
        // How what a case comes to in so many steps ends wrong, if it does; `None` if that cannot be said.
        let mut ends = |steps: u64, without: Option<u64>| {
            let shorter = M::up_to(case, steps, without)?;
            let End { agreement, open, difference } =
                end(Loading::Whole, reference, engine, &shorter).ok()?;
            (open.is_none() && !agreement.is_open()).then_some(difference)
        };
        let (steps, difference) = match open {
            None => (agreement.steps, difference),
            Some(open) => match ends(open, None) {
                Some(Some(difference)) => (open, difference),
                Some(None) | None => {
                    // Other starts are of the whole program.
                    if let Some(run) = load(reference, engine, case, Loading::Whole) {
                        return run;
                    }
                    let outcome = Outcome::Undefined(OPEN.to_owned());
                    return Run::Agreed(Agreement { steps: open, outcome, ..agreement });
                }
            },
        };
        let firsts = M::first_steps(case, steps);
        let (step, difference) = first_wrong(&firsts, difference, &mut ends)
            .unwrap_or_else(|difference| (steps.saturating_sub(1), difference));
        Run::Diverged { step, difference, path: Path::Steps }
    })
}

/// How a case ends with the instructions of its first steps, without one of them, if that can be said.
type Ends<'e> = dyn FnMut(u64, Option<u64>) -> Option<Option<Difference>> + 'e;

/// The step whose instruction is wrong, of those in which a case comes to an instruction for the first time: with
/// those before it the end is right, and with it the end is wrong. Where loops do not end without some instructions,
/// several may be; it is the last without which the end is right. The difference is given back if there is none.
fn first_wrong(
    firsts: &[u64],
    difference: Difference,
    ends: &mut Ends<'_>,
) -> Result<(u64, Difference), Difference> {
    let Some(last) = firsts.len().checked_sub(1) else { return Err(difference) };
    // With those before `right` the end is right, with that at `wrong` it is wrong.
    let (mut right, mut wrong, mut found) = (0, last, difference);
    while right < wrong {
        let middle = right.midpoint(wrong);
        // The last has been looked at.
        let mut known = (right..=middle).rev().chain(middle + 1..wrong);
        let known = known.find_map(|first| Some((first, ends(firsts[first] + 1, None)?)));
        match known {
            None => break,
            Some((first, None)) => right = first + 1,
            Some((first, Some(difference))) => (wrong, found) = (first, difference),
        }
    }
    let steps = firsts[wrong] + 1;
    let mut is_it = |first: &&u64| matches!(ends(steps, Some(**first)), Some(None));
    let step = firsts[right..=wrong].iter().rev().find(&mut is_it).unwrap_or(&firsts[wrong]);
    Ok((*step, found))
}

/// How a case ends that an engine cannot be followed through.
const OPEN: &str = "a result on the way that the manual leaves open";

/// Runs a case on both engines to its end; what it comes to if it does not run, or one of them fails.
fn end<M: Subject>(
    loading: Loading,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Result<End, Run> {
    heartbeat::beat();
    if let Some(run) = load(reference, engine, case, loading) {
        return Err(run);
    }
    let failed = |failed: Failed| failed.run(0, Path::Steps);
    let (mut steps, mut open) = (0_u64, None);
    let outcome = loop {
        weakness::begin();
        let step = reference.step().map_err(|error| failed(of(reference)(error)))?;
        if let Step::Finished(outcome) = step {
            break outcome;
        }
        if weakness::leaves_open(reference.expectations(), engine.lacks()) {
            open = open.or(Some(steps));
        }
        steps += 1;
    };
    // Later steps may have hidden what a rule decided.
    coverage::drop_marks();
    // Who only runs to the end does not count steps.
    let outcome = match outcome {
        Outcome::StepLimit => Outcome::Undefined("no end within the limit of steps".to_owned()),
        outcome => outcome,
    };
    let is_undefined = matches!(outcome, Outcome::Undefined(_));
    let comparisons = u64::from(!is_undefined);
    let agreement = |accepted, outcome| Agreement { steps, accepted, outcome, comparisons };
    if is_undefined {
        let agreement = agreement(0, outcome);
        return Ok(End { agreement, open: None, difference: None });
    }
    let actual =
        match engine.run_for(u64::MAX).map_err(|error| of(engine)(error).run(0, Path::Steps)) {
            Ok(actual) => actual,
            Err(Run::Diverged { difference, .. }) => {
                let difference = Some(difference);
                return Ok(End { agreement: agreement(0, outcome), open, difference });
            }
            Err(declined) => return Err(declined),
        };
    let expected = Step::Finished(outcome.clone());
    let mut accepted = 0;
    let steps_taken = (&expected, &actual);
    let difference =
        remaining_difference(reference, engine, Sample::Whole, steps_taken, &mut accepted)
            .map_err(failed)?;
    Ok(End { agreement: agreement(accepted, outcome), open, difference })
}
