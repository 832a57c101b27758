//! How often each rule was exercised.
//!
//! Counting is a thread-local mark, cheap enough to leave on. Uses are marks of the step that is
//! under way until it is known what became of it: [`finalize`] lets them count as a comparison made of
//! them, and [`drop_marks`] forgets them. So a rule counts as covered when a step that it decided had an
//! exact comparison; where every result was left open, it is only accepted; where the engines differ
//! it failed. What counts is the step, however often it used the rule: an instruction of 16 channels
//! tells no more of a rule than one of a single channel.
//!
//! Of a rule about a table each row counts by itself ([`crate::rows`]): it is covered when every row
//! was.
//!
//! A campaign counts up to [`OFTEN`] uses of a rule on a device: after that nobody looks for it ([`passing_over`]),
//! as looking takes a third of the time.

mod counters;
mod wanted;

use std::cell::Cell;

use crate::{
    rows::{self, Row, Table},
    rules::{COUNT, RuleId},
};
use counters::{COUNTERS, Decided};
use wanted::Sought;

pub use wanted::{MetOften, OFTEN, Wanted, passing_over, wanted};

/// Rules, and rows of the rules that are tables.
pub const PLACES: usize = COUNT + rows::COUNT;

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Something it did was compared exactly, and agreed.
    Exact,
    /// Everything it did was accepted: the manual leaves the results open, as a whole or in part.
    Accepted,
    /// The engines differ.
    Failed,
}

/// How many weights there are.
const WEIGHTS: usize = 3;

/// Marks one use of a rule on this thread.
#[inline]
pub fn hit(rule: RuleId) {
    COUNTERS.with(|counters| counters.hit(rule.index() as u16));
}

/// Marks one use of each of some rules on this thread.
pub fn hit_all(rules: &[RuleId]) {
    COUNTERS.with(|counters| counters.mark_each(rules.iter().map(|rule| rule.index() as u16)));
}

/// Marks one use of a row of a table on this thread, unless it was met so often that nobody looks for it.
#[inline]
pub fn hit_row(row: Row) {
    if wanted::is_wanted(row.place()) {
        COUNTERS.with(|counters| counters.hit(row.place()));
    }
}

/// Marks one use of a rule or a row of a table on this thread, by its place in the order of [`Coverage::places`].
pub fn hit_place(place: u16) {
    COUNTERS.with(|counters| counters.hit(place));
}

/// Marks one use of a rule in a result that is accepted within a tolerance, where that excludes every other
/// reading of the rule: the comparison counts as an exact one.
pub fn hit_distinguished(rule: RuleId) {
    COUNTERS.with(|counters| counters.tell_apart(rule.index() as u16));
}

/// The rules marked on this thread since marks were last finalized or dropped.
#[must_use]
pub fn marked() -> Vec<RuleId> {
    let mut marked: Vec<_> = marked_places().into_iter().map(rule_of).collect();
    marked.sort_unstable();
    marked.dedup();
    marked
}

/// The same as the places of rules and of rows of tables, in the order of [`Coverage::places`].
#[must_use]
pub fn marked_places() -> Vec<u16> {
    COUNTERS.with(|counters| {
        let marked = &counters.marked[..counters.number.get()];
        let mut marked: Vec<_> = marked.iter().map(Cell::get).collect();
        marked.sort_unstable();
        marked.dedup();
        marked
    })
}

/// Whether a rule is among those marked on this thread since marks were last finalized or dropped.
#[must_use]
pub fn is_marked(rule: RuleId) -> bool {
    COUNTERS.with(|counters| {
        let marked = &counters.marked[..counters.number.get()];
        marked.iter().any(|place| rule_of(place.get()) == rule)
    })
}

/// The rule of a place of [`Coverage::places`], or the one whose table has that row.
///
/// # Panics
/// If there is no such place.
#[must_use]
pub fn rule_of(place: u16) -> RuleId {
    RuleId::at(place).unwrap_or_else(|| rows::rule_of(place))
}

/// The marks of something done once, to be made again by each step that depends on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks(Box<[u16]>);

impl Marks {
    /// Does something and takes the marks it made. The marks there were before stay.
    pub fn of<T>(work: impl FnOnce() -> T) -> (T, Self) {
        let recording = Recording::start();
        let result = work();
        (result, recording.take())
    }

    /// The marks of what observers are to look for.
    #[must_use]
    pub fn wanted(self, wanted: &Wanted) -> Self {
        Self(self.0.into_iter().filter(|place| wanted.has_place(*place)).collect())
    }

    /// The rules of the marks; a rule that is a table as often as it has rows among them.
    pub fn rules(&self) -> impl Iterator<Item = RuleId> + '_ {
        self.0.iter().map(|place| rule_of(*place))
    }

    /// Makes each of the marks once more.
    pub fn repeat(&self) {
        COUNTERS.with(|counters| counters.mark_each(self.0.iter().copied()));
    }
}

/// Takes the marks of one thing after the other on this thread. Those there were before its start are
/// back at its end.
pub struct Recording {
    _before: Before,
}

