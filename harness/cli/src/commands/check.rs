//! `parallax check`: whether a program keeps the rules of the manual.

mod sarif;

use std::path::PathBuf;

use clap::Args;
use parallax_isa::{Device, r700::case::ProgramType};
use parallax_spec::Severity;
use schemars::JsonSchema;
use serde::Serialize;

use self::sarif::sarif;
use crate::{
    content::{self, Content},
    failure::{Ending, Failure, note},
    interesting::Interesting,
    listing::{Listing, Problem, Problems},
    machines, output,
    start::program_type,
    syntax::SyntaxArgument,
    unlisted::WithUnlisted,
};

/// Check whether a program is legal on a device
///
/// Lists every instruction that breaks a rule with the rule's id, the line, the column and the level.
/// There are three levels: what the manual forbids is illegal; it is a warning where published drivers do
/// it nevertheless and hardware runs it, and an erratum where only a workaround is missing that drivers
/// keep. Exit code 1 if anything is illegal, with --strict if anything is listed. What is no instruction at
/// all is illegal too. On dg1 the
/// paths are followed too: an instruction that does not wait for what it reads or writes over (software
/// scoreboard) is listed with the codes that would fix all that is wrong there. What stands behind a
/// jump whose target a register holds is not known: such jumps are named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax check --device g45 add.asm
  parallax check --device bw shader.hex --json
  parallax check --device g45 shader.hex --strict
  parallax check --device g45 add.asm --sarif > add.sarif
  parallax check --device rv770 --program-type pixel shader.hex")]
pub(crate) struct Arguments {
    /// The program
    #[arg(value_name = "PROGRAM", long_help = content::HELP)]
    program: PathBuf,
    /// Device to check for: bw, cl, ctg, g45, ivb, skl, dg1, rv770
    #[arg(long)]
    device: Device,
    /// Kernel or shader of a file that holds several, as `parallax kernels` names it
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    #[command(flatten)]
    syntax: SyntaxArgument,
    /// Kind of the program (rv770) [default: what the file says]; without it the rules for single kinds are not checked
    #[arg(long, value_parser = program_type, value_name = "KIND")]
    program_type: Option<ProgramType>,
    #[command(flatten)]
    unlisted: WithUnlisted,
    /// Exit with 1 for warnings and errata too
    #[arg(long)]
    strict: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print SARIF 2.1.0, which code hosts show beside the lines
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    #[command(flatten)]
    interesting: Interesting,
}

/// The JSON interface of `check`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json {
    /// Whether nothing is illegal.
    legal: bool,
    /// What is wrong.
    violations: Vec<Problem>,
    /// On `dg1`: jumps to an address in a register, behind which nothing was checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_followed: Vec<Problem>,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let interesting = self.interesting;
        self.check().map(|ending| interesting.of(ending))
    }

    fn check(self) -> Result<Ending, Failure> {
        let kernel = self.kernel.as_deref();
        let loaded = Content::read_kernel(&self.program, self.device, kernel)?;
        let content = loaded.content.with_syntax(&self.syntax);
        let read = machines::read(self.device, content, self.program_type.or(loaded.program_type));
        let (problems, not_followed, number) = match read {
            Ok(listing) => {
                listing.say_syntax(&self.program);
                let listing = listing.allowing(&self.unlisted);
                let Listing { violations, hazards, undecodable, not_followed, .. } = listing;
                let problems = violations.with(hazards).with(undecodable);
                (problems, not_followed, listing.instructions.len())
            }
            Err(problems) => (problems, Problems::default(), 0),
        };
        let legal = !problems.has_illegal();
        let ending = Ending::found(if self.strict { !problems.list.is_empty() } else { !legal });
        if self.sarif {
            output::print_json(&sarif(&self.program, &problems.list, &not_followed.list));
            return Ok(ending);
        }
        if self.json {
            let (violations, not_followed) = (problems.list, not_followed.list);
            output::print_json(&Json { legal, violations, not_followed });
            return Ok(ending);
        }
        if !not_followed.list.is_empty() {
            note(not_followed.text(&self.program));
        }
        let mut text = problems.text(&self.program);
        if legal {
            if !text.is_empty() {
                text.push('\n');
            }
            text += &format!("legal on {}: {}", self.device, summary(number, &problems));
        }
        output::print(text);
        Ok(ending)
    }
}

/// How many instructions there are, and how many problems of each lower level.
fn summary(instructions: usize, problems: &Problems) -> String {
    let mut parts = vec![output::counted(instructions as u64, "instruction")];
    for (level, singular, plural) in
        [(Severity::Warning, "warning", "warnings"), (Severity::Erratum, "erratum", "errata")]
    {
        match problems.count(level) {
            0 => {}
            1 => parts.push(format!("1 {singular}")),
            number => parts.push(format!("{} {plural}", output::grouped(number as u64))),
        }
    }
    parts.join(", ")
}
