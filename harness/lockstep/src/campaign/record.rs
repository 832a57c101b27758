//! What a campaign has come to after a round, as a value: enough to go on from, and to merge with those
//! of other shards.

use std::{collections::BTreeMap, time::Duration};

use parallax_spec::coverage::Coverage;
use serde::{Deserialize, Serialize};

use super::{
    Plan, Shard,
    cause::keep_firsts,
    part::{Found, INVESTIGATED, Part},
};

/// A campaign after a round.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// What it is to do.
    pub plan: Plan,
    /// Whether that is done.
    pub(super) is_over: bool,
    pub(super) parts: Vec<Part>,
    /// Without the rules that findings implicate.
    pub(super) coverage: Coverage,
    /// The same of the suites of each device.
    pub(super) by_device: BTreeMap<String, Coverage>,
    pub(super) found: Vec<Found>,
    pub(super) elapsed: Duration,
}

/// Why records are not those of one campaign.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There is none.
    #[error("there is nothing to merge")]
    Nothing,
    /// One has not come to its end. By its place among the records.
    #[error("it has not come to its end: resume it first")]
    Unfinished(usize),
    /// One is of another campaign than the first.
    #[error("it is of another campaign: another {what}")]
    Other {
        /// Its place among the records.
        place: usize,
        /// What is not the same.
        what: &'static str,
    },
    /// A shard is there twice.
    #[error("it is shard {number}, which is there before")]
    Twice {
        /// Its place among the records.
        place: usize,
        /// The shard's number.
        number: u64,
    },
    /// Shards are missing.
    #[error("of {of} shards {} missing", missing(.numbers))]
    Missing {
        /// Their numbers.
        numbers: Vec<u64>,
        /// How many there are.
        of: u64,
    },
}

impl MergeError {
    /// The place among the records of the one that it is about.
    #[must_use]
    pub const fn place(&self) -> Option<usize> {
        match self {
            Self::Unfinished(place) | Self::Other { place, .. } | Self::Twice { place, .. } => {
                Some(*place)
            }
            Self::Nothing | Self::Missing { .. } => None,
        }
    }
}

fn missing(numbers: &[u64]) -> String {
    let are = if numbers.len() == 1 { "is" } else { "are" };
    let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    format!("{} {are}", numbers.join(", "))
}

impl Record {
    /// The suites of the campaign and their devices, in its order.
    pub fn suites(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().map(|Part { statistics, .. }| (&*statistics.name, &*statistics.device))
    }

    /// The record of a campaign that has come to its end with this.
    #[must_use]
    pub fn over(self) -> Self {
        Self { is_over: true, ..self }
    }

    /// What the campaign would have come to that had run all shards: the same cases, findings and uses
    /// of rules.
    ///
    /// # Errors
    /// If the records are not those of all shards of one campaign that has come to its end.
    pub fn merge(records: Vec<Self>) -> Result<Self, MergeError> {
        check(&records)?;
        let mut records = records.into_iter();
        let mut whole = records.next().ok_or(MergeError::Nothing)?;
        for shard in records {
            for (part, other) in whole.parts.iter_mut().zip(shard.parts) {
                part.add(other);
            }
            whole.coverage.merge(&shard.coverage);
            for (device, coverage) in shard.by_device {
                whole.by_device.entry(device).or_default().merge(&coverage);
            }
            whole.found.extend(shard.found);
            whole.elapsed = whole.elapsed.max(shard.elapsed);
        }
        whole.plan.shard = Shard::WHOLE;
        whole.keep_what_one_had_looked_into();
        Ok(whole)
    }

    /// Of what the shards looked into only what one campaign had: the first of each kind.
    fn keep_what_one_had_looked_into(&mut self) {
        for part in &mut self.parts {
            let mut known: Vec<_> = std::mem::take(&mut part.known).into_iter().collect();
            known.sort_by_key(|(_, case)| *case);
            known.truncate(INVESTIGATED);
            part.known = known.into_iter().collect();
        }
        keep_firsts(&mut self.found, &self.parts);
    }
}

/// Holds that records are those of all shards of one campaign, each there once and at its end.
fn check(records: &[Record]) -> Result<(), MergeError> {
    let first = records.first().ok_or(MergeError::Nothing)?;
    let mut numbers = Vec::new();
    for (place, record) in records.iter().enumerate() {
        let other = |what| MergeError::Other { place, what };
        let (plan, wanted) = (&record.plan, &first.plan);
        if !record.is_over {
            return Err(MergeError::Unfinished(place));
        }
        if plan.shard.of != wanted.shard.of {
            return Err(other("number of shards"));
        }
        if (plan.seed, plan.first) != (wanted.seed, wanted.first) {
            return Err(other("seed"));
        }
        if (plan.bound, plan.stop_after) != (wanted.bound, wanted.stop_after) {
            return Err(other("bound"));
        }
        if plan.known != wanted.known || plan.thin_after != wanted.thin_after {
            return Err(other("list of what is known to be wrong"));
        }
        if !record.suites().eq(first.suites()) {
            return Err(other("list of suites"));
        }
        let number = plan.shard.number;
        if numbers.contains(&number) {
            return Err(MergeError::Twice { place, number });
        }
        numbers.push(number);
    }
    let of = first.plan.shard.of;
    let numbers: Vec<_> = (1..=of).filter(|number| !numbers.contains(number)).take(10).collect();
    if numbers.is_empty() { Ok(()) } else { Err(MergeError::Missing { numbers, of }) }
}