impl Recording {
    /// Sets the marks there are aside.
    #[must_use]
    pub fn start() -> Self {
        Self { _before: Before::take(false) }
    }

    /// The marks made since the start, or since they were last taken.
    #[must_use]
    pub fn take(&self) -> Marks {
        COUNTERS.with(|counters| {
            let mut marks = Vec::with_capacity(counters.number.get());
            counters.end_step(|place, _| marks.push(place));
            Marks(marks.into())
        })
    }
}

/// Lets this thread's marks count for what a comparison made of the step.
pub fn finalize(weight: Weight) {
    COUNTERS.with(|counters| counters.finalize(weight));
}

/// Lets those of this thread's marks count that are of some rules, and forgets the others.
pub fn finalize_only(rules: &[RuleId], weight: Weight) {
    COUNTERS.with(|counters| {
        let mut kept = Vec::new();
        counters.end_step(|place, decided| {
            if rules.contains(&rule_of(place)) {
                kept.push((place, decided));
            }
        });
        kept.iter().for_each(|(place, decided)| counters.mark(*place, *decided));
        counters.finalize(weight);
    });
}

/// Drops this thread's marks. What was finalized before still counts.
pub fn drop_marks() {
    COUNTERS.with(|counters| counters.drop_marks());
}

/// Takes this thread's counters, marks as exact ones too, and sets them to zero.
#[must_use]
pub fn take() -> Coverage {
    finalize(Weight::Exact);
    let mut coverage = Coverage::new();
    add_to(&mut coverage);
    coverage
}

/// Adds what this thread has finalized to `total` and sets it to zero; allocates nothing.
pub fn add_to(total: &mut Coverage) {
    COUNTERS.with(|counters| {
        for (sums, finalized) in total.uses.iter_mut().zip(&counters.finalized) {
            sums.iter_mut()
                .zip(finalized)
                .for_each(|(sum, finalized)| *sum += finalized.replace(0));
        }
    });
}

/// Gives the places that steps of this thread used which were compared exactly, and in how many, and sets all
/// counters to zero, marks as exact ones too; allocates nothing. Places are those of [`Coverage::places`].
pub fn drain(mut each: impl FnMut(usize, u64)) {
    finalize(Weight::Exact);
    COUNTERS.with(|counters| {
        let [exact, others @ ..] = &counters.finalized;
        for (place, finalized) in
            exact.iter().enumerate().filter(|(_, finalized)| finalized.get() > 0)
        {
            each(place, finalized.replace(0));
        }
        others.as_flattened().iter().for_each(|finalized| finalized.set(0));
    });
}

/// The marks there were before some work; they are made again after it, even if it panics.
struct Before {
    marks: Vec<(u16, Decided)>,
    was_silent: bool,
}

impl Before {
    fn take(is_silent: bool) -> Self {
        COUNTERS.with(|counters| {
            let mut marks = Vec::new();
            counters.end_step(|place, decided| marks.push((place, decided)));
            let was_silent = counters.is_silent.get();
            counters.is_silent.set(was_silent || is_silent);
            Self { marks, was_silent }
        })
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        COUNTERS.with(|counters| {
            counters.drop_marks();
            counters.is_silent.set(self.was_silent);
            self.marks.iter().for_each(|(place, decided)| counters.mark(*place, *decided));
        });
    }
}

/// Does something in which uses of rules do not count. The marks there were before stay.
pub fn uncounted<T>(work: impl FnOnce() -> T) -> T {
    let _before = (Before::take(true), Sought::every());
    work()
}

/// Does something in which uses of rules do not count, and rules that were met often are passed over. Whether any
/// other rule was marked.
pub fn noting_others<T>(often: &MetOften, work: impl FnOnce() -> T) -> (T, bool) {
    uncounted(|| {
        passing_over(often, || {
            COUNTERS.with(|counters| counters.was_marked.set(false));
            let result = work();
            (result, COUNTERS.with(|counters| counters.was_marked.get()))
        })
    })
}

/// Does something in which steps are not observed, so that none of their rules is marked: less work than [`uncounted`],
/// where nobody asks for the marks.
pub fn unobserved<T>(work: impl FnOnce() -> T) -> T {
    let _before = Unobserved(COUNTERS.with(|counters| counters.is_unobserved.replace(true)));
    uncounted(work)
}

/// Whether observers are to mark the rules of steps on this thread.
#[must_use]
pub fn is_observed() -> bool {
    COUNTERS.with(|counters| !counters.is_unobserved.get())
}

/// Goes back to whether steps were observed, even if work panics.
struct Unobserved(bool);

impl Drop for Unobserved {
    fn drop(&mut self) {
        COUNTERS.with(|counters| counters.is_unobserved.set(self.0));
    }
}

/// Uses of every rule, in the order of [`crate::rules::RULES`], then of every row of a table.
///
/// What is written has no ids: it is for the program that wrote it ([`Coverage::places`]).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Written")]
pub struct Coverage {
    uses: [Vec<u64>; WEIGHTS],
}

