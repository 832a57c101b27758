//! `parallax import`: traces from the JSON of `parallax export`, and cases from what other tools recorded.

mod list;
mod program;

use std::path::PathBuf;

use clap::Args;
use parallax_isa::Device;
use parallax_lockstep::{registry, trace};
use serde_json::Value;

pub(crate) use self::{list::Json as List, program::Json as Program};
use crate::{
    container::{self, Container, Kernel},
    failure::{Ending, Failure},
    files, number, output, traces,
};

/// Write a trace from the JSON of `parallax export`, or from a program and its state as another tool recorded them
///
/// The content says what the file is. In i915 error states, AUB traces, shader files of GX2, DPM4 captures and the
/// other files that `parallax kernels` reads, --list shows the programs: device, stage, channels of a thread, address
/// and size, the state that was found with each, and what is missing. --program records one of them: its machine code,
/// and of its surfaces, samplers and declarations those that a case has room for, run on the reference and held against
/// the executor as by `parallax record`. What is not in the file is zero; nothing is guessed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax import break.json -o break.trace
  parallax import /sys/class/drm/card0/error --list
  parallax import hang.error --program 'compute 0x20040' -o hang.trace
  parallax import submit.aub --list --json")]
pub(crate) struct Arguments {
    /// The file (- is standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// List the programs of a recording and the state that it has of them
    #[arg(long, conflicts_with_all = ["output", "program", "device"])]
    list: bool,
    /// Program of a recording, as --list names it [default: the only one]
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Device of a recording that does not name one of bw, cl, ctg, g45, ivb, skl, dg1, rv770
    #[arg(long)]
    device: Option<Device>,
    /// Steps after which the run of a program is stopped
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000, value_parser = number::within(0..=u64::MAX), allow_negative_numbers = true)]
    step_limit: u64,
    /// The trace file to write
    #[arg(long, short, value_name = "FILE", required_unless_present = "list")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let limit = |head: &[u8]| {
            if Container::begins(head) { container::LARGEST } else { trace::LARGEST_FILE }
        };
        let bytes = files::read_by_head(&self.file, limit, "a trace in JSON or a recording")?;
        match Container::read(&bytes) {
            Some(container) => self.recording(&container.map_err(|wrong| self.failure(&wrong))?),
            None => self.exported(&bytes),
        }
    }

    fn failure(&self, wrong: &impl ToString) -> Failure {
        traces::failure(&self.file, wrong)
    }

    /// Imports a recording.
    fn recording(&self, container: &Container) -> Result<Ending, Failure> {
        match &self.output {
            Some(output) => self.program(container, output),
            None => {
                list::print(container, self.json);
                Ok(Ending::Success)
            }
        }
    }

    /// Imports what `parallax export` wrote.
    fn exported(&self, bytes: &[u8]) -> Result<Ending, Failure> {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if first != Some(&b'{') {
            return Err(self.failure(
                &"is neither a trace in JSON, which begins with {, nor one of the files that `parallax kernels --help` names",
            ));
        }
        let given = [
            ("--list", self.list),
            ("--program", self.program.is_some()),
            ("--device", self.device.is_some()),
        ];
        if let Some((name, _)) = given.iter().find(|(_, given)| *given) {
            return Err(self.failure(&format!("is JSON: {name} is for recordings of other tools")));
        }
        let json: Value = serde_json::from_slice(bytes).map_err(|error| self.failure(&error))?;
        let name = trace::machine_of_json(&json).map_err(|error| self.failure(&error))?;
        let machine = registry::machine(name).ok_or_else(|| {
            self.failure(&format!(
                "the trace is for the machine `{name}`, which this program does not have"
            ))
        })?;
        let trace = machine.import(&json).map_err(|problem| self.failure(&problem))?;
        let output = self.output.as_ref().expect("it is required without --list");
        files::write(output, &trace)?;
        output::print(format!("{}: a trace of the machine `{name}`", output.display()));
        Ok(Ending::Success)
    }
}

/// What is missing of a program.
fn missing(kernel: &Kernel) -> Vec<String> {
    let mut missing = kernel.recorded.missing.clone();
    if kernel.has_launch() {
        missing.push("arguments and work items: `parallax exec --global` gives them".to_owned());
    }
    if !kernel.relocations.is_empty() {
        missing.push("addresses of constants and variables in its code".to_owned());
    }
    missing
}
