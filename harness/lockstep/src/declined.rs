//! Cases that the engine under test says it does not have: neither divergences nor coverage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::spread::{Shape, Spread};

/// A case that the engine under test declined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declining {
    /// The instruction that it does not have, if it named one.
    pub shape: Shape,
    /// Its reason.
    pub reason: String,
}

/// What an engine declined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclinedCases {
    /// Cases that it did not run to their end.
    pub cases: u64,
    /// Its reasons, each with its cases.
    pub reasons: BTreeMap<String, u64>,
    /// The instructions that it does not have.
    pub instructions: Spread,
}

/// Most reasons that are counted by themselves: an engine may word each differently.
const MOST_REASONS: usize = 64;
/// Stands for all other reasons.
const OTHER_REASONS: &str = "other reasons";

impl DeclinedCases {
    /// Counts a case.
    pub fn count(&mut self, Declining { shape, reason }: Declining) {
        self.cases += 1;
        self.add_reason(&reason, 1);
        self.instructions.count(shape);
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, other: &Self) {
        self.cases += other.cases;
        for (reason, cases) in &other.reasons {
            self.add_reason(reason, *cases);
        }
        self.instructions.merge(&other.instructions);
    }

    fn add_reason(&mut self, reason: &str, cases: u64) {
        let is_known = self.reasons.contains_key(reason) || self.reasons.len() < MOST_REASONS;
        let reason = if is_known { reason } else { OTHER_REASONS };
        *self.reasons.entry(reason.to_owned()).or_default() += cases;
    }

    /// Whether it declined more than half of so many cases, so that what it ran says little.
    #[must_use]
    pub fn is_most_of(&self, cases: u64) -> bool {
        2 * self.cases > cases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declining(form: &str, reason: &str) -> Declining {
        let shape = Shape {
            form: form.to_owned(),
            size: "8".to_owned(),
            regions: vec!["<8;8,1>".to_owned(), "<0;1,0>".to_owned()],
        };
        Declining { shape, reason: reason.to_owned() }
    }

    #[test]
    fn cases_are_counted_by_reason_and_instruction() {
        let (mut all, mut other) = (DeclinedCases::default(), DeclinedCases::default());
        all.count(declining("dp4 :f <- :f, :f", "no dp4"));
        other.count(declining("dp4 :f <- :f, :f", "no dp4"));
        other.count(declining("mad :f <- :f, :f, :f", "no mad"));
        all.merge(&other);
        assert_eq!(all.cases, 3);
        assert_eq!(all.reasons["no dp4"], 2);
        assert_eq!(all.instructions.forms["mad :f <- :f, :f, :f"], 1);
        assert_eq!(all.instructions.regions["<0;1,0>"], 3);
        assert!(all.is_most_of(5) && !all.is_most_of(6));
    }

    #[test]
    fn reasons_are_bounded() {
        let mut all = DeclinedCases::default();
        for number in 0..1000 {
            all.count(declining("add", &format!("reason {number}")));
        }
        assert_eq!(all.reasons.len(), MOST_REASONS + 1);
        assert_eq!(all.reasons[OTHER_REASONS], 1000 - MOST_REASONS as u64);
    }
}
