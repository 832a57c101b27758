//! Traces: a case with the accepted effects of each step, to be replayed against any engine, for
//! ever.

mod accepts;
mod effects;
mod end;
mod error;
mod file;
mod json;
mod limits;

use parallax_isa::{
    Acceptance, Engine, EngineError, Expectation, Extent, Image, Machine, Outcome, Reference, Step,
};
use parallax_spec::{RuleId, coverage};

use self::{effects::digest, limits::MOST_RECORDED};
pub use self::{
    effects::{Change, Effects, Trace},
    end::End,
    error::TraceError,
    file::{from_bytes, machine_of, read, read_file, to_bytes, with_header, write, write_file},
    json::{from_json, machine_of_json, to_json},
    limits::{LARGEST_FILE, MOST_STEPS},
};
use crate::{
    compare::{is_beyond_an_undefined_end, is_same_but},
    elements::elements,
    free_run::repeats,
    lockstep::{
        Difference, Divergence, Path, Verdict, accepted_places, is_same_flow, lockstep, mismatches,
    },
    subject::Subject,
    suspects,
};

impl<M: Subject> Trace<M> {
    /// Steps of the run; that it is at its end is none.
    #[must_use]
    pub fn length(&self) -> usize {
        self.steps.len().saturating_sub(usize::from(self.outcome != M::LAST_STEP))
    }
}

impl<M: Machine> Trace<M> {
    /// Runs a case on the reference and keeps what every step did.
    ///
    /// # Errors
    /// If the case cannot be started or has too many steps.
    pub fn record(reference: &mut dyn Reference<M>, case: &M::Case) -> Result<Self, TraceError> {
        Self::record_steps(reference, case, |_, _| Ok(Vec::new()))
    }

    /// Runs a case on the reference beside an engine and keeps what every step did. Where the
    /// reference accepts a value of the engine it goes on with it, as it does in lockstep: what
    /// differs there differs when the trace is replayed. The reference's own value is accepted too.
    /// After a step that differs the reference goes on alone.
    ///
    /// # Errors
    /// If the case cannot be started or has too many steps.
    pub fn record_beside(
        reference: &mut dyn Reference<M>,
        engine: &mut dyn Engine<M>,
        case: &M::Case,
    ) -> Result<Self, TraceError> {
        engine.load(case)?;
        let mut together = true;
        Self::record_steps(reference, case, |reference, step| {
            if !together || matches!(step, Step::Finished(Outcome::Undefined(_))) {
                return Ok(Vec::new());
            }
            let Ok(flow) = engine.step() else {
                together = false;
                return Ok(Vec::new());
            };
            let (expected, actual) = (reference.state()?, engine.state()?);
            let places =
                accepted_places::<M>(reference.expectations(), expected, actual, engine.lacks());
            let own = |extent: &Extent| {
                let acceptance = Acceptance::Or(extent.read(expected.image()));
                Expectation { extent: *extent, acceptance }
            };
            let own = places.iter().map(own).collect();
            for extent in places {
                reference.adopt(extent, actual)?;
            }
            together = is_same_flow(step, &flow)
                && is_same_but(reference.state()?.image(), actual.image(), engine.lacks());
            Ok(own)
        })
    }

    /// Runs a case on the reference and keeps what every step did: beside an engine that differs on it,
    /// unless that cannot go along.
    ///
    /// # Errors
    /// If the case cannot be started or has too many steps.
    pub fn record_difference(
        reference: &mut dyn Reference<M>,
        engine: &mut dyn Engine<M>,
        case: &M::Case,
    ) -> Result<Self, TraceError> {
        Self::record_beside(reference, engine, case).or_else(|_| Self::record(reference, case))
    }

    /// Keeps what every step does. `beside` is called after each; it may let the reference adopt
    /// values, and gives what else is to be accepted then.
    fn record_steps<R: Reference<M> + ?Sized>(
        reference: &mut R,
        case: &M::Case,
        mut beside: impl FnMut(&mut R, &Step) -> Result<Vec<Expectation>, EngineError>,
    ) -> Result<Self, TraceError> {
        reference.load(case)?;
        let mut steps = Vec::new();
        let mut bytes = 0;
        loop {
            let before = *reference.state()?;
            let step = reference.step()?;
            let mut tolerances = reference.expectations().to_vec();
            tolerances.extend(beside(reference, &step)?);
            let changes = Effects::between(&before, reference.state()?);
            let effects = Effects { changes, tolerances };
            bytes += effects.least_bytes();
            steps.push(effects);
            if let Step::Finished(outcome) = step {
                let banks: Vec<_> = M::State::BANKS.iter().collect();
                let digest = digest(reference.state()?, &banks);
                return Ok(Self { case: case.clone(), banks, steps, outcome, digest });
            }
            if steps.len() >= MOST_STEPS {
                return Err(TraceError::TooLong);
            }
            if bytes > MOST_RECORDED {
                return Err(TraceError::TooMuch(steps.len()));
            }
        }
    }
}

