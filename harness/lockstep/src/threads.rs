//! Threads that may have to be left behind. A thread cannot be killed: one in which an engine never
//! comes back stays until the program ends. It is made to stand back for all others.

use std::{
    io,
    sync::{Arc, OnceLock},
    thread,
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

    /// Leaves the thread to itself: from now on it gets the time that no other thread wants.
    pub(crate) fn leave(self) {
        if let Some(id) = self.id.get() {
            stand_back(*id);
        }
    }
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

#[cfg(not(target_os = "linux"))]
fn current() -> Id {}

#[cfg(not(target_os = "linux"))]
fn stand_back((): Id) {}
