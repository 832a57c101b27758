//! Suites that run cases in lockstep.

use std::{ops::ControlFlow, sync::Arc};

use parallax_isa::{Declined, Engine, Machine, Reference};
use parallax_spec::{
    RuleId,
    coverage::{self, OFTEN},
};

use super::{Starts, kind::Kind};
use crate::{
    accepted_end::AcceptedEnds,
    compare::Loading,
    declined::Declining,
    depth,
    exactness::{self, SAMPLED, STEPS},
    executed::execute,
    form::{Executed, Parts},
    free_run::differs,
    leave_out::Kept,
    lockstep::{Agreement, Divergence, Pace, Run, explain, run_at, run_at_from},
    minimize::{Minimized, Shrink, minimize_within},
    omission::{ByPattern, Omissions},
    outside::{Limits, Outside, Shared},
    outside_reference::{OutsideReference, Stops, referee},
    panic_guard::PanicGuard,
    random::SplitMix64,
    reach::Reach,
    sabotage::Sabotaged,
    subject::{Maker, Subject, reference},
    suite::{Finding, Ran, ShrinkLimits, Sighting, Suite, Vanished, Witness, Worker},
    timeout::TimedEngine,
    trace::{self, Trace},
    witness::witness,
};

impl Ran {
    /// The numbers of a run in lockstep of a case on two engines.
    pub(super) fn of<M: Subject>(
        run: &Run,
        reference: &mut dyn Reference<M>,
        engine: &mut dyn Engine<M>,
        case: &M::Case,
    ) -> Self {
        match run {
            Run::Agreed(agreement) => Self {
                instructions: agreement.steps,
                comparisons: agreement.comparisons,
                accepted_undefined: agreement.accepted,
                skipped: agreement.is_open(),
                ..Self::default()
            },
            Run::Diverged { step, difference, path } => {
                let place = difference.places().swap_remove(0);
                let Kind { kind, form, differing, agreeing } =
                    Kind::of(reference, engine, case, *step, difference, *path);
                let seen = Sighting {
                    step: *step,
                    form,
                    differing,
                    agreeing,
                    ..Sighting::of_place(kind, place.name, [place.expected, place.actual])
                };
                Self {
                    instructions: step + 1,
                    comparisons: step + 1,
                    diverged: Some(Box::new(seen)),
                    ..Self::default()
                }
            }
            Run::Refused(_) => Self { skipped: true, ..Self::default() },
            Run::Declined { step, declined } => Self {
                instructions: step.unwrap_or_default(),
                comparisons: step.unwrap_or_default(),
                declined: Some(Box::new(declining(reference, case, *step, declined))),
                ..Self::default()
            },
        }
    }
}

/// What an engine declined after so many steps of a case, or when it loaded it.
fn declining<M: Subject>(
    reference: &mut dyn Reference<M>,
    case: &M::Case,
    step: Option<u64>,
    Declined { offset, reason }: &Declined,
) -> Declining {
    let shape = coverage::uncounted(|| {
        reference.load(case).ok()?;
        for _ in 0..step.unwrap_or_default() {
            reference.step().ok()?;
        }
        let mut state = Box::new(*reference.state().ok()?);
        match (offset, step) {
            (Some(offset), _) => M::seek(case, &mut state, *offset as usize),
            (None, Some(_)) => {}
            // A case as a whole is no instruction's.
            (None, None) => return None,
        }
        Some(M::shape(case, &state))
    });
    Declining { shape: shape.unwrap_or_default(), reason: reason.clone() }
}

/// A start of a case, limited to what an engine has; `None` if it cannot run that.
fn limited<M: Machine>(limits: &dyn Limits<M>, case: &M::Case) -> Option<M::Case> {
    let mut case = case.clone();
    limits.start(&mut case).then_some(case)
}

/// Makes a case from bytes.
type Generate<M> = dyn Fn(&[u8]) -> <M as Machine>::Case + Send + Sync;

/// Cases of a machine on one device, run in lockstep.
pub struct LockstepSuite<M: Shrink> {
    name: &'static str,
    device: &'static str,
    generate: Box<Generate<M>>,
    bytes: usize,
    engine: Maker<M>,
    /// Whether the engine is one outside of this process.
    is_outside: bool,
    /// Whether a rule of the engine is broken.
    is_sabotaged: bool,
    limits: Option<Arc<dyn Limits<M>>>,
    /// The engine that takes the model's place, if one does.
    reference: Option<Arc<Outside>>,
    pace: Pace,
    most_uncompared: f64,
    why_not_run: fn() -> Option<String>,
    starts: Starts<M>,
    /// How often some of the cases are run in a row.
    runs: u64,
}