/// Runs a trace's case on an engine and holds every step against the recorded effects, and then the
/// end of the same steps in a free run, unless another value than the recorded one was accepted on the
/// way. `None` if all of them are accepted.
///
/// An engine that cannot take over a recorded value on the way, as it only runs to the end, is compared with the
/// reference of today, which takes over that of the engine.
///
/// # Errors
/// If the engine cannot start the case.
pub fn replay<M: Subject>(
    trace: &Trace<M>,
    engine: &mut dyn Engine<M>,
) -> Result<Option<Divergence>, TraceError> {
    replay_repeated(trace, engine, 1)
}

/// [`replay`] with `runs` free runs, after which an engine that compiles what runs often has compiled it.
///
/// # Errors
/// As [`replay`].
pub fn replay_repeated<M: Subject>(
    trace: &Trace<M>,
    engine: &mut dyn Engine<M>,
    runs: u64,
) -> Result<Option<Divergence>, TraceError> {
    engine.load(&trace.case)?;
    let mut expected = *engine.state()?;
    let mut adopted = false;
    for (number, effects) in trace.steps.iter().enumerate() {
        let before = expected;
        effects.apply(&mut expected);
        let last = number + 1 == trace.steps.len();
        let wanted = if last { Step::Finished(trace.outcome.clone()) } else { Step::Continue };
        let difference = match held(engine, &wanted, &expected, effects, &mut adopted) {
            Ok(Held::Right) if last => match wrong_digest(trace, engine)? {
                None => continue,
                Some(difference) => difference,
            },
            Ok(Held::Right | Held::Unjudged) => continue,
            Ok(Held::Unable) => {
                return match lockstep(&mut *M::reference(), engine, &trace.case) {
                    Verdict::Agreed(_) => Ok(None),
                    Verdict::Diverged(divergence) => Ok(Some(*divergence)),
                    Verdict::NotRun(error) => Err(error.into()),
                };
            }
            Ok(Held::Wrong(difference)) => difference,
            Err(error @ EngineError::Declined(_)) => return Err(error.into()),
            Err(error) => Difference::Failure { engine: engine.name().to_owned(), error },
        };
        return Ok(Some(divergence(trace, number, &before, difference, Path::Steps)));
    }
    if adopted { Ok(None) } else { replay_freely(trace, engine, runs) }
}

/// Runs a trace's case on an engine freely, `runs` times, and holds its end against the recorded one.
fn replay_freely<M: Subject>(
    trace: &Trace<M>,
    engine: &mut dyn Engine<M>,
    runs: u64,
) -> Result<Option<Divergence>, TraceError> {
    engine.restart(&trace.case)?;
    let start = *engine.state()?;
    // With what the engine came to instead where a step accepts that: of many NaNs a free run may choose
    // another one than single steps do.
    let state_after = |steps: usize, end: Option<&M::State>| {
        let mut state = start;
        for effects in &trace.steps[..steps] {
            effects.apply(&mut state);
            let Some(end) = end else { continue };
            for Expectation { extent, acceptance } in &effects.tolerances {
                let [recorded, actual] = [&state, end].map(|state| extent.read(state.image()));
                if recorded != actual && acceptance.accepts(recorded, actual) {
                    extent.write(state.image_mut(), actual);
                }
            }
        }
        state
    };
    let mut compare = |steps: usize| {
        engine.restart(&trace.case)?;
        let flow = engine.run_for(steps as u64)?;
        let actual = engine.state()?;
        let expected = state_after(steps, Some(actual));
        let lacks = engine.lacks();
        let same = is_same_but(expected.image(), actual.image(), lacks);
        let difference = (!same).then(|| Difference::State(mismatches(&expected, actual, lacks)));
        Ok::<_, TraceError>((flow, difference))
    };
    // What the manual leaves open is not run into.
    let (steps, wanted) = match &trace.outcome {
        Outcome::Undefined(_) => (trace.steps.len().saturating_sub(1), Step::Continue),
        outcome => (trace.steps.len(), Step::Finished(outcome.clone())),
    };
    if steps == 0 {
        // There is no free run: what the first step does was compared.
        return Ok(None);
    }
    let diverged = |step, difference| {
        let before = state_after(step, None);
        let path = if runs > 1 { Path::Repeated } else { Path::FreeRun };
        Ok(Some(divergence(trace, step, &before, difference, path)))
    };
    let mut end = compare(steps)?;
    for _ in 1..repeats(runs, steps as u64) {
        if end.1.is_some() || !is_same_flow(&wanted, &end.0) {
            break;
        }
        end = compare(steps)?;
    }
    match end {
        (_, Some(mut difference)) => {
            // The shortest free run that ends wrong while one a step shorter ends right.
            let (mut right, mut wrong) = (0, steps);
            while right + 1 < wrong {
                let middle = right.midpoint(wrong);
                match compare(middle)?.1 {
                    Some(found) => (wrong, difference) = (middle, found),
                    None => right = middle,
                }
            }
            diverged(wrong - 1, difference)
        }
        (flow, None) if !is_same_flow(&wanted, &flow) => {
            diverged(steps - 1, Difference::Flow { expected: wanted, actual: flow })
        }
        _ => Ok(None),
    }
}

