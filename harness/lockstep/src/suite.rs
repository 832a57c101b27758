//! Suites: families of cases that a campaign runs, each on one device.

use std::{borrow::Cow, fmt, ops::ControlFlow, sync::Arc, time::Duration};

use parallax_spec::{
    RuleId,
    coverage::{self, OFTEN},
};
use serde::{Deserialize, Serialize};

use crate::{
    declined::Declining,
    depth::Depths,
    exactness::Exactness,
    form::{Executed, Form, Parts},
    omission::{ByPattern, Omissions},
    outside::Outside,
    pattern::Pattern,
    spread::Spread,
};

/// A family of cases on one device.
pub trait Suite: Send + Sync {
    /// Name on the command line and in reports: `eu`, `eu-encoding`.
    fn name(&self) -> &'static str;

    /// The name of the device.
    fn device(&self) -> &'static str;

    /// Something that runs cases of the suite on one thread.
    fn worker(&self) -> Box<dyn Worker + '_>;

    /// [`Self::worker`] with a timeout: an engine that does not answer in time differs. Slow. Suites without an engine
    /// under test return [`Self::worker`].
    fn timed_worker(&self) -> Box<dyn Worker + '_> {
        self.worker()
    }

    /// The largest share of cases that may end without anything having been compared, from 0 to 1. Each
    /// suite states its own.
    fn most_uncompared(&self) -> f64;

    /// Breaks a rule of the engine under test: where the reference applies it, one bit of what a step did is wrong.
    /// `false` if the suite has no steps that could be wrong.
    fn sabotage(&mut self, rule: RuleId) -> bool {
        let _ = rule;
        false
    }

    /// The exact comparisons that a rule decides before nobody looks for it in the cases that follow.
    fn often(&self) -> u64 {
        OFTEN
    }

    /// Whether a rule is broken.
    fn is_sabotaged(&self) -> bool {
        false
    }

    /// Holds the engine under test against another engine in place of the model. `false` if the suite cannot do that.
    fn hold_against(&mut self, reference: &Arc<Outside>) -> bool {
        let _ = reference;
        false
    }

    /// Why the suite tests nothing in this process, in a few words: then none of its cases is run. `None` if it
    /// can run.
    fn why_not_run(&self) -> Option<String> {
        None
    }
}

/// Runs cases of one suite, one after the other.
pub trait Worker {
    /// Runs the case of a seed.
    fn run(&mut self, seed: u64) -> Ran;

    /// Leaves instructions out of the programs of all cases that follow.
    fn leave_out(&mut self, omissions: &Arc<Omissions>) {
        let _ = omissions;
    }

    /// Bounds how cases are minimised.
    fn shrink_within(&mut self, limits: ShrinkLimits) {
        let _ = limits;
    }

    /// Looks into the case of a seed on which the engines differed: minimises it and says what is
    /// wrong.
    ///
    /// # Errors
    /// If they do not differ any more.
    fn investigate(&mut self, seed: u64) -> Result<Finding, Vanished>;

    /// Runs the reference alone over the case of a seed, from the start of that number, and gives each step until the
    /// case ends or `each` breaks off; only some parts of one step, if they are given with its number. Does nothing
    /// where cases are no programs. Rules do not count.
    fn execute(
        &mut self,
        seed: u64,
        start: usize,
        only: Option<(u64, Parts)>,
        each: &mut dyn FnMut(Executed) -> ControlFlow<()>,
    ) {
        let _ = (seed, start, only, each);
    }

    /// Minimises the case of a seed to a witness of a rule; `None` if the rule decides nothing in it, or if cases are no
    /// programs. Clears the rule counters of this thread.
    fn witness(&mut self, seed: u64, rule: RuleId) -> Option<Witness> {
        let _ = (seed, rule);
        None
    }
}

/// What bounds the minimisation of a case.
#[derive(Debug, Clone, Default)]
pub struct ShrinkLimits {
    /// The longest time that it takes: then the smallest case so far is taken.
    pub time: Option<Duration>,
    /// Instructions that an engine gets wrong in another way: a case of none of them does not come down to one.
    pub others: Vec<Pattern>,
}

/// A minimal case in which a rule decides something that is compared exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The case as the bytes of a trace file.
    pub trace: Vec<u8>,
    /// Instructions of the case.
    pub instructions: usize,
    /// The first step that the rule decides something of.
    pub step: usize,
    /// What is said of an engine that does that step wrong; `None` if all that it does is left open.
    pub caught: Option<Caught>,
}

/// What is said of an engine that is right but for one bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caught {
    /// The element that has the wrong bit.
    pub place: String,
    /// The divergence, for people.
    pub divergence: String,
}

/// Whether an engine can run any case of a suite: of so many, one at least.
#[must_use]
pub fn has_cases(suite: &dyn Suite) -> bool {
    const SAMPLE: u64 = 64;
    let mut worker = suite.worker();
    coverage::uncounted(|| (0..SAMPLE).any(|seed| !worker.run(seed).is_left_out))
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
    /// The engine under test does not have what the case takes: it was not run.
    pub is_left_out: bool,
    /// The engine under test says that it does not have what comes next.
    pub declined: Option<Box<Declining>>,
    /// What became of instructions that are left out of programs.
    pub omitted: ByPattern,
    /// What instructions were, if that was counted.
    pub spread: Spread,
    /// How exactly destinations are compared, if that was counted.
    pub exactness: Exactness,
    /// How deep control flow was nested, if that was counted.
    pub depths: Depths,
    /// The engines differ.
    pub diverged: Option<Box<Sighting>>,
}

