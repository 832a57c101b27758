//! In which order the threads of a group take their steps.

use std::{fmt, str::FromStr};

use crate::random::SplitMix64;

/// An order of steps. The same one gives the same run every time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// One thread after the other, each up to where it waits for the others.
    #[default]
    Barrier,
    /// The same from the last thread on.
    Reversed,
    /// One instruction of each thread in turn.
    Instruction,
    /// A thread drawn from a seed, for up to so many instructions as are drawn.
    Drawn(u64),
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "barrier" => Ok(Self::Barrier),
            "reversed" => Ok(Self::Reversed),
            "instruction" => Ok(Self::Instruction),
            _ => text.parse().map(Self::Drawn).map_err(|_| {
                "expected barrier, reversed, instruction, or a number as seed".to_owned()
            }),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Barrier => f.write_str("barrier"),
            Self::Reversed => f.write_str("reversed"),
            Self::Instruction => f.write_str("instruction"),
            Self::Drawn(seed) => seed.fmt(f),
        }
    }
}

/// The turns of the threads of a group.
pub(super) struct Turns {
    schedule: Schedule,
    last: usize,
    random: SplitMix64,
}

impl Turns {
    /// Those of a group, by its number.
    pub(super) fn new(schedule: Schedule, group: u64) -> Self {
        let seed = if let Schedule::Drawn(seed) = schedule { seed } else { 0 };
        let random = SplitMix64::new(SplitMix64::new(seed).next() ^ group);
        Self { schedule, last: usize::MAX, random }
    }

    /// The thread that is next of those that run, in order, and for how many instructions at most.
    pub(super) fn next(&mut self, running: &[usize]) -> Option<(usize, u64)> {
        /// Most instructions in a row where they are drawn.
        const DRAWN: u64 = 32;
        let (first, last) = (*running.first()?, *running.last()?);
        let (thread, instructions) = match self.schedule {
            Schedule::Barrier => (first, u64::MAX),
            Schedule::Reversed => (last, u64::MAX),
            Schedule::Instruction => {
                let behind = running.iter().find(|thread| **thread > self.last);
                (behind.copied().unwrap_or(first), 1)
            }
            Schedule::Drawn(_) => (self.random.pick(running), 1 + self.random.below(DRAWN)),
        };
        self.last = thread;
        Some((thread, instructions))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("barrier", [0, 0, 0])]
    #[case("reversed", [3, 3, 3])]
    #[case("instruction", [0, 1, 3])]
    fn threads_take_turns(#[case] schedule: Schedule, #[case] expected: [usize; 3]) {
        let mut turns = Turns::new(schedule, 0);
        assert_eq!(expected.map(|_| turns.next(&[0, 1, 3]).expect("one runs").0), expected);
        assert_eq!(turns.next(&[]), None);
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }

    #[test]
    fn drawn_turns_are_those_of_the_seed() {
        let drawn = |seed, group| {
            let mut turns = Turns::new(Schedule::Drawn(seed), group);
            std::array::from_fn::<_, 16, _>(|_| turns.next(&[0, 1, 2, 3]))
        };
        assert_eq!(drawn(7, 0), drawn(7, 0));
        assert_ne!(drawn(7, 0), drawn(8, 0));
        assert_ne!(drawn(7, 0), drawn(7, 1));
    }
}
