//! How a command ends: what its exit code says, and the errors that end it early.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use parallax_isa::EngineError;
use parallax_lockstep::{
    escape,
    subject::{NoEngine, UnknownEngine},
};

use crate::output;

/// How a command that did its work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Everything agrees, is legal, was written.
    Success,
    /// What was looked for, a difference or an illegal instruction, was found.
    Found,
    /// Nothing was found, but not everything was run: it says nothing.
    Incomplete,
    /// The user stopped it.
    Interrupted,
    /// What a reducer of test cases looks for is not there.
    Uninteresting,
    /// Nothing can be said of what was given: it is outside of what the model has, or of what was asked for.
    NotSupported,
    /// What was given shows that the engines differ, so that nothing can be said of it.
    EnginesDiffer,
}

impl Ending {
    /// [`Ending::Found`] if something was found.
    pub(crate) fn found(something: bool) -> Self {
        if something { Self::Found } else { Self::Success }
    }
}

impl Ending {
    /// The exit code. What was found stands whatever became of standard output; output that was lost, other than
    /// to a reader that closed the pipe, makes an error of a success.
    pub(crate) fn report(self) -> ExitCode {
        let lost = output::error();
        if let Some(error) = lost {
            note(format_args!("error: cannot write to standard output: {error}"));
        }
        ExitCode::from(match self {
            Self::Success if lost.is_some() => 2,
            ending => ending.code(),
        })
    }

    /// The exit code, if all output was taken.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Found | Self::Uninteresting => 1,
            Self::Incomplete => 2,
            Self::NotSupported => 3,
            Self::EnginesDiffer => 4,
            Self::Interrupted => 130,
        }
    }
}

/// Why a command could not do its work: exit code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something about the arguments or the input: what, where, what was expected.
    #[error("{0}")]
    Input(String),
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// `read`, `write`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No engine has the name.
    #[error(transparent)]
    Engine(#[from] UnknownEngine),
    /// An engine cannot be put under test.
    #[error(transparent)]
    Untestable(#[from] NoEngine),
    /// An engine failed.
    #[error(transparent)]
    Lost(#[from] EngineError),
    /// Standard output failed.
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
}

impl Failure {
    /// An error about the arguments or the input.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// An error of a file.
    pub(crate) fn file(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File { action, path: path.to_owned(), source }
    }

    /// Says what went wrong and gives the exit code. A reader that closed the pipe has all it wanted: that is
    /// no error.
    pub(crate) fn report(self) -> ExitCode {
        match &self {
            Self::Output(source) if source.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            _ => {
                note(format_args!("error: {self}"));
                ExitCode::from(2)
            }
        }
    }
}

/// How messages begin, and in which colour where colours are shown: as those of the argument parser.
const SEVERITIES: [(&str, Style); 2] = [
    ("error:", AnsiColor::Red.on_default().bold()),
    ("warning:", AnsiColor::Yellow.on_default().bold()),
];

/// Says something beside the output; foreign text in it is escaped. That nobody listens any more is no error.
pub(crate) fn note(text: impl std::fmt::Display) {
    let text = text.to_string();
    let text = escape::lines(&text);
    let severity = SEVERITIES.iter().find(|(word, _)| text.starts_with(word));
    let _ = match severity {
        Some((word, style)) => {
            writeln!(anstream::stderr(), "{style}{word}{style:#}{}", &text[word.len()..])
        }
        None => writeln!(io::stderr(), "{text}"),
    };
}
