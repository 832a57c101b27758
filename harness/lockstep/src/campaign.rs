//! Campaigns: suites run in parallel, the same cases whatever the number of threads, processes and
//! machines.
//!
//! A campaign can be recorded after each of its rounds and resumed from that, and several that ran a
//! shard of the same cases each are merged into what one would have come to.

mod blame;
mod cause;
mod census;
mod chunk;
pub mod journal;
mod kinds;
mod manual;
mod part;
mod record;
pub mod related;
mod resume;
mod share;
mod signature;
mod special;
mod statistics;
mod thinning;
mod track;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    num::NonZero,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use parallax_spec::coverage::Coverage;
use serde::{Deserialize, Serialize};

pub use self::{
    cause::{Cause, Shown},
    record::{MergeError, Record},
    resume::ResumeError,
    statistics::{Statistics, Verdict},
    thinning::is_known_on,
};
use self::{
    cause::{causes, is_same, lacking},
    chunk::ToInvestigate,
    manual::manual,
    part::{Found, Part},
    track::Track,
};
use crate::{
    pattern::Pattern,
    suite::{Finding, Suite},
    trace::{TraceError, write_file},
    worker_pool::WorkerPool,
};

/// Cases in which instructions differ until they are left out of most programs, unless a plan says otherwise.
pub const THIN_AFTER: u64 = 20;

/// Cases at most that are looked into once a campaign has come to its end.
const MOST_SIGNATURES: usize = 96;

/// When a campaign ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// After this time, shared out evenly among the suites.
    Time(Duration),
    /// After this many cases of each suite.
    Cases(u64),
    /// Once each suite has executed this many instructions.
    Instructions(u64),
}

/// One of several parts of a campaign, which run apart from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Its number, from 1.
    pub number: u64,
    /// How many there are.
    pub of: u64,
}

impl Shard {
    /// All of a campaign.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Whether a piece of work is of this shard, by its number from 0: they take turns.
    fn has(self, piece: u64) -> bool {
        piece % self.of == self.number - 1
    }
}

/// What a campaign is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Decides every case.
    pub seed: u64,
    /// Threads; `None` for one per processor.
    #[serde(skip)]
    pub jobs: Option<usize>,
    /// When to end.
    pub bound: Bound,
    /// Number of the first case of each suite: to go on where an earlier campaign ended.
    pub first: u64,
    /// Findings after which it ends, if any number does.
    pub stop_after: Option<usize>,
    /// Instructions that are known to be wrong: they are left out of programs.
    pub known: Vec<Known>,
    /// Cases in which instructions of a signature differ until they are left out of most programs, if ever.
    pub thin_after: Option<u64>,
    /// Longest time in which a finding is minimised; `None` for no bound.
    pub shrink: Option<Duration>,
    /// The part of the cases that is run.
    pub shard: Shard,
    /// Folder that findings are written to as traces, the moment they are found.
    #[serde(skip)]
    pub findings: Option<PathBuf>,
}

/// What is known to be wrong on the devices of a manual.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// A device of the manual.
    pub device: String,
    /// The instructions.
    pub pattern: Pattern,
    /// The last day on which they may be left out, if there is one, in UTC.
    pub until: String,
    /// Why they are wrong, or who cares about it.
    pub note: String,
}

/// How far a campaign is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'p> {
    /// Number of the suite that has just run, in the order given.
    pub suite: usize,
    /// Its numbers so far.
    pub statistics: &'p Statistics,
    /// How much of the suite is done, 0 to 1.
    pub done: f64,
    /// Findings that are new.
    pub findings: &'p [Finding],
}

/// What a campaign came to.
#[derive(Debug)]
pub struct Summary {
    /// The numbers of each suite, in the order given.
    pub suites: Vec<Statistics>,
    /// How often each rule was used in a case that was compared, up to
    /// [`OFTEN`](parallax_spec::coverage::OFTEN) on each device.
    pub coverage: Coverage,
    /// The same of the suites of each device, without the rules that findings implicate.
    pub by_device: BTreeMap<String, Coverage>,
    /// One finding of each cause, those that showed in most cases first.
    pub findings: Vec<Cause>,
    /// What was known to be wrong before.
    pub known: Vec<Known>,
    /// Findings that could not be written, and why.
    pub unwritten: Vec<TraceError>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Time it took.
    pub elapsed: Duration,
}

impl Summary {
    /// What all suites say: that of the worst of them; without any, nothing.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.suites.iter().map(Statistics::verdict).max().unwrap_or(Verdict::NotRun)
    }
}

/// Threads that could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {jobs} threads: {error}")]
pub struct StartError {
    jobs: usize,
    error: io::Error,
}

