//! The engines of each machine.

use parallax_isa::Outcome;
use parallax_lockstep::{Subject, eu::Eu, r700::R700, surface::Surface};

/// A machine whose runs the command shows.
pub(crate) trait Engines: Subject {
    /// How a run ends when the last instruction is a step of its own.
    const LAST_STEP: Outcome;
}

impl Engines for Eu {
    const LAST_STEP: Outcome = Outcome::EndOfThread;
}

impl Engines for R700 {
    const LAST_STEP: Outcome = Outcome::Halted;
}

impl Engines for Surface {
    // After the last operation comes a step that finds nothing to do.
    const LAST_STEP: Outcome = Outcome::EndOfThread;
}
