//! The report as a few lines for the terminal.

use std::fmt::Write;

use parallax_lockstep::escape::line;

use super::{Report, Rules, Share};
use crate::output::{Table, grouped};

/// Divergences that are listed; the rest is counted.
const LISTED: usize = 10;

impl Report {
    /// Cases that did not agree, whatever they come from.
    pub(crate) fn diverging(&self) -> u64 {
        self.suites.iter().map(|suite| suite.divergences).sum()
    }

    /// The table of suites, what of the manuals was covered, the divergences and the verdict.
    pub(crate) fn summary(&self) -> String {
        let mut columns = vec![
            "suite",
            "device",
            ">cases",
            ">instructions",
            ">comparisons",
            ">accepted",
            ">skipped",
            ">uncompared",
            ">divergences",
        ];
        // Only engines outside of this program leave cases out.
        let leaves_out = self.engine.is_some();
        if leaves_out {
            columns.push(">left out");
        }
        let mut table = Table::new(&columns);
        for suite in &self.suites {
            let mut row = vec![
                suite.name.clone(),
                suite.device.clone(),
                grouped(suite.cases),
                grouped(suite.instructions),
                grouped(suite.comparisons),
                grouped(suite.accepted_undefined),
                grouped(suite.skipped),
                grouped(suite.uncompared),
                grouped(suite.divergences),
            ];
            if leaves_out {
                row.push(grouped(suite.left_out));
            }
            table.row(row);
        }
        let mut text = format!("{table}\n\n");
        let share = |share: Share| {
            let Share { must, covered } = share;
            format!("{} of {} covered ({} %)", grouped(covered), grouped(must), share.percent())
        };
        let Rules { in_scope, failed, only_accepted, .. } = &self.rules;
        if let Some(engine) = &self.engine {
            text += &engine.text();
        }
        writeln!(text, "rules    {}", share(self.rules.share())).expect("writing to a string");
        writeln!(text, "in scope {}", share(*in_scope)).expect("writing to a string");
        if !failed.is_empty() || !only_accepted.is_empty() {
            let [failed, accepted] = [failed, only_accepted].map(|ids| grouped(ids.len() as u64));
            writeln!(text, "         {failed} failed, {accepted} only accepted")
                .expect("writing to a string");
        }
        if !self.profiles.is_empty() {
            let subjects: Vec<_> = self.profiles.iter().map(|p| p.subject.as_str()).collect();
            writeln!(
                text,
                "profiles manual and silicon by turns; they differ in {}",
                line(&subjects.join(", "))
            )
            .expect("writing to a string");
        }
        let related = self.related();
        for causes in related.iter().take(LISTED) {
            let divergence = causes.first;
            writeln!(text, "\n{}", line(&divergence.id)).expect("writing to a string");
            if let Some(extent) = divergence.extent() {
                writeln!(text, "  {}", line(&extent)).expect("writing to a string");
            }
            writeln!(
                text,
                "  step {}: {}\n  {} is {}, expected {}",
                divergence.step,
                line(&divergence.instruction),
                line(&divergence.location),
                line(&divergence.actual),
                line(&divergence.expected),
            )
            .expect("writing to a string");
            if let Some(rule) = divergence.rules.first() {
                writeln!(text, "  most likely at stake: {rule}").expect("writing to a string");
            }
            if let Some(what) = causes.what_else() {
                writeln!(text, "  {}", line(&what)).expect("writing to a string");
            }
            if let Some(first) = divergence.next(self.engine.as_ref()).first() {
                writeln!(text, "  {}", line(first)).expect("writing to a string");
            }
        }
        if let Some(more) = related.len().checked_sub(LISTED).filter(|&more| more > 0) {
            writeln!(text, "\nand {more} more, in the report").expect("writing to a string");
        }
        if !self.divergences.is_empty() {
            text.push('\n');
        }
        let stopped = if self.interrupted { ", stopped early" } else { "" };
        for objection in self.objections() {
            writeln!(text, "{}", line(&objection)).expect("writing to a string");
        }
        for waiver in self.waiver_lines() {
            writeln!(text, "{}", line(&waiver)).expect("writing to a string");
        }
        let found = self.headline();
        write!(text, "verdict  {found} (seed {}, {:.1} s{stopped})", self.seed, self.elapsed_s)
            .expect("writing to a string");
        text
    }
}
