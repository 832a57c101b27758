//! Instructions that are left out of generated programs: those that are known to be wrong, and those that differed
//! often enough. What is behind them in a program is tested then too.

use std::{collections::BTreeMap, ops::ControlFlow};

use parallax_isa::Reference;
use serde::{Deserialize, Serialize};

use crate::{
    executed::walk,
    form::Form,
    pattern::Pattern,
    subject::Subject,
    suite::{Ran, Sighting},
};

/// One case of so many is made without leaving anything out.
pub const WHOLE_CASES: u64 = 64;
/// The seeds of those cases leave this: other samples are taken of multiples.
const OF_WHOLE_CASES: u64 = 21;

/// Steps of a case at most in which instructions are counted that would be left out of others.
const STEPS: usize = 1024;

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

/// The forms that a divergence may be one of: that of its instruction, or those of the mnemonics of its kind.
pub(crate) fn forms_of(seen: &Sighting) -> Vec<Form> {
    if !seen.form.name.is_empty() {
        return vec![seen.form.clone()];
    }
    let mnemonics = seen.kind.split(' ').next().unwrap_or_default().split('+');
    mnemonics.map(Form::of_mnemonic).collect()
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
    fn spare(&self, seed: u64) -> bool {
        self.is_empty() || seed % WHOLE_CASES == OF_WHOLE_CASES
    }

    /// Whether instructions of the case of a seed are counted that are left out of others.
    pub(crate) fn is_counted(&self, seed: u64) -> bool {
        !self.is_empty() && self.spare(seed)
    }

    /// The known pattern that a divergence is of.
    pub(crate) fn known(&self, seen: &Sighting) -> Option<&Pattern> {
        let forms = forms_of(seen);
        let known = &self.patterns[..self.known];
        known.iter().find(|pattern| forms.iter().any(|form| pattern.is_of(form)))
    }

    /// The patterns that an instruction is of, in words.
    fn of<'f>(&'f self, form: &'f Form) -> impl Iterator<Item = &'f str> {
        self.patterns.iter().filter(|pattern| pattern.is_of(form)).map(|pattern| &*pattern.text)
    }

    /// The case of a seed without what is left out of it, and what that is; no case if it cannot do without.
    pub(crate) fn apply<M: Subject>(&self, seed: u64, case: M::Case) -> Kept<M::Case> {
        let mut omitted = ByPattern::new();
        if self.spare(seed) {
            return Kept { case: Some(case), omitted };
        }
        let mut is_omitted = |form: &Form| {
            let pattern = self.of(form).next();
            pattern.inspect(|text| {
                omitted.entry((*text).to_owned()).or_default().instructions += 1;
            });
            pattern.is_some()
        };
        let case = M::without(case, &mut is_omitted);
        if case.is_none() {
            for omitted in omitted.values_mut() {
                *omitted = Omitted { cases: 1, ..Omitted::default() };
            }
        }
        Kept { case, omitted }
    }

    /// Counts the instructions of a case that would be left out of others, if the engines agreed on it.
    pub(crate) fn count<M: Subject>(
        &self,
        seed: u64,
        reference: &mut dyn Reference<M>,
        case: &M::Case,
        ran: &mut Ran,
    ) {
        let agrees = ran.diverged.is_none() && ran.declined.is_none() && !ran.skipped;
        if !self.is_counted(seed) || !agrees {
            return;
        }
        let mut steps = 0;
        let forms = |state: &M::State| M::executed(case, state);
        walk::<M, _>(reference, case, forms, |forms| {
            for pattern in forms.iter().flat_map(|form| self.of(form)) {
                ran.omitted.entry(pattern.to_owned()).or_default().agreed += 1;
            }
            steps += 1;
            if steps < STEPS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
}

/// What is kept of a case.
pub(crate) struct Kept<C> {
    /// The case, if it can do without what is left out.
    pub(crate) case: Option<C>,
    pub(crate) omitted: ByPattern,
}
