//! `parallax check`: whether a program keeps the rules of the manual.

mod sarif;

use std::path::PathBuf;

use clap::Args;
use parallax_isa::{Device, r700::case::ProgramType};
use serde::Serialize;

use self::sarif::sarif;
use crate::{
    content::{self, Content},
    failure::{Ending, Failure, note},
    listing::{Listing, Problem, Problems},
    machines, output, r700,
    unlisted::WithUnlisted,
};

/// Check whether a program is legal on a device
///
/// Lists every instruction that breaks a rule with the rule's id, the line and the column; exit code
/// 1 if there is one. What is no instruction at all is listed the same way, without a rule. On dg1 the
/// paths are followed too: an instruction that does not wait for what it reads or writes over (software
/// scoreboard) is listed with the codes that would mend all that is wrong there. What stands behind a
/// jump whose target a register holds is not known: such jumps are named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax check --device g45 add.asm
  parallax check --device bw shader.hex --json
  parallax check --device g45 add.asm --sarif > add.sarif
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
    #[command(flatten)]
    unlisted: WithUnlisted,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print SARIF 2.1.0, which code hosts show beside the lines
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
}

/// The JSON interface of `check`.
#[derive(Serialize)]
struct Json {
    legal: bool,
    violations: Vec<Problem>,
    /// What leads where nothing follows it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_followed: Vec<Problem>,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let content = Content::read(&self.program)?;
        let read = machines::read(self.device, content, self.program_type);
        let (problems, not_followed, number) = match read.and_then(Listing::decoded) {
            Ok(listing) => {
                let listing = listing.allowing(&self.unlisted);
                let problems = listing.violations.with(listing.hazards);
                (problems, listing.not_followed, listing.instructions.len())
            }
            Err(problems) => (problems, Problems::default(), 0),
        };
        let legal = problems.list.is_empty();
        if self.sarif {
            output::print_json(&sarif(&self.program, &problems.list, &not_followed.list))?;
            return Ok(Ending::found(!legal));
        }
        if self.json {
            let (violations, not_followed) = (problems.list, not_followed.list);
            output::print_json(&Json { legal, violations, not_followed })?;
            return Ok(Ending::found(!legal));
        }
        if !not_followed.list.is_empty() {
            note(not_followed.text(&self.program));
        }
        if legal {
            let instructions = output::counted(number as u64, "instruction");
            output::print(format!("legal on {}: {instructions}", self.device))?;
        } else {
            output::print(problems.text(&self.program))?;
        }
        Ok(Ending::found(!legal))
    }
}
