//! How many cases of a suite showed each kind of divergence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Kinds of which cases are counted: an engine under test may put its own words into them.
const COUNTED: usize = 1000;

/// The cases of a suite that showed each kind.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Kinds(BTreeMap<String, Cases>);

/// Cases of one kind.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Cases {
    /// How many.
    pub(super) number: u64,
    /// Number and seed of the first.
    pub(super) first: (u64, u64),
}

impl Cases {
    /// A single one, by its number and seed.
    pub(super) const fn one(case: u64, seed: u64) -> Self {
        Self { number: 1, first: (case, seed) }
    }

    /// These and others.
    pub(super) fn and(self, other: Self) -> Self {
        Self { number: self.number + other.number, first: self.first.min(other.first) }
    }
}

impl Kinds {
    /// Those of a kind.
    pub(super) fn cases(&self, kind: &str) -> Option<Cases> {
        self.0.get(kind).copied()
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Cases)> {
        self.0.iter().map(|(kind, cases)| (kind.as_str(), *cases))
    }

    /// Adds cases of a kind.
    pub(super) fn count(&mut self, kind: &str, cases: Cases) {
        if let Some(known) = self.0.get_mut(kind) {
            *known = known.and(cases);
        } else if self.0.len() < COUNTED {
            self.0.insert(kind.to_owned(), cases);
        }
    }

    /// Adds those of other cases.
    pub(super) fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|(kind, cases)| self.count(kind, *cases));
    }
}
