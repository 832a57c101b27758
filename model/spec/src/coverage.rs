//! How often each rule was exercised.
//!
//! Counting is a thread-local increment, cheap enough to leave on. A campaign takes each worker's
//! counters after every case ([`take`]) and keeps them only where a comparison followed, so that a
//! rule counts as covered when a comparison that could have failed depended on it.

use std::cell::Cell;

use crate::rules::{COUNT, RuleId};

thread_local! {
    static HITS: [Cell<u64>; COUNT] = const { [const { Cell::new(0) }; COUNT] };
}

/// Counts one use of a rule on this thread.
#[inline]
pub fn hit(rule: RuleId) {
    HITS.with(|hits| {
        let cell = &hits[rule.index()];
        cell.set(cell.get() + 1);
    });
}

/// Counts one use of each of some rules on this thread.
#[inline]
pub fn hit_all(rules: &[RuleId]) {
    HITS.with(|hits| {
        for rule in rules {
            let cell = &hits[rule.index()];
            cell.set(cell.get() + 1);
        }
    });
}

/// Takes this thread's counters and sets them to zero.
#[must_use]
pub fn take() -> Coverage {
    let mut coverage = Coverage::new();
    add_to(&mut coverage);
    coverage
}

/// Adds this thread's counters to `total` and sets them to zero; allocates nothing.
pub fn add_to(total: &mut Coverage) {
    HITS.with(|hits| {
        for (sum, cell) in total.hits.iter_mut().zip(hits) {
            *sum += cell.replace(0);
        }
    });
}

/// Forgets this thread's counters.
pub fn discard() {
    HITS.with(|hits| hits.iter().for_each(|cell| cell.set(0)));
}

/// Does something in which uses of rules do not count.
pub fn uncounted<T>(work: impl FnOnce() -> T) -> T {
    let before = take();
    let result = work();
    HITS.with(|hits| {
        for (cell, before) in hits.iter().zip(before.hits) {
            cell.set(before);
        }
    });
    result
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
}
