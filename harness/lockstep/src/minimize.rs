//! Brings a failing case down to what the failure needs, by leaving things out and trying again.

pub mod steps;

use std::{mem::discriminant, time::Instant};

use parallax_isa::{Engine, EngineError, Image, Reference};

use crate::{
    form::Form,
    lockstep::{Difference, Pace, Run, before, run_at},
    subject::Subject,
    suite::ShrinkLimits,
};

/// What can be left out of a machine's cases.
pub trait Shrink: Subject {
    /// Cases that are a little simpler than this one, the boldest simplifications first. `step` is
    /// the number of the step that differs. None if nothing is left to simplify; whatever chain of
    /// candidates is taken, it ends.
    fn simpler(case: &Self::Case, step: u64) -> Box<dyn Iterator<Item = Self::Case> + '_>;

    /// Number of instructions, groups or operations in a case.
    fn length(case: &Self::Case) -> usize;
}

/// Runs of the engines that a minimisation may take.
pub const ATTEMPTS: usize = 6000;

/// Runs of those in which an engine may not answer: each of them takes seconds.
const SILENT_ATTEMPTS: usize = 5;

/// What came of a minimisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimized<C> {
    /// The smaller case.
    pub case: C,
    /// How many candidates were tried.
    pub attempts: usize,
    /// The pace at which the engines differ on it.
    pub pace: Pace,
}

/// Simplifies a case as long as the engines still differ in the same way at an instruction of the same
/// mnemonic. A case on which they do not differ stays as it is.
pub fn minimize<M: Shrink>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
) -> Minimized<M::Case> {
    minimize_repeated(reference, engine, case, 1)
}

/// [`minimize`] of a case on which the engines may differ only when it is run so often in a row.
pub(crate) fn minimize_repeated<M: Shrink>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    runs: u64,
) -> Minimized<M::Case> {
    minimize_within(reference, engine, case, runs, &ShrinkLimits::default())
}

/// The same within limits.
pub(crate) fn minimize_within<M: Shrink>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    runs: u64,
    limits: &ShrinkLimits,
) -> Minimized<M::Case> {
    let start = Instant::now();
    let paces = [Pace::Steps, Pace::Repeated { runs }];
    let found = paces
        .into_iter()
        .take(if runs > 1 { 2 } else { 1 })
        .find_map(|pace| failure(reference, engine, case, pace).map(|failure| (failure, pace)));
    let Some((first, pace)) = found else {
        return Minimized { case: case.clone(), attempts: 0, pace: Pace::Steps };
    };
    let others = limits.others.iter().filter(|other| !other.is_of(&first.form));
    let mut silent = 0;
    let (case, _, attempts) = smallest::<M>(case, first.step, |candidate| {
        if silent == SILENT_ATTEMPTS || limits.time.is_some_and(|time| start.elapsed() >= time) {
            return Tried::Over;
        }
        let Some(failure) = failure(reference, engine, candidate, pace) else { return Tried::Lost };
        silent += usize::from(failure.is_silent());
        let is_same =
            failure.is_like(&first) && !others.clone().any(|other| other.is_of(&failure.form));
        if is_same { Tried::Kept { step: failure.step } } else { Tried::Lost }
    });
    Minimized { case, attempts, pace }
}

/// What a candidate of a search is.
pub(crate) enum Tried {
    /// It has lost what is looked for.
    Lost,
    /// It has it, at this step.
    Kept {
        /// The step.
        step: u64,
    },
    /// Nothing more is tried.
    Over,
}

/// The smallest case that has what a case has at a step, that step, and how many candidates were tried.
pub(crate) fn smallest<M: Shrink>(
    case: &M::Case,
    mut step: u64,
    mut check: impl FnMut(&M::Case) -> Tried,
) -> (M::Case, u64, usize) {
    let mut case = case.clone();
    let (mut attempts, mut is_over) = (0, false);
    // Candidates that were refused before an accepted one are likely to be refused again: the
    // search goes on behind them and starts over only when it has come to the end.
    let mut skip = 0;
    let mut progress = true;
    while (progress || skip > 0) && !is_over {
        if !progress {
            skip = 0;
        }
        progress = false;
        let found =
            M::simpler(&case, step).enumerate().skip(skip).find_map(|(index, candidate)| {
                is_over |= attempts == ATTEMPTS;
                // A change that machine code does not hold would be tried for ever.
                if is_over || candidate == case {
                    return None;
                }
                attempts += 1;
                match check(&candidate) {
                    Tried::Lost => None,
                    Tried::Kept { step } => Some((index, step, candidate)),
                    Tried::Over => {
                        is_over = true;
                        None
                    }
                }
            });
        if let Some((index, at, smaller)) = found {
            // What is earlier needs less of its program: the boldest candidates come again.
            skip = if at < step { 0 } else { index };
            (step, case, progress) = (at, smaller, true);
        }
    }
    (case, step, attempts)
}

/// How a case fails.
struct Failure {
    step: u64,
    /// The mnemonic of what writes the first place that differs; several, with `+` between them, if it may be one of
    /// them.
    writer: String,
    form: Form,
    /// Whether nothing but flags differs.
    is_of_flags: bool,
    difference: Difference,
}

impl Failure {
    fn is_silent(&self) -> bool {
        matches!(self.difference, Difference::Failure { error: EngineError::TimedOut(_), .. })
    }

    /// Whether another case fails in the same way: another refusal, another panic, or another effect,
    /// of an instruction of the same mnemonic; flags alone are another effect than results.
    fn is_like(&self, other: &Self) -> bool {
        use Difference::{Failure, Load};
        let in_the_same_way = match (&self.difference, &other.difference) {
            (Load { expected, .. }, Load { expected: other, .. }) => {
                expected.is_some() == other.is_some()
            }
            (Failure { engine, error }, Failure { engine: other_engine, error: other }) => {
                engine == other_engine && discriminant(error) == discriminant(other)
            }
            (Load { .. } | Failure { .. }, _) | (_, Load { .. } | Failure { .. }) => false,
            _ => true,
        };
        let is_same_kind = self.is_of_flags == other.is_of_flags;
        in_the_same_way && is_same_kind && self.is_written_by(other)
    }

    /// Whether what differs is written by one of those that write what differs in another case.
    fn is_written_by(&self, other: &Self) -> bool {
        let mut writers = self.writer.split('+');
        writers.all(|writer| other.writer.split('+').any(|other| other == writer))
    }
}

/// How a case fails at a pace, if it does.
fn failure<M: Subject>(
    reference: &mut dyn Reference<M>,
    engine: &mut dyn Engine<M>,
    case: &M::Case,
    pace: Pace,
) -> Option<Failure> {
    let Run::Diverged { step, difference, .. } = run_at(pace, reference, engine, case) else {
        return None;
    };
    let before = before(reference, engine, case, step, &difference)?;
    let place = difference.first_place();
    let is_of_flags = match &difference {
        Difference::State(mismatches) => {
            mismatches.iter().all(|place| M::State::bank(place.offset).name == "f")
        }
        _ => false,
    };
    let (writer, form) = (M::kept_writer(case, &before, &place), M::form(case, &before, &place));
    Some(Failure { step, writer, form, is_of_flags, difference })
}
