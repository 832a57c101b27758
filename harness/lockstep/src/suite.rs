//! Suites: families of cases that a campaign runs, each on one device.

pub(crate) mod comparison;
pub(crate) mod followed;
mod kind;

use parallax_isa::{Engine, Machine, Outcome, Reference};
use parallax_spec::{RuleId, coverage};

use crate::{
    lockstep::{Run, explain, run},
    minimize::{Shrink, minimize},
    random::SplitMix64,
    subject::{MakeEngine, Subject},
    trace::{self, Trace},
};

/// A family of cases on one device.
pub trait Suite: Send + Sync {
    /// Name on the command line and in reports: `eu`, `eu-encoding`.
    fn name(&self) -> &'static str;

    /// The name of the device.
    fn device(&self) -> &'static str;

    /// The catalogues whose rules it is about.
    fn documents(&self) -> &'static [&'static str];

    /// Something that runs cases of the suite on one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// Runs cases of one suite, one after the other.
pub trait Worker {
    /// Runs the case of a seed.
    fn run(&mut self, seed: u64) -> Ran;

    /// Looks into the case of a seed on which the engines differ: minimises it and says what is
    /// wrong. `None` if they do not differ.
    fn investigate(&mut self, seed: u64) -> Option<Finding>;
}

/// What came of one case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ran {
    /// Instructions that were executed and compared.
    pub instructions: u64,
    /// Comparisons of states, encodings or texts.
    pub comparisons: u64,
    /// Places where another result than the reference's was accepted.
    pub accepted_undefined: u64,
    /// The case could not be run, or ended where the manual leaves the effect open.
    pub skipped: bool,
    /// Something was compared, so that the rules used count as covered.
    pub compared: bool,
    /// The engines differ: what kind of divergence, so that the same is not looked into twice.
    pub diverged: Option<String>,
}

impl Ran {
    /// The numbers of a run in lockstep of a case on two engines.
    fn of<M: Subject>(
        run: &Run,
        reference: &mut (impl Reference<M> + ?Sized),
        engine: &mut (impl Engine<M> + ?Sized),
        case: &M::Case,
    ) -> Self {
        match run {
            Run::Agreed(agreement) => Self {
                instructions: agreement.steps,
                comparisons: agreement.steps + 1,
                accepted_undefined: agreement.accepted,
                skipped: matches!(agreement.outcome, Outcome::Undefined(_)),
                compared: true,
                diverged: None,
            },
            Run::Diverged { step, difference } => Self {
                instructions: step + 1,
                comparisons: step + 1,
                compared: true,
                diverged: Some(kind::kind(reference, engine, case, *step, difference)),
                ..Self::default()
            },
            Run::Refused { .. } => Self { skipped: true, ..Self::default() },
        }
    }
}

/// A divergence that was looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Name, unique in a campaign and good for a file: `eu-g45-add-0123456789abcdef`.
    pub id: String,
    /// What kind of divergence it is: a bug is one kind, in however many cases it shows.
    pub kind: String,
    /// Suite.
    pub suite: &'static str,
    /// Device.
    pub device: &'static str,
    /// Seed of the case it was found in.
    pub seed: u64,
    /// Step of the minimised case.
    pub step: u64,
    /// Instruction, as text.
    pub instruction: String,
    /// Number of instructions of the minimised case.
    pub instructions: usize,
    /// First place that differs.
    pub location: String,
    /// What the reference has there.
    pub expected: String,
    /// What the other engine has.
    pub actual: String,
    /// Rules the reference applied in the step.
    pub rules: Vec<RuleId>,
    /// All of it, for people.
    pub text: String,
    /// The minimised case as the bytes of a trace file, where the suite has traces.
    pub trace: Option<Vec<u8>>,
}

impl Finding {
    /// The finding of a suite's seed: its name says so.
    fn of_seed(self, suite: &'static str, device: &'static str, seed: u64) -> Self {
        Self {
            id: format!("{suite}-{device}-{}-{seed:016x}", self.id),
            suite,
            device,
            seed,
            ..self
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
        Self { name, device, generate: Box::new(generate), bytes, engine: M::ENGINES[0].make }
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
        Ran::of::<M>(&run(reference, engine, &case), reference, engine, &case)
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
    let Run::Diverged { step, difference } = run(reference, engine, &case) else {
        return None;
    };
    let kind = kind::kind(reference, engine, &case, step, &difference);
    let divergence = explain(reference, engine, &case, step, difference);
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
