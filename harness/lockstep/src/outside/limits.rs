//! Cases limited to what engines have.

use std::sync::Arc;

use parallax_isa::Machine;

use super::{Outside, Portable};

/// Limits cases to what an engine has.
pub(crate) trait Limits<M: Machine>: Send + Sync {
    /// A case made of those that seeds give; `None` if there is none that the engine can run.
    fn case(&self, seed: u64, generate: &mut dyn FnMut(u64) -> M::Case) -> Option<M::Case>;

    /// Limits another start of such a case; whether the engine can run it then.
    fn start(&self, case: &mut M::Case) -> bool;
}

/// Cases that two engines can run.
pub(crate) struct Shared<M> {
    /// Those that the engine under test can.
    pub(crate) limits: Option<Arc<dyn Limits<M>>>,
    /// The other engine.
    pub(crate) reference: Arc<Outside>,
}

impl<M: Portable> Limits<M> for Shared<M> {
    fn case(&self, seed: u64, generate: &mut dyn FnMut(u64) -> M::Case) -> Option<M::Case> {
        /// Cases that are tried.
        const TRIES: u64 = 64;
        let seeds = (0..TRIES).map(|number| seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut case = |seed| match &self.limits {
            Some(limits) => limits.case(seed, generate),
            None => Some(generate(seed)),
        };
        seeds.filter_map(&mut case).find(|case| M::beyond(case, &self.reference).is_none())
    }

    fn start(&self, case: &mut M::Case) -> bool {
        self.limits.as_ref().is_none_or(|limits| limits.start(case))
            && M::beyond(case, &self.reference).is_none()
    }
}
