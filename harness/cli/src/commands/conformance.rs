//! `parallax conformance`: writes a conformance set, small traces of one instruction each.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use parallax_isa::Device;
use parallax_lockstep::{conformance::Sample, registry::MACHINES};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::{
    failure::{Ending, Failure},
    files, number, output,
    waiting::Waiting,
};

/// Write a conformance set: small traces of one instruction and one combination of types each
///
/// An engine of a few instructions passes some of them: `parallax replay DIR --engine` leaves out what it does not
/// declare. Each instruction has a folder. Traces are named after the instruction, the types of destination and sources, and
/// what the instruction has besides: `add/add-d-d-d.trace` is as plain as can be, `add/add-d-d-d-saturate.trace` saturates.
/// What does nothing by itself, such as a branch, has a short program. The same seed gives the same set.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax conformance --device skl --out conformance/skl
  parallax replay conformance/skl --engine \"cmd:./my-emulator\"")]
pub(crate) struct Arguments {
    /// Device whose instructions they are: bw, cl, ctg, g45, ivb, skl, dg1, rv770
    #[arg(long)]
    device: Device,
    /// Folder to write them into; it is made, or is empty
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Seed that all cases come from
    #[arg(long, default_value_t = 1, value_parser = number::within(0..=u64::MAX), allow_negative_numbers = true)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `conformance`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'a> {
    /// The device.
    device: &'a str,
    /// The seed.
    seed: u64,
    /// The folder.
    #[serde(serialize_with = "output::path_text")]
    folder: &'a Path,
    /// The traces in it.
    #[serde(serialize_with = "path_texts")]
    traces: Vec<PathBuf>,
    /// Bytes of all of them.
    bytes: u64,
    /// What no case could be made of.
    missing: Vec<String>,
}

fn path_texts<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

/// Holds that a folder is there, or can be made, and has nothing in it.
fn check_empty(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        let mut entries =
            fs::read_dir(folder).map_err(|error| Failure::file("read", folder, error))?;
        if entries.next().is_some() {
            return Err(Failure::input(format!(
                "{} is not empty: a conformance set takes a folder of its own",
                folder.display()
            )));
        }
    }
    files::check_folder(folder)
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        check_empty(&self.out)?;
        let mut json = Json {
            device: self.device.name(),
            seed: self.seed,
            folder: &self.out,
            traces: Vec::new(),
            bytes: 0,
            missing: Vec::new(),
        };
        let waiting = Waiting::start("conformance set", 1);
        for machine in MACHINES {
            let samples = machine.conformance(self.device, self.seed);
            for Sample { instruction, name, trace } in
                samples.map_err(|problem| Failure::input(problem.to_string()))?
            {
                let Some(trace) = trace else {
                    json.missing.push(name);
                    continue;
                };
                let file = PathBuf::from(instruction).join(format!("{name}.trace"));
                files::write(&self.out.join(&file), &trace)?;
                json.bytes += trace.len() as u64;
                json.traces.push(file);
            }
        }
        drop(waiting);
        if self.json {
            output::print_json(&json);
            return Ok(Ending::Success);
        }
        output::print(format!(
            "{}: {} of {}, {} KiB",
            self.out.display(),
            output::counted(json.traces.len() as u64, "trace"),
            self.device.name(),
            json.bytes.div_ceil(1024),
        ));
        if !json.missing.is_empty() {
            output::print(format!("no case could be made of: {}", json.missing.join(", ")));
        }
        Ok(Ending::Success)
    }
}