/// A recorded step that an engine does not do like that.
fn divergence<M: Subject>(
    trace: &Trace<M>,
    number: usize,
    before: &M::State,
    difference: Difference,
    path: Path,
) -> Divergence {
    let instruction = M::describe_next(&trace.case, before);
    let rules = rules_of_step(trace, number);
    let suspects = suspects::suspects::<M>(&trace.case, &instruction, &difference, rules);
    let mut expected = *before;
    trace.steps[number].apply(&mut expected);
    Divergence {
        step: number as u64,
        instruction,
        mnemonic: M::mnemonic(&trace.case, before),
        operands: M::operands(&trace.case, before),
        elements: elements::<M>(&trace.case, before, &expected, &difference),
        difference,
        rules: suspects.rules,
        implicated: suspects.own,
        path,
    }
}

/// The rules that the reference of today applies in a trace's steps.
pub(crate) fn rules<M: Subject>(trace: &Trace<M>) -> Vec<RuleId> {
    let mut reference = M::reference();
    coverage::uncounted(|| {
        coverage::drop_marks();
        let mut rules = std::collections::BTreeSet::new();
        if reference.load(&trace.case).is_ok() {
            loop {
                let step = reference.step();
                rules.extend(coverage::marked());
                coverage::drop_marks();
                if !matches!(step, Ok(Step::Continue)) {
                    break;
                }
            }
        }
        rules.into_iter().collect()
    })
}

/// The rules that the reference of today applies in a recorded step, none if it does not get there.
fn rules_of_step<M: Subject>(trace: &Trace<M>, number: usize) -> Vec<RuleId> {
    let mut reference = M::reference();
    let mut run = || {
        reference.load(&trace.case).ok()?;
        let mut expected = *reference.state().ok()?;
        for effects in &trace.steps[..number] {
            effects.apply(&mut expected);
            reference.step().ok()?;
            for tolerance in &effects.tolerances {
                reference.adopt(tolerance.extent, &expected).ok()?;
            }
        }
        coverage::drop_marks();
        reference.step().ok()
    };
    coverage::uncounted(|| run().map_or_else(Vec::new, |_| coverage::marked()))
}

/// What came of holding a step against what was recorded.
enum Held {
    Right,
    Wrong(Difference),
    /// Its effect is undefined, and the engine goes on.
    Unjudged,
    /// The engine has another value that is accepted, and cannot go on with the recorded one.
    Unable,
}

/// Lets an engine take a step and holds what it did against what was recorded.
fn held<M: Machine>(
    engine: &mut dyn Engine<M>,
    wanted: &Step,
    expected: &M::State,
    effects: &Effects,
    adopted: &mut bool,
) -> Result<Held, EngineError> {
    let step = engine.step()?;
    if is_beyond_an_undefined_end(wanted, &step) {
        return Ok(Held::Unjudged);
    }
    for tolerance in &effects.tolerances {
        let Expectation { extent, acceptance } = *tolerance;
        let values = [expected, engine.state()?].map(|state| extent.read(state.image()));
        if values[0] != values[1] && acceptance.accepts(values[0], values[1]) {
            match engine.adopt(extent, expected) {
                Err(EngineError::Unable(_)) => return Ok(Held::Unable),
                done => done?,
            }
            *adopted = true;
        }
    }
    let actual = engine.state()?;
    let lacks = engine.lacks();
    Ok(if !is_same_but(expected.image(), actual.image(), lacks) {
        Held::Wrong(Difference::State(mismatches(expected, actual, lacks)))
    } else if !is_same_flow(wanted, &step) {
        Held::Wrong(Difference::Flow { expected: wanted.clone(), actual: step })
    } else {
        Held::Right
    })
}

/// Holds the digest of an engine's last state against the recorded one.
fn wrong_digest<M: Machine>(
    trace: &Trace<M>,
    engine: &dyn Engine<M>,
) -> Result<Option<Difference>, EngineError> {
    if !engine.lacks().is_empty() {
        // It is of banks too that are not compared; what is, has been.
        return Ok(None);
    }
    let actual = digest(engine.state()?, &trace.banks);
    let expected = trace.digest;
    Ok((actual != expected).then_some(Difference::Digest { expected, actual }))
}

#[cfg(test)]
mod tests;
