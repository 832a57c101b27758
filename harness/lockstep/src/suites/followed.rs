//! Suites that run cases in lockstep, and hold what both engines end with against scalar code that
//! follows one channel or pixel after the other.

use std::{ops::ControlFlow, sync::Arc};

use parallax_isa::{Device, Engine, Machine, Outcome, Reference};
use parallax_spec::{RuleId, coverage};

use super::{
    Starts,
    lockstep::{REPEATED, finding, recorded},
};
use crate::{
    accepted_end::AcceptedEnds,
    compare::Loading,
    depth,
    executed::execute,
    form::{Executed, Form, Parts},
    free_run::differs,
    leave_out::Kept,
    lockstep::{Agreement, Run, run_from},
    minimize::Shrink,
    omission::{ByPattern, Omissions},
    outside::Limits,
    panic_guard::PanicGuard,
    random::SplitMix64,
    render::Place,
    sabotage::{Sabotaged, spoiled},
    subject::{Maker, reference},
    suite::{Finding, Ran, ShrinkLimits, Sighting, Suite, Vanished, Witness, Worker},
    timeout::TimedEngine,
    witness::witness,
};

/// The kind of divergences of both engines from scalar code.
const SCALAR: &str = "scalar code";

/// Makes a case for a device from bytes, and the tree of its program where scalar code can follow it.
type Generate<M, T> = fn(Device, &[u8]) -> (<M as Machine>::Case, Option<T>);

/// Runs a tree from where a case starts; the first place in which the state at the end of an engine's
/// whole run is something else.
type Follow<M, T> = fn(&T, &<M as Machine>::Case, &<M as Machine>::State) -> Option<Place>;

/// Cases of a machine in lockstep and against scalar code.
pub(crate) struct FollowedSuite<M: Machine, T> {
    pub(crate) name: &'static str,
    pub(crate) device: Device,
    pub(crate) generate: Generate<M, T>,
    /// Random bytes that a case is made from.
    pub(crate) bytes: usize,
    pub(crate) follow: Follow<M, T>,
    /// The rules that scalar code of a tree decides, not only the steps of its program.
    pub(crate) decides: fn(&T) -> &'static [RuleId],
    /// The largest share of cases that may end before anything was compared.
    pub(crate) most_uncompared: f64,
    pub(crate) starts: Starts<M>,
    /// An engine outside of this process.
    pub(crate) outside: Option<Maker<M>>,
    /// The rule that is broken.
    pub(crate) sabotage: Option<RuleId>,
    /// What cases are limited to.
    pub(crate) limits: Option<Arc<dyn Limits<M>>>,
}

impl<M: Shrink, T> FollowedSuite<M, T> {
    fn engine(&self) -> Maker<M> {
        let engine = match &self.outside {
            Some(engine) => Arc::clone(engine),
            None => Arc::new(M::ENGINES[0].make),
        };
        match self.sabotage {
            Some(rule) => Sabotaged::<M>::making(engine, rule),
            None => engine,
        }
    }
}

impl<M: Shrink, T> Suite for FollowedSuite<M, T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn device(&self) -> &'static str {
        self.device.name()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(FollowedWorker::new(self, PanicGuard::new(self.engine())))
    }

    fn timed_worker(&self) -> Box<dyn Worker + '_> {
        if self.outside.is_some() || self.sabotage.is_some() {
            // It is waited for in any case.
            return self.worker();
        }
        Box::new(FollowedWorker::new(self, TimedEngine::new(self.engine())))
    }

    fn most_uncompared(&self) -> f64 {
        self.most_uncompared
    }

    fn sabotage(&mut self, rule: RuleId) -> bool {
        self.sabotage = Some(rule);
        true
    }

    fn is_sabotaged(&self) -> bool {
        self.sabotage.is_some()
    }
}

struct FollowedWorker<'s, M: Machine, T, E> {
    suite: &'s FollowedSuite<M, T>,
    reference: PanicGuard<dyn Reference<M>>,
    engine: E,
    bytes: Vec<u8>,
    omissions: Arc<Omissions>,
    /// Bounds how cases are minimised.
    shrink: ShrinkLimits,
    /// What ends are compared with first of cases within which the engine cannot stop.
    accepted_ends: Option<AcceptedEnds<M>>,
}

/// What came of a case on both engines and in scalar code.
struct Followed<C> {
    case: C,
    run: Run,
    /// Whether the case came to its end and scalar code followed it there.
    to_the_end: bool,
    /// Where scalar code comes to something else.
    place: Option<Place>,
}

