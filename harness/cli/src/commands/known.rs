//! `parallax known`: instructions that are known to be wrong.

use std::path::PathBuf;

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
    /// Last day on which it is left out, in UTC: 2027-03-01; replaces an earlier one of the same entry
    #[arg(long, value_name = "DATE", value_parser = known::check_last_day)]
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
        let mut edited = known::Edited::new(&self.text()?)?;
        for known in known::of_trace(&self.finding)? {
            let name = format!("{} on {}", known.pattern.text, known.device);
            let (until, file) = (&self.until, self.file.display());
            let known = Known { until: until.clone(), note: self.note.clone(), ..known };
            let same = before.iter().enumerate().filter(|(_, entry)| entry.is_of(&known));
            match same.max_by_key(|(_, entry)| &entry.known.until) {
                Some((_, Entry { known: Known { until: last, .. }, .. })) if last >= until => {
                    output::print(format!("{name} is in {file} already, until {last}"));
                }
                Some((place, Entry { known: Known { until: last, .. }, .. })) => {
                    edited.set(Some(place), &known)?;
                    output::print(format!(
                        "{name} is known until {until} in {file}, no longer until {last}"
                    ));
                }
                None => {
                    edited.set(None, &known)?;
                    output::print(format!("{name} is known until {until} in {file}"));
                }
            }
        }
        files::write(&self.file, edited.text().as_bytes())?;
        Ok(Ending::Success)
    }

    /// What the file has.
    fn text(&self) -> Result<String, Failure> {
        if !self.file.exists() {
            return Ok(String::new());
        }
        let bytes = files::read(&self.file, LIMIT, "a file in TOML")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Largest file that is added to.
const LIMIT: u64 = 1 << 20;

impl List {
    fn execute(self) -> Result<Ending, Failure> {
        let entries = known::read_file(&self.file)?;
        let listed = entries.into_iter().map(|Entry { known, is_over, .. }| Listed {
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