/// Runs suites until the bound is reached or `cancel` is set. An engine that panics or does not answer
/// differs; the campaign goes on.
///
/// # Errors
/// If the threads cannot be started.
pub fn campaign(
    plan: &Plan,
    suites: Vec<Box<dyn Suite>>,
    cancel: &AtomicBool,
    mut progress: impl FnMut(&Progress),
) -> Result<Summary, StartError> {
    let mut campaign = Campaign::new(plan.clone(), suites);
    campaign.run(cancel, |_, news| progress(news))?;
    Ok(campaign.summary())
}

/// A campaign under way.
pub struct Campaign {
    plan: Plan,
    tracks: Vec<Track>,
    /// Without the rules that findings implicate.
    coverage: Coverage,
    /// The same of the suites of each device.
    by_device: BTreeMap<String, Coverage>,
    /// All divergences that were looked into, in the order in which that was.
    found: Vec<Found>,
    /// Those of a cause that was not found before, by their places in the list.
    findings: Vec<usize>,
    /// The files that findings were written to, by their names.
    written: BTreeMap<String, PathBuf>,
    unwritten: Vec<TraceError>,
    cancelled: bool,
    /// Time it took in earlier processes.
    earlier: Duration,
    start: Instant,
}

impl Campaign {
    /// One that has not run yet.
    #[must_use]
    pub fn new(plan: Plan, suites: Vec<Box<dyn Suite>>) -> Self {
        let tracks = suites.into_iter().map(|suite| Track::new(&plan, suite)).collect();
        Self::of(plan, tracks)
    }

    fn of(plan: Plan, tracks: Vec<Track>) -> Self {
        Self {
            plan,
            tracks,
            coverage: Coverage::new(),
            by_device: BTreeMap::new(),
            found: Vec::new(),
            findings: Vec::new(),
            written: BTreeMap::new(),
            unwritten: Vec::new(),
            cancelled: false,
            earlier: Duration::ZERO,
            start: Instant::now(),
        }
    }

    /// What it is to do.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How often each rule was used so far; rules that findings implicate do not count as failed yet.
    #[must_use]
    pub const fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The numbers of each suite so far, in the order given.
    pub fn statistics(&self) -> impl Iterator<Item = &Statistics> {
        self.tracks.iter().map(|track| &track.statistics)
    }

    /// How many findings there are so far.
    #[must_use]
    pub const fn findings(&self) -> usize {
        self.findings.len()
    }

