//! What a conformance set should have.

use parallax_isa::Machine;

/// Makes a case from a seed; `None` if that gives none.
type Make<M> = Box<dyn Fn(u64) -> Option<<M as Machine>::Case> + Send + Sync>;

/// A way to get a trace, and the name of what it shows.
pub(crate) struct Candidate<M: Machine> {
    pub(crate) name: String,
    pub(crate) make: Make<M>,
}

/// A trace that a set should have.
pub struct Wanted<M: Machine> {
    /// The instruction.
    pub(crate) instruction: String,
    /// The first that gives a case is taken.
    pub(crate) candidates: Vec<Candidate<M>>,
    /// Whether the set is complete without it.
    pub(crate) is_optional: bool,
}

impl<M: Machine> Candidate<M> {
    pub(crate) fn new(
        name: String,
        make: impl Fn(u64) -> Option<M::Case> + Send + Sync + 'static,
    ) -> Self {
        Self { name, make: Box::new(make) }
    }
}

impl<M: Machine> Wanted<M> {
    /// A trace of the first of some candidates that gives a case.
    pub(crate) const fn new(instruction: String, candidates: Vec<Candidate<M>>) -> Self {
        Self { instruction, candidates, is_optional: false }
    }

    /// The same of a trace that a set is complete without.
    pub(crate) const fn optional(instruction: String, candidates: Vec<Candidate<M>>) -> Self {
        Self { instruction, candidates, is_optional: true }
    }
}
