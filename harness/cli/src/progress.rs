//! What a campaign shows while it runs: a line per suite on standard error, and below them one of all.

use std::{
    collections::VecDeque,
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use parallax_lockstep::{
    campaign::{Campaign, Progress, Statistics},
    escape,
    suite::{Finding, Suite},
};
use parallax_spec::Level;

use crate::{
    failure::note,
    output::{counted, grouped},
};

/// Findings that are announced while a campaign runs; the report has all.
const ANNOUNCED: usize = 10;
/// Steps of a bar.
const WHOLE: u64 = 1000;

/// Time between two looks at the rules, of which there are thousands.
const LOOK: Duration = Duration::from_secs(1);
/// Time over which new rules are counted.
const MINUTE: Duration = Duration::from_secs(60);

/// The lines of all suites.
pub(crate) struct Lines {
    lines: MultiProgress,
    bars: Vec<ProgressBar>,
    whole: ProgressBar,
    looks: Looks,
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
        let plain = ProgressStyle::with_template("{msg}").expect("as above");
        let whole = lines.add(ProgressBar::new(WHOLE).with_style(plain));
        let is_terminal = std::io::stderr().is_terminal();
        Self { lines, bars, whole, looks: Looks::default(), is_terminal, announced: 0 }
    }

    /// Shows how far a suite is and what was found, and how the campaign does as a whole.
    pub(crate) fn update(&mut self, campaign: &Campaign, progress: &Progress) {
        if self.is_terminal && self.looks.is_due() {
            self.whole.set_message(self.looks.look(campaign));
        }
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
            let _ = self.lines.println(escape::line(&text));
        } else {
            note(text);
        }
    }

    /// Leaves the lines as they are at the end; without a terminal, prints them.
    pub(crate) fn finish(self, suites: &[Statistics]) {
        self.whole.finish_and_clear();
        for (bar, statistics) in self.bars.iter().zip(suites) {
            bar.abandon_with_message(describe(statistics));
            if !self.is_terminal {
                let name = name(&statistics.name, &statistics.device);
                note(format_args!("{name:16} {}", describe(statistics)));
            }
        }
    }
}

/// How many rules were covered in the last minute, once a second: the time and the number of each look,
/// and the instructions until then.
#[derive(Default)]
struct Looks(VecDeque<(Instant, u64, u64)>);

impl Looks {
    fn is_due(&self) -> bool {
        self.0.back().is_none_or(|(time, ..)| time.elapsed() >= LOOK)
    }

    /// Rules and findings so far, and what the last minute has brought.
    fn look(&mut self, campaign: &Campaign) -> String {
        let must = campaign.coverage().covered().filter(|rule| rule.rule().level == Level::Must);
        let (rules, now) = (must.count() as u64, Instant::now());
        let instructions = campaign.statistics().map(|suite| suite.instructions).sum();
        self.0.push_back((now, rules, instructions));
        while self.0.front().is_some_and(|(time, ..)| now - *time > MINUTE) {
            self.0.pop_front();
        }
        let (then, before, instructions_before) = self.0[0];
        let seconds = (now - then).as_secs_f64().max(1.0);
        format!(
            "{} covered, {} new within a minute; {} instructions/s; {}",
            counted(rules, "rule"),
            grouped(rules - before),
            grouped(((instructions - instructions_before) as f64 / seconds) as u64),
            counted(campaign.findings() as u64, "finding"),
        )
    }
}

fn name(suite: &str, device: &str) -> String {
    format!("{suite} {device}")
}

fn describe(statistics: &Statistics) -> String {
    let Statistics { cases, instructions, divergences, elapsed, why_not_run, .. } = statistics;
    if why_not_run.is_some() {
        return "not run".to_owned();
    }
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
