//! `parallax run`: a campaign.

use std::{
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clap::Args;
use parallax_isa::Device;
use parallax_lockstep::{
    campaign::{self, Bound, Plan, Summary, campaign},
    subject::UnderTest,
};

use crate::{
    failure::{Ending, Failure, note},
    files,
    folder::Folder,
    output,
    progress::Lines,
    report::{self, Report},
    suites,
    under_test::{Allowed, EngineReport},
};

/// Time a campaign takes unless told otherwise.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Run a campaign: generated programs on both engines, compared after every step
///
/// Runs every suite on every device for a minute unless told otherwise, prints a summary and writes
/// report.html, report.json and junit.xml. Findings are written as traces the moment they are found.
/// The same seed gives the same cases, whatever the number of jobs; without one each run draws a new
/// one. Ctrl-C ends the campaign early, with the summary so far. The folder belongs to one run at a
/// time; findings of the run before are kept in findings.previous.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax run
  parallax run --device g45 --time 2m --jobs 4
  parallax run --device bw --cases 100000 --seed 7 --out /tmp/night
  parallax run --device g45 --engine \"cmd:python3 harness/engines/python/example.py\" --time 20s

Exit codes: 0 all agree, 1 divergences or too little compared, 2 a suite was not run, or a usage,
input or I/O error, 130 interrupted.")]
pub(crate) struct Arguments {
    /// Device to test; may be given several times [default: all]
    #[arg(long)]
    device: Vec<Device>,
    /// Suite to run; may be given several times [default: all]
    #[arg(long)]
    suite: Vec<String>,
    /// How long to run, over all suites: 60s, 2m, 1h 30m [default: 60s]
    #[arg(long, value_parser = parse_time, allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Cases to run in each suite, instead of a time
    #[arg(long, conflicts_with = "time", value_parser = clap::value_parser!(u64).range(1..))]
    cases: Option<u64>,
    /// Instructions to execute in each suite, instead of a time
    #[arg(long, conflicts_with_all = ["time", "cases"], value_parser = clap::value_parser!(u64).range(1..))]
    instructions: Option<u64>,
    /// Engine to test: executor, or `cmd:` and what starts one that speaks the protocol of
    /// harness/lockstep/PROTOCOL.md. Its cases are limited to what it says it has
    #[arg(long, default_value = "executor")]
    engine: String,
    #[command(flatten)]
    allowed: Allowed,
    /// Number of the first case of each suite: to go on where an earlier campaign ended
    #[arg(long, value_name = "CASE", default_value_t = 0, requires = "seed")]
    first: u64,
    /// Seed that all cases come from [default: a new one each time]
    #[arg(long)]
    seed: Option<u64>,
    /// End after so many findings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    stop_after: Option<u64>,
    /// Threads [default: one per processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Folder for the reports and findings
    #[arg(long, value_name = "DIR", default_value = report::DEFAULT_FOLDER)]
    out: PathBuf,
    /// Also write report.json to this file (- is standard output, which then gets nothing else)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A time with a unit, or seconds; longer than zero.
fn parse_time(text: &str) -> Result<Duration, String> {
    let time = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => humantime::parse_duration(text)
            .map_err(|_| "expected a time such as 60s, 2m or 1h 30m".to_owned())?,
    };
    if time.is_zero() { Err("a campaign needs more time than none".to_owned()) } else { Ok(time) }
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let engine = self.allowed.engine(&self.engine)?;
        let suites = suites::select(&self.device, &self.suite, &engine)?;
        let engine = match &engine {
            UnderTest::Outside(engine) => {
                let devices = suites::devices(&suites);
                Some(EngineReport::new(engine, &devices, &suites))
            }
            UnderTest::Named(_) => None,
        };
        let cancel = Arc::new(AtomicBool::new(false));
        listen_for_interrupts(Arc::clone(&cancel))?;
        let folder = Folder::take(&self.out)?;
        let seed = self.seed.unwrap_or_else(new_seed);
        note(format_args!("seed {seed}"));
        let mut lines = Lines::new(&suites);
        Report::of_running(seed).write(&self.out)?;
        let plan = self.plan(seed, &folder);
        let summary = campaign(&plan, suites, &cancel, |progress| lines.update(progress))
            .map_err(|error| Failure::input(error.to_string()))?;
        lines.finish(&summary.suites);
        let report = Report { engine, ..report(seed, &summary) };
        self.write(&report)?;
        if let Some(error) = summary.unwritten.first() {
            return Err(Failure::input(format!("a finding was not kept: {error}")));
        }
        Ok(match report.verdict {
            _ if summary.cancelled => Ending::Interrupted,
            verdict => verdict.ending(),
        })
    }

    fn plan(&self, seed: u64, folder: &Folder) -> Plan {
        let bound = match (self.cases, self.instructions) {
            (Some(cases), _) => Bound::Cases(cases),
            (None, Some(instructions)) => Bound::Instructions(instructions),
            (None, None) => Bound::Time(self.time.unwrap_or(DEFAULT_TIME)),
        };
        Plan {
            seed,
            jobs: self.jobs.map(usize::from),
            bound,
            first: self.first,
            stop_after: self.stop_after.map(|most| most as usize),
            findings: Some(folder.findings()),
        }
    }

    /// Prints the summary and writes the reports.
    fn write(&self, report: &Report) -> Result<(), Failure> {
        let to_stdout = self.json.as_deref() == Some(Path::new("-"));
        if to_stdout {
            output::print(report.json().trim_end())?;
        } else {
            output::print(format!(
                "\n{}\nreport   {}",
                report.summary(),
                self.out.join("report.html").display()
            ))?;
        }
        report.write(&self.out)?;
        match &self.json {
            Some(file) if !to_stdout => files::write(file, report.json().as_bytes()),
            _ => Ok(()),
        }
    }
}

