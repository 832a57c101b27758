//! How far a suite of a campaign is, as a value, and what was looked into of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    census::Census, kinds::Kinds, manual::manual, statistics::Statistics, thinning::Thinned,
};
use crate::suite::Finding;

/// Findings of one suite that are looked into; the others are only counted.
pub(super) const INVESTIGATED: usize = 40;

/// How far a suite is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) statistics: Statistics,
    /// Number of the next case.
    pub(super) next: u64,
    /// Kinds of divergence that were taken up, and the number of the first case of each.
    pub(super) known: BTreeMap<String, u64>,
    /// The cases that showed each kind.
    pub(super) kinds: Kinds,
    /// What differed and agreed in its first cases.
    pub(super) census: Census,
    /// Cases in which an engine did not answer.
    pub(super) silent: usize,
    /// What differed so often that it is left out of most programs.
    pub(super) thinned: Vec<Thinned>,
}

/// A divergence that was looked into.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Found {
    /// Number of the suite.
    pub(super) suite: usize,
    /// Number of the case.
    pub(super) case: u64,
    /// The kind as which it was seen.
    pub(super) seen: String,
    /// An engine did not answer: it was looked into whatever else was.
    pub(super) is_silent: bool,
    pub(super) finding: Finding,
}

impl Part {
    /// The manual of its device.
    pub(super) fn manual(&self) -> &'static str {
        manual(&self.statistics.device)
    }

    /// Adds what another shard had of the suite.
    pub(super) fn add(&mut self, other: Self) {
        self.statistics.add(&other.statistics);
        self.next = self.next.max(other.next);
        self.silent += other.silent;
        self.kinds.add(&other.kinds);
        self.census.add(other.census);
        self.thinned.extend(other.thinned);
        for (kind, case) in other.known {
            let first = self.known.entry(kind).or_insert(case);
            *first = case.min(*first);
        }
    }
}
