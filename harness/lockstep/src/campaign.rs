//! Campaigns: suites run in parallel, the same cases whatever the number of threads.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use parallax_spec::coverage::{self, Coverage};
use rayon::prelude::*;

use crate::{
    random::case_seed,
    suite::{Finding, Ran, Suite},
    trace::{TraceError, write_file},
};

/// Cases that one thread runs in a row.
const CHUNK: u64 = 48;
/// Chunks between two looks at progress and findings.
const ROUND: u64 = 24;
/// Cases whose rules are counted together. If one of them turns out not to have been compared,
/// none of them counts.
const COUNTED_TOGETHER: u64 = 8;
/// Findings of one suite that are looked into; the others are only counted.
const INVESTIGATED: usize = 40;

/// When a campaign ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// After this time, shared out evenly among the suites.
    Time(Duration),
    /// After this many cases of each suite.
    Cases(u64),
    /// Once each suite has executed this many instructions.
    Instructions(u64),
}

/// What a campaign is to do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Decides every case.
    pub seed: u64,
    /// Threads; `None` for one per processor.
    pub jobs: Option<usize>,
    /// When to end.
    pub bound: Bound,
    /// Number of the first case of each suite: to go on where an earlier campaign ended.
    pub first: u64,
    /// Folder that findings are written to as traces, the moment they are found.
    pub findings: Option<PathBuf>,
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

/// What a suite came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Suite.
    pub name: &'static str,
    /// Device.
    pub device: &'static str,
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
    /// Time it ran.
    pub elapsed: Duration,
}

impl Statistics {
    /// The numbers in a line, named as in `report.json`.
    #[must_use]
    pub fn row(&self) -> String {
        let Self { name, device, cases, instructions, comparisons, .. } = self;
        let Self { divergences, accepted_undefined, skipped, .. } = self;
        format!(
            "{name} on {device}: {cases} cases, {instructions} instructions, {comparisons} \
             comparisons, {divergences} divergences, {accepted_undefined} accepted, {skipped} skipped"
        )
    }
}

/// What a campaign came to.
#[derive(Debug)]
pub struct Summary {
    /// The numbers of each suite, in the order given.
    pub suites: Vec<Statistics>,
    /// How often each rule was used in a case that was compared.
    pub coverage: Coverage,
    /// One finding of each kind, with the file it was written to.
    pub findings: Vec<(Finding, Option<PathBuf>)>,
    /// Findings that could not be written, and why.
    pub unwritten: Vec<TraceError>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Time it took.
    pub elapsed: Duration,
}

impl Summary {
    /// Whether the engines agreed everywhere.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.suites.iter().all(|suite| suite.divergences == 0)
    }
}

/// A pool of threads that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {jobs} threads: {error}")]
pub struct StartError {
    jobs: usize,
    error: rayon::ThreadPoolBuildError,
}

/// Runs suites until the bound is reached or `cancel` is set.
///
/// # Errors
/// If the threads cannot be started.
pub fn campaign(
    plan: &Plan,
    suites: &[Box<dyn Suite>],
    cancel: &AtomicBool,
    mut progress: impl FnMut(&Progress),
) -> Result<Summary, StartError> {
    let jobs = plan.jobs.unwrap_or(0);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs);
    let threads = threads.build().map_err(|error| StartError { jobs, error })?;
    let start = Instant::now();
    let mut tracks: Vec<_> = suites.iter().map(|suite| Track::new(plan, &**suite)).collect();
    let mut summary = Summary {
        suites: Vec::new(),
        coverage: Coverage::new(),
        findings: Vec::new(),
        unwritten: Vec::new(),
        cancelled: false,
        elapsed: Duration::ZERO,
    };
    // The suite that is least far goes on, so that all of them get their share of the time.
    loop {
        summary.cancelled = cancel.load(Ordering::Relaxed);
        let next = tracks
            .iter()
            .enumerate()
            .map(|(index, track)| (index, track.done(plan, suites.len())))
            .filter(|(_, done)| *done < 1.0)
            .min_by(|(_, a), (_, b)| a.total_cmp(b));
        let Some((index, _)) = next.filter(|_| !summary.cancelled) else { break };
        let deadline = match plan.bound {
            Bound::Time(time) => start.checked_add(time),
            _ => None,
        };
        let round =
            threads.install(|| tracks[index].round(plan, &*suites[index], cancel, deadline));
        summary.coverage.merge(&round.coverage);
        let known = summary.findings.len();
        for finding in round.findings {
            let path = summary.write(plan, &finding);
            summary.findings.push((finding, path));
        }
        let new: Vec<_> = summary.findings[known..].iter().map(|(f, _)| f.clone()).collect();
        let done = tracks[index].done(plan, suites.len());
        let statistics = &tracks[index].statistics;
        progress(&Progress { suite: index, statistics, done, findings: &new });
    }
    summary.suites = tracks.into_iter().map(|track| track.statistics).collect();
    summary.elapsed = start.elapsed();
    Ok(summary)
}

impl Summary {
    /// Writes a finding as a trace; where that fails, remembers why.
    fn write(&mut self, plan: &Plan, finding: &Finding) -> Option<PathBuf> {
        let (folder, trace) = (plan.findings.as_ref()?, finding.trace.as_ref()?);
        let path = folder.join(format!("{}.trace", finding.id));
        match write_file(&path, trace) {
            Ok(()) => Some(path),
            Err(error) => {
                self.unwritten.push(error);
                None
            }
        }
    }
}

