//! A suite under way: its rounds of cases, and the look into those that differ.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use parallax_spec::coverage::{Coverage, MetOften};

use super::{
    Bound, Plan, Statistics,
    census::Seen,
    census::{CENSUS, Census},
    chunk::{Chunk, Piece, ToInvestigate, no_answer},
    kinds::{Cases, Kinds},
    part::{Found, INVESTIGATED, Part},
    thinning::{Thinned, often, omissions},
};
use crate::{
    depth, exactness,
    omission::Omissions,
    suite::{ShrinkLimits, Suite},
    worker_pool::{Answer, WorkerPool},
};

/// Cases that one thread runs in a row.
const CHUNK: u64 = 48;
/// Chunks between two looks at progress and findings.
const ROUND: u64 = 24;
/// Cases of one suite in which an engine may not answer. After that the suite is over.
const MOST_SILENT: usize = 3;

/// A suite under way.
pub(super) struct Track {
    pub(super) suite: Arc<dyn Suite>,
    pub(super) statistics: Statistics,
    /// Number of the next case.
    next: u64,
    /// Kinds of divergence that were looked into, and the number of the first case of each.
    pub(super) known: BTreeMap<String, u64>,
    /// The cases that showed each kind.
    kinds: Kinds,
    /// What differed and agreed in its first cases.
    census: Census,
    /// Cases in which an engine did not answer.
    silent: usize,
    /// What differed so often that it is left out of most programs.
    thinned: Vec<Thinned>,
    /// The rules that need not be looked for.
    met_often: MetOften,
}

/// What a round adds.
pub(super) struct Round {
    pub(super) coverage: Coverage,
    pub(super) findings: Vec<Found>,
}

impl Track {
    pub(super) fn new(plan: &Plan, suite: Box<dyn Suite>) -> Self {
        let statistics = Statistics::of(&*suite);
        let suite = suite.into();
        let (known, kinds, census) = (BTreeMap::new(), Kinds::default(), Census::default());
        let (next, thinned) = (plan.first, Vec::new());
        let met_often = MetOften::nothing();
        Self { suite, statistics, next, known, kinds, census, silent: 0, thinned, met_often }
    }

    /// In the next rounds nobody looks for the rules that its device has met often.
    pub(super) fn pass_over(&mut self, met: &Coverage) {
        // What is broken goes by each step that its rule decides.
        if !self.suite.is_sabotaged() {
            self.met_often = MetOften::of(met, self.suite.often());
        }
    }

    /// The suite goes on where an earlier process has left it.
    pub(super) fn resume(part: Part, suite: Box<dyn Suite>) -> Self {
        let Part { statistics, next, known, kinds, census, silent, thinned } = part;
        let (suite, met_often) = (suite.into(), MetOften::nothing());
        Self { suite, statistics, next, known, kinds, census, silent, thinned, met_often }
    }

    /// How far it is.
    pub(super) fn part(&self) -> Part {
        Part {
            statistics: self.statistics.clone(),
            next: self.next,
            known: self.known.clone(),
            kinds: self.kinds.clone(),
            census: self.census.clone(),
            silent: self.silent,
            thinned: self.thinned.clone(),
        }
    }

    /// How much of the suite is done; more than 1 if more than wanted is.
    pub(super) fn done(&self, plan: &Plan, suites: usize) -> f64 {
        if self.silent >= MOST_SILENT || self.statistics.why_not_run.is_some() {
            return 1.0;
        }
        let Statistics { cases, instructions, elapsed, left_out, .. } = self.statistics;
        let begun = self.next - plan.first;
        let cases = cases + left_out;
        let part = |done: f64, wanted: f64| if wanted > 0.0 { done / wanted } else { 1.0 };
        match plan.bound {
            Bound::Time(time) => part(elapsed.as_secs_f64(), time.as_secs_f64() / suites as f64),
            Bound::Cases(wanted) => part(begun as f64, wanted as f64),
            // A suite without instructions is done after as many cases.
            Bound::Instructions(wanted) => {
                part(instructions.max(cases + left_out) as f64, wanted as f64)
            }
        }
    }

    /// Runs the next cases on all threads, then looks into new kinds of divergence, but for those of
    /// which another suite has a case already.
    pub(super) fn round(
        &mut self,
        number: usize,
        pool: &mut WorkerPool,
        plan: &Plan,
        cancel: &AtomicBool,
        deadline: Option<Instant>,
        has_a_case: impl Fn(&str) -> bool,
    ) -> Round {
        let start = Instant::now();
        let round = CHUNK * ROUND * plan.shard.of;
        let end = match plan.bound {
            Bound::Cases(cases) => plan.first.saturating_add(cases).min(self.next + round),
            _ => self.next + round,
        };
        let begun = self.next;
        let omissions = self.omissions(plan, begun);
        let of_shard = |first: &u64| plan.shard.has((first - plan.first) / CHUNK);
        let pieces = (self.next..end).step_by(CHUNK as usize).filter(of_shard).map(|first| Piece {
            suite: Arc::clone(&self.suite),
            seed: plan.seed,
            cases: first..(first + CHUNK).min(end),
            without: Vec::new(),
            deadline,
            census: plan.first.saturating_add(CENSUS),
            omissions: Arc::clone(&omissions),
            met_often: self.met_often.clone(),
        });
        let (chunks, silent) = self.run(pool, pieces.collect(), cancel);
        self.next = end;
        let mut round = Round { coverage: Coverage::new(), findings: Vec::new() };
        let mut new: Vec<_> = silent.into_iter().map(ToInvestigate::from).collect();
        for mut chunk in chunks.into_values() {
            self.add(&chunk, plan);
            round.coverage.merge(&chunk.coverage);
            self.census.add(std::mem::take(&mut chunk.census));
            for seen in chunk.diverging {
                let kind = &seen.what.kind;
                self.kinds.count(kind, Cases::one(seen.case, seen.seed));
                if self.known.len() < INVESTIGATED && !self.known.contains_key(kind) {
                    self.known.insert(kind.clone(), seen.case);
                    if !has_a_case(kind) {
                        new.push(seen.into());
                    }
                }
            }
        }
        round.findings = self.investigate(number, pool, new, plan, cancel);
        self.thin(plan, begun);
        self.statistics.elapsed += start.elapsed();
        round
    }