/// A [`Coverage`] as it is read.
#[derive(serde::Deserialize)]
struct Written {
    uses: [Vec<u64>; WEIGHTS],
}

impl TryFrom<Written> for Coverage {
    type Error = String;

    fn try_from(Written { uses }: Written) -> Result<Self, String> {
        match uses.iter().find(|uses| uses.len() != PLACES) {
            None => Ok(Self { uses }),
            Some(uses) => Err(format!("uses of {} rules and rows, not of {PLACES}", uses.len())),
        }
    }
}

/// How often a rule was used, by what became of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Uses {
    /// In steps that were compared exactly; of a table, those of the row that was used least.
    pub exact: u64,
    /// In steps whose results were only accepted.
    pub accepted: u64,
    /// In steps on which the engines differ.
    pub failed: u64,
}

impl Uses {
    /// Whether there was any.
    #[must_use]
    pub const fn any(self) -> bool {
        self.exact + self.accepted + self.failed > 0
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::new()
    }
}

impl Coverage {
    /// No rule used.
    #[must_use]
    pub fn new() -> Self {
        Self { uses: [(); WEIGHTS].map(|()| vec![0; PLACES]) }
    }

    /// What the uses are of: the id of every rule, then the rule and number of every row.
    pub fn places() -> impl Iterator<Item = (&'static str, Option<u16>)> {
        let rows = rows::all().map(|(rule, row)| (rule.rule().id, Some(row.number())));
        RuleId::all().map(|rule| (rule.rule().id, None)).chain(rows)
    }

    fn at(&self, weight: Weight, place: usize) -> u64 {
        self.uses[weight as usize][place]
    }

    /// Uses of one rule.
    #[must_use]
    pub fn uses(&self, rule: RuleId) -> Uses {
        let at = |weight| self.at(weight, rule.index());
        let [exact, mut accepted, mut failed] =
            [Weight::Exact, Weight::Accepted, Weight::Failed].map(at);
        let Some(table) = Table::of(rule) else { return Uses { exact, accepted, failed } };
        let rows = |weight| table.rows().map(move |row| self.at(weight, row.place().into()));
        accepted += rows(Weight::Accepted).sum::<u64>();
        failed += rows(Weight::Failed).sum::<u64>();
        let least = rows(Weight::Exact).min().unwrap_or(exact);
        // A table of which some rows were used is not unused.
        accepted += if least == 0 { exact + rows(Weight::Exact).sum::<u64>() } else { 0 };
        Uses { exact: least, accepted, failed }
    }

    /// Uses of one rule in steps that were compared exactly.
    #[must_use]
    pub fn hits(&self, rule: RuleId) -> u64 {
        self.uses(rule).exact
    }

    /// Whether an exact comparison depended on a rule; of one that is a table, on any of its rows.
    #[must_use]
    pub fn is_met(&self, rule: RuleId) -> bool {
        let rows = Table::of(rule).into_iter().flat_map(Table::rows);
        let mut places = rows.map(|row| usize::from(row.place())).chain([rule.index()]);
        places.any(|place| self.at(Weight::Exact, place) > 0)
    }

    /// The rows of a rule's table that no exact comparison depended on; none if it is no table.
    pub fn missing_rows(&self, rule: RuleId) -> impl Iterator<Item = u16> + '_ {
        let rows = Table::of(rule).into_iter().flat_map(Table::rows);
        let missing = rows.filter(|row| self.at(Weight::Exact, row.place().into()) == 0);
        missing.map(Row::number)
    }

    /// Counts a rule as one that failed.
    pub fn fail(&mut self, rule: RuleId) {
        self.uses[Weight::Failed as usize][rule.index()] += 1;
    }

    /// Counts each rule and row up to [`OFTEN`] exact comparisons, and what was only accepted where there were fewer.
    #[must_use]
    pub fn up_to_often(mut self) -> Self {
        let [exact, accepted, _] = &mut self.uses;
        for (exact, accepted) in
            exact.iter_mut().zip(accepted).filter(|(exact, _)| **exact >= OFTEN)
        {
            (*exact, *accepted) = (OFTEN, 0);
        }
        self
    }

    /// Adds another count to this one.
    pub fn merge(&mut self, other: &Self) {
        for (sums, uses) in self.uses.iter_mut().zip(&other.uses) {
            for (sum, uses) in sums.iter_mut().zip(uses) {
                *sum += uses;
            }
        }
    }

    /// The rules that exact comparisons depended on.
    pub fn covered(&self) -> impl Iterator<Item = RuleId> + '_ {
        RuleId::all().filter(|&rule| self.hits(rule) > 0)
    }

    /// The rules used at all, and how.
    pub fn used(&self) -> impl Iterator<Item = (RuleId, Uses)> + '_ {
        RuleId::all().map(|rule| (rule, self.uses(rule))).filter(|(_, uses)| uses.any())
    }
}

#[cfg(test)]
mod tests;
