//! What a thread of a campaign does: cases in a row, and a look into one that differs.

use std::{
    collections::BTreeSet,
    mem::take,
    ops::{ControlFlow, Range},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use parallax_spec::coverage::{self, Coverage, MetOften};

use super::census::{Census, Seen};
use crate::{
    declined::DeclinedCases,
    depth, exactness,
    form::{Executed, Parts},
    heartbeat,
    omission::{self, ByPattern, Omissions},
    panic_guard::{Panic, catch},
    pattern::Pattern,
    random::case_seed,
    suite::{Finding, Ran, ShrinkLimits, Sighting, Suite, Worker},
};

/// Steps of a case of which those that agreed are counted.
const AGREEING: u64 = 256;
/// Steps after which rules of one that differs are not looked for.
const LONGEST: u64 = 1 << 16;

/// Cases of a suite that one thread runs in a row.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) suite: Arc<dyn Suite>,
    /// The campaign's seed.
    pub(super) seed: u64,
    /// Numbers of the cases.
    pub(super) cases: Range<u64>,
    /// Seeds of cases that are left out.
    pub(super) without: Vec<u64>,
    pub(super) deadline: Option<Instant>,
    /// The cases of the suite whose steps are counted end here.
    pub(super) census: u64,
    /// What is left out of programs.
    pub(super) omissions: Arc<Omissions>,
    /// The rules that need not be looked for.
    pub(super) met_often: MetOften,
}

/// What a piece of work came to.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) ran: Ran,
    pub(super) cases: u64,
    pub(super) left_out: u64,
    pub(super) skipped: u64,
    pub(super) uncompared: u64,
    pub(super) declined: DeclinedCases,
    pub(super) omitted: ByPattern,
    /// Cases in which what is known to be wrong differed.
    known: BTreeSet<u64>,
    pub(super) diverging: Vec<Seen>,
    pub(super) coverage: Coverage,
    pub(super) census: Census,
}

/// A divergence to look into.
#[derive(Debug, Clone)]
pub(super) struct ToInvestigate {
    pub(super) seen: Seen,
    /// Instructions that the engine gets wrong in another way.
    pub(super) others: Vec<Pattern>,
}

impl From<Seen> for ToInvestigate {
    fn from(seen: Seen) -> Self {
        Self { seen, others: Vec::new() }
    }
}

impl Piece {
    fn seed_of(&self, case: u64) -> u64 {
        case_seed(self.seed, self.suite.name(), self.suite.device(), case)
    }

    /// The number of the case of a seed; if it is none of these, of the first.
    pub(super) fn case_of(&self, seed: u64) -> u64 {
        self.cases.clone().find(|case| self.seed_of(*case) == seed).unwrap_or(self.cases.start)
    }

    /// Runs the cases, or as many as there is time for.
    pub(super) fn run(self, stop: &AtomicBool) -> Chunk {
        let mut chunk = Chunk::default();
        let worker = coverage::passing_over(&self.met_often, || self.run_cases(stop, &mut chunk));
        coverage::add_to(&mut chunk.coverage);
        if let Some(worker) = worker.filter(|_| !chunk.diverging.is_empty()) {
            chunk.census = self.census(&chunk, worker);
        }
        chunk
    }

