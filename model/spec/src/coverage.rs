//! How often each rule was exercised.
//!
//! Counting is a thread-local increment, cheap enough to leave on. Uses are marks of the step that is
//! under way until it is known what became of it: [`settle`] lets them count, where a comparison
//! followed that could have failed, and [`discard`] forgets them.

use std::cell::Cell;

use crate::rules::{COUNT, RuleId};

/// The counters of a thread.
struct Counters {
    /// Uses of each rule in the step that is under way.
    marks: [Cell<u32>; COUNT],
    /// The rules of those uses, in the order of the first use of each.
    marked: [Cell<Option<RuleId>>; COUNT],
    /// How many rules those are.
    number: Cell<usize>,
    /// Uses in steps that count.
    settled: [Cell<u64>; COUNT],
    /// What is settled is forgotten instead.
    is_silent: Cell<bool>,
}

impl Counters {
    #[inline]
    fn mark(&self, rule: RuleId, uses: u32) {
        let cell = &self.marks[rule.index()];
        let before = cell.get();
        if before == 0 {
            let number = self.number.get();
            self.marked[number].set(Some(rule));
            self.number.set(number + 1);
        }
        cell.set(before.saturating_add(uses));
    }

    /// Ends a step: gives its rules and how often each was used.
    fn end_step(&self, mut each: impl FnMut(RuleId, u32)) {
        for rule in &self.marked[..self.number.replace(0)] {
            if let Some(rule) = rule.get() {
                each(rule, self.marks[rule.index()].replace(0));
            }
        }
    }

    fn discard(&self) {
        self.end_step(|_, _| ());
    }

    fn settle(&self) {
        if self.is_silent.get() {
            return self.discard();
        }
        self.end_step(|rule, uses| {
            let settled = &self.settled[rule.index()];
            settled.set(settled.get() + u64::from(uses));
        });
    }
}

thread_local! {
    static COUNTERS: Counters = const {
        Counters {
            marks: [const { Cell::new(0) }; COUNT],
            marked: [const { Cell::new(None) }; COUNT],
            number: Cell::new(0),
            settled: [const { Cell::new(0) }; COUNT],
            is_silent: Cell::new(false),
        }
    };
}

/// Marks one use of a rule on this thread.
#[inline]
pub fn hit(rule: RuleId) {
    COUNTERS.with(|counters| counters.mark(rule, 1));
}

/// Marks one use of each of some rules on this thread.
#[inline]
pub fn hit_all(rules: &[RuleId]) {
    COUNTERS.with(|counters| rules.iter().for_each(|rule| counters.mark(*rule, 1)));
}

/// The rules marked on this thread since marks were last settled or discarded.
#[must_use]
pub fn marked() -> Vec<RuleId> {
    COUNTERS.with(|counters| {
        let marked = &counters.marked[..counters.number.get()];
        let mut marked: Vec<_> = marked.iter().filter_map(Cell::get).collect();
        marked.sort_unstable();
        marked
    })
}

/// Lets this thread's marks count: something that depended on them was compared.
pub fn settle() {
    COUNTERS.with(Counters::settle);
}

/// Forgets this thread's marks. What was settled before counts all the same.
pub fn discard() {
    COUNTERS.with(Counters::discard);
}

/// Takes this thread's counters, marks too, and sets them to zero.
#[must_use]
pub fn take() -> Coverage {
    settle();
    let mut coverage = Coverage::new();
    add_to(&mut coverage);
    coverage
}

/// Adds what this thread has settled to `total` and sets it to zero; allocates nothing.
pub fn add_to(total: &mut Coverage) {
    COUNTERS.with(|counters| {
        for (sum, cell) in total.hits.iter_mut().zip(&counters.settled) {
            *sum += cell.replace(0);
        }
    });
}

/// Does something in which uses of rules do not count. The marks there were before stay.
pub fn uncounted<T>(work: impl FnOnce() -> T) -> T {
    /// Sets the counters back, even if the work panics.
    struct Silence {
        before: Vec<(RuleId, u32)>,
        was_silent: bool,
    }
    impl Drop for Silence {
        fn drop(&mut self) {
            COUNTERS.with(|counters| {
                counters.discard();
                counters.is_silent.set(self.was_silent);
                self.before.iter().for_each(|(rule, uses)| counters.mark(*rule, *uses));
            });
        }
    }
    let _silence = COUNTERS.with(|counters| {
        let mut before = Vec::new();
        counters.end_step(|rule, uses| before.push((rule, uses)));
        Silence { before, was_silent: counters.is_silent.replace(true) }
    });
    work()
}

/// Uses of every rule, in the order of [`crate::rules::RULES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    hits: Vec<u64>,
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
        Self { hits: vec![0; COUNT] }
    }

    /// Uses of one rule.
    #[must_use]
    pub fn hits(&self, rule: RuleId) -> u64 {
        self.hits[rule.index()]
    }

    /// Counts a rule `times` times.
    pub fn add(&mut self, rule: RuleId, times: u64) {
        self.hits[rule.index()] += times;
    }

    /// Adds another count to this one.
    pub fn merge(&mut self, other: &Self) {
        for (sum, hits) in self.hits.iter_mut().zip(&other.hits) {
            *sum += hits;
        }
    }

    /// The rules used at least once.
    pub fn covered(&self) -> impl Iterator<Item = RuleId> + '_ {
        RuleId::all().filter(|&rule| self.hits(rule) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_taken_once() {
        discard();
        crate::rule!("g45.dt.d");
        crate::rule!("g45.dt.d");
        let coverage = take();
        assert_eq!(coverage.hits(crate::rule_id!("g45.dt.d")), 2);
        assert_eq!(coverage.covered().count(), 1);
        assert_eq!(take(), Coverage::new());
    }

    #[test]
    fn marks_count_once_they_are_settled() {
        let [settled, dropped] = [crate::rule_id!("g45.dt.d"), crate::rule_id!("g45.dt.w")];
        discard();
        hit(settled);
        settle();
        hit(dropped);
        assert_eq!(marked(), [dropped]);
        discard();
        let mut coverage = Coverage::new();
        add_to(&mut coverage);
        assert_eq!(coverage.covered().collect::<Vec<_>>(), [settled]);
    }

    #[test]
    fn what_is_uncounted_leaves_no_trace_even_if_it_panics() {
        let [before, inside] = [crate::rule_id!("g45.dt.d"), crate::rule_id!("g45.dt.w")];
        discard();
        hit(before);
        let panicked = std::panic::catch_unwind(|| {
            uncounted(|| {
                hit(inside);
                settle();
                hit(inside);
                panic!("on purpose");
            })
        });
        assert!(panicked.is_err());
        assert_eq!(marked(), [before]);
        settle();
        assert_eq!(take().covered().collect::<Vec<_>>(), [before]);
    }
}
