//! `parallax adopt`: a finding's trace joins the regressions.

use std::path::{Component, Path, PathBuf};

use clap::Args;
use parallax_isa::{Device, Machine as _, r700::R700};
use parallax_lockstep::{eu::Eu, subject::UnderTest};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    failure::{Ending, Failure},
    files, output,
    traces::File,
};

/// Keep the trace of a finding among the regressions that `cargo test` replays
///
/// It is replayed first: a regression is kept once both engines do what it says. Exits with 1, and
/// keeps nothing, if one of them does not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax adopt target/parallax/findings/eu-g45-add-0123456789abcdef.trace --name add-loses-carry
  parallax adopt small.trace --name add-loses-carry --record-anew   # if the reference was wrong")]
pub(crate) struct Arguments {
    /// The trace: of `findings` in a campaign's folder, of `fuzz repro -o`, of `minimize`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What to call it, in a few words that say what was wrong
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The folder of traces
    #[arg(long, value_name = "FOLDER", default_value = "traces")]
    into: PathBuf,
    /// Record what the steps do anew, with the reference of today: what it did when it was found was wrong
    #[arg(long)]
    record_anew: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `adopt`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'a> {
    /// The trace that was kept; null if none was.
    #[serde(serialize_with = "output::optional_path_text")]
    file: Option<&'a Path>,
    /// The machine.
    machine: &'static str,
    /// The device.
    device: &'static str,
    /// Number of steps.
    steps: usize,
    /// How an engine differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<Differs>,
}

/// An engine that does not do what a trace says.
#[derive(Serialize, JsonSchema)]
struct Differs {
    /// The engine.
    engine: &'static str,
    /// What it does differently, in words.
    difference: String,
}

/// The engines that have to do what a regression says.
const ENGINES: [&str; 2] = ["reference", "executor"];

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let name = file_name(&self.name)?;
        let mut file = File::read(&self.file)?;
        if self.record_anew {
            let anew = file.machine.record_anew(&file.bytes);
            file.bytes = anew.map_err(|problem| file.failure(&problem))?;
        }
        let shown = file.machine.show(&file.bytes).map_err(|problem| file.failure(&problem))?;
        let folder = self.into.join(folder(file.machine.name(), shown.device));
        let path = folder.join("regressions").join(format!("{name}.trace"));
        if !self.into.is_dir() {
            return Err(Failure::input(format!(
                "there is no folder {}: say where traces are with --into",
                self.into.display()
            )));
        }
        if path.exists() {
            return Err(Failure::input(format!(
                "{} is there already: choose another name",
                path.display()
            )));
        }
        let mut differs = None;
        for engine in ENGINES {
            let replayed = file.machine.replay(&file.bytes, &UnderTest::Named(engine.to_owned()));
            let replayed = replayed.map_err(|problem| file.failure(&problem))?;
            if let Some(difference) = replayed.difference {
                differs = Some(Differs { engine, difference });
                break;
            }
        }
        if differs.is_none() {
            files::write(&path, &file.bytes)?;
        }
        let json = Json {
            file: differs.is_none().then_some(&*path),
            machine: file.machine.name(),
            device: shown.device,
            steps: shown.steps.count(),
            differs,
        };
        if self.json {
            output::print_json(&json);
        } else {
            output::print(json.text(&self.file));
        }
        Ok(Ending::found(json.differs.is_some()))
    }
}

impl Json<'_> {
    fn text(&self, given: &Path) -> String {
        if let Some(Differs { engine, difference }) = &self.differs {
            let advice = match *engine {
                "reference" => {
                    "if it was the reference that was wrong, --record-anew keeps the case"
                }
                _ => "a regression is kept once that is fixed",
            };
            let given = given.display();
            return format!(
                "{given}: not kept, the {engine} does otherwise: {advice}\n{difference}"
            );
        }
        let steps = output::counted(self.steps as u64, "step");
        let kept = self.file.unwrap_or(given).display();
        format!("{kept}: {steps} on {}", self.device)
    }
}

/// The folder of traces that those of a machine and a device are in.
fn folder<'m>(machine: &'m str, device: &'static str) -> &'m str {
    match device.parse() {
        _ if ![Eu::NAME, R700::NAME].contains(&machine) => machine,
        Ok(device) if Device::GEN4.contains(&device) => Device::G45.name(),
        Ok(Device::Rv770) => "r700",
        _ => device,
    }
}

/// Holds that a name is one of a file, in any folder and on any system.
fn file_name(name: &str) -> Result<&str, Failure> {
    let plain = name.trim_end_matches(".trace");
    let is_one = Path::new(plain).components().eq([Component::Normal(plain.as_ref())]);
    let is_letter = |letter: char| letter.is_alphanumeric() || "-_.+".contains(letter);
    let starts_well = plain.starts_with(char::is_alphanumeric);
    if is_one && starts_well && plain.chars().all(is_letter) && plain.len() <= 100 {
        return Ok(plain);
    }
    Err(Failure::input(format!(
        "`{}` is no name of a trace: up to 100 letters, digits, and - _ . + between them, like add-loses-carry",
        name.escape_debug()
    )))
}
