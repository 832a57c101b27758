//! Signs of life of threads that run cases. A thread that has taken up a case gives one whenever it
//! comes on; whoever waits for it can tell a long case from an engine that does not answer.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// What one thread shows of itself.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    beats: AtomicU64,
    seed: AtomicU64,
}

thread_local! {
    static PULSE: RefCell<Option<Arc<Pulse>>> = const { RefCell::new(None) };
}

impl Pulse {
    /// Signs given so far.
    pub(crate) fn beats(&self) -> u64 {
        self.beats.load(Ordering::Relaxed)
    }

    /// The seed of the case that is under way.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.load(Ordering::Acquire)
    }

    fn beat(&self) {
        // Only its own thread writes it.
        self.beats.store(self.beats() + 1, Ordering::Relaxed);
    }
}

/// Makes this thread show a pulse.
pub(crate) fn show(pulse: Arc<Pulse>) {
    PULSE.set(Some(pulse));
}

/// Gives a sign of life, if this thread shows a pulse.
pub(crate) fn beat() {
    PULSE.with_borrow(|pulse| pulse.iter().for_each(|pulse| pulse.beat()));
}

/// Says that this thread takes up the case of a seed.
pub(crate) fn take_up(seed: u64) {
    PULSE.with_borrow(|pulse| {
        if let Some(pulse) = pulse {
            pulse.seed.store(seed, Ordering::Release);
            pulse.beat();
        }
    });
}
