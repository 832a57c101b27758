//! Campaigns: suites run in parallel, the same cases whatever the number of threads.

mod chunk;

use std::{
    collections::{BTreeMap, HashSet},
    io,
    num::NonZero,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use parallax_spec::coverage::Coverage;

use self::chunk::{Chunk, Piece, Seen, no_answer};
use crate::{
    crew::{Answer, Crew},
    exactness::{Exactness, merge},
    suite::{Finding, Suite},
    trace::{TraceError, write_file},
};

/// Cases that one thread runs in a row.
const CHUNK: u64 = 48;
/// Chunks between two looks at progress and findings.
const ROUND: u64 = 24;
/// Cases of one suite in which an engine may not answer. After that the suite is over.
const MOST_SILENT: usize = 3;
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
    /// Findings after which it ends, if any number does.
    pub stop_after: Option<usize>,
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
    /// Cases that were not run, as the engine under test does not have what they take.
    pub left_out: u64,
    /// Cases of those in which nothing was compared before.
    pub uncompared: u64,
    /// The largest share of cases in which that may be so, from 0 to 1.
    pub most_uncompared: f64,
    /// How exactly destinations are compared, by mnemonic, in a sample of the cases.
    pub exactness: Exactness,
    /// Time it ran.
    pub elapsed: Duration,
}

/// What the numbers of a suite, or of all suites of a campaign, say about the engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// They agree.
    Pass,
    /// Nothing: no case was run.
    NotRun,
    /// They differ, or they were compared too little.
    Fail,
}

