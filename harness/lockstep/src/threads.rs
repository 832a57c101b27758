//! Threads that may have to be left behind. A thread cannot be killed: one in which an engine never
//! comes back stays until the program ends. It is made to stand back for all others.

use std::{
    io,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

/// A thread that runs until its work is done.
pub(crate) struct Leavable {
    id: Arc<OnceLock<Id>>,
}

#[cfg(target_os = "linux")]
type Id = rustix::thread::Pid;
#[cfg(not(target_os = "linux"))]
type Id = ();

impl Leavable {
    /// Starts a thread.
    ///
    /// # Errors
    /// If the system has no more.
    pub(crate) fn start(work: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let id = Arc::new(OnceLock::new());
        let own = Arc::clone(&id);
        thread::Builder::new().spawn(move || {
            let _ = own.set(current());
            work();
        })?;
        Ok(Self { id })
    }

    /// How long it was ready to run so far while others had the processors; zero where the system
    /// does not say it. So a slow engine can be told from a busy machine.
    pub(crate) fn kept_waiting(&self) -> Duration {
        self.id.get().and_then(|id| kept_waiting(*id)).unwrap_or_default()
    }

    /// Leaves the thread to itself: from now on it gets the time that no other thread wants.
    pub(crate) fn leave(self) {
        if let Some(id) = self.id.get() {
            stand_back(*id);
        }
    }
}

/// How long a thread has been silent after one more check: the time since the last one counts, less what it waited for
/// a processor. The system reports a wait when it is over; it may have begun many checks ago.
pub(crate) fn silent_for(before: Duration, poll: Duration, kept: Duration) -> Duration {
    (before + poll).saturating_sub(kept)
}

#[cfg(target_os = "linux")]
fn current() -> Id {
    rustix::thread::gettid()
}

#[cfg(target_os = "linux")]
fn stand_back(thread: Id) {
    /// The lowest there is.
    const LOWEST: i32 = 19;
    // Where the system does not allow it, others wait a little longer.
    let _ = rustix::process::setpriority_process(Some(thread), LOWEST);
}

#[cfg(target_os = "linux")]
fn kept_waiting(thread: Id) -> Option<Duration> {
    let thread = thread.as_raw_nonzero();
    // Nanoseconds on a processor, nanoseconds in the queue for one, and how often it came on.
    let times = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    let queued = times.split_ascii_whitespace().nth(1)?;
    queued.parse().ok().map(Duration::from_nanos)
}

#[cfg(not(target_os = "linux"))]
fn kept_waiting((): Id) -> Option<Duration> {
    None
}

#[cfg(not(target_os = "linux"))]
fn current() -> Id {}

#[cfg(not(target_os = "linux"))]
fn stand_back((): Id) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use super::*;

    #[test]
    fn a_long_wait_for_a_processor_is_no_silence() {
        let look = Duration::from_millis(100);
        let looks = |kept: [u64; 4]| {
            kept.map(Duration::from_millis)
                .into_iter()
                .fold(Duration::ZERO, |silent, kept| silent_for(silent, look, kept))
        };
        assert_eq!(looks([0, 0, 0, 0]), 4 * look);
        assert_eq!(looks([100, 100, 100, 100]), Duration::ZERO);
        assert_eq!(looks([0, 0, 0, 400]), Duration::ZERO, "said at its end");
        assert_eq!(looks([0, 250, 0, 0]), 2 * look);
    }

    /// Two threads that never rest wait for each other on one processor; one that rests does not.
    #[test]
    fn who_shares_a_processor_is_kept_waiting() {
        let stop = Arc::new(AtomicBool::new(false));
        let allowed = sched_getaffinity(None).expect("the processors of this thread");
        let first = (0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).expect("a processor");
        let spinning = [(); 2].map(|()| {
            let stop = Arc::clone(&stop);
            Leavable::start(move || {
                let mut one = CpuSet::new();
                one.set(first);
                sched_setaffinity(None, &one).expect("one of those that are allowed");
                while !stop.load(Ordering::Relaxed) {}
            })
            .expect("a thread")
        });
        let resting = Leavable::start(thread::park).expect("a thread");
        while spinning.iter().any(|thread| thread.kept_waiting() < Duration::from_millis(50)) {
            thread::sleep(Duration::from_millis(1));
        }
        stop.store(true, Ordering::Relaxed);
        let before = resting.kept_waiting();
        thread::sleep(Duration::from_millis(20));
        assert_eq!(resting.kept_waiting(), before);
    }
}
