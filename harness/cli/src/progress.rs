//! What a campaign shows while it runs: a line per suite on standard error.

use std::{io::IsTerminal, time::Duration};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use parallax_lockstep::{
    campaign::{Progress, Statistics},
    suite::{Finding, Suite},
};

use crate::{
    failure::note,
    output::{counted, grouped},
};

/// Findings that are announced while a campaign runs; the report has all.
const ANNOUNCED: usize = 10;
/// Steps of a bar.
const WHOLE: u64 = 1000;

/// The lines of all suites.
pub(crate) struct Lines {
    lines: MultiProgress,
    bars: Vec<ProgressBar>,
    is_terminal: bool,
    announced: usize,
}

impl Lines {
    /// A line for each suite.
    pub(crate) fn new(suites: &[Box<dyn Suite>]) -> Self {
        let lines = MultiProgress::new();
        let style = ProgressStyle::with_template("{prefix:16} [{bar:24}] {msg}");
        let style = style.expect("the template is part of the source").progress_chars("=> ");
        let bars = suites.iter().map(|suite| {
            let bar = lines.add(ProgressBar::new(WHOLE).with_style(style.clone()));
            bar.set_prefix(name(suite.name(), suite.device()));
            bar.tick();
            bar
        });
        let bars = bars.collect();
        Self { lines, bars, is_terminal: std::io::stderr().is_terminal(), announced: 0 }
    }

    /// Shows how far a suite is and what was found.
    pub(crate) fn update(&mut self, progress: &Progress) {
        let bar = &self.bars[progress.suite];
        bar.set_message(describe(progress.statistics));
        bar.set_position((progress.done.min(1.0) * WHOLE as f64) as u64);
        for finding in progress.findings {
            self.announce(finding);
        }
    }

    fn announce(&mut self, finding: &Finding) {
        self.announced += 1;
        let text = match self.announced {
            0..=ANNOUNCED => {
                format!("found {}: step {}: {}", finding.id, finding.step, finding.instruction)
            }
            number if number == ANNOUNCED + 1 => "found more, see the report".to_owned(),
            _ => return,
        };
        if self.is_terminal {
            // A line that cannot be drawn is no reason to stop: the report has it too.
            let _ = self.lines.println(text);
        } else {
            note(text);
        }
    }

    /// Leaves the lines as they are at the end; without a terminal, prints them.
    pub(crate) fn finish(self, suites: &[Statistics]) {
        for (bar, statistics) in self.bars.iter().zip(suites) {
            bar.abandon_with_message(describe(statistics));
            if !self.is_terminal {
                let name = name(statistics.name, statistics.device);
                note(format_args!("{name:16} {}", describe(statistics)));
            }
        }
    }
}

fn name(suite: &str, device: &str) -> String {
    format!("{suite} {device}")
}

fn describe(statistics: &Statistics) -> String {
    let Statistics { cases, instructions, divergences, elapsed, .. } = statistics;
    let rate = *instructions as f64 / elapsed.max(&Duration::from_millis(1)).as_secs_f64();
    let found = match divergences {
        0 => String::new(),
        number => format!(", {}", counted(*number, "divergence")),
    };
    format!(
        "{}, {}, {}/s{found}",
        counted(*cases, "case"),
        counted(*instructions, "instruction"),
        grouped(rate as u64)
    )
}