/// One in so many cases is run so often that the engine compiles it.
pub(super) const REPEATED: u64 = 16;

impl<M: Shrink> LockstepSuite<M> {
    /// A suite whose cases `generate` makes from `bytes` random bytes each, for the engine that is
    /// under test unless another one is asked for. Every case has to be compared.
    pub fn new(
        name: &'static str,
        device: &'static str,
        bytes: usize,
        generate: impl Fn(&[u8]) -> M::Case + Send + Sync + 'static,
    ) -> Self {
        let generate = Box::new(generate);
        let engine: Maker<M> = Arc::new(M::ENGINES[0].make);
        Self {
            name,
            device,
            generate,
            bytes,
            engine,
            is_outside: false,
            is_sabotaged: false,
            limits: None,
            reference: None,
            pace: Pace::Steps,
            most_uncompared: 0.0,
            why_not_run: || None,
            starts: Starts::one(),
            runs: M::WARM_RUNS,
        }
    }

    /// The suite with cases that are run at another pace than step by step.
    #[must_use]
    pub fn at(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// The suite in which this share of cases may end before anything was compared.
    #[must_use]
    pub fn with_most_uncompared(self, most_uncompared: f64) -> Self {
        Self { most_uncompared, ..self }
    }

    /// The suite with one case in 16 run so often in a row: as often as it takes until an engine that compiles what
    /// runs often has compiled it.
    #[must_use]
    pub fn repeated(self, runs: u64) -> Self {
        Self { runs, ..self }
    }

    /// The suite, which tests nothing and is not run where this has a reason.
    #[must_use]
    pub fn unless(self, why_not_run: fn() -> Option<String>) -> Self {
        Self { why_not_run, ..self }
    }

    /// The suite with programs that are run from so many starts, which `change` makes one from the
    /// other.
    #[must_use]
    pub fn from_starts(self, number: usize, change: fn(&mut SplitMix64, &mut M::Case)) -> Self {
        Self { starts: Starts::new(number, change), ..self }
    }

    /// The suite with another engine under test, for which no case is repeated.
    #[must_use]
    pub fn with_engine(
        self,
        engine: impl Fn() -> Box<dyn Engine<M>> + Send + Sync + 'static,
    ) -> Self {
        Self { engine: Arc::new(engine), runs: 1, ..self }
    }

    /// The suite with an engine outside of this process under test, and cases limited to what it has.
    #[must_use]
    pub(crate) fn outside(self, engine: Maker<M>, limits: Arc<dyn Limits<M>>) -> Self {
        Self { engine, is_outside: true, runs: 1, ..self }.limited(limits)
    }

    /// What counts: the model, or the engine that takes its place.
    fn reference(&self, stops: Stops) -> PanicGuard<dyn Reference<M>> {
        match &self.reference {
            None => reference::<M>(),
            Some(outside) => {
                let outside = Arc::clone(outside);
                PanicGuard::new(Arc::new(move || Box::new(OutsideReference::new(&outside, stops))))
            }
        }
    }

    /// A run that differs once more, with a look at a reference that only runs to the end after each step.
    fn at_each_step(&self, run: Run, engine: &mut impl Engine<M>, case: &M::Case) -> Run {
        let runs_to_the_end = self.reference.as_ref().is_some_and(|of| !of.hello().steps);
        if !runs_to_the_end || !matches!(run, Run::Diverged { .. }) {
            return run;
        }
        let mut reference = self.reference(Stops::Everywhere);
        coverage::uncounted(|| run_at(self.pace, &mut reference, engine, case))
    }

    /// The suite with limited cases.
    #[must_use]
    pub(crate) fn limited(self, limits: Arc<dyn Limits<M>>) -> Self {
        Self { limits: Some(limits), ..self }
    }
}

impl<M: Shrink> Suite for LockstepSuite<M> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn device(&self) -> &'static str {
        self.device
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(LockstepWorker::new(self, PanicGuard::new(Arc::clone(&self.engine))))
    }

    fn timed_worker(&self) -> Box<dyn Worker + '_> {
        if self.is_outside || self.is_sabotaged {
            // It is waited for in any case.
            return self.worker();
        }
        Box::new(LockstepWorker::new(self, TimedEngine::new(Arc::clone(&self.engine))))
    }

    fn most_uncompared(&self) -> f64 {
        self.most_uncompared
    }

    fn sabotage(&mut self, rule: RuleId) -> bool {
        self.engine = Sabotaged::<M>::making(Arc::clone(&self.engine), rule);
        // On another thread there are no marks to go by, and code that is compiled is not wrong.
        (self.is_sabotaged, self.runs) = (true, 1);
        true
    }

    fn often(&self) -> u64 {
        // What decides ends is looked for by breaking it, once for all.
        if self.pace == Pace::TO_THE_END { 1 } else { OFTEN }
    }

    fn is_sabotaged(&self) -> bool {
        self.is_sabotaged
    }

    fn hold_against(&mut self, reference: &Arc<Outside>) -> bool {
        let reference = Arc::clone(reference);
        let limits = self.limits.take();
        self.limits = Some(Arc::new(Shared { limits, reference: Arc::clone(&reference) }));
        (self.reference, self.runs) = (Some(reference), 1);
        true
    }

    fn why_not_run(&self) -> Option<String> {
        (self.why_not_run)()
    }
}

