//! The numbers of a suite, and what they say about the engines.

use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, Serialize};

use super::share;
use crate::{
    declined::DeclinedCases,
    depth::{self, Depths},
    exactness::{self, Exactness},
    omission::{self, ByPattern},
    spread::Spread,
    suite::Suite,
};

/// What a suite came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Suite.
    pub name: Cow<'static, str>,
    /// Device.
    pub device: Cow<'static, str>,
    /// Why none of its cases was run, if the suite would have tested nothing.
    pub why_not_run: Option<String>,
    /// Cases run.
    pub cases: u64,
    /// Instructions executed and compared.
    pub instructions: u64,
    /// Comparisons of states, encodings or texts.
    pub comparisons: u64,
    /// Cases in which the engines differ.
    pub divergences: u64,
    /// Places where another result than the reference's was accepted.
    pub accepted_undefined: u64,
    /// Cases that could not be run, or ended where the manual leaves the effect open.
    pub skipped: u64,
    /// Cases that were not run, as the engine under test does not have what they take.
    pub left_out: u64,
    /// Cases that the engine under test declined.
    pub declined: DeclinedCases,
    /// What became of instructions that are known to be wrong.
    pub known: ByPattern,
    /// What became of instructions that differed so often that they are left out of most programs.
    pub thinned: ByPattern,
    /// What instructions were, in a sample of the cases.
    pub spread: Spread,
    /// Cases of those in which nothing was compared before.
    pub uncompared: u64,
    /// The largest share of cases in which that may be so, from 0 to 1.
    pub most_uncompared: f64,
    /// How exactly destinations are compared, by mnemonic and type, in a sample of the cases.
    pub exactness: Exactness,
    /// How deep control flow was nested, in a sample of the cases.
    pub depths: Depths,
    /// Time it ran.
    pub elapsed: Duration,
}

/// What the numbers of a suite, or of all suites of a campaign, say about the engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// They agree.
    Pass,
    /// Nothing: nothing was compared, as no case was run or too few to tell why.
    NotRun,
    /// They differ, or they were compared too little.
    Fail,
}

impl Statistics {
    /// Those of a suite of which nothing was run.
    pub(super) fn of(suite: &dyn Suite) -> Self {
        Self {
            name: suite.name().into(),
            device: suite.device().into(),
            why_not_run: suite.why_not_run(),
            cases: 0,
            instructions: 0,
            comparisons: 0,
            divergences: 0,
            accepted_undefined: 0,
            skipped: 0,
            left_out: 0,
            declined: DeclinedCases::default(),
            known: ByPattern::new(),
            thinned: ByPattern::new(),
            spread: Spread::default(),
            uncompared: 0,
            most_uncompared: suite.most_uncompared(),
            exactness: Exactness::new(),
            depths: Depths::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// Adds those of other cases of the suite, which ran at the same time.
    pub(super) fn add(&mut self, other: &Self) {
        if self.why_not_run.is_none() {
            self.why_not_run.clone_from(&other.why_not_run);
        }
        self.cases += other.cases;
        self.instructions += other.instructions;
        self.comparisons += other.comparisons;
        self.divergences += other.divergences;
        self.accepted_undefined += other.accepted_undefined;
        self.skipped += other.skipped;
        self.left_out += other.left_out;
        self.declined.merge(&other.declined);
        omission::merge(&mut self.known, &other.known);
        omission::merge(&mut self.thinned, &other.thinned);
        self.spread.merge(&other.spread);
        self.uncompared += other.uncompared;
        exactness::merge(&mut self.exactness, &other.exactness);
        depth::merge(&mut self.depths, &other.depths);
        self.elapsed = self.elapsed.max(other.elapsed);
    }

    /// What they say.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.divergences > 0 || self.is_mostly_uncompared() {
            Verdict::Fail
        } else if self.comparisons == 0 || self.why_not_run.is_some() || self.is_declined() {
            Verdict::NotRun
        } else {
            Verdict::Pass
        }
    }

    /// Whether the engine declined so much that the rest says little.
    fn is_declined(&self) -> bool {
        self.declined.is_most_of(self.cases)
    }

    /// Whether more cases ended before anything was compared than chance explains.
    fn is_mostly_uncompared(&self) -> bool {
        share::is_above(self.most_uncompared, self.uncompared, self.cases)
    }

    /// Why the suite does not pass, in words; `None` too if there was no time for a case.
    #[must_use]
    pub fn objection(&self) -> Option<String> {
        let Self { cases, comparisons, divergences, uncompared, most_uncompared, .. } = *self;
        if divergences > 0 {
            Some(format!("the engines differ in {divergences} of {cases} cases"))
        } else if self.is_mostly_uncompared() {
            let allowed = 100.0 * most_uncompared;
            Some(format!(
                "nothing was compared in {uncompared} of {cases} cases, significantly more than \
                 {allowed} %"
            ))
        } else if let Some(why) = &self.why_not_run {
            Some(format!("not run: {why}"))
        } else if self.is_declined() {
            let declined = self.declined.cases;
            Some(format!("the engine declined {declined} of {cases} cases, more than half"))
        } else if cases > 0 && comparisons == 0 {
            Some(format!("nothing was compared in {cases} cases, too few to blame the engine"))
        } else {
            None
        }
    }

    /// The numbers in a line, named as in `report.json`.
    #[must_use]
    pub fn row(&self) -> String {
        let Self { name, device, cases, instructions, comparisons, .. } = self;
        let Self { divergences, accepted_undefined, skipped, uncompared, .. } = self;
        format!(
            "{name} on {device}: {cases} cases, {instructions} instructions, {comparisons} \
             comparisons, {divergences} divergences, {accepted_undefined} accepted, {skipped} \
             skipped, {uncompared} uncompared"
        )
    }
}
