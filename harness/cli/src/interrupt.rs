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
