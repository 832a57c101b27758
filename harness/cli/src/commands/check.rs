//! `parallax check`: whether a program keeps the rules of the manual.

use std::path::PathBuf;

use clap::Args;
use parallax_isa::{Device, r700::case::ProgramType};
use serde::Serialize;

use crate::{
    content::{self, Content},
    failure::{Ending, Failure},
    listing::{Listing, Problem},
    machines, output, r700,
};

/// Check whether a program is legal on a device
///
/// Lists every instruction that breaks a rule with the rule's id, the line and the column; exit code
/// 1 if there is one. What is no instruction at all is listed the same way, without a rule. On dg1 every
/// path is followed too: an instruction that does not wait for what it reads or writes over (software
/// scoreboard) is listed with a code that would mend it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax check --device g45 add.asm
  parallax check --device bw shader.hex --json
  parallax check --device rv770 --program-type pixel shader.hex")]
pub(crate) struct Arguments {
    /// The program
    #[arg(value_name = "PROGRAM", long_help = content::HELP)]
    program: PathBuf,
    /// Device to check for: bw, cl, ctg, g45, ivb, skl, dg1, rv770
    #[arg(long)]
    device: Device,
    /// Kind of the program (rv770); without it the rules for single kinds are not checked
    #[arg(long, value_parser = r700::program_type, value_name = "KIND")]
    program_type: Option<ProgramType>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `check`.
#[derive(Serialize)]
struct Json {
    legal: bool,
    violations: Vec<Problem>,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let content = Content::read(&self.program)?;
        let read = machines::read(self.device, content, self.program_type);
        let (problems, number) = match read.and_then(Listing::decoded) {
            Ok(listing) => (listing.violations.with(listing.hazards), listing.instructions.len()),
            Err(problems) => (problems, 0),
        };
        let legal = problems.list.is_empty();
        if self.json {
            output::print_json(&Json { legal, violations: problems.list })?;
        } else if legal {
            let instructions = output::counted(number as u64, "instruction");
            output::print(format!("legal on {}: {instructions}", self.device))?;
        } else {
            output::print(problems.text(&self.program))?;
        }
        Ok(Ending::found(!legal))
    }
}
