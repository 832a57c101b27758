//! Instructions that are left out of generated programs: those that are known to be wrong, and those that differed
//! often enough. What is behind them in a program is tested then too.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{form::Form, pattern::Pattern};

/// One case of so many is made without leaving anything out.
pub const WHOLE_CASES: u64 = 64;
/// The seeds of those cases leave this: other samples are taken of multiples.
const OF_WHOLE_CASES: u64 = 21;

/// What is left out of programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omissions {
    /// What is known to be wrong, then what differed too often.
    patterns: Vec<Pattern>,
    /// How many are known.
    known: usize,
}

/// What became of the instructions of a pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Omitted {
    /// Instructions that were left out of programs.
    pub instructions: u64,
    /// Cases that were not run, as they could not do without them.
    pub cases: u64,
    /// Of the cases that are made without leaving anything out, instructions that agreed.
    pub agreed: u64,
    /// Cases in which one of them differed.
    pub differed: u64,
}

impl Omitted {
    /// Adds others.
    pub fn add(&mut self, other: Self) {
        let Self { instructions, cases, agreed, differed } = other;
        self.instructions += instructions;
        self.cases += cases;
        self.agreed += agreed;
        self.differed += differed;
    }
}

/// What became of the instructions of patterns, by those in words.
pub type ByPattern = BTreeMap<String, Omitted>;

/// Adds others.
pub fn merge(into: &mut ByPattern, from: &ByPattern) {
    for (pattern, omitted) in from {
        into.entry(pattern.clone()).or_default().add(*omitted);
    }
}

impl Omissions {
    /// What is known to be wrong, and what differed too often.
    #[must_use]
    pub fn new(known: Vec<Pattern>, often: impl IntoIterator<Item = Pattern>) -> Self {
        let number = known.len();
        Self { patterns: known.into_iter().chain(often).collect(), known: number }
    }

    /// Whether nothing is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether nothing is left out of the case of a seed.
    pub(crate) fn spare(&self, seed: u64) -> bool {
        self.is_empty() || seed % WHOLE_CASES == OF_WHOLE_CASES
    }

    /// Whether instructions of the case of a seed are counted that are left out of others.
    pub(crate) fn is_counted(&self, seed: u64) -> bool {
        !self.is_empty() && self.spare(seed)
    }

    /// The known pattern that a divergence is of that may be one of some forms.
    pub(crate) fn known(&self, forms: &[Form]) -> Option<&Pattern> {
        let known = &self.patterns[..self.known];
        known.iter().find(|pattern| forms.iter().any(|form| pattern.is_of(form)))
    }

    /// The patterns that an instruction is of, in words.
    pub(crate) fn of<'f>(&'f self, form: &'f Form) -> impl Iterator<Item = &'f str> {
        self.patterns.iter().filter(|pattern| pattern.is_of(form)).map(|pattern| &*pattern.text)
    }
}
