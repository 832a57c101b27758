//! `parallax export` and `parallax import`: traces as JSON.

use std::path::PathBuf;

use clap::Args;
use parallax_lockstep::{registry, trace};
use serde_json::Value;

use crate::{
    failure::{Ending, Failure},
    files, output, traces,
    traces::File,
};

/// Write a trace as JSON, for programs that do not read trace files
///
/// Case, effects of each step, what else is accepted, and the digest of the last state; bytes are hex
/// digits. `parallax import` reads it back.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  parallax export traces/g45/break-0.trace -o break.json")]
pub(crate) struct Export {
    /// The trace
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The JSON file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let file = File::read(&self.file)?;
        let json = file.machine.export(&file.bytes).map_err(|problem| file.failure(&problem))?;
        match &self.output {
            None => output::print_json(&json)?,
            Some(path) => files::write(path, format!("{json:#}\n").as_bytes())?,
        }
        Ok(Ending::Success)
    }
}

/// Write a trace file from the JSON of `parallax export`
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  parallax import break.json -o break.trace")]
pub(crate) struct Import {
    /// The JSON (- is standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The trace file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

impl Import {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let bytes = files::read(&self.file, trace::LARGEST_FILE, "a trace in JSON")?;
        let failure = |error: &dyn ToString| traces::failure(&self.file, &error.to_string());
        let json: Value = serde_json::from_slice(&bytes).map_err(|error| failure(&error))?;
        let name = trace::machine_of_json(&json).map_err(|error| failure(&error))?;
        let machine = registry::machine(name).ok_or_else(|| {
            failure(&format!(
                "the trace is for the machine `{name}`, which this program does not have"
            ))
        })?;
        let trace = machine.import(&json).map_err(|problem| failure(&problem))?;
        files::write(&self.output, &trace)?;
        output::print(format!("{}: a trace of the machine `{name}`", self.output.display()))?;
        Ok(Ending::Success)
    }
}
