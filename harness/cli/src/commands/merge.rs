//! `parallax merge`: the parts of a campaign as one.

use std::path::{Path, PathBuf};

use clap::Args;
use parallax_lockstep::{
    campaign::{Record, journal::Journal},
    outside,
};

use crate::{
    failure::{Ending, Failure},
    folder::{Folder, Keeper, read_journal},
    output,
    report::{self, Detail, Presentation, Report},
    selection::Selection,
};

/// Join the parts of a campaign that ran as shards: one report, with the findings of all
///
/// Takes the folders that `parallax run --shard K/N` wrote, all N of them, and writes the report that
/// one run of the same seed and the same number of cases comes to: the same cases, findings and uses of
/// rules. Exits as that run would have.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  for k in 1 2 3 4; do parallax run --cases 10000 --seed 7 --shard $k/4 --out part$k; done
  parallax merge part1 part2 part3 part4 --out whole")]
pub(crate) struct Arguments {
    /// Folders of the parts
    #[arg(required = true, value_name = "DIR")]
    parts: Vec<PathBuf>,
    /// Folder for the reports and findings of the whole
    #[arg(long, short, value_name = "DIR", default_value = report::DEFAULT_FOLDER)]
    out: PathBuf,
    #[command(flatten)]
    presentation: Presentation,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        if let Some(part) = self.parts.iter().find(|part| is_same(part, &self.out)) {
            return Err(Failure::input(format!(
                "{} is a part of the whole; use --out for another folder",
                part.display()
            )));
        }
        let presented = self.presentation.read()?;
        let journals = self.parts.iter().map(|part| read_journal(part));
        let journals: Vec<Journal> = journals.collect::<Result<_, _>>()?;
        let Journal { engine, reference, .. } = journals[0].clone();
        let is_other =
            |journal: &Journal| journal.engine != engine || journal.reference != reference;
        if let Some(other) = journals.iter().position(is_other) {
            return Err(Failure::input(format!(
                "{}: it is of another campaign: another engine",
                self.parts[other].display()
            )));
        }
        let selection = Selection::of(&journals[0]);
        if let Some(other) = journals.iter().position(|other| Selection::of(other) != selection) {
            return Err(Failure::input(format!(
                "{}: it is of another campaign: limited to other instructions or rules",
                self.parts[other].display()
            )));
        }
        // What an engine outside of this program said of itself stands in the reports of the parts.
        let (engine_report, dut) = match outside::is_outside(&engine) {
            true => {
                let first = Report::read(&self.parts[0])?;
                (first.engine, first.dut)
            }
            false => (None, None),
        };
        let records = journals.into_iter().map(|journal| journal.record).collect();
        let record = Record::merge(records).map_err(|error| {
            let part = error.place().map(|place| format!("{}: ", self.parts[place].display()));
            Failure::input(format!("{}{error}", part.unwrap_or_default()))
        })?;
        let folder = Folder::take(&self.out)?;
        folder.put_aside()?;
        Keeper::new(&folder, engine, reference, selection.clone()).keep(record.clone())?;
        let seed = record.plan.seed;
        let summary = record.summary(Some(folder.findings()));
        let mut report = Report {
            engine: engine_report,
            dut,
            selection: selection.given(),
            ..report::of_campaign(seed, &summary)
        };
        presented.apply(&mut report);
        report.write(&self.out)?;
        if let Some(error) = summary.unwritten.first() {
            return Err(Failure::input(format!("a finding was not kept: {error}")));
        }
        output::print(if self.json {
            report.json().trim_end().to_owned()
        } else {
            format!(
                "{}\nreport   {}",
                report.summary(Detail::Devices),
                self.out.join("report.html").display()
            )
        });
        Ok(report.verdict.ending())
    }
}

/// Whether two names are those of one folder.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
