//! What the trace commands need: reading trace files.

use std::path::{Path, PathBuf};

use parallax_lockstep::{
    registry::{self, AnyMachine, Problem},
    trace,
};

use crate::{failure::Failure, files};

/// A trace file of some machine.
pub(crate) struct File {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The machine it is for.
    pub(crate) machine: &'static dyn AnyMachine,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

impl File {
    /// Reads a trace file and holds that it is intact.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = files::read(path, trace::LARGEST_FILE, "a trace")?;
        let name = trace::machine_of(&bytes).map_err(|error| failure(path, &error))?;
        let machine = registry::machine(&name).ok_or_else(|| {
            let message =
                format!("the trace is for the machine `{name}`, which this program does not have");
            failure(path, &message)
        })?;
        Ok(Self { path: path.to_owned(), machine, bytes })
    }

    /// What is wrong with it, with its name.
    pub(crate) fn failure(&self, problem: &Problem) -> Failure {
        failure(&self.path, problem)
    }
}

/// What is wrong with a trace, with the file's name.
pub(crate) fn failure(path: &Path, error: &impl ToString) -> Failure {
    Failure::input(format!("{}: {}", path.display(), error.to_string()))
}