impl<C: Clone> Followed<C> {
    /// The case and what the engines agreed on, if they did and it is to be run again.
    fn repeatable(&self, runs: u64) -> Option<(C, Agreement)> {
        match &self.run {
            Run::Agreed(agreement) if runs > 1 => Some((self.case.clone(), agreement.clone())),
            _ => None,
        }
    }

    fn differs(&self) -> bool {
        self.place.is_some() || matches!(self.run, Run::Diverged { .. })
    }
}

impl<'s, M: Shrink, T, E: Engine<M>> FollowedWorker<'s, M, T, E> {
    fn new(suite: &'s FollowedSuite<M, T>, engine: E) -> Self {
        let bytes = vec![0; suite.bytes];
        let (reference, omissions) = (reference::<M>(), Arc::default());
        let (shrink, accepted_ends) = (ShrinkLimits::default(), None);
        Self { suite, reference, engine, bytes, omissions, shrink, accepted_ends }
    }

    /// The case of a seed without what is left out; none if it cannot do without that, or the engine does not have
    /// what it takes. Scalar code follows whole programs only.
    fn kept(&mut self, seed: u64) -> Kept<(M::Case, Option<T>)> {
        let Some((case, tree)) = self.whole_case(seed) else {
            return Kept { case: None, omitted: ByPattern::new() };
        };
        let Kept { case, omitted } = self.omissions.apply::<M>(seed, case);
        let tree = tree.filter(|_| omitted.is_empty());
        Kept { case: case.map(|case| (case, tree)), omitted }
    }

    fn case(&mut self, seed: u64) -> Option<(M::Case, Option<T>)> {
        self.kept(seed).case
    }

    fn whole_case(&mut self, seed: u64) -> Option<(M::Case, Option<T>)> {
        SplitMix64::new(seed).fill(&mut self.bytes);
        let (case, tree) = (self.suite.generate)(self.suite.device, &self.bytes);
        let Some(limits) = &self.suite.limits else { return Some((case, tree)) };
        let limited = limits.case(seed, &mut |_| case.clone())?;
        let is_whole = M::length(&limited) == M::length(&case);
        Some((limited, tree.filter(|_| is_whole)))
    }

    /// The program of a case from its other starts.
    fn others(&self, seed: u64, case: M::Case) -> impl Iterator<Item = M::Case> + use<M, T, E> {
        let limits = self.suite.limits.clone();
        self.suite.starts.others(seed, case).filter_map(move |mut case| {
            limits.iter().all(|limits| limits.start(&mut case)).then_some(case)
        })
    }

    /// How often the case of a seed is run in a row.
    fn runs(&self, seed: u64) -> u64 {
        let is_repeated = self.suite.outside.is_none() && seed.is_multiple_of(REPEATED);
        if is_repeated { M::WARM_RUNS } else { 1 }
    }

    fn follow(&mut self, loading: Loading, case: M::Case, tree: Option<&T>) -> Followed<M::Case> {
        let Self { reference, engine, accepted_ends, .. } = self;
        let run = match engine.stops_within(&case) {
            true => run_from(loading, reference, engine, &case),
            false => {
                let ends = accepted_ends.get_or_insert_with(AcceptedEnds::new);
                ends.run(loading, reference, engine, &case)
            }
        };
        let whole = matches!(&run, Run::Agreed(agreement)
            if matches!(agreement.outcome, Outcome::Halted | Outcome::EndOfThread));
        let tree = tree.filter(|_| whole);
        let place = tree.and_then(|tree| {
            let wrong = self.sabotaged_end(tree, &case);
            let end = wrong.as_deref().map_or_else(|| self.reference.state(), Ok);
            (self.suite.follow)(tree, &case, end.ok()?)
        });
        Followed { case, run, to_the_end: tree.is_some(), place }
    }

    /// The state at the end of a run with one bit wrong, if the rule that is broken is one that scalar code decides.
    fn sabotaged_end(&mut self, tree: &T, case: &M::Case) -> Option<Box<M::State>> {
        let rule = self.suite.sabotage.filter(|rule| (self.suite.decides)(tree).contains(rule))?;
        let end = Box::new(*self.reference.state().ok()?);
        coverage::uncounted(|| {
            self.reference.restart(case).ok()?;
            let (_, wrong) = spoiled::<M>(rule, self.reference.state().ok()?, &end, &[])?;
            Some(wrong)
        })
    }

    fn ran(&mut self, followed: Followed<M::Case>) -> Ran {
        let Followed { case, run, to_the_end, place } = followed;
        let mut ran = Ran::of::<M>(&run, &mut self.reference, &mut self.engine, &case);
        // Scalar code is one more comparison.
        ran.comparisons += u64::from(to_the_end);
        if let Some(Place { name: location, expected, actual, .. }) = place {
            let seen = Sighting::of_place(SCALAR.to_owned(), location, [expected, actual]);
            let seen = Sighting { step: ran.instructions, ..seen };
            ran.diverged = Some(Box::new(seen));
        }
        ran
    }
}