    /// Runs pieces of work. Where a thread does not come back from a case, the others of the piece are
    /// run again; those cases are listed.
    fn run(
        &mut self,
        pool: &mut WorkerPool,
        mut pieces: Vec<Piece>,
        cancel: &AtomicBool,
    ) -> (BTreeMap<u64, Chunk>, Vec<Seen>) {
        let (mut chunks, mut silent) = (BTreeMap::new(), Vec::new());
        while !pieces.is_empty() {
            let stop = pool.stop();
            let answers = pool.all(pieces.clone(), cancel, move |piece| piece.run(&stop));
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
                        let case = piece.case_of(seed);
                        silent.push(Seen { case, seed, what: no_answer(waited), is_silent: true });
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

    /// Looks into divergences of the suite, by its number.
    pub(super) fn investigate(
        &self,
        number: usize,
        pool: &mut WorkerPool,
        wanted: Vec<ToInvestigate>,
        plan: &Plan,
        cancel: &AtomicBool,
    ) -> Vec<Found> {
        let (suite, time) = (Arc::clone(&self.suite), plan.shrink);
        let with_omissions = wanted.iter().map(|wanted| {
            let omissions = self.omissions(plan, wanted.seen.case);
            (wanted.clone(), omissions)
        });
        let answers = pool.all(with_omissions.collect(), cancel, move |(wanted, omissions)| {
            let ToInvestigate { seen, others } = wanted;
            seen.investigate(&*suite, ShrinkLimits { time, others }, &omissions)
        });
        let found = wanted.into_iter().zip(answers).map(|(ToInvestigate { seen, .. }, answer)| {
            let (case, is_silent, kind) = (seen.case, seen.is_silent, seen.what.kind.clone());
            let finding = match answer {
                Answer::Done(finding) => finding,
                Answer::Silent { waited, .. } => {
                    let why = format!("no answer within {waited:?} when it was looked into");
                    seen.unexplained(&*self.suite, "no-answer", &why)
                }
                Answer::LeftOut => {
                    let why = "stopped before it was looked into";
                    seen.unexplained(&*self.suite, "unexplained", why)
                }
            };
            Found { suite: number, case, seen: kind, is_silent, finding }
        });
        found.collect()
    }

    /// What is left out of the programs of a case.
    fn omissions(&self, plan: &Plan, case: u64) -> Arc<Omissions> {
        omissions(plan, self.suite.device(), &self.thinned, case)
    }

    /// Leaves what differed often enough out of most programs to come, after a round that began at a case.
    fn thin(&mut self, plan: &Plan, begun: u64) {
        let Some(cases) = plan.thin_after else { return };
        // After its end the census says the same.
        if begun >= plan.first.saturating_add(CENSUS) && self.census.has_forms() {
            return;
        }
        let often = often(self.suite.device(), &self.census, &self.kinds, cases);
        for pattern in often {
            if !self.thinned.iter().any(|thinned| thinned.pattern == pattern) {
                self.thinned.push(Thinned { pattern, since: self.next });
            }
        }
    }

    fn add(&mut self, chunk: &Chunk, plan: &Plan) {
        for (text, omitted) in &chunk.omitted {
            let is_known = plan.known.iter().any(|known| known.pattern.text == *text);
            let Statistics { known, thinned, .. } = &mut self.statistics;
            let counted = if is_known { known } else { thinned };
            counted.entry(text.clone()).or_default().add(*omitted);
        }
        let statistics = &mut self.statistics;
        statistics.cases += chunk.cases;
        statistics.instructions += chunk.ran.instructions;
        statistics.comparisons += chunk.ran.comparisons;
        statistics.accepted_undefined += chunk.ran.accepted_undefined;
        statistics.skipped += chunk.skipped;
        statistics.left_out += chunk.left_out;
        statistics.declined.merge(&chunk.declined);
        statistics.spread.merge(&chunk.ran.spread);
        statistics.uncompared += chunk.uncompared;
        exactness::merge(&mut statistics.exactness, &chunk.ran.exactness);
        depth::merge(&mut statistics.depths, &chunk.ran.depths);
        statistics.divergences += chunk.diverging.len() as u64;
    }
}
