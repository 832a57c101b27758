//! The suite `r700-flow`: programs in lockstep, and structured ones also against scalar code.

use parallax_executor::r700::Executor;
use parallax_isa::{Device, Outcome, r700::Case};
use parallax_reference::r700::Reference;
use parallax_spec::coverage;

use crate::{
    engine::Engine,
    lockstep::{Run, run},
    r700::{
        R700,
        flow::{BYTES, Difference, any, check, is_changed, structured},
    },
    random::SplitMix64,
    suite::{Finding, LockstepSuite, Ran, Suite, Worker},
    trace::{self, Trace},
};

/// The name of the suite.
const NAME: &str = "r700-flow";

/// The lockstep part of the suite.
type Lockstep = LockstepSuite<R700, Reference, Executor>;

/// The suite on a device.
pub(super) struct Flow {
    lockstep: Lockstep,
}

impl Flow {
    pub(super) fn new(device: Device) -> Self {
        let generate = (any as fn(Device, &[u8]) -> Case, BYTES);
        Self { lockstep: Lockstep::new(NAME, device, generate, Reference::new, Executor::new) }
    }
}

impl Suite for Flow {
    fn name(&self) -> &'static str {
        NAME
    }

    fn device(&self) -> Device {
        self.lockstep.device()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(FlowWorker {
            device: self.device(),
            lockstep: self.lockstep.worker(),
            reference: Reference::new(),
            engine: Executor::new(),
            bytes: vec![0; BYTES],
        })
    }
}

struct FlowWorker<'s> {
    device: Device,
    /// Looks into divergences.
    lockstep: Box<dyn Worker + 's>,
    reference: Reference,
    engine: Executor,
    bytes: Vec<u8>,
}

impl FlowWorker<'_> {
    /// Runs the case of a seed; what scalar code says to it, if it ran to its end.
    fn compare(&mut self, seed: u64) -> (Case, Run, Option<Difference>) {
        SplitMix64::new(seed).fill(&mut self.bytes);
        if is_changed(&self.bytes) {
            let case = any(self.device, &self.bytes);
            let came = run::<R700>(&mut self.reference, &mut self.engine, &case);
            return (case, came, None);
        }
        let (case, tree) = structured(self.device, &self.bytes);
        let came = run::<R700>(&mut self.reference, &mut self.engine, &case);
        let halted =
            matches!(&came, Run::Agreed(agreement) if agreement.outcome == Outcome::Halted);
        let state = Engine::<R700>::state(&self.reference);
        let difference = if halted { check(&tree, &case, state) } else { None };
        (case, came, difference)
    }
}

impl Worker for FlowWorker<'_> {
    fn run(&mut self, seed: u64) -> Ran {
        let (_, came, difference) = self.compare(seed);
        match came {
            Run::Agreed(agreement) => Ran {
                instructions: agreement.steps,
                comparisons: agreement.steps + 1,
                accepted_undefined: agreement.accepted,
                skipped: matches!(agreement.outcome, Outcome::Undefined(_)),
                compared: true,
                diverged: difference.map(|_| "scalar".to_owned()),
            },
            Run::Diverged { step, difference } => Ran {
                instructions: step + 1,
                comparisons: step + 1,
                compared: true,
                diverged: Some(
                    difference.places()[0].name.replace(|c: char| c.is_ascii_digit(), ""),
                ),
                ..Ran::default()
            },
            Run::Refused { .. } => Ran { skipped: true, ..Ran::default() },
        }
    }

    fn investigate(&mut self, seed: u64) -> Option<Finding> {
        let (case, came, difference) = self.compare(seed);
        let Some(difference) = difference else {
            coverage::discard();
            return self.lockstep.investigate(seed);
        };
        let Run::Agreed(agreement) = came else { return None };
        let trace = Trace::<R700>::record(&mut self.reference, &case);
        coverage::discard();
        let instruction = "the whole program, pixel by pixel".to_owned();
        Some(Finding {
            id: format!("{NAME}-{}-scalar-{seed:016x}", self.device),
            suite: NAME,
            device: self.device,
            seed,
            step: agreement.steps,
            instructions: agreement.steps as usize,
            location: difference.place.clone(),
            expected: format!("{:08x}", difference.expected),
            actual: format!("{:08x}", difference.actual),
            rules: Vec::new(),
            text: format!(
                "both engines end with {:08x} in {}, scalar code with {:08x}",
                difference.actual, difference.place, difference.expected
            ),
            instruction,
            trace: trace.ok().and_then(|trace| trace::to_bytes(&trace).ok()),
        })
    }
}
