//! The one function through which campaigns, fuzz targets, the replayer, the minimiser and the
//! tests compare two engines.

use std::ops::Range;

use parallax_isa::{Engine, EngineError, Image, LoadError, Machine, Outcome, Reference};
use parallax_spec::coverage::{self, Marks, Weight};

pub use crate::verdict::{Agreement, Difference, Divergence, Mismatch, Path, Verdict};
use crate::{
    compare::{Compared, Loading, Sample, compare_step, load},
    elements::elements,
    ends, free_run, heartbeat,
    subject::Subject,
    suspects, weakness,
};
pub(crate) use crate::{
    compare::{accepted_places, advance, is_same_flow},
    verdict::{Run, mismatches},
};

/// How often states are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// After every step.
    Steps,
    /// After so many steps that the engine under test takes in a row: for programs of thousands of
    /// steps.
    FreeRuns {
        /// How many steps.
        length: u64,
        /// Whether a free run goes on where the reference leaves a result open. If the engine has
        /// another one there, the case is run again with free runs that end there.
        over_open: bool,
    },
    /// After every step, and then at the ends of so many runs in a row: an engine that compiles what has run often
    /// is sampled while it does so, and after it.
    Repeated {
        /// How many runs.
        runs: u64,
    },
}

impl Pace {
    /// That of engines that only run to the end.
    pub(crate) const TO_THE_END: Self = Self::FreeRuns { length: u64::MAX, over_open: true };
    /// The share of their cases that may have no end, or something open on the way before anything is compared.
    pub(crate) const MOST_WITHOUT_END: f64 = 0.5;
}

/// Runs a case on both engines until it ends or they differ, and then once more on the engine under
/// test, in a free run, to the same end.
///
/// An engine that refuses what the other loads differs, and so does one that fails. After every
/// step the state is compared: large banks where something was written, and whole every 64 steps and
/// at the end; everything else whole. Where the reference lists an expectation that accepts the
/// engine's value, the reference adopts it, so that both go on from the same state. At an end that the
/// manual leaves open the engine may do as it likes; if it ends there too, nothing has changed.
///
/// The rules of a step count once its effect was compared and agreed. A divergence is looked into by
/// running the case once more.
pub fn lockstep<M: Subject>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Verdict {
    lockstep_at(Pace::Steps, reference, engine, case)
}

