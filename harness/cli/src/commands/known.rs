//! `parallax known`: instructions that are known to be wrong.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use parallax_lockstep::{campaign::Known, escape};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    failure::{Ending, Failure},
    files,
    known::{self, Entry},
    output::{self, Table},
};

/// List and add instructions that are known to be wrong
///
/// `parallax run --known known.toml` leaves them out of programs, so that they do not hide what is behind them. One case
/// of 64 is made without leaving anything out, which shows what no longer fails.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax known add target/parallax/findings/eu-skl-mov-0123456789abcdef.trace --until 2027-03-01 --note \"fixed in 2.1\"
  parallax known list
  parallax run --known known.toml --engine \"cmd:./my-emulator\"")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add what a finding shows to be wrong: its signature, as the report beside its folder has it, or the instruction
    /// of its last step
    Add(Add),
    /// List the entries of a file
    List(List),
}

#[derive(Debug, Args)]
struct Add {
    /// Trace of the finding
    finding: PathBuf,
    /// Last day on which it is left out, in UTC: 2027-03-01
    #[arg(long, value_name = "DATE", value_parser = known::check_date)]
    until: String,
    /// Why it is wrong, or who cares about it
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// File to add it to
    #[arg(long, value_name = "FILE", default_value = known::FILE)]
    file: PathBuf,
}

#[derive(Debug, Args)]
struct List {
    /// The file
    #[arg(long, value_name = "FILE", default_value = known::FILE)]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// An entry in the JSON interface.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// The instructions, as the finding has them.
    signature: String,
    /// A device of the manual that they are of.
    device: String,
    /// The last day on which they are left out.
    until: String,
    /// Why they are wrong, or who cares about it.
    note: String,
    /// Whether that day is over.
    expired: bool,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        match self.command {
            Command::Add(add) => add.execute(),
            Command::List(list) => list.execute(),
        }
    }
}

impl Add {
    fn execute(self) -> Result<Ending, Failure> {
        let before = if self.file.exists() { known::read_file(&self.file)? } else { Vec::new() };
        let found = known::of_trace(&self.finding)?;
        let is_there = |known: &Known| {
            let mut before = before.iter().filter(|entry| !entry.is_over);
            before.any(|entry| {
                (&entry.known.device, &entry.known.pattern) == (&known.device, &known.pattern)
            })
        };
        let mut text = if before.is_empty() && !self.file.exists() {
            String::new()
        } else {
            String::from_utf8_lossy(&files::read(&self.file, LIMIT, "a file in TOML")?).into_owned()
        };
        for known in found {
            let name = format!("{} on {}", known.pattern.text, known.device);
            if is_there(&known) {
                output::print(format!("{name} is in {} already", self.file.display()));
                continue;
            }
            let known = Known { until: self.until.clone(), note: self.note.clone(), ..known };
            if !text.is_empty() && !text.ends_with("\n\n") {
                text += if text.ends_with('\n') { "\n" } else { "\n\n" };
            }
            text += &known::text(&known)?;
            output::print(format!("{name} is known until {} in {}", self.until, file(&self.file)));
        }
        files::write(&self.file, text.as_bytes())?;
        Ok(Ending::Success)
    }
}

/// Largest file that is added to.
const LIMIT: u64 = 1 << 20;

fn file(path: &Path) -> String {
    path.display().to_string()
}

impl List {
    fn execute(self) -> Result<Ending, Failure> {
        let entries = known::read_file(&self.file)?;
        let listed = entries.into_iter().map(|Entry { known, is_over }| Listed {
            signature: known.pattern.text,
            device: known.device,
            until: known.until,
            note: known.note,
            expired: is_over,
        });
        let listed: Vec<_> = listed.collect();
        if self.json {
            output::print_json(&listed);
            return Ok(Ending::Success);
        }
        let mut table = Table::new(&["signature", "device", "until", "note"]);
        for Listed { signature, device, until, note, expired } in listed {
            let until = if expired { format!("{until} (expired)") } else { until };
            let note = escape::line(&note).into_owned();
            table.row([escape::line(&signature).into_owned(), device, until, note]);
        }
        output::print(table);
        Ok(Ending::Success)
    }
}