impl Statistics {
    /// What they say.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.objection() {
            Some(_) => Verdict::Fail,
            None if self.cases == 0 => Verdict::NotRun,
            None => Verdict::Pass,
        }
    }

    /// Why the suite fails, in words, if it does.
    #[must_use]
    pub fn objection(&self) -> Option<String> {
        let Self { cases, comparisons, divergences, uncompared, most_uncompared, .. } = *self;
        let most = (cases as f64 * most_uncompared).ceil() as u64;
        if divergences > 0 {
            Some(format!("the engines differ in {divergences} of {cases} cases"))
        } else if cases > 0 && comparisons == 0 {
            Some("nothing was compared".to_owned())
        } else if uncompared > most {
            Some(format!(
                "nothing was compared in {uncompared} of {cases} cases, in more than {most}"
            ))
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
    let processors = || thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = plan.jobs.unwrap_or_else(processors);
    let mut crew = Crew::new(jobs).map_err(|error| StartError { jobs, error })?;
    let start = Instant::now();
    let number = suites.len();
    let mut tracks: Vec<_> = suites.into_iter().map(|suite| Track::new(plan, suite)).collect();
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
        if plan.stop_after.is_some_and(|most| summary.findings.len() >= most) {
            break;
        }
        let next = tracks
            .iter()
            .enumerate()
            .map(|(index, track)| (index, track.done(plan, number)))
            .filter(|(_, done)| *done < 1.0)
            .min_by(|(_, a), (_, b)| a.total_cmp(b));
        let Some((index, _)) = next.filter(|_| !summary.cancelled) else { break };
        // Nobody goes on after the end, nor into the time of the other suites; but where those took more
        // than theirs, who had no turn has a short one.
        let statistics = &tracks[index].statistics;
        let has_run = statistics.cases > 0;
        let deadline = match plan.bound {
            Bound::Time(time) if start.elapsed() >= time && has_run => break,
            Bound::Time(time) => {
                let share = time / u32::try_from(number).unwrap_or(u32::MAX);
                let left = share.saturating_sub(statistics.elapsed);
                let rest = time.saturating_sub(start.elapsed());
                Instant::now().checked_add(if has_run { left.min(rest) } else { left })
            }
            _ => None,
        };
        if crew.is_empty() {
            break;
        }
        let round = tracks[index].round(&mut crew, plan, cancel, deadline);
        summary.coverage.merge(&round.coverage);
        let known = summary.findings.len();
        for finding in round.findings {
            finding.rules.iter().for_each(|rule| summary.coverage.fail(*rule));
            let path = summary.write(plan, &finding);
            summary.findings.push((finding, path));
        }
        let new: Vec<_> = summary.findings[known..].iter().map(|(f, _)| f.clone()).collect();
        let done = tracks[index].done(plan, number);
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
    suite: Arc<dyn Suite>,
    statistics: Statistics,
    next: u64,
    /// Kinds of divergence that were looked into.
    known: HashSet<String>,
    /// Kinds of those that were minimised.
    found: HashSet<String>,
    /// Cases in which an engine did not answer.
    silent: usize,
}

/// What a round adds.
struct Round {
    coverage: Coverage,
    findings: Vec<Finding>,
}

impl Track {
    fn new(plan: &Plan, suite: Box<dyn Suite>) -> Self {
        let statistics = Statistics {
            name: suite.name(),
            device: suite.device(),
            cases: 0,
            instructions: 0,
            comparisons: 0,
            divergences: 0,
            accepted_undefined: 0,
            skipped: 0,
            left_out: 0,
            uncompared: 0,
            most_uncompared: suite.most_uncompared(),
            exactness: Exactness::new(),
            elapsed: Duration::ZERO,
        };
        Self {
            suite: suite.into(),
            statistics,
            next: plan.first,
            known: HashSet::new(),
            found: HashSet::new(),
            silent: 0,
        }
    }

    /// How much of the suite is done; more than 1 if more than wanted is.
    fn done(&self, plan: &Plan, suites: usize) -> f64 {
        if self.silent >= MOST_SILENT {
            return 1.0;
        }
        let Statistics { cases, instructions, elapsed, left_out, .. } = self.statistics;
        let cases = cases + left_out;
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
        crew: &mut Crew,
        plan: &Plan,
        cancel: &AtomicBool,
        deadline: Option<Instant>,
    ) -> Round {
        let start = Instant::now();
        let end = match plan.bound {
            Bound::Cases(cases) => plan.first.saturating_add(cases).min(self.next + CHUNK * ROUND),
            _ => self.next + CHUNK * ROUND,
        };
        let pieces = (self.next..end).step_by(CHUNK as usize).map(|first| Piece {
            suite: Arc::clone(&self.suite),
            seed: plan.seed,
            cases: first..(first + CHUNK).min(end),
            without: Vec::new(),
            deadline,
        });
        let (chunks, silent) = self.run(crew, pieces.collect(), cancel);
        self.next = end;
        let mut round = Round { coverage: Coverage::new(), findings: Vec::new() };
        let mut new = silent;
        for chunk in chunks.into_values() {
            self.add(&chunk);
            round.coverage.merge(&chunk.coverage);
            for seen in chunk.diverging {
                if self.known.len() < INVESTIGATED && self.known.insert(seen.what.kind.clone()) {
                    new.push(seen);
                }
            }
        }
        round.findings = self.investigate(crew, new, cancel);
        self.statistics.elapsed += start.elapsed();
        round
    }

    /// Runs pieces of work. Where a thread does not come back from a case, the others of the piece are
    /// run again; those cases are listed.
    fn run(
        &mut self,
        crew: &mut Crew,
        mut pieces: Vec<Piece>,
        cancel: &AtomicBool,
    ) -> (BTreeMap<u64, Chunk>, Vec<Seen>) {
        let (mut chunks, mut silent) = (BTreeMap::new(), Vec::new());
        while !pieces.is_empty() {
            let stop = crew.stop();
            let answers = crew.all(pieces.clone(), cancel, move |piece| piece.run(&stop));
            let mut again = Vec::new();
            for (mut piece, answer) in pieces.into_iter().zip(answers) {
                match answer {
                    Answer::Done(chunk) => {
                        chunks.insert(piece.cases.start, chunk);
                    }
                    Answer::Silent { seed, waited } => {
                        self.silent += 1;
                        self.statistics.cases += 1;
                        self.statistics.divergences += 1;
                        silent.push(Seen { seed, what: no_answer(waited), is_silent: true });
                        piece.without.push(seed);
                        again.extend((self.silent < MOST_SILENT).then_some(piece));
                    }
                    Answer::LeftOut => {}
                }
            }
            pieces = again;
        }
        (chunks, silent)
    }

    /// Looks into divergences; those that are new. What differed in more than one way may come down to
    /// the same.
    fn investigate(
        &mut self,
        crew: &mut Crew,
        seen: Vec<Seen>,
        cancel: &AtomicBool,
    ) -> Vec<Finding> {
        let suite = Arc::clone(&self.suite);
        let answers = crew.all(seen.clone(), cancel, move |seen| seen.investigate(&*suite));
        let findings = seen.into_iter().zip(answers).map(|(seen, answer)| match answer {
            Answer::Done(finding) => finding,
            Answer::Silent { waited, .. } => {
                let why = format!("no answer within {waited:?} when it was looked into");
                seen.unexplained(&*self.suite, "no-answer", &why)
            }
            Answer::LeftOut => {
                seen.unexplained(&*self.suite, "unexplained", "stopped before it was looked into")
            }
        });
        findings.filter(|found| self.found.insert(found.kind.clone())).collect()
    }

    fn add(&mut self, chunk: &Chunk) {
        let statistics = &mut self.statistics;
        statistics.cases += chunk.cases;
        statistics.instructions += chunk.ran.instructions;
        statistics.comparisons += chunk.ran.comparisons;
        statistics.accepted_undefined += chunk.ran.accepted_undefined;
        statistics.skipped += chunk.skipped;
        statistics.left_out += chunk.left_out;
        statistics.uncompared += chunk.uncompared;
        merge(&mut statistics.exactness, &chunk.ran.exactness);
        statistics.divergences += chunk.diverging.len() as u64;
    }
}