impl<M: Shrink, T, E: Engine<M>> Worker for FollowedWorker<'_, M, T, E> {
    fn run(&mut self, seed: u64) -> Ran {
        let Kept { case, omitted } = self.kept(seed);
        let Some((case, tree)) = case else {
            return Ran { is_left_out: true, omitted, ..Ran::default() };
        };
        let first = self.follow(Loading::Whole, case.clone(), tree.as_ref());
        let is_refused = matches!(first.run, Run::Refused(_));
        let runs = self.runs(seed);
        let mut last = first.repeatable(runs);
        let mut ran = self.ran(first);
        for (place, case) in self.others(seed, case.clone()).enumerate() {
            if is_refused || ran.diverged.is_some() || ran.declined.is_some() {
                break;
            }
            let again = self.follow(Loading::Start, case, tree.as_ref());
            last = again.repeatable(runs);
            ran.add(self.ran(again).at_start(place + 1));
        }
        if let Some((case, agreement)) =
            last.filter(|_| ran.diverged.is_none() && ran.declined.is_none())
        {
            let (reference, engine) = (&mut self.reference, &mut self.engine);
            if let Some(run) = differs(reference, engine, &case, &agreement, runs) {
                ran.add(Ran::of::<M>(&run, reference, engine, &case));
            }
        }
        // Counting leaves the reference somewhere else.
        if seed.is_multiple_of(depth::SAMPLED) {
            depth::count(&mut self.reference, &case, M::depth(&case), &mut ran.depths);
        }
        ran.omitted = omitted;
        self.omissions.count::<M>(seed, &mut self.reference, &case, &mut ran);
        ran
    }

    fn leave_out(&mut self, omissions: &Arc<Omissions>) {
        self.omissions = Arc::clone(omissions);
    }

    fn shrink_within(&mut self, limits: ShrinkLimits) {
        self.shrink = limits;
    }

    fn investigate(&mut self, seed: u64) -> Result<Finding, Vanished> {
        let Some((case, tree)) = self.case(seed) else {
            let seen = "the engine does not have what the case takes".to_owned();
            return Err(Vanished { seen, trace: None });
        };
        let mut others = self.others(seed, case.clone());
        let mut followed = self.follow(Loading::Whole, case, tree.as_ref());
        while !followed.differs()
            && let Some(case) = others.next()
        {
            followed = self.follow(Loading::Whole, case, tree.as_ref());
        }
        let runs = self.runs(seed);
        let Followed { case, run, place, .. } = followed;
        let (name, device) = (self.suite.name, self.suite.device.name());
        let (Some(place), Run::Agreed(agreement)) = (place, run) else {
            let (reference, engine) = (&mut self.reference, &mut self.engine);
            let finding = finding::<M>(reference, engine, &case, runs, &self.shrink)?;
            return Ok(finding.of_seed(name, device, seed));
        };
        let Place { name: location, expected, actual, .. } = place;
        let finding = Finding {
            id: "scalar".to_owned(),
            kind: SCALAR.to_owned(),
            form: Form::default(),
            suite: name.into(),
            device: device.into(),
            seed,
            step: agreement.steps,
            instruction: "the whole program".to_owned(),
            instructions: M::length(&case),
            text: format!("{location}: scalar code {expected}, both engines {actual}"),
            location,
            expected,
            actual,
            rules: Vec::new(),
            referee: None,
            trace: recorded::<M>(&mut self.reference, &case),
        };
        Ok(finding.of_seed(name, device, seed))
    }

    fn execute(
        &mut self,
        seed: u64,
        start: usize,
        only: Option<(u64, Parts)>,
        each: &mut dyn FnMut(Executed) -> ControlFlow<()>,
    ) {
        let Some((first, _)) = self.case(seed) else { return };
        let others = self.others(seed, first.clone());
        let case = std::iter::once(first).chain(others).nth(start);
        case.iter().for_each(|case| execute::<M>(&mut self.reference, case, only, each));
    }

    fn witness(&mut self, seed: u64, rule: RuleId) -> Option<Witness> {
        let (first, _) = self.case(seed)?;
        let others = self.others(seed, first.clone());
        let (reference, engine) = (&mut self.reference, &mut self.engine);
        let mut all = std::iter::once(first).chain(others);
        all.find_map(|case| witness(reference, engine, &case, rule))
    }
}
