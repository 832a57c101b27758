//! A Unix socket as the other side: an engine that lives longer than a campaign, and takes a connection for
//! each job.

use std::{
    fs,
    io::{self, ErrorKind, Read, Write},
    net::Shutdown,
    os::unix::{fs::FileTypeExt, net::UnixStream},
    path::Path,
    time::{Duration, Instant},
};

use super::wire::{Broken, Wire};
use crate::heartbeat;

/// Time between two signs of life while an engine is waited for.
const BEAT: Duration = Duration::from_millis(200);
/// Bytes read at once.
const CHUNK: usize = 1 << 16;

/// A connection.
pub(super) struct Socket {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl Socket {
    /// Connects to the engine that listens at a path.
    ///
    /// # Errors
    /// If none does: why, in a sentence.
    pub(super) fn connect(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        if path.as_os_str().is_empty() {
            return Err("the path after `unix:` is empty".to_owned());
        }
        match fs::metadata(path) {
            Ok(file) if !file.file_type().is_socket() => {
                return Err(format!("{shown} is no socket"));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(format!("there is no socket {shown}: is the engine running?"));
            }
            Err(error) => return Err(format!("cannot connect to {shown}: {error}")),
            Ok(_) => {}
        }
        let stream = UnixStream::connect(path).map_err(|error| match error.kind() {
            ErrorKind::ConnectionRefused => {
                format!("nobody listens at {shown}: the engine that made it has ended")
            }
            _ => format!("cannot connect to {shown}: {error}"),
        })?;
        Ok(Self { stream, buffer: vec![0; CHUNK] })
    }
}

/// Does something with a stream until it is done, in the time that is left.
fn until<T>(
    left: &mut Duration,
    mut step: impl FnMut(Duration) -> io::Result<Option<T>>,
) -> Result<T, Broken> {
    loop {
        let start = Instant::now();
        // No time at all would be for ever.
        let done = step((*left).clamp(Duration::from_millis(1), BEAT));
        *left = left.saturating_sub(start.elapsed());
        match done {
            Ok(Some(done)) => return Ok(done),
            Err(error) if !is_passing(error.kind()) => return Err(Broken::Ended),
            _ if left.is_zero() => return Err(Broken::Late),
            _ => heartbeat::beat(),
        }
    }
}

/// Whether something may be tried again.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

impl Wire for Socket {
    fn send(&mut self, bytes: &[u8], left: &mut Duration) -> Result<(), Broken> {
        let mut out = bytes;
        until(left, |wait| {
            self.stream.set_write_timeout(Some(wait))?;
            let written = self.stream.write(out)?;
            out = &out[written..];
            Ok(out.is_empty().then_some(()))
        })
    }

    fn receive(&mut self, buffer: &mut Vec<u8>, left: &mut Duration) -> Result<(), Broken> {
        until(left, |wait| {
            self.stream.set_read_timeout(Some(wait))?;
            match self.stream.read(&mut self.buffer)? {
                0 => Err(ErrorKind::UnexpectedEof.into()),
                number => {
                    buffer.extend(&self.buffer[..number]);
                    Ok(Some(()))
                }
            }
        })
    }

    fn end(&mut self) -> String {
        let _ = self.stream.shutdown(Shutdown::Both);
        "the connection is closed".to_owned()
    }
}
