//! The two engines of each machine.

use parallax_isa::Outcome;
use parallax_lockstep::{Engine, Machine, Reference, eu::Eu, r700::R700, surface::Surface};

/// A machine with both engines.
pub(crate) trait Engines: Machine {
    /// How a run ends when the last instruction is a step of its own.
    const LAST_STEP: Outcome;

    /// The engine whose word counts.
    fn reference() -> impl Reference<Self>;

    /// The engine under test.
    fn executor() -> impl Engine<Self>;
}

impl Engines for Eu {
    const LAST_STEP: Outcome = Outcome::EndOfThread;

    fn reference() -> impl Reference<Self> {
        parallax_reference::eu::Reference::new()
    }

    fn executor() -> impl Engine<Self> {
        parallax_executor::eu::Executor::new()
    }
}

impl Engines for R700 {
    const LAST_STEP: Outcome = Outcome::Halted;

    fn reference() -> impl Reference<Self> {
        parallax_reference::r700::Reference::new()
    }

    fn executor() -> impl Engine<Self> {
        parallax_executor::r700::Executor::new()
    }
}

impl Engines for Surface {
    // After the last operation comes a step that finds nothing to do.
    const LAST_STEP: Outcome = Outcome::EndOfThread;

    fn reference() -> impl Reference<Self> {
        parallax_reference::surface::Reference::new()
    }

    fn executor() -> impl Engine<Self> {
        parallax_executor::surface::Executor::new()
    }
}
