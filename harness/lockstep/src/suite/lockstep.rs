//! Suites that run cases in lockstep.

use parallax_isa::{Engine, Machine, Outcome, Reference};
use parallax_spec::coverage;

use super::{Finding, Ran, Suite, Worker, kind};
use crate::{
    lockstep::{Divergence, Pace, Run, explain, run, run_at},
    minimize::{Shrink, minimize},
    random::SplitMix64,
    subject::{MakeEngine, Subject},
    trace::{self, Trace},
};

impl Ran {
    /// The numbers of a run in lockstep of a case on two engines.
    pub(super) fn of<M: Subject>(
        run: &Run,
        reference: &mut (impl Reference<M> + ?Sized),
        engine: &mut (impl Engine<M> + ?Sized),
        case: &M::Case,
    ) -> Self {
        match run {
            Run::Agreed(agreement) => Self {
                instructions: agreement.steps,
                comparisons: agreement.comparisons,
                accepted_undefined: agreement.accepted,
                skipped: matches!(agreement.outcome, Outcome::Undefined(_)),
                compared: true,
                diverged: None,
            },
            Run::Diverged { step, difference, path } => Self {
                instructions: step + 1,
                comparisons: step + 1,
                compared: true,
                diverged: Some(kind::kind(reference, engine, case, *step, difference, *path)),
                ..Self::default()
            },
            Run::Refused { .. } => Self { skipped: true, ..Self::default() },
        }
    }
}

/// Makes a case from bytes.
type Generate<M> = dyn Fn(&[u8]) -> <M as Machine>::Case + Send + Sync;

/// Cases of a machine on one device, run in lockstep.
pub struct LockstepSuite<M: Shrink> {
    name: &'static str,
    device: &'static str,
    generate: Box<Generate<M>>,
    bytes: usize,
    engine: MakeEngine<M>,
    pace: Pace,
}

impl<M: Shrink> LockstepSuite<M> {
    /// A suite whose cases `generate` makes from `bytes` random bytes each, for the engine that is
    /// under test unless another one is asked for.
    pub fn new(
        name: &'static str,
        device: &'static str,
        bytes: usize,
        generate: impl Fn(&[u8]) -> M::Case + Send + Sync + 'static,
    ) -> Self {
        let (generate, engine) = (Box::new(generate), M::ENGINES[0].make);
        Self { name, device, generate, bytes, engine, pace: Pace::Steps }
    }

    /// The suite with cases that are run at another pace than step by step.
    #[must_use]
    pub fn at(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// The suite with another engine under test.
    #[must_use]
    pub fn with_engine(self, engine: MakeEngine<M>) -> Self {
        Self { engine, ..self }
    }
}

impl<M: Shrink> Suite for LockstepSuite<M> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn device(&self) -> &'static str {
        self.device
    }

    fn documents(&self) -> &'static [&'static str] {
        M::documents(self.device)
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(LockstepWorker {
            suite: self,
            reference: M::reference(),
            engine: (self.engine)(),
            bytes: vec![0; self.bytes],
        })
    }
}

struct LockstepWorker<'s, M: Shrink> {
    suite: &'s LockstepSuite<M>,
    reference: Box<dyn Reference<M>>,
    engine: Box<dyn Engine<M>>,
    bytes: Vec<u8>,
}

impl<M: Shrink> LockstepWorker<'_, M> {
    fn case(&mut self, seed: u64) -> M::Case {
        SplitMix64::new(seed).fill(&mut self.bytes);
        (self.suite.generate)(&self.bytes)
    }
}

impl<M: Shrink> Worker for LockstepWorker<'_, M> {
    fn run(&mut self, seed: u64) -> Ran {
        let case = self.case(seed);
        let (reference, engine) = (&mut *self.reference, &mut *self.engine);
        let run = run_at(self.suite.pace, reference, engine, &case);
        Ran::of::<M>(&run, reference, engine, &case)
    }

    fn investigate(&mut self, seed: u64) -> Option<Finding> {
        let case = self.case(seed);
        let LockstepSuite { name, device, .. } = *self.suite;
        let finding = finding(&mut *self.reference, &mut *self.engine, &case)?;
        Some(finding.of_seed(name, device, seed))
    }
}

/// Minimises a case on which the engines differ and says what is wrong. `None` if they do not differ.
/// The finding's name is only the mnemonic; suite and seed are those of the caller.
pub(crate) fn finding<M: Shrink>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Option<Finding> {
    let case = minimize(reference, engine, case).case;
    let Run::Diverged { step, difference, path } = run(reference, engine, &case) else {
        return None;
    };
    let kind = kind::kind(reference, engine, &case, step, &difference, path);
    let divergence = explain(reference, engine, &case, step, difference);
    let divergence = Divergence { path, ..divergence };
    let place = divergence.difference.places().swap_remove(0);
    let trace = Trace::<M>::record_beside(reference, engine, &case);
    coverage::discard();
    Some(Finding {
        text: divergence.to_string(),
        id: divergence.mnemonic,
        kind,
        suite: "",
        device: M::device(&case),
        seed: 0,
        step,
        instructions: M::length(&case),
        location: place.name,
        expected: place.expected,
        actual: place.actual,
        instruction: divergence.instruction,
        rules: divergence.rules,
        trace: trace.ok().and_then(|trace| trace::to_bytes(&trace).ok()),
    })
}
