//! What the trace commands need: reading trace files, and the engines of the machine a trace is for.

use std::path::{Path, PathBuf};

use parallax_lockstep::{
    eu::Eu,
    minimize::Shrink,
    r700::R700,
    surface::Surface,
    trace::{self, Trace, TraceError},
};

use crate::{engines::Engines, eu, failure::Failure, files, r700};

/// A machine whose traces the command works with.
pub(crate) trait TraceMachine: Shrink + Engines {
    /// What a case starts from, for people: names and values.
    fn start(case: &Self::Case) -> Vec<(String, String)>;

    /// The program, for people: an instruction a line.
    fn program(case: &Self::Case) -> Vec<String>;
}

impl TraceMachine for Eu {
    fn start(case: &Self::Case) -> Vec<(String, String)> {
        eu::registers::changed(&case.state)
    }

    fn program(case: &Self::Case) -> Vec<String> {
        eu::program::lines(case.device, &case.program)
    }
}

impl TraceMachine for R700 {
    fn start(case: &Self::Case) -> Vec<(String, String)> {
        r700::registers::changed(&case.state)
    }

    fn program(case: &Self::Case) -> Vec<String> {
        r700::program::lines(&case.program)
    }
}

impl TraceMachine for Surface {
    fn start(case: &Self::Case) -> Vec<(String, String)> {
        let palettes = case.palettes.iter().enumerate().filter(|(_, entries)| !entries.is_empty());
        let hex = |entries: &[u32]| {
            let entries: Vec<_> = entries.iter().map(|entry| format!("{entry:08x}")).collect();
            entries.join(" ")
        };
        palettes.map(|(n, entries)| (format!("palette{n}"), hex(entries))).collect()
    }

    fn program(case: &Self::Case) -> Vec<String> {
        case.operations.iter().map(|operation| operation.describe(case.device)).collect()
    }
}

/// A trace file of some machine.
pub(crate) struct File {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The machine it names.
    pub(crate) machine: String,
    bytes: Vec<u8>,
}

impl File {
    /// Reads a trace file and holds that it is intact.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = files::read(path, trace::LARGEST_FILE, "a trace")?;
        let machine = trace::machine_of(&bytes).map_err(|error| failure(path, &error))?;
        Ok(Self { path: path.to_owned(), machine, bytes })
    }

    /// The trace, if it is for the machine `M`.
    pub(crate) fn trace<M: TraceMachine>(&self) -> Result<Trace<M>, Failure> {
        trace::from_bytes(&self.bytes).map_err(|error| failure(&self.path, &error))
    }

    /// The error of a trace for a machine that this program does not have.
    pub(crate) fn unknown_machine(&self) -> Failure {
        Failure::input(format!(
            "{}: the trace is for the machine `{}`, which this program does not have",
            self.path.display(),
            self.machine
        ))
    }
}

/// Steps a trace took; that a run is at its end is none.
pub(crate) fn steps<M: TraceMachine>(trace: &Trace<M>) -> usize {
    trace.steps.len().saturating_sub(usize::from(trace.outcome != M::LAST_STEP))
}

/// Writes a trace.
pub(crate) fn write<M: TraceMachine>(path: &Path, trace: &Trace<M>) -> Result<(), Failure> {
    let bytes = trace::to_bytes(trace).map_err(|error| failure(path, &error))?;
    files::write(path, &bytes)
}

/// What is wrong with a trace, with the file's name.
pub(crate) fn failure(path: &Path, error: &TraceError) -> Failure {
    Failure::input(format!("{}: {error}", path.display()))
}
