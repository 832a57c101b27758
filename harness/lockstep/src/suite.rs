//! Suites: families of cases that a campaign runs, each on one device.

pub(crate) mod comparison;
pub(crate) mod followed;
mod kind;
pub mod lockstep;

use parallax_spec::RuleId;

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
