//! Suites that compare texts, encodings and functions rather than runs of two engines.

use parallax_isa::Device;
use parallax_spec::coverage::{self, Weight};

use crate::{
    form::Form,
    heartbeat,
    suite::{Finding, Ran, Sighting, Suite, Vanished, Worker},
};

/// Something that is worked out in two ways for every seed, and compared.
pub(crate) trait Comparison {
    /// Compares what belongs to a seed, and counts, up to the first mismatch.
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>>;

    /// The last mismatch as a minimised case with a trace, where engines can run it.
    fn minimized(&mut self) -> Option<Finding> {
        None
    }
}

/// How much was compared.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Instructions, or calls of functions.
    pub(crate) instructions: u64,
    /// Comparisons.
    pub(crate) comparisons: u64,
    /// Places where another result than the reference's was accepted.
    pub(crate) accepted: u64,
}

/// The two do not agree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// What kind of mismatch, so that the same is not looked into twice.
    pub(crate) kind: String,
    /// Where they differ.
    pub(crate) location: String,
    /// The instruction or call, as text.
    pub(crate) instruction: String,
    pub(crate) expected: String,
    pub(crate) actual: String,
    /// All of it, for people.
    pub(crate) text: String,
}

/// Makes the comparison that one thread works with.
type Make = dyn Fn(Device) -> Box<dyn Comparison> + Send + Sync;

/// A comparison as a suite on one device.
pub(crate) struct ComparisonSuite {
    name: &'static str,
    device: Device,
    make: Box<Make>,
}

impl ComparisonSuite {
    /// A suite of a machine's comparisons of which `make` makes one for each thread.
    pub(crate) fn new<C: Comparison + 'static>(
        name: &'static str,
        device: Device,
        make: impl Fn(Device) -> C + Send + Sync + 'static,
    ) -> Self {
        Self { name, device, make: Box::new(move |device| Box::new(make(device))) }
    }
}

impl Suite for ComparisonSuite {
    fn name(&self) -> &'static str {
        self.name
    }

    fn device(&self) -> &'static str {
        self.device.name()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        let comparison = (self.make)(self.device);
        Box::new(ComparisonWorker { name: self.name, device: self.device, comparison })
    }

    fn most_uncompared(&self) -> f64 {
        0.0
    }
}

struct ComparisonWorker {
    name: &'static str,
    device: Device,
    comparison: Box<dyn Comparison>,
}

impl Worker for ComparisonWorker {
    fn run(&mut self, seed: u64) -> Ran {
        heartbeat::beat();
        let mut counts = Counts::default();
        let mismatch = self.comparison.compare(seed, &mut counts).err();
        // What the last comparison depended on counts for what became of it.
        coverage::finalize(if mismatch.is_none() { Weight::Exact } else { Weight::Failed });
        let seen = |Mismatch { kind, location, expected, actual, .. }: Mismatch| {
            Box::new(Sighting::of_place(kind, location, [expected, actual]))
        };
        Ran {
            instructions: counts.instructions,
            comparisons: counts.comparisons,
            accepted_undefined: counts.accepted,
            skipped: false,
            diverged: mismatch.map(|mismatch| seen(*mismatch)),
            ..Ran::default()
        }
    }

    fn investigate(&mut self, seed: u64) -> Result<Finding, Vanished> {
        let mut counts = Counts::default();
        let Err(mismatch) = self.comparison.compare(seed, &mut counts) else {
            let seen = format!("{} comparisons agree", counts.comparisons);
            return Err(Vanished { seen, trace: None });
        };
        let Mismatch { kind, location, instruction, expected, actual, text } = *mismatch;
        let id = format!("{}-{}-{seed:016x}", self.name, self.device);
        if let Some(finding) = self.comparison.minimized() {
            return Ok(Finding { id, suite: self.name.into(), seed, ..finding });
        }
        Ok(Finding {
            id,
            kind,
            form: Form::default(),
            suite: self.name.into(),
            device: self.device.name().into(),
            seed,
            step: 0,
            instruction,
            instructions: 1,
            location,
            expected,
            actual,
            rules: Vec::new(),
            referee: None,
            text,
            trace: None,
        })
    }
}
