//! The starts that a suite runs each of its programs from.

use parallax_isa::Machine;

use crate::random::SplitMix64;

/// How often a program is run, and from where: it is loaded once, as a program in so many states costs
/// much less than as many programs.
pub(crate) struct Starts<M: Machine> {
    number: usize,
    /// Gives a case other registers to start from.
    change: fn(&mut SplitMix64, &mut M::Case),
}

impl<M: Machine> Starts<M> {
    /// So many starts, which `change` makes one from the other.
    pub(crate) fn new(number: usize, change: fn(&mut SplitMix64, &mut M::Case)) -> Self {
        Self { number, change }
    }

    /// Only the start that a program is made with.
    pub(crate) fn one() -> Self {
        Self::new(1, |_, _| ())
    }

    /// The program of a case from its other starts, each as a case of its own. The seed is that of the
    /// case.
    pub(crate) fn others(
        &self,
        seed: u64,
        case: M::Case,
    ) -> impl Iterator<Item = M::Case> + use<M> {
        let mut random = SplitMix64::new(!seed);
        let (mut case, change) = (case, self.change);
        let others = std::iter::from_fn(move || {
            change(&mut random, &mut case);
            Some(case.clone())
        });
        others.take(self.number.saturating_sub(1))
    }
}