struct LockstepWorker<'s, M: Shrink, E> {
    suite: &'s LockstepSuite<M>,
    reference: PanicGuard<dyn Reference<M>>,
    engine: E,
    bytes: Vec<u8>,
    omissions: Arc<Omissions>,
    /// Says which rules count where only ends are compared.
    reach: Option<Reach<M>>,
    /// What such ends are compared with first, if the model is the reference.
    accepted_ends: Option<AcceptedEnds<M>>,
    /// Bounds how cases are minimised.
    shrink: ShrinkLimits,
}

impl<'s, M: Shrink, E: Engine<M>> LockstepWorker<'s, M, E> {
    fn new(suite: &'s LockstepSuite<M>, engine: E) -> Self {
        let bytes = vec![0; suite.bytes];
        let (reference, omissions) = (suite.reference(Stops::WhereOpen), Arc::default());
        let is_to_the_end = suite.pace == Pace::TO_THE_END;
        let reach = is_to_the_end.then(Reach::new);
        let accepted_ends = (is_to_the_end && suite.reference.is_none()).then(AcceptedEnds::new);
        let shrink = ShrinkLimits::default();
        Self { suite, reference, engine, bytes, omissions, reach, accepted_ends, shrink }
    }

    /// The case of a seed without what is left out; none if it cannot do without that, or the engine does not have
    /// what it takes.
    fn kept(&mut self, seed: u64) -> Kept<M::Case> {
        match self.whole_case(seed) {
            Some(case) => self.omissions.apply::<M>(seed, case),
            None => Kept { case: None, omitted: ByPattern::new() },
        }
    }

    fn case(&mut self, seed: u64) -> Option<M::Case> {
        self.kept(seed).case
    }

    fn whole_case(&mut self, seed: u64) -> Option<M::Case> {
        let Self { suite, bytes, .. } = self;
        let mut generate = |seed| {
            SplitMix64::new(seed).fill(bytes);
            (suite.generate)(bytes)
        };
        match &suite.limits {
            None => Some(generate(seed)),
            Some(limits) => limits.case(seed, &mut generate),
        }
    }

    /// The program of a case from its other starts.
    fn others(&self, seed: u64, case: M::Case) -> impl Iterator<Item = M::Case> + use<M, E> {
        let limits = self.suite.limits.clone();
        self.suite.starts.others(seed, case).filter_map(move |case| match &limits {
            Some(limits) => limited(&**limits, &case),
            None => Some(case),
        })
    }

    /// Runs a case at the pace of the suite on engines that take it up in this way.
    fn run_from(&mut self, loading: Loading, case: &M::Case) -> Run {
        let Self { suite, reference, engine, accepted_ends, .. } = self;
        let run = match accepted_ends {
            Some(ends) => coverage::unobserved(|| ends.run(loading, reference, engine, case)),
            None => run_at_from(suite.pace, loading, reference, engine, case),
        };
        suite.at_each_step(run, engine, case)
    }

    /// Runs the first start of a program; whether rules that decide its end may count.
    fn run_first(&mut self, case: &M::Case) -> (Run, bool) {
        let Self { suite, reference, engine, reach, accepted_ends, .. } = self;
        let (Some(ends), Some(reach)) = (accepted_ends, reach) else {
            return (self.run_from(Loading::Whole, case), true);
        };
        let run = || ends.run(Loading::Whole, reference, engine, case);
        let (run, is_any) = reach.noting(run);
        (suite.at_each_step(run, engine, case), is_any)
    }

