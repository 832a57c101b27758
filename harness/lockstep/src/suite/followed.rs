//! Suites that run cases in lockstep, and hold what both engines end with against scalar code that
//! follows one channel or pixel after the other.

use parallax_isa::{Device, Engine, Machine, Outcome, Reference};
use parallax_spec::coverage;

use super::{Finding, Ran, Suite, Worker, lockstep::finding};
use crate::{
    lockstep::{Run, run},
    minimize::Shrink,
    random::SplitMix64,
    render::Place,
    trace::{self, Trace},
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
}

impl<M: Shrink, T> Suite for FollowedSuite<M, T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn device(&self) -> &'static str {
        self.device.name()
    }

    fn documents(&self) -> &'static [&'static str] {
        M::documents(self.device.name())
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(FollowedWorker {
            suite: self,
            reference: M::reference(),
            engine: (M::ENGINES[0].make)(),
            bytes: vec![0; self.bytes],
        })
    }
}

struct FollowedWorker<'s, M: Machine, T> {
    suite: &'s FollowedSuite<M, T>,
    reference: Box<dyn Reference<M>>,
    engine: Box<dyn Engine<M>>,
    bytes: Vec<u8>,
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

impl<M: Shrink, T> FollowedWorker<'_, M, T> {
    fn follow(&mut self, seed: u64) -> Followed<M::Case> {
        SplitMix64::new(seed).fill(&mut self.bytes);
        let (case, tree) = (self.suite.generate)(self.suite.device, &self.bytes);
        let run = run(&mut *self.reference, &mut *self.engine, &case);
        let whole = matches!(&run, Run::Agreed(agreement)
            if matches!(agreement.outcome, Outcome::Halted | Outcome::EndOfThread));
        let tree = tree.filter(|_| whole);
        let follow = |tree: &T| (self.suite.follow)(tree, &case, self.reference.state().ok()?);
        let place = tree.as_ref().and_then(follow);
        Followed { case, run, to_the_end: tree.is_some(), place }
    }
}

impl<M: Shrink, T> Worker for FollowedWorker<'_, M, T> {
    fn run(&mut self, seed: u64) -> Ran {
        let Followed { case, run, to_the_end, place } = self.follow(seed);
        let mut ran = Ran::of::<M>(&run, &mut *self.reference, &mut *self.engine, &case);
        // Scalar code is one more comparison.
        ran.comparisons += u64::from(to_the_end);
        if place.is_some() {
            ran.diverged = Some(SCALAR.to_owned());
        }
        ran
    }

    fn investigate(&mut self, seed: u64) -> Option<Finding> {
        let Followed { case, run, place, .. } = self.follow(seed);
        let (name, device) = (self.suite.name, self.suite.device.name());
        let (Some(place), Run::Agreed(agreement)) = (place, run) else {
            let finding = finding::<M>(&mut *self.reference, &mut *self.engine, &case)?;
            return Some(finding.of_seed(name, device, seed));
        };
        let trace = Trace::<M>::record(&mut *self.reference, &case);
        coverage::discard();
        let Place { name: location, expected, actual } = place;
        let finding = Finding {
            id: "scalar".to_owned(),
            kind: SCALAR.to_owned(),
            suite: name,
            device,
            seed,
            step: agreement.steps,
            instruction: "the whole program".to_owned(),
            instructions: M::length(&case),
            text: format!("{location}: scalar code {expected}, both engines {actual}"),
            location,
            expected,
            actual,
            rules: Vec::new(),
            trace: trace.ok().and_then(|trace| trace::to_bytes(&trace).ok()),
        };
        Some(finding.of_seed(name, device, seed))
    }
}
