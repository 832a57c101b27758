//! Ctrl-C.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::failure::Failure;

/// What is set once the user wants a command to end. The first Ctrl-C (or request to terminate) ends it in
/// good order, the second at once.
pub(crate) fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let cancel = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&cancel);
    ctrlc::set_handler(move || {
        if heard.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::input(format!("cannot listen for Ctrl-C: {error}")))?;
    Ok(cancel)
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