    /// Runs the program of a case from the other starts it has, until the engines differ.
    fn run_again(&mut self, seed: u64, case: M::Case, first: Agreement, mut ran: Ran) -> Ran {
        let runs = self.runs(seed);
        let mut last = (runs > 1).then(|| (case.clone(), first));
        if self.suite.pace == Pace::TO_THE_END {
            let mut starts = self.others(seed, case.clone());
            self.engine.announce(&mut starts);
        }
        let mut others = self.suite.starts.others(seed, case);
        let mut start = 0;
        while let Some(case) = others.next_case() {
            let limited = self.suite.limits.as_ref().map(|limits| limited(&**limits, case));
            let case = match &limited {
                Some(Some(limited)) => limited,
                Some(None) => continue,
                None => case,
            };
            start += 1;
            let run = self.run_from(Loading::Start, case);
            let (reference, engine) = (&mut self.reference, &mut self.engine);
            ran.add(Ran::of::<M>(&run, reference, engine, case).at_start(start));
            last = match run {
                Run::Agreed(agreement) => last.map(|_| (case.clone(), agreement)),
                Run::Diverged { .. } | Run::Refused(_) | Run::Declined { .. } => return ran,
            };
        }
        if let Some((case, agreement)) = &last {
            let (reference, engine) = (&mut self.reference, &mut self.engine);
            if let Some(run) = differs(reference, engine, case, agreement, runs) {
                ran.add(Ran::of::<M>(&run, reference, engine, case).at_start(start));
            }
        }
        ran
    }

    /// How often the case of a seed is run in a row.
    fn runs(&self, seed: u64) -> u64 {
        if seed.is_multiple_of(REPEATED) { self.suite.runs } else { 1 }
    }

    /// The first start of a case's program from which the engines differ, as a case of its own; the
    /// first of all if they do from none.
    fn differing(&mut self, seed: u64) -> Option<M::Case> {
        let first = self.case(seed)?;
        let others = self.others(seed, first.clone());
        let all: Vec<_> = std::iter::once(first.clone()).chain(others).collect();
        let (pace, runs) = (self.suite.pace, self.runs(seed));
        let (reference, engine) = (&mut self.reference, &mut self.engine);
        let mut differs_at = |pace, case: &M::Case| {
            matches!(run_at(pace, reference, engine, case), Run::Diverged { .. })
        };
        let found = all.iter().find(|case| differs_at(pace, case)).cloned();
        let found = found.or_else(|| {
            let mut repeated = all.iter().filter(|_| runs > 1).rev();
            repeated.find(|case| differs_at(Pace::Repeated { runs }, case)).cloned()
        });
        Some(found.unwrap_or(first))
    }
}

