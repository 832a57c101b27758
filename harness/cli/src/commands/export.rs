//! `parallax export`: traces as JSON, and as tests of their own in C and Python.

mod test;

use std::path::PathBuf;

use crate::{
    failure::{Ending, Failure},
    files, output,
    traces::File,
};
use clap::{Args, ValueEnum};

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
