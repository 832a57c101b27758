//! Cases of engines that cannot stop within them: only the ends are compared. The step that differs is found by leaving
//! instructions out: the end is wrong as soon as the instruction that is wrong is there.

use parallax_isa::{Engine, Outcome, Reference, Step};
use parallax_spec::coverage;

use crate::{
    both::{Failed, Look, TakeUp, compare, is_same_flow, load, of, states},
    pulse,
    subject::Subject,
    verdict::{Agreement, Difference, Path, Run, mismatches},
    weakness,
};

/// What both engines come to at the end of a case.
struct End {
    agreement: Agreement,
    /// The first step of which the manual leaves something open.
    open: Option<u64>,
    difference: Option<Difference>,
}

/// Runs a case, taken up in this way, on both engines to its end, and says at which step they differ. Where they differ and the manual leaves
/// a result open on the way, what comes before that is compared.
pub(crate) fn run<M: Subject>(
    take_up: TakeUp,
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Run {
    let whole = match end(take_up, reference, engine, case) {
        Ok(whole) => whole,
        Err(run) => return run,
    };
    let End { agreement, open, difference } = whole;
    let Some(difference) = difference else { return Run::Agreed(agreement) };
    coverage::uncounted(|| {
        // How what a case comes to in so many steps ends wrong, if it does; `None` if that cannot be said.
        let mut differs = |steps: u64| {
            let shorter = M::up_to(case, steps)?;
            let End { open, difference, .. } =
                end(TakeUp::Whole, reference, engine, &shorter).ok()?;
            open.is_none().then_some(difference)
        };
        let (steps, difference) = match open {
            None => (agreement.steps, difference),
            Some(open) => match differs(open) {
                Some(Some(difference)) => (open, difference),
                Some(None) | None => {
                    let outcome = Outcome::Undefined(OPEN.to_owned());
                    return Run::Agreed(Agreement { steps: open, outcome, ..agreement });
                }
            },
        };
        let firsts = M::first_steps(case, steps);
        let (first, difference) =
            first_wrong(firsts.len(), difference, |first| differs(firsts.get(first)? + 1));
        let step = firsts.get(first).copied().unwrap_or(steps.saturating_sub(1));
        Run::Diverged { step, difference, path: Path::Steps }
    })
}

/// The first of so many instructions with which the end is wrong, and how. `ends` says how it is wrong with the
/// instructions up to one, and nothing of some.
fn first_wrong(
    number: usize,
    difference: Difference,
    mut ends: impl FnMut(usize) -> Option<Option<Difference>>,
) -> (usize, Difference) {
    // Without those before `right` it is right, with that at `wrong` it is wrong.
    let (mut right, mut wrong, mut found) = (0, number.saturating_sub(1), difference);
    while right < wrong {
        let middle = right.midpoint(wrong);
        // The last has been looked at.
        let known = (right..=middle).rev().chain(middle + 1..wrong);
        let known = known.into_iter().find_map(|first| Some((first, ends(first)?)));
        match known {
            None => break,
            Some((first, None)) => right = first + 1,
            Some((first, Some(difference))) => (wrong, found) = (first, difference),
        }
    }
    (right, found)
}

/// How a case ends that an engine cannot be followed through.
const OPEN: &str = "a result on the way that the manual leaves open";

/// Runs a case on both engines to its end; what it comes to if it does not run, or one of them fails.
fn end<M: Subject>(
    take_up: TakeUp,
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Result<End, Run> {
    pulse::beat();
    if let Some(run) = load(reference, engine, case, take_up) {
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
        if !reference.expectations().is_empty() || weakness::is_any() {
            open = open.or(Some(steps));
        }
        steps += 1;
    };
    // Later steps may have hidden what a rule decided.
    coverage::discard();
    let is_undefined = matches!(outcome, Outcome::Undefined(_));
    let comparisons = u64::from(!is_undefined);
    let agreement = |accepted, outcome| Agreement { steps, accepted, outcome, comparisons };
    let actual =
        match engine.run_for(u64::MAX).map_err(|error| of(engine)(error).run(0, Path::Steps)) {
            Ok(actual) => actual,
            // Whatever is open, it has to come to an end.
            Err(Run::Diverged { difference, .. }) => {
                let difference = Some(difference);
                return Ok(End { agreement: agreement(0, outcome), open: None, difference });
            }
            Err(declined) => return Err(declined),
        };
    let expected = Step::Finished(outcome.clone());
    let mut accepted = 0;
    let difference = if is_undefined {
        None
    } else if !compare(reference, engine, Look::Whole, &mut accepted).map_err(failed)? {
        let (expected, actual) = states(reference, engine).map_err(failed)?;
        Some(Difference::State(mismatches(expected, actual, engine.lacks())))
    } else if !is_same_flow(&expected, &actual) {
        Some(Difference::Flow { expected, actual })
    } else {
        None
    };
    Ok(End { agreement: agreement(accepted, outcome), open, difference })
}
