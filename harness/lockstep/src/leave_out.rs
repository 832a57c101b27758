//! Leaves instructions out of cases, and counts those that it would have left out of others.

use std::ops::ControlFlow;

use parallax_isa::Reference;

use crate::{
    executed::walk,
    form::Form,
    omission::{ByPattern, Omissions, Omitted},
    subject::Subject,
    suite::Ran,
};

/// Steps of a case at most in which instructions are counted that would be left out of others.
const STEPS: usize = 1024;

/// What is kept of a case.
pub(crate) struct Kept<C> {
    /// The case, if it can do without what is left out.
    pub(crate) case: Option<C>,
    pub(crate) omitted: ByPattern,
}

impl Omissions {
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
        let forms = |state: &M::State, parts| M::executed(case, state, parts);
        walk::<M, _>(reference, case, None, forms, |forms| {
            for pattern in forms.iter().flat_map(|form| self.of(form)) {
                ran.omitted.entry(pattern.to_owned()).or_default().agreed += 1;
            }
            steps += 1;
            if steps < STEPS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
}
