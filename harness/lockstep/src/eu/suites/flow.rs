//! The suite `eu-flow`: programs with control flow in lockstep, and against scalar code.

use parallax_executor::eu::Executor;
use parallax_isa::{Device, Outcome};
use parallax_reference::eu::Reference;
use parallax_spec::coverage;

use crate::{
    eu::{
        Eu,
        flow::{BYTES, Flowing, any, flowing},
    },
    lockstep::Run,
    random::SplitMix64,
    suite::{Finding, LockstepSuite, Ran, Suite, Worker},
    trace::{self, Trace},
};

/// The suite on one device.
pub(super) struct Flow {
    lockstep: LockstepSuite<Eu, Reference, Executor>,
}

impl Flow {
    /// The suite on a device.
    pub(super) fn new(device: Device) -> Self {
        let generate = (any as fn(Device, &[u8]) -> _, BYTES);
        let lockstep =
            LockstepSuite::new("eu-flow", device, generate, Reference::new, Executor::new);
        Self { lockstep }
    }
}

impl Suite for Flow {
    fn name(&self) -> &'static str {
        self.lockstep.name()
    }

    fn device(&self) -> Device {
        self.lockstep.device()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Followed {
            device: self.device(),
            lockstep: self.lockstep.worker(),
            reference: Reference::new(),
            executor: Executor::new(),
            bytes: vec![0; BYTES],
        })
    }
}

struct Followed<'s> {
    device: Device,
    lockstep: Box<dyn Worker + 's>,
    reference: Reference,
    executor: Executor,
    bytes: Vec<u8>,
}

impl Followed<'_> {
    fn flowing(&mut self, seed: u64) -> Flowing {
        SplitMix64::new(seed).fill(&mut self.bytes);
        flowing(self.device, &self.bytes)
    }

    /// Runs a case; says whether it came to its end where scalar code follows it, and what scalar
    /// code has to say then.
    fn compare(&mut self, flowing: &Flowing) -> (Run, bool, Option<String>) {
        let run =
            crate::lockstep::run::<Eu>(&mut self.reference, &mut self.executor, &flowing.case);
        let whole = matches!(&run, Run::Agreed(agreement)
            if matches!(agreement.outcome, Outcome::Halted | Outcome::EndOfThread));
        let followed = whole && flowing.is_followed();
        let wrong = followed.then(|| flowing.against_scalar(self.reference.state())).flatten();
        (run, followed, wrong)
    }
}

impl Worker for Followed<'_> {
    fn run(&mut self, seed: u64) -> Ran {
        let flowing = self.flowing(seed);
        let (run, followed, wrong) = self.compare(&flowing);
        let mut ran = Ran::of(&run);
        // Scalar code is one more comparison.
        ran.comparisons += u64::from(followed);
        if wrong.is_some() {
            ran.diverged = Some("scalar code".to_owned());
        }
        ran
    }

    fn investigate(&mut self, seed: u64) -> Option<Finding> {
        let flowing = self.flowing(seed);
        let (_, _, Some(wrong)) = self.compare(&flowing) else {
            return self.lockstep.investigate(seed);
        };
        let trace = Trace::<Eu>::record(&mut self.reference, &flowing.case);
        coverage::discard();
        let disagreement = flowing.disagreement(self.reference.state())?;
        Some(Finding {
            id: format!("eu-flow-{}-scalar-{seed:016x}", self.device),
            suite: "eu-flow",
            device: self.device,
            seed,
            step: 0,
            instruction: "the whole program".to_owned(),
            instructions: flowing.case.program.len() / 16,
            location: format!("channel {} of {}", disagreement.channel, disagreement.place),
            expected: format!("{:08x}", disagreement.expected),
            actual: format!("{:08x}", disagreement.actual),
            rules: Vec::new(),
            text: wrong,
            trace: trace.ok().and_then(|trace| trace::to_bytes(&trace).ok()),
        })
    }
}
