//! Heartbeats of threads that run cases. A thread beats whenever its case makes progress, so that a watcher can tell a
//! long case from an engine that hangs.

use std::{
    cell::RefCell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// The heartbeat of one thread.
#[derive(Debug, Default)]
pub(crate) struct Heartbeat {
    beats: AtomicU64,
    seed: AtomicU64,
}

thread_local! {
    static HEARTBEAT: RefCell<Option<Arc<Heartbeat>>> = const { RefCell::new(None) };
}

impl Heartbeat {
    /// Beats so far.
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

/// Gives this thread a heartbeat.
pub(crate) fn show(heartbeat: Arc<Heartbeat>) {
    HEARTBEAT.set(Some(heartbeat));
}

/// Beats, if this thread has a heartbeat.
pub(crate) fn beat() {
    HEARTBEAT.with_borrow(|heartbeat| heartbeat.iter().for_each(|heartbeat| heartbeat.beat()));
}

/// Says that this thread begins the case of a seed.
pub(crate) fn begin(seed: u64) {
    HEARTBEAT.with_borrow(|heartbeat| {
        if let Some(heartbeat) = heartbeat {
            heartbeat.seed.store(seed, Ordering::Release);
            heartbeat.beat();
        }
    });
}
