//! `parallax export` and `parallax import`: traces as JSON, and as tests of their own in C and Python.

mod test;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use parallax_lockstep::{registry, trace};
use serde_json::Value;

use crate::{
    failure::{Ending, Failure},
    files, output, traces,
    traces::File,
};

/// Write a trace for others: as JSON, or as a test in C or Python that needs nothing else
///
/// JSON has case, effects of each step, what else is accepted, and the digest of the last state; bytes
/// are hex digits. `parallax import` reads it back. A test is one file with the case, the end it comes to
/// and which bits of that are exact; an emulator stands behind one function, which is the same for all of
/// them, and the test prints what is wrong at the end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax export break.trace -o break.json
  parallax export break.trace --format c -o break.c && cc break.c my_emulator.c -o break
  parallax export break.trace --format python -o break.py && python3 break.py my_emulator")]
pub(crate) struct Export {
    /// The trace
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What a trace is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Everything, to be read back
    Json,
    /// A test in C99, for execution units and R700
    C,
    /// A test in Python 3, for execution units and R700
    Python,
}

impl Export {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let file = File::read(&self.file)?;
        let failure = |problem| file.failure(&problem);
        let text = match self.format {
            Format::Json => {
                output::to_json(&file.machine.export(&file.bytes).map_err(failure)?) + "\n"
            }
            format => {
                let test = file.machine.end_test(&file.bytes).map_err(failure)?;
                let name = self.output.as_ref().unwrap_or(&self.file).file_stem();
                let name = name.unwrap_or_default().to_string_lossy();
                test::of(&test, file.machine.name(), format, &name)
            }
        };
        match &self.output {
            None => output::print(text.trim_end()),
            Some(path) => files::write(path, text.as_bytes())?,
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
        output::print(format!("{}: a trace of the machine `{name}`", self.output.display()));
        Ok(Ending::Success)
    }
}