impl Ran {
    /// Adds the numbers of the same program from another start.
    pub(crate) fn add(&mut self, again: Self) {
        self.instructions += again.instructions;
        self.comparisons += again.comparisons;
        self.accepted_undefined += again.accepted_undefined;
        self.diverged = again.diverged;
        self.declined = again.declined;
    }

    /// The same of the start of that number.
    pub(crate) fn at_start(mut self, start: usize) -> Self {
        self.diverged.iter_mut().for_each(|seen| seen.start = start);
        self
    }

    /// Whether nothing was compared, and not for want of instructions that were left out.
    #[must_use]
    pub fn is_uncompared(&self) -> bool {
        self.comparisons == 0
            && self.omitted.is_empty()
            && self.diverged.is_none()
            && self.declined.is_none()
            && !self.is_left_out
    }
}

/// A divergence as it was seen when it came up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// What kind of divergence, so that the same is not looked into twice.
    pub kind: String,
    /// The instruction that differs, if there is one.
    pub form: Form,
    /// Which of the starts that the suite gives a program, from 0.
    pub start: usize,
    /// Step of the case.
    pub step: u64,
    /// First place that differs.
    pub location: String,
    /// What the reference has there.
    pub expected: String,
    /// What the other engine has.
    pub actual: String,
    /// The parts of the step that differ there.
    pub differing: Parts,
    /// Those in which nothing differs.
    pub agreeing: Parts,
}

impl Sighting {
    /// What is seen at a place of no step.
    pub(crate) fn of_place(
        kind: String,
        location: String,
        [expected, actual]: [String; 2],
    ) -> Self {
        Self {
            kind,
            form: Form::default(),
            start: 0,
            step: 0,
            location,
            expected,
            actual,
            differing: Parts::WHOLE,
            agreeing: Parts::NONE,
        }
    }

    /// The forms that it may be one of: that of its instruction, or those of the mnemonics of its kind.
    pub(crate) fn forms(&self) -> Vec<Form> {
        if !self.form.name.is_empty() {
            return vec![self.form.clone()];
        }
        let mnemonics = self.kind.split(' ').next().unwrap_or_default().split('+');
        mnemonics.map(Form::of_mnemonic).collect()
    }
}

impl fmt::Display for Sighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, step, location, expected, actual, .. } = self;
        write!(f, "{kind}: step {step}: {location} is {actual}, expected {expected}")
    }
}

/// A divergence that was not there any more when it was looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vanished {
    /// What came of the case this time.
    pub seen: String,
    /// The case as the bytes of a trace file, where the suite has traces.
    pub trace: Option<Vec<u8>>,
}

/// A divergence that was looked into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Name, unique in a campaign and good for a file: `eu-g45-add-0123456789abcdef`.
    pub id: String,
    /// What kind of divergence it is: a bug is one kind, in however many cases it shows.
    pub kind: String,
    /// The instruction that differs in the minimised case, if there is one.
    pub form: Form,
    /// Suite.
    pub suite: Cow<'static, str>,
    /// Device.
    pub device: Cow<'static, str>,
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
    /// Which of the two engines the model agrees with, where another engine took its place: a sentence.
    pub referee: Option<String>,
    /// All of it, for people.
    pub text: String,
    /// The minimised case as the bytes of a trace file, where the suite has traces.
    pub trace: Option<Vec<u8>>,
}

impl Finding {
    /// The finding of a divergence that was seen, and not any more when it was looked into. An engine
    /// that answers now so and now so is wrong, even if nobody knows how to make it.
    pub(crate) fn of_vanished(
        suite: &dyn Suite,
        seed: u64,
        seen: Sighting,
        vanished: Vanished,
    ) -> Self {
        let text = format!(
            "seed {seed}: a divergence that did not come back\n  first look:  {seen}\n  second look: {}",
            vanished.seen
        );
        Self { trace: vanished.trace, ..Self::unexplained(suite, seed, "vanished", seen, text) }
    }

    /// The finding of a case of which no more is known than what was seen.
    pub(crate) fn unexplained(
        suite: &dyn Suite,
        seed: u64,
        name: &str,
        seen: Sighting,
        text: String,
    ) -> Self {
        let finding = Self {
            id: name.to_owned(),
            kind: format!("{name}: {}", seen.kind),
            form: seen.form,
            suite: Cow::Borrowed(""),
            device: Cow::Borrowed(""),
            seed,
            step: seen.step,
            instruction: "the case as a whole".to_owned(),
            instructions: 0,
            location: seen.location,
            expected: seen.expected,
            actual: seen.actual,
            rules: Vec::new(),
            referee: None,
            text,
            trace: None,
        };
        finding.of_seed(suite.name(), suite.device(), seed)
    }

    /// The finding of a suite's seed: its name says so.
    pub(crate) fn of_seed(self, suite: &'static str, device: &'static str, seed: u64) -> Self {
        Self {
            id: format!("{suite}-{device}-{}-{seed:016x}", self.id),
            suite: suite.into(),
            device: device.into(),
            seed,
            ..self
        }
    }
}
