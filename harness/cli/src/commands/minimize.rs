//! `parallax minimize`: brings a trace on which the engines differ down to what the difference needs.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    failure::{Ending, Failure},
    files, output,
    traces::File,
    under_test::Allowed,
};

/// Bring a trace on which the engines differ down to a few instructions
///
/// Leaves out instructions, channels, features of operands and register contents as long as
/// reference and engine still differ at an instruction of the same name. Without --output the smaller
/// trace replaces the file. Exits with 1: a difference is there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax minimize finding.trace
  parallax minimize finding.trace -o small.trace")]
pub(crate) struct Arguments {
    /// The trace
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The trace file to write [default: the trace itself]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Engine that differs: executor, `cmd:` and what starts another, `unix:` and its socket
    #[arg(long, default_value = "executor")]
    engine: String,
    #[command(flatten)]
    allowed: Allowed,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `minimize`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'a> {
    /// The trace that was written.
    #[serde(serialize_with = "output::path_text")]
    file: &'a Path,
    /// The machine.
    machine: &'static str,
    /// Number of instructions before.
    instructions_before: usize,
    /// Number of instructions after.
    instructions_after: usize,
    /// Number of smaller cases that were tried.
    attempts: usize,
    /// How the engines differ, in words.
    divergence: String,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let file = File::read(&self.file)?;
        let small = file.machine.minimize(&file.bytes, &self.allowed.engine(&self.engine)?);
        let small = small.map_err(|problem| file.failure(&problem))?;
        let output = self.output.as_deref().unwrap_or(&self.file);
        files::write(output, &small.trace)?;
        let json = Json {
            file: output,
            machine: file.machine.name(),
            instructions_before: small.before,
            instructions_after: small.after,
            attempts: small.attempts,
            divergence: small.divergence.to_string(),
        };
        if self.json {
            output::print_json(&json);
        } else {
            output::print(format!(
                "{}: {} of {} left after {}\n{}",
                output.display(),
                output::counted(json.instructions_after as u64, "instruction"),
                json.instructions_before,
                output::counted(json.attempts as u64, "attempt"),
                json.divergence
            ));
        }
        Ok(Ending::Found)
    }
}
