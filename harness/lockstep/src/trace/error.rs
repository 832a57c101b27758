//! What can be wrong with a trace.

use std::{io, path::PathBuf};

use parallax_isa::{EngineError, LoadError};

use super::limits::{LARGEST_FILE, MOST_RECORDED, MOST_STEPS, VERSION};

/// A trace that cannot be read, written or recorded.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file system refused.
    #[error("{path}: cannot {action}: {error}", path = path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// `read`, `write`.
        action: &'static str,
        /// Why.
        error: io::Error,
    },
    /// Too large to be a trace.
    #[error("not a trace: it has {0} bytes or more, and no trace has more than {LARGEST_FILE}")]
    TooLarge(u64),
    /// Another kind of file.
    #[error("not a trace: it does not start with `PLXTRACE`")]
    NotATrace,
    /// Of another version of the format.
    #[error(
        "the trace is of version {0}, and this program reads version {VERSION}; {advice}",
        advice = if *.0 > VERSION { "use a newer one" } else { "record it again" }
    )]
    Version(u32),
    /// Cut off or changed.
    #[error("the trace is damaged: {0}")]
    Damaged(String),
    /// Of another machine.
    #[error("the trace is for the machine `{actual}`, and `{expected}` was expected")]
    Machine {
        /// The machine asked for.
        expected: &'static str,
        /// The machine in the file.
        actual: String,
    },
    /// The case does not start.
    #[error("the case cannot be run: {0}")]
    Load(#[from] LoadError),
    /// The engine whose run is recorded failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// More steps than a trace can hold.
    #[error("the run has more than {MOST_STEPS} steps; lower its step limit")]
    TooLong,
    /// How its run ends is not decided, so that nobody can be held to the end alone.
    #[error("its end says nothing: {0}")]
    OpenEnd(&'static str),
    /// More in its steps than is kept while they are recorded.
    #[error(
        "what the first {0} steps of the run do comes to more than {most} MiB; lower its step limit",
        most = MOST_RECORDED >> 20
    )]
    TooMuch(usize),
    /// It cannot be put into bytes.
    #[error("the trace cannot be written: {0}")]
    Encode(String),
}

/// The error of content that is not as it was written.
pub(super) fn damaged(what: impl ToString) -> TraceError {
    TraceError::Damaged(what.to_string())
}
