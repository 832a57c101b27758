//! Signals: Ctrl-C, requests to terminate, the limit of a file's size.

use std::{
    process,
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use parallax_lockstep::outside;

use crate::failure::Failure;

/// Set by an interrupt while a command listens for it.
static CANCEL: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether the command ends in good order by itself when it is interrupted.
static IS_LISTENED_TO: AtomicBool = AtomicBool::new(false);

/// What is set once the user wants a command to end. The first Ctrl-C (or request to terminate) ends it in
/// good order, the second at once.
pub(crate) fn listen() -> Result<Arc<AtomicBool>, Failure> {
    end_engines()?;
    IS_LISTENED_TO.store(true, Ordering::Relaxed);
    Ok(Arc::clone(&CANCEL))
}

/// Sees to it that an interrupt ends the processes of engines too: they are in groups of their own.
pub(crate) fn end_engines() -> Result<(), Failure> {
    static HANDLER: OnceLock<Result<(), String>> = OnceLock::new();
    let set = HANDLER.get_or_init(|| {
        let interrupted = || {
            let is_first = !CANCEL.swap(true, Ordering::Relaxed);
            if !(is_first && IS_LISTENED_TO.load(Ordering::Relaxed)) {
                outside::end_all();
                process::exit(130);
            }
        };
        ctrlc::set_handler(interrupted).map_err(|error| error.to_string())
    });
    set.clone().map_err(|error| Failure::input(format!("cannot listen for Ctrl-C: {error}")))
}

/// Lets writing beyond the limit of a file's size (`ulimit -f`) fail as on a full disk, where it would end the
/// process: the signal is blocked in this thread and those that it starts. Engines start without that.
pub(crate) fn fail_at_file_size_limit() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        // Where it cannot be blocked the process ends at the limit.
        let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
    }
}