    /// Goes on until the bound is reached or `cancel` is set. `progress` is called after each round.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn run(
        &mut self,
        cancel: &AtomicBool,
        mut progress: impl FnMut(&Self, &Progress),
    ) -> Result<(), StartError> {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        let jobs = self.plan.jobs.unwrap_or_else(processors);
        let mut pool = WorkerPool::new(jobs).map_err(|error| StartError { jobs, error })?;
        self.start = Instant::now();
        self.rounds(&mut pool, cancel, &mut progress);
        self.look_into_signatures(&mut pool, cancel);
        Ok(())
    }

    /// Runs rounds until the bound is reached or `cancel` is set.
    fn rounds(
        &mut self,
        pool: &mut WorkerPool,
        cancel: &AtomicBool,
        progress: &mut impl FnMut(&Self, &Progress),
    ) {
        loop {
            self.cancelled = cancel.load(Ordering::Relaxed);
            if self.cancelled || self.has_enough() || pool.is_empty() {
                return;
            }
            let Some(next) = self.next() else { return };
            let Ok(deadline) = self.deadline(&self.tracks[next].statistics) else { return };
            let known = self.known_before(next);
            let has_a_case = |kind: &str| known.contains(kind);
            let track = &mut self.tracks[next];
            let device = track.suite.device().to_owned();
            if let Some(met) = self.by_device.get(&device) {
                track.pass_over(met);
            }
            let round = track.round(next, pool, &self.plan, cancel, deadline, has_a_case);
            self.coverage.merge(&round.coverage);
            self.by_device.entry(device).or_default().merge(&round.coverage);
            let known = self.findings.len();
            round.findings.into_iter().for_each(|found| self.take(found));
            let new = self.findings[known..].iter().map(|place| self.found[*place].finding.clone());
            let new: Vec<_> = new.collect();
            let track = &self.tracks[next];
            let (done, statistics) = (track.done(&self.plan, self.tracks.len()), &track.statistics);
            progress(self, &Progress { suite: next, statistics, done, findings: &new });
        }
    }

    /// Looks into what no case stands for yet: a kind of divergences has several causes in an engine that is wrong
    /// in many ways.
    fn look_into_signatures(&mut self, pool: &mut WorkerPool, cancel: &AtomicBool) {
        let mut left = MOST_SIGNATURES;
        // Where the time is bounded, half of it again at most.
        let deadline = match self.plan.bound {
            Bound::Time(time) => Instant::now().checked_add(time / 2),
            Bound::Cases(_) | Bound::Instructions(_) => None,
        };
        loop {
            let parts: Vec<_> = self.tracks.iter().map(Track::part).collect();
            let mut by_suite: BTreeMap<usize, Vec<ToInvestigate>> = BTreeMap::new();
            for (suite, wanted) in lacking(&self.found, &parts).into_iter().take(left) {
                by_suite.entry(suite).or_default().push(wanted);
                left -= 1;
            }
            let is_over = cancel.load(Ordering::Relaxed) || self.has_enough() || pool.is_empty();
            if by_suite.is_empty() || is_over {
                return;
            }
            for (suite, wanted) in by_suite {
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return;
                }
                let found = self.tracks[suite].investigate(suite, pool, wanted, &self.plan, cancel);
                found.into_iter().for_each(|found| self.take(found));
            }
        }
    }

    /// Whether there are as many findings as are wanted at most.
    fn has_enough(&self) -> bool {
        self.plan.stop_after.is_some_and(|most| self.findings.len() >= most)
    }

    /// The suite that is least far, so that all of them get their share of the time; `None` if all are
    /// done.
    fn next(&self) -> Option<usize> {
        let done = |track: &Track| track.done(&self.plan, self.tracks.len());
        let tracks = self.tracks.iter().enumerate().map(|(index, track)| (index, done(track)));
        let under_way = tracks.filter(|(_, done)| *done < 1.0);
        under_way.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(index, _)| index)
    }

    /// When the next round of a suite has to end, if the time is bounded. Nobody goes on after the end,
    /// nor into the time of the other suites; but where those took more than theirs, who had no turn
    /// has a short one.
    fn deadline(&self, statistics: &Statistics) -> Result<Option<Instant>, TimeIsOver> {
        let Bound::Time(time) = self.plan.bound else { return Ok(None) };
        let share = time / u32::try_from(self.tracks.len()).unwrap_or(u32::MAX);
        let left = share.saturating_sub(statistics.elapsed);
        let rest = time.saturating_sub(self.elapsed());
        let has_run = statistics.cases > 0;
        if has_run && rest.is_zero() {
            return Err(TimeIsOver);
        }
        Ok(Instant::now().checked_add(if has_run { left.min(rest) } else { left }))
    }

    fn elapsed(&self) -> Duration {
        self.earlier + self.start.elapsed()
    }

    /// The kinds of divergence that suites before one have taken up, of devices of the same manual.
    /// Those after it do not matter: shards of a campaign may meet a kind in another order.
    fn known_before(&self, suite: usize) -> BTreeSet<String> {
        let of_manual = manual(self.tracks[suite].suite.device());
        let before = self.tracks[..suite].iter();
        let before = before.filter(|track| manual(track.suite.device()) == of_manual);
        before.flat_map(|track| track.known.keys().cloned()).collect()
    }

    /// Takes in a divergence that was looked into. What differed in more than one way may come down to
    /// the same, which is one finding.
    fn take(&mut self, found: Found) {
        let is_known = self.findings.iter().any(|place| is_same(&self.found[*place], &found));
        if !is_known {
            self.write(&found.finding);
            self.findings.push(self.found.len());
        }
        self.found.push(found);
    }

    /// Writes a finding as a trace, once; where that fails, remembers why.
    fn write(&mut self, finding: &Finding) {
        let (Some(folder), Some(trace)) = (&self.plan.findings, &finding.trace) else { return };
        if self.written.contains_key(&finding.id) {
            return;
        }
        let path = folder.join(format!("{}.trace", finding.id));
        match write_file(&path, trace) {
            Ok(()) => drop(self.written.insert(finding.id.clone(), path)),
            Err(error) => self.unwritten.push(error),
        }
    }

    /// What it has come to.
    #[must_use]
    pub fn summary(self) -> Summary {
        let parts = self.tracks.iter().map(Track::part).collect();
        self.summary_of(parts)
    }

    /// What it has come to if its suites have come to this.
    fn summary_of(mut self, parts: Vec<Part>) -> Summary {
        let elapsed = self.elapsed();
        let mut findings = causes(&self.found, &parts);
        self.unwritten.clear();
        for cause in &mut findings {
            self.write(&cause.finding);
            cause.trace = self.written.get(&cause.finding.id).cloned();
        }
        let by_device: BTreeMap<_, _> = self
            .by_device
            .into_iter()
            .map(|(device, coverage)| (device, coverage.up_to_often()))
            .collect();
        let mut coverage = Coverage::new();
        by_device.values().for_each(|of_device| coverage.merge(of_device));
        let implicated = findings.iter().flat_map(|cause| &cause.finding.rules);
        implicated.for_each(|rule| coverage.fail(*rule));
        Summary {
            suites: parts.into_iter().map(|part| part.statistics).collect(),
            coverage,
            by_device,
            findings,
            known: self.plan.known,
            unwritten: self.unwritten,
            cancelled: self.cancelled,
            elapsed,
        }
    }
}

/// The time of a campaign is over.
struct TimeIsOver;