impl<M: Shrink, E: Engine<M>> Worker for LockstepWorker<'_, M, E> {
    fn run(&mut self, seed: u64) -> Ran {
        let Kept { case, omitted } = self.kept(seed);
        let Some(case) = case else {
            return Ran { is_left_out: true, omitted, ..Ran::default() };
        };
        let (run, has_rules) = self.run_first(&case);
        let (reference, engine) = (&mut self.reference, &mut self.engine);
        let ran = Ran::of::<M>(&run, reference, engine, &case);
        let is_counted = self.omissions.is_counted(seed);
        let is_sampled = seed.is_multiple_of(SAMPLED) || seed.is_multiple_of(depth::SAMPLED);
        let sample = (is_sampled || is_counted).then(|| case.clone());
        if let (Run::Agreed(_), Some(reach), true) = (&run, &mut self.reach, has_rules) {
            reach.count(&mut self.reference, &case, self.engine.lacks());
        }
        let mut ran = match run {
            Run::Agreed(agreement) => self.run_again(seed, case, agreement, ran),
            Run::Diverged { .. } | Run::Refused(_) | Run::Declined { .. } => ran,
        };
        // Counting leaves the reference somewhere else.
        let (reference, sample) = (&mut self.reference, sample.as_ref());
        if let Some(case) = sample.filter(|_| seed.is_multiple_of(SAMPLED)) {
            M::shapes(case).into_iter().for_each(|shape| ran.spread.count(shape));
            exactness::count(reference, case, STEPS, M::destinations, &mut ran.exactness);
        }
        if let Some(case) = sample.filter(|_| seed.is_multiple_of(depth::SAMPLED)) {
            depth::count(reference, case, M::depth(case), &mut ran.depths);
        }
        ran.omitted = omitted;
        if let Some(case) = sample {
            self.omissions.count::<M>(seed, reference, case, &mut ran);
        }
        ran
    }

    fn leave_out(&mut self, omissions: &Arc<Omissions>) {
        self.omissions = Arc::clone(omissions);
    }

    fn shrink_within(&mut self, limits: ShrinkLimits) {
        self.shrink = limits;
    }

    fn investigate(&mut self, seed: u64) -> Result<Finding, Vanished> {
        if self.suite.reference.is_some() {
            self.reference = self.suite.reference(Stops::Everywhere);
        }
        let Some(case) = self.differing(seed) else {
            let seen = "the engine does not have what the case takes".to_owned();
            return Err(Vanished { seen, trace: None });
        };
        let LockstepSuite { name, device, .. } = *self.suite;
        let runs = self.runs(seed);
        let (reference, engine) = (&mut self.reference, &mut self.engine);
        let mut finding = finding(reference, engine, &case, runs, &self.shrink)?;
        if let Some(reference) = &self.suite.reference {
            let small =
                finding.trace.as_deref().and_then(|trace| trace::from_bytes::<M>(trace).ok());
            let case = small.map_or(case, |trace| trace.case);
            finding.referee = Some(referee(reference, engine, self.suite.pace, &case));
        }
        Ok(finding.of_seed(name, device, seed))
    }

    fn execute(
        &mut self,
        seed: u64,
        start: usize,
        only: Option<(u64, Parts)>,
        each: &mut dyn FnMut(Executed) -> ControlFlow<()>,
    ) {
        let Some(first) = self.case(seed) else { return };
        let others = self.others(seed, first.clone());
        let case = std::iter::once(first).chain(others).nth(start);
        case.iter().for_each(|case| execute::<M>(&mut self.reference, case, only, each));
    }

    fn witness(&mut self, seed: u64, rule: RuleId) -> Option<Witness> {
        let first = self.case(seed)?;
        let others = self.others(seed, first.clone());
        let (reference, engine) = (&mut self.reference, &mut self.engine);
        let mut all = std::iter::once(first).chain(others);
        all.find_map(|case| witness(reference, engine, &case, rule))
    }
}

/// Minimises a case on which the engines differ, when it is run so often at most and in so much time, and says what is wrong. The finding's
/// name is only the mnemonic; suite and seed are those of the caller.
///
/// # Errors
/// If the engines do not differ.
pub(crate) fn finding<M: Shrink>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    runs: u64,
    limits: &ShrinkLimits,
) -> Result<Finding, Vanished> {
    let original = case;
    let Minimized { case, pace, .. } = minimize_within(reference, engine, case, runs, limits);
    let (step, difference, path) = match run_at(pace, reference, engine, &case) {
        Run::Diverged { step, difference, path } => (step, difference, path),
        Run::Agreed(agreement) => {
            let steps = agreement.steps;
            let seen = format!("the engines agree: {} after {steps} steps", agreement.outcome);
            return Err(Vanished { seen, trace: recorded::<M>(reference, original) });
        }
        Run::Refused(error) => {
            return Err(Vanished { seen: format!("both engines refuse it: {error}"), trace: None });
        }
        Run::Declined { declined, .. } => {
            let seen = format!("the engine declines it: {declined}");
            return Err(Vanished { seen, trace: recorded::<M>(reference, original) });
        }
    };
    let Kind { kind, form, .. } = Kind::of(reference, engine, &case, step, &difference, path);
    let divergence = explain(reference, engine, &case, step, difference);
    let divergence = Divergence { path, ..divergence };
    let place = divergence.first();
    let trace = Trace::<M>::record_difference(reference, engine, &case)
        .ok()
        .and_then(|trace| trace::to_bytes(&trace).ok())
        .or_else(|| recorded::<M>(reference, &case));
    Ok(Finding {
        text: divergence.to_string(),
        id: divergence.mnemonic,
        kind,
        form,
        suite: "".into(),
        device: M::device(&case).into(),
        seed: 0,
        step,
        instructions: M::length(&case),
        location: place.name,
        expected: place.expected,
        actual: place.actual,
        instruction: divergence.instruction,
        rules: divergence.rules,
        referee: None,
        trace,
    })
}

/// What the reference does in a case, as the bytes of a trace file; `None` if it refuses it.
pub(super) fn recorded<M: Machine>(
    reference: &mut dyn Reference<M>,
    case: &M::Case,
) -> Option<Vec<u8>> {
    trace::to_bytes(&Trace::<M>::record(reference, case).ok()?).ok()
}