/// [`lockstep`] at a pace.
pub fn lockstep_at<M: Subject>(
    pace: Pace,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Verdict {
    match run_at(pace, reference, engine, case) {
        Run::Agreed(agreement) => Verdict::Agreed(agreement),
        Run::Refused(error) => Verdict::NotRun(error),
        Run::Declined { declined, .. } => Verdict::NotRun(EngineError::Declined(declined).into()),
        Run::Diverged { step, difference, path } => {
            let divergence = explain(reference, engine, case, step, difference);
            let divergence = Divergence { path, ..divergence };
            Verdict::Diverged(Box::new(divergence))
        }
    }
}

/// Steps from one sample of all of the large banks to the next.
const CHECKPOINT: u64 = 64;

/// Runs a case on both engines at a pace, and only says where they differ.
pub(crate) fn run_at<M: Subject>(
    pace: Pace,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Run {
    run_at_from(pace, Loading::Whole, reference, engine, case)
}

/// [`run_at`] of a case that engines load in this way.
pub(crate) fn run_at_from<M: Subject>(
    pace: Pace,
    loading: Loading,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Run {
    match pace {
        _ if !engine.stops_within(case) => ends::run(loading, reference, engine, case),
        Pace::Steps => run_from(loading, reference, engine, case),
        Pace::Repeated { runs } => {
            let run = run_from(loading, reference, engine, case);
            let Run::Agreed(agreement) = &run else { return run };
            free_run::differs(reference, engine, case, agreement, runs).unwrap_or(run)
        }
        Pace::FreeRuns { length, over_open } => {
            let first = free_run::run(loading, reference, engine, case, length, over_open);
            let Run::Diverged { .. } = &first else { return first };
            if !reference.stops_within(case) {
                return first;
            }
            // Step by step, which finds the step.
            match coverage::uncounted(|| run(reference, engine, case)) {
                Run::Agreed(_) => first,
                found => found,
            }
        }
    }
}

/// Runs a case on both engines until it ends or they differ, and only says where.
pub(crate) fn run<M: Subject>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Run {
    run_from(Loading::Whole, reference, engine, case)
}

/// [`run`] of a case that engines load in this way.
pub(crate) fn run_from<M: Subject>(
    loading: Loading,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Run {
    if !engine.stops_within(case) {
        return ends::run(loading, reference, engine, case);
    }
    let run = step_by_step(loading, reference, engine, case);
    let Run::Agreed(agreement) = &run else { return run };
    free_run::differs(reference, engine, case, agreement, 1).unwrap_or(run)
}

/// Runs a case on both engines step by step.
pub(crate) fn step_by_step<M: Machine>(
    loading: Loading,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Run {
    let first = pass(loading, reference, engine, case, Sample::Written);
    if !first.is_doubtful {
        return first.run;
    }
    // Something is different that no step was seen to write: the step that did is looked for.
    let second =
        coverage::uncounted(|| pass(Loading::Whole, reference, engine, case, Sample::Whole));
    match second.run {
        Run::Agreed(_) => first.run,
        differs => differs,
    }
}

/// What one run of both engines came to.
struct Pass {
    run: Run,
    /// Whether a step before may differ in a large bank: another sample of all of them will tell.
    is_doubtful: bool,
}

/// The places of a state that an engine does not have. A step that changes something there did what
/// nobody has held against anything: its rules are only accepted.
struct Unseen {
    places: Vec<Range<usize>>,
    content: Vec<u8>,
}

impl Unseen {
    fn new<M: Machine>(reference: &dyn Reference<M>, lacks: &[Range<usize>]) -> Self {
        let mut unseen = Self { places: lacks.to_vec(), content: Vec::new() };
        if !lacks.is_empty() {
            unseen.has_changed(reference);
        }
        unseen
    }

    /// Whether something there differs from the last sample.
    fn has_changed<M: Machine>(&mut self, reference: &dyn Reference<M>) -> bool {
        let Ok(state) = reference.state() else { return true };
        if self.places.is_empty() {
            return false;
        }
        let now = self.places.iter().flat_map(|place| &state.image()[place.clone()]);
        if now.clone().eq(&self.content) {
            return false;
        }
        self.content = now.copied().collect();
        true
    }
}

fn pass<M: Machine>(
    loading: Loading,
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    sample: Sample,
) -> Pass {
    heartbeat::beat();
    if let Some(run) = load(reference, engine, case, loading) {
        return Pass { run, is_doubtful: false };
    }
    let (mut step, mut accepted) = (0, 0);
    let mut unseen = Unseen::new(reference, engine.lacks());
    // Whether large banks were looked at in part since they were last looked at whole.
    let mut in_part = false;
    let has_large_banks = M::State::BANKS.iter().any(|bank| bank.is_large);
    loop {
        let is_checkpoint = step % CHECKPOINT == CHECKPOINT - 1;
        if is_checkpoint {
            heartbeat::beat();
        }
        let sample = if is_checkpoint { Sample::Whole } else { sample };
        let came_to = compare_step(reference, engine, sample, &mut accepted);
        // The rules that decided what a step does count for what became of that.
        match &came_to {
            Ok(Compared::Agree(_))
                if reference.is_exact()
                    && !weakness::is_any()
                    && !unseen.has_changed(reference) =>
            {
                coverage::finalize(Weight::Exact);
            }
            Ok(Compared::Agree(_)) => coverage::finalize(Weight::Accepted),
            Ok(Compared::Differ(_)) => {
                mark_every_rule(reference, case, step);
                coverage::finalize(Weight::Failed);
            }
            _ => coverage::drop_marks(),
        }
        let agreed = |outcome: Outcome| {
            let comparisons = step + u64::from(!matches!(outcome, Outcome::Undefined(_)));
            Run::Agreed(Agreement { steps: step, accepted, outcome, comparisons })
        };
        let diverged = |step, difference| Run::Diverged { step, difference, path: Path::Steps };
        let (run, is_doubtful) = match came_to {
            Ok(Compared::Agree(None)) => {
                step += 1;
                in_part = sample == Sample::Written && has_large_banks;
                continue;
            }
            Ok(Compared::Agree(Some(outcome))) => (agreed(outcome), false),
            Ok(Compared::Open { outcome, is_compared }) => {
                (agreed(outcome), in_part && !is_compared)
            }
            Ok(Compared::Differ(difference)) => (diverged(step, difference), in_part),
            Err(failed) => (failed.run(step, Path::Steps), in_part),
        };
        return Pass { run, is_doubtful };
    }
}

/// Runs a case once more up to a step that differed, and marks each rule that decides it, those too that were met so
/// often that nobody looked for them.
fn mark_every_rule<M: Machine>(reference: &mut dyn Reference<M>, case: &M::Case, step: u64) {
    coverage::drop_marks();
    let marks = coverage::uncounted(|| {
        coverage::unobserved(|| {
            reference.load(case).ok()?;
            (0..step).try_for_each(|_| reference.step().map(drop)).ok()
        })?;
        let (stepped, marks) = Marks::of(|| reference.step());
        stepped.ok().map(|_| marks)
    });
    marks.unwrap_or_default().repeat();
}

/// Runs a case once more up to the step that differed, and looks at it. The rules of that run do not
/// count.
pub(crate) fn explain<M: Subject>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
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
        elements: Vec::new(),
        rules: Vec::new(),
        implicated: 0,
        path: Path::Steps,
    };
    coverage::uncounted(|| {
        let before = before(reference, engine, case, step, &divergence.difference);
        if let Some(before) = &before {
            divergence.instruction = M::describe_next(case, before);
            divergence.mnemonic = M::mnemonic(case, before);
            divergence.operands = M::operands(case, before);
        }
        let is_loaded = !matches!(divergence.difference, Difference::Load { .. });
        coverage::drop_marks();
        if is_loaded && reference.step().is_ok() {
            let rules = coverage::marked();
            let Divergence { instruction, difference, .. } = &divergence;
            let suspects = suspects::suspects::<M>(case, instruction, difference, rules);
            (divergence.rules, divergence.implicated) = (suspects.rules, suspects.own);
            if let (Some(before), Ok(after)) = (&before, reference.state()) {
                divergence.elements = elements::<M>(case, before, after, &divergence.difference);
            }
        }
    });
    divergence
}

/// Runs a case once more up to what differed: the state before it, if no engine fails. Of a program
/// that was refused it is a state in which the refused instruction is the next.
pub(crate) fn before<M: Subject>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
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
    if !engine.stops_within(case) {
        (0..step).try_for_each(|_| reference.step().map(drop)).ok()?;
    } else if by_engine.is_ok() {
        advance(reference, engine, step);
    }
    Some(Box::new(*reference.state().ok()?))
}
