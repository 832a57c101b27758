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

    /// The program of a case from its other starts. The seed is that of the case.
    pub(crate) fn others(&self, seed: u64, case: M::Case) -> Others<M> {
        let (change, left) = (self.change, self.number.saturating_sub(1));
        Others { change, random: SplitMix64::new(!seed), case, left }
    }
}

/// The other starts of a program, one after the other.
pub(crate) struct Others<M: Machine> {
    change: fn(&mut SplitMix64, &mut M::Case),
    random: SplitMix64,
    case: M::Case,
    left: usize,
}

impl<M: Machine> Others<M> {
    /// The next one, in the place of the one before it.
    pub(crate) fn next_case(&mut self) -> Option<&M::Case> {
        self.left = self.left.checked_sub(1)?;
        (self.change)(&mut self.random, &mut self.case);
        Some(&self.case)
    }
}

/// Each as a case of its own.
impl<M: Machine> Iterator for Others<M> {
    type Item = M::Case;

    fn next(&mut self) -> Option<M::Case> {
        self.next_case().cloned()
    }
}
