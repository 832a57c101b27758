//! What a campaign shows while it runs: a line per device on standard error, and below them one of all.

use std::{
    collections::VecDeque,
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use parallax_lockstep::{
    campaign::{Campaign, Progress, Statistics},
    escape,
    suite::{Finding, Suite},
};
use parallax_spec::{Level, RuleId, sabotage::is_noticed};

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

/// The lines of all devices.
pub(crate) struct Lines {
    lines: MultiProgress,
    devices: Vec<DeviceLine>,
    /// How much of each suite is done, 0 to 1.
    done: Vec<f64>,
    whole: ProgressBar,
    looks: Looks,
    shows: Shows,
    announced: usize,
}

/// The line of a device.
struct DeviceLine {
    name: &'static str,
    /// Numbers of its suites.
    suites: Vec<usize>,
    bar: ProgressBar,
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    /// Not at all.
    Nothing,
    /// As lines at the end.
    Lines,
    /// As bars that fill.
    Bars,
}

impl Lines {
    /// A line for each device of some suites; `quiet` shows none.
    pub(crate) fn new(suites: &[Box<dyn Suite>], quiet: bool) -> Self {
        let shows = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Shows::Nothing,
            (false, false) => Shows::Lines,
            (false, true) => Shows::Bars,
        };
        let lines = match shows {
            Shows::Bars => MultiProgress::new(),
            _ => MultiProgress::with_draw_target(ProgressDrawTarget::hidden()),
        };
        let style = ProgressStyle::with_template("{prefix:6} [{bar:24}] {percent:>3} %  {msg}");
        let style = style.expect("the template is part of the source").progress_chars("=> ");
        let mut devices: Vec<DeviceLine> = Vec::new();
        for (number, suite) in suites.iter().enumerate() {
            if let Some(line) = devices.iter_mut().find(|line| line.name == suite.device()) {
                line.suites.push(number);
                continue;
            }
            let bar = lines.add(ProgressBar::new(WHOLE).with_style(style.clone()));
            bar.set_prefix(suite.device());
            bar.tick();
            devices.push(DeviceLine { name: suite.device(), suites: vec![number], bar });
        }
        let plain = ProgressStyle::with_template("{msg}").expect("as above");
        let whole = lines.add(ProgressBar::new(WHOLE).with_style(plain));
        let done = vec![0.0; suites.len()];
        Self { lines, devices, done, whole, looks: Looks::default(), shows, announced: 0 }
    }

    /// Shows how far a device is and what was found, and how the campaign does as a whole.
    pub(crate) fn update(&mut self, campaign: &Campaign, progress: &Progress) {
        if self.shows == Shows::Bars {
            if self.looks.is_due() {
                self.whole.set_message(self.looks.look(campaign));
            }
            self.done[progress.suite] = progress.done.min(1.0);
            let statistics: Vec<_> = campaign.statistics().collect();
            let line = self.devices.iter().find(|line| line.suites.contains(&progress.suite));
            if let Some(line) = line {
                let done: f64 = line.suites.iter().map(|suite| self.done[*suite]).sum();
                line.bar.set_message(describe(line.suites.iter().map(|suite| statistics[*suite])));
                line.bar.set_position((done / line.suites.len() as f64 * WHOLE as f64) as u64);
            }
        }
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
        if self.shows == Shows::Bars {
            // A line that cannot be drawn is no reason to stop: the report has it too.
            let _ = self.lines.println(escape::line(&text));
        } else if self.shows == Shows::Lines {
            note(text);
        }
    }

    /// Leaves the lines as they are at the end; without a terminal, prints them.
    pub(crate) fn finish(self, suites: &[Statistics]) {
        self.whole.finish_and_clear();
        for line in &self.devices {
            let text = describe(line.suites.iter().map(|suite| &suites[*suite]));
            if self.shows == Shows::Lines {
                note(format_args!("{:6} {text}", line.name));
            }
            line.bar.abandon_with_message(text);
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
        let covered = campaign.coverage().covered().map(RuleId::rule);
        let must = covered.filter(|rule| rule.level == Level::Must && is_noticed(rule));
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

/// What the suites of a device came to so far: what was found before how much was run.
fn describe<'s>(suites: impl Iterator<Item = &'s Statistics>) -> String {
    let (mut all, mut run, mut findings, mut cases, mut instructions) = (0, 0, 0, 0, 0);
    for suite in suites {
        all += 1;
        run += u64::from(suite.cases > 0 && suite.why_not_run.is_none());
        findings += suite.divergences;
        cases += suite.cases;
        instructions += suite.instructions;
    }
    let run = match run {
        0 => return "not run".to_owned(),
        run if run == all => counted(all, "suite"),
        run => format!("{run} of {}", counted(all, "suite")),
    };
    let found = counted(findings, "divergence");
    let [cases, instructions] = [counted(cases, "case"), counted(instructions, "instruction")];
    format!("{found}, {run}, {cases}, {instructions}")
}