/// A suite under way.
struct Track {
    statistics: Statistics,
    next: u64,
    /// Kinds of divergence that were looked into.
    known: HashSet<String>,
    /// Kinds of those that were minimised.
    found: HashSet<String>,
}

/// What a round adds.
struct Round {
    coverage: Coverage,
    findings: Vec<Finding>,
}

/// What a chunk of cases came to.
struct Chunk {
    ran: Ran,
    cases: u64,
    skipped: u64,
    diverging: Vec<(u64, String)>,
    coverage: Coverage,
}

impl Track {
    fn new(plan: &Plan, suite: &dyn Suite) -> Self {
        let statistics = Statistics {
            name: suite.name(),
            device: suite.device(),
            cases: 0,
            instructions: 0,
            comparisons: 0,
            divergences: 0,
            accepted_undefined: 0,
            skipped: 0,
            elapsed: Duration::ZERO,
        };
        Self { statistics, next: plan.first, known: HashSet::new(), found: HashSet::new() }
    }

    /// How much of the suite is done; more than 1 if more than wanted is.
    fn done(&self, plan: &Plan, suites: usize) -> f64 {
        let Statistics { cases, instructions, elapsed, .. } = self.statistics;
        let part = |done: f64, wanted: f64| if wanted > 0.0 { done / wanted } else { 1.0 };
        match plan.bound {
            Bound::Time(time) => part(elapsed.as_secs_f64(), time.as_secs_f64() / suites as f64),
            Bound::Cases(wanted) => part(cases as f64, wanted as f64),
            // A suite without instructions is done after as many cases.
            Bound::Instructions(wanted) => part(instructions.max(cases) as f64, wanted as f64),
        }
    }

    /// Runs the next cases on all threads, then looks into new kinds of divergence.
    fn round(
        &mut self,
        plan: &Plan,
        suite: &dyn Suite,
        cancel: &AtomicBool,
        deadline: Option<Instant>,
    ) -> Round {
        let start = Instant::now();
        let end = match plan.bound {
            Bound::Cases(cases) => plan.first.saturating_add(cases).min(self.next + CHUNK * ROUND),
            _ => self.next + CHUNK * ROUND,
        };
        let starts: Vec<_> = (self.next..end).step_by(CHUNK as usize).collect();
        let chunks: Vec<_> = starts
            .into_par_iter()
            .map(|first| {
                let cases = first..(first + CHUNK).min(end);
                let seeds =
                    cases.map(|index| case_seed(plan.seed, suite.name(), suite.device(), index));
                run_chunk(suite, seeds, cancel, deadline)
            })
            .collect();
        self.next = end;
        let mut round = Round { coverage: Coverage::new(), findings: Vec::new() };
        let mut new = Vec::new();
        for chunk in chunks {
            self.add(&chunk);
            round.coverage.merge(&chunk.coverage);
            for (seed, kind) in chunk.diverging {
                if self.known.len() < INVESTIGATED && self.known.insert(kind) {
                    new.push(seed);
                }
            }
        }
        let findings = new.into_par_iter().map(|seed| suite.worker().investigate(seed));
        let findings: Vec<_> = findings.flatten().collect();
        // What differed in more than one way may come down to the same.
        round.findings =
            findings.into_iter().filter(|found| self.found.insert(found.kind.clone())).collect();
        self.statistics.elapsed += start.elapsed();
        round
    }

    fn add(&mut self, chunk: &Chunk) {
        let statistics = &mut self.statistics;
        statistics.cases += chunk.cases;
        statistics.instructions += chunk.ran.instructions;
        statistics.comparisons += chunk.ran.comparisons;
        statistics.accepted_undefined += chunk.ran.accepted_undefined;
        statistics.skipped += chunk.skipped;
        statistics.divergences += chunk.diverging.len() as u64;
    }
}

fn run_chunk(
    suite: &dyn Suite,
    seeds: impl Iterator<Item = u64>,
    cancel: &AtomicBool,
    deadline: Option<Instant>,
) -> Chunk {
    let mut chunk = Chunk {
        ran: Ran::default(),
        cases: 0,
        skipped: 0,
        diverging: Vec::new(),
        coverage: Coverage::new(),
    };
    let mut worker = suite.worker();
    coverage::discard();
    for seed in seeds {
        let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || cancel.load(Ordering::Relaxed) {
            break;
        }
        let ran = worker.run(seed);
        chunk.cases += 1;
        chunk.ran.instructions += ran.instructions;
        chunk.ran.comparisons += ran.comparisons;
        chunk.ran.accepted_undefined += ran.accepted_undefined;
        chunk.skipped += u64::from(ran.skipped);
        if !ran.compared {
            coverage::discard();
        } else if chunk.cases.is_multiple_of(COUNTED_TOGETHER) {
            coverage::add_to(&mut chunk.coverage);
        }
        if let Some(kind) = ran.diverged {
            chunk.diverging.push((seed, kind));
        }
    }
    coverage::add_to(&mut chunk.coverage);
    chunk
}