/// A seed that no run before had, most likely; short enough to be typed.
fn new_seed() -> u64 {
    RandomState::new().hash_one(()) >> 32
}

/// The first Ctrl-C (or request to terminate) ends the campaign in good order, the second at once.
fn listen_for_interrupts(cancel: Arc<AtomicBool>) -> Result<(), Failure> {
    ctrlc::set_handler(move || {
        if cancel.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::input(format!("cannot listen for Ctrl-C: {error}")))
}

/// What a campaign came to, as a report.
fn report(seed: u64, summary: &Summary) -> Report {
    let suite = |suite: &campaign::Statistics| report::Suite {
        name: suite.name.to_owned(),
        device: suite.device.to_owned(),
        cases: suite.cases,
        instructions: suite.instructions,
        comparisons: suite.comparisons,
        divergences: suite.divergences,
        accepted_undefined: suite.accepted_undefined,
        skipped: suite.skipped,
        uncompared: suite.uncompared,
        left_out: suite.left_out,
        verdict: suite.verdict().into(),
        objection: suite.objection(),
    };
    let divergences = summary.findings.iter().map(|(finding, trace)| report::Divergence {
        id: finding.id.clone(),
        device: finding.device.to_owned(),
        suite: finding.suite.to_owned(),
        step: finding.step,
        instruction: finding.instruction.clone(),
        location: finding.location.clone(),
        expected: finding.expected.clone(),
        actual: finding.actual.clone(),
        rules: finding.rules.iter().map(ToString::to_string).collect(),
        trace: trace.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        context: finding.text.clone(),
    });
    Report {
        version: report::VERSION,
        engine: None,
        verdict: summary.verdict().into(),
        seed,
        elapsed_s: summary.elapsed.as_secs_f64(),
        interrupted: summary.cancelled,
        running: false,
        suites: summary.suites.iter().map(suite).collect(),
        rules: report::Rules::new(&summary.coverage),
        exactness: report::Exactness::of(&summary.suites),
        divergences: divergences.collect(),
        profiles: if summary.suites.iter().any(|suite| suite.name.starts_with("r700")) {
            report::ProfileDifference::all()
        } else {
            Vec::new()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_are_not_zero() {
        assert_eq!(parse_time("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_time("1h 30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        for mistake in ["0", "0s", "", "-1s", "1 fortnight", "soon"] {
            assert!(parse_time(mistake).is_err(), "{mistake}");
        }
    }
}
