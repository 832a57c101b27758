//! Brings a failing case down to what the failure needs, by leaving things out and trying again.

pub mod steps;

use parallax_isa::{Engine, Reference};

use crate::{
    lockstep::{Run, before, run},
    subject::Subject,
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

/// What came of a minimisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimized<C> {
    /// The smaller case.
    pub case: C,
    /// How many candidates were tried.
    pub attempts: usize,
}

/// Simplifies a case as long as the engines still differ at an instruction of the same mnemonic.
/// A case on which they do not differ stays as it is.
pub fn minimize<M: Shrink>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Minimized<M::Case> {
    let mut attempts = 0;
    let mut failing = case.clone();
    let Some((mut step, wanted)) = failure(reference, engine, &failing) else {
        return Minimized { case: failing, attempts };
    };
    // Candidates that were refused before an accepted one are likely to be refused again: the
    // search goes on behind them and starts over only when it has come to the end.
    let mut skip = 0;
    let mut progress = true;
    while progress || skip > 0 {
        if !progress {
            skip = 0;
        }
        progress = false;
        let found =
            M::simpler(&failing, step).enumerate().skip(skip).find_map(|(index, candidate)| {
                // A change that machine code does not hold would be tried for ever.
                if attempts == ATTEMPTS || candidate == failing {
                    return None;
                }
                attempts += 1;
                let (step, mnemonic) = failure(reference, engine, &candidate)?;
                (mnemonic == wanted).then_some((index, step, candidate))
            });
        if let Some((index, at, smaller)) = found {
            // What fails earlier needs less of its program: the boldest candidates come again.
            skip = if at < step { 0 } else { index };
            (step, failing, progress) = (at, smaller, true);
        }
        if attempts == ATTEMPTS {
            break;
        }
    }
    Minimized { case: failing, attempts }
}

/// Where a case fails: the step and the mnemonic of the instruction.
fn failure<M: Subject>(
    reference: &mut (impl Reference<M> + ?Sized),
    engine: &mut (impl Engine<M> + ?Sized),
    case: &M::Case,
) -> Option<(u64, String)> {
    let Run::Diverged { step, .. } = run(reference, engine, case) else { return None };
    Some((step, M::mnemonic(case, before(reference, engine, case, step)?)))
}