    /// Runs the cases; what ran them, if that is still whole.
    fn run_cases(&self, stop: &AtomicBool, chunk: &mut Chunk) -> Option<Box<dyn Worker + '_>> {
        let mut worker = None;
        coverage::drop_marks();
        for index in self.cases.clone() {
            let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || stop.load(Ordering::Relaxed) {
                break;
            }
            let seed = self.seed_of(index);
            if self.without.contains(&seed) {
                continue;
            }
            heartbeat::begin(seed);
            let ran = catch(|| worker.get_or_insert_with(|| self.worker()).run(seed));
            // What is left of it was not compared.
            coverage::drop_marks();
            let ran = ran.unwrap_or_else(|panic| {
                // It may have been left half done.
                worker = None;
                Ran { diverged: Some(Box::new(panicked(panic))), ..Ran::default() }
            });
            chunk.add(index, seed, ran, &self.omissions);
        }
        worker
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        let mut worker = self.suite.worker();
        worker.leave_out(&self.omissions);
        worker
    }

    /// What agreed and differed in the cases.
    fn census(&self, chunk: &Chunk, mut worker: Box<dyn Worker + '_>) -> Census {
        let mut census = Census::default();
        let begun = chunk.cases + chunk.left_out;
        for case in self.cases.clone().take(begun as usize).take_while(|case| *case < self.census) {
            if chunk.known.contains(&case) {
                continue;
            }
            let differs = chunk.diverging.iter().find(|seen| seen.case == case);
            let (start, last) = differs
                .map_or((0, AGREEING - 1), |seen| (seen.what.start, seen.what.step.min(LONGEST)));
            let (mut step, mut rules) = (0, Vec::new());
            let mut each = |executed: Executed| {
                // The instructions before the one that differs agree, if each is a step.
                match differs {
                    Some(seen) if step == seen.what.step => rules = executed.rules,
                    _ if step < AGREEING => census.agree(executed),
                    _ => {}
                }
                step += 1;
                if step > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            // What was counted before a panic counts.
            let differing = differs.map(|seen| (seen.what.step, seen.what.differing));
            let _ = catch(|| worker.execute(self.seed_of(case), start, differing, &mut each));
            let Some(seen) = differs else { continue };
            census.differ(seen.clone(), take(&mut rules));
            self.count_agreeing_parts(seen, &mut *worker, &mut census);
        }
        census
    }

    /// Counts what a step that differs does right beside.
    fn count_agreeing_parts(&self, seen: &Seen, worker: &mut dyn Worker, census: &mut Census) {
        let Sighting { start, step, agreeing, .. } = seen.what;
        if agreeing == Parts::NONE || step > LONGEST {
            return;
        }
        let mut number = 0;
        let mut each = |executed: Executed| {
            number += 1;
            if number <= step {
                return ControlFlow::Continue(());
            }
            if !executed.forms.is_empty() {
                census.agree(executed);
            }
            ControlFlow::Break(())
        };
        let only = Some((step, agreeing));
        let _ = catch(|| worker.execute(seen.seed, start, only, &mut each));
    }
}

impl Chunk {
    fn add(&mut self, case: u64, seed: u64, mut ran: Ran, omissions: &Omissions) {
        omission::merge(&mut self.omitted, &ran.omitted);
        if ran.is_left_out {
            self.left_out += 1;
            return;
        }
        self.cases += 1;
        self.ran.instructions += ran.instructions;
        self.ran.comparisons += ran.comparisons;
        self.ran.accepted_undefined += ran.accepted_undefined;
        self.skipped += u64::from(ran.skipped);
        self.ran.spread.merge(&ran.spread);
        if let Some(declining) = &ran.declined {
            self.declined.count((**declining).clone());
        }
        exactness::merge(&mut self.ran.exactness, &ran.exactness);
        depth::merge(&mut self.ran.depths, &ran.depths);
        self.uncompared += u64::from(ran.is_uncompared());
        if let Some(pattern) =
            ran.diverged.as_deref().and_then(|seen| omissions.known(&seen.forms()))
        {
            self.omitted.entry(pattern.text.clone()).or_default().differed += 1;
            self.known.insert(case);
            ran.diverged = None;
        }
        self.diverging.extend(ran.diverged.map(|what| Seen {
            case,
            seed,
            what: *what,
            is_silent: false,
        }));
    }
}

impl Seen {
    /// Runs the case once more and minimises it, within limits. The rules of that do not count.
    pub(super) fn investigate(
        self,
        suite: &dyn Suite,
        limits: ShrinkLimits,
        omissions: &Arc<Omissions>,
    ) -> Finding {
        heartbeat::begin(self.seed);
        let looked = catch(|| {
            coverage::uncounted(|| {
                let mut worker = if self.is_silent { suite.timed_worker() } else { suite.worker() };
                worker.leave_out(omissions);
                worker.shrink_within(limits);
                worker.investigate(self.seed)
            })
        });
        match looked {
            Ok(Ok(finding)) => finding,
            Ok(Err(vanished)) => Finding::of_vanished(suite, self.seed, self.what, vanished),
            Err(panic) => {
                let why = format!("it panics: {panic}");
                Self { what: panicked(panic), ..self }.unexplained(suite, "panic", &why)
            }
        }
    }

    /// The finding of a divergence that could not be looked into.
    pub(super) fn unexplained(self, suite: &dyn Suite, name: &str, why: &str) -> Finding {
        let Self { seed, what, .. } = self;
        let text = format!("seed {seed}: {what}\n  {why}");
        Finding::unexplained(suite, seed, name, what, text)
    }
}

fn panicked(Panic { message, place }: Panic) -> Sighting {
    let values = ["an answer".to_owned(), format!("a panic: {message}")];
    Sighting::of_place(format!("panic at {place}"), place, values)
}

/// How a case looks from which a thread does not come back.
pub(super) fn no_answer(waited: Duration) -> Sighting {
    let values = ["an answer".to_owned(), format!("none within {waited:?}")];
    Sighting::of_place("no answer".to_owned(), "answer".to_owned(), values)
}
