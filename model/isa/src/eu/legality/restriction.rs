//! Rows of the tables of restrictions that one instruction shows by itself: what each is about, and what
//! has to hold there.

use parallax_spec::{Practice, RuleId};

use super::{
    Violation,
    operands::{DestinationFacts, SourceFacts},
};
use crate::Device;

/// The practice of a row of a table, if it has one.
macro_rules! optional_practice {
    () => {
        None
    };
    ($name:literal) => {
        Some(parallax_spec::practice!($name))
    };
}
pub(super) use optional_practice as practice;

/// What the rows of a table ask about.
pub(super) trait Subject {
    /// An instruction.
    type Facts<'i>;
    /// Where the elements of a source are.
    type SourcePlaces: 'static;
    /// Where the elements of a destination are.
    type DestinationPlaces: 'static;
}

/// A restriction that one instruction shows by itself.
pub(super) struct Check<S: Subject> {
    /// The rule, then other rules that say the same.
    pub(super) rules: &'static [RuleId],
    pub(super) test: Test<S>,
    /// Why breaking it is less than illegal, where it is.
    pub(super) practice: Option<&'static Practice>,
    /// What is wrong when it does not hold, and how to fix it.
    pub(super) message: &'static str,
}

/// What a restriction is about, and what has to hold there.
pub(super) enum Test<S: Subject> {
    Instruction {
        about: fn(&S::Facts<'_>) -> bool,
        holds: fn(&S::Facts<'_>) -> bool,
    },
    Source {
        about: fn(&S::Facts<'_>, &SourceFacts<S::SourcePlaces>) -> bool,
        holds: fn(&S::Facts<'_>, &SourceFacts<S::SourcePlaces>) -> bool,
    },
    Destination {
        about: fn(&S::Facts<'_>, &DestinationFacts<S::DestinationPlaces>) -> bool,
        holds: fn(&S::Facts<'_>, &DestinationFacts<S::DestinationPlaces>) -> bool,
    },
}

impl<S: Subject> Check<S> {
    /// Judges an instruction with these operands.
    pub(super) fn apply<'o>(
        &self,
        device: Device,
        facts: &S::Facts<'_>,
        sources: impl Iterator<Item = &'o SourceFacts<S::SourcePlaces>>,
        destination: Option<&DestinationFacts<S::DestinationPlaces>>,
        violations: &mut Vec<Violation>,
    ) {
        match self.test {
            Test::Instruction { about, holds } => {
                if about(facts) {
                    self.judge(device, holds(facts), "", violations);
                }
            }
            Test::Source { about, holds } => {
                for source in sources.filter(|source| about(facts, source)) {
                    self.judge(device, holds(facts, source), source.name(), violations);
                }
            }
            Test::Destination { about, holds } => {
                if let Some(destination) = destination
                    && about(facts, destination)
                {
                    self.judge(device, holds(facts, destination), "destination: ", violations);
                }
            }
        }
    }

    fn judge(&self, device: Device, holds: bool, place: &str, violations: &mut Vec<Violation>) {
        if !holds {
            let violation = Violation::of(self.rules, format!("{place}{}", self.message));
            violations.push(violation.practised(device, self.practice));
        }
    }
}
