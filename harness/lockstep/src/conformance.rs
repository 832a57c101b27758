//! Conformance sets: traces of a few steps of one instruction with one combination of types, so that an engine of a few
//! instructions passes some of them.

use std::collections::{BTreeMap, BTreeSet};

use parallax_isa::{Machine, Outcome};

use crate::{
    random::case_seed,
    subject::{Subject, reference},
    trace::{self, Trace, TraceError},
    wanted::{Candidate, Wanted},
};

/// Seeds that are tried for a case that every set has.
const ATTEMPTS: u64 = 8;

/// A trace of a set.
#[derive(Debug)]
pub struct Sample {
    /// The instruction: `add`.
    pub instruction: String,
    /// The instruction, its types and what it has besides: `add-d-d-d`.
    pub name: String,
    /// The bytes of its file; none if no case could be made.
    pub trace: Option<Vec<u8>>,
}

/// The traces of a device's set that come from a seed.
///
/// # Errors
/// If a trace cannot be written.
pub(crate) fn samples<M: Subject>(
    wanted: Vec<Wanted<M>>,
    device: &'static str,
    seed: u64,
) -> Result<Vec<Sample>, TraceError> {
    let made = wanted.into_iter().filter_map(|wanted| {
        let Wanted { instruction, candidates, is_optional } = wanted;
        let attempts = if is_optional { 1 } else { ATTEMPTS };
        for Candidate { name, make } in &candidates {
            let seeds = (0..attempts).map(|attempt| case_seed(seed, name, device, attempt));
            if let Some(trace) = seeds.filter_map(make).find_map(|case| recorded::<M>(&case)) {
                let name = name.clone();
                let sample = |trace| Sample { instruction, name, trace: Some(trace) };
                return Some(trace::to_bytes(&trace).map(sample));
            }
        }
        let name = candidates.into_iter().next()?.name;
        (!is_optional).then_some(Ok(Sample { instruction, name, trace: None }))
    });
    made.collect()
}

/// The trace of a case that comes to an end.
fn recorded<M: Subject>(case: &M::Case) -> Option<Trace<M>> {
    let trace = Trace::<M>::record(&mut reference::<M>(), case).ok()?;
    (!matches!(trace.outcome, Outcome::Undefined(_) | Outcome::StepLimit)).then_some(trace)
}

/// The shortest of many cases, at most [`ATTEMPTS`] for each instruction.
pub(crate) struct Shortest<C>(BTreeMap<String, Vec<(usize, C)>>);

impl<C: Clone + Send + Sync + 'static> Shortest<C> {
    pub(crate) const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Keeps a case of a length that has some instructions, each of which may be named several times.
    pub(crate) fn offer(
        &mut self,
        case: &C,
        length: usize,
        instructions: impl Iterator<Item = String>,
    ) {
        let instructions: BTreeSet<_> = instructions.collect();
        for instruction in instructions {
            let cases = self.0.entry(instruction).or_default();
            let place = cases.partition_point(|(other, _)| *other <= length);
            if place < ATTEMPTS as usize {
                cases.insert(place, (length, case.clone()));
                cases.truncate(ATTEMPTS as usize);
            }
        }
    }

    /// Those of an instruction, the shortest first, under the name of a trace.
    pub(crate) fn candidates<M: Machine<Case = C>>(
        &mut self,
        instruction: &str,
        name: &str,
    ) -> Vec<Candidate<M>> {
        let cases = self.0.remove(instruction).unwrap_or_default();
        let none = || Candidate::new(name.to_owned(), |_| None);
        if cases.is_empty() {
            return vec![none()];
        }
        let of =
            |(_, case): (usize, C)| Candidate::new(name.to_owned(), move |_| Some(case.clone()));
        cases.into_iter().map(of).collect()
    }
}
