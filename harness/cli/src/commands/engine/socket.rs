//! `parallax engine serve --socket`: an engine that lives long, with a connection for each job.

use std::path::Path;

use parallax_lockstep::Subject;

use super::Offer;
use crate::failure::{Ending, Failure};

/// Listens at a path and answers each connection with an engine of its own, until the process is ended.
#[cfg(unix)]
pub(super) fn listen<M: Subject>(offer: &Offer, path: &Path) -> Result<Ending, Failure> {
    use std::{
        fs,
        os::unix::{
            fs::FileTypeExt as _,
            net::{UnixListener, UnixStream},
        },
        thread,
    };

    use parallax_engine::serve;

    drop(offer.served::<M>()?);
    let failure = |error| Failure::file("listen at", path, error);
    if let Ok(there) = fs::metadata(path) {
        let refused = |why| Failure::input(format!("{}: {why}", path.display()));
        if !there.file_type().is_socket() {
            return Err(refused("it is there and no socket"));
        }
        if UnixStream::connect(path).is_ok() {
            return Err(refused("another engine listens there"));
        }
        // What an engine that has ended left over.
        fs::remove_file(path).map_err(failure)?;
    }
    let listener = UnixListener::bind(path).map_err(failure)?;
    for stream in listener.incoming() {
        let (stream, offer) = (stream.map_err(failure)?, offer.clone());
        let answer = move || {
            let Ok(mut served) = offer.served::<M>() else { return };
            // That the other side goes away is how a conversation ends.
            let _ = serve(&mut served, &stream, &stream);
        };
        thread::Builder::new().spawn(answer).map_err(failure)?;
    }
    Ok(Ending::Success)
}

/// There are no such sockets.
#[cfg(not(unix))]
pub(super) fn listen<M: Subject>(_: &Offer, _: &Path) -> Result<Ending, Failure> {
    Err(Failure::input("--socket needs Unix"))
}
