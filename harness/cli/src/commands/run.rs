//! `parallax run`: a campaign.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::Duration,
};

use clap::Args;
use parallax_isa::Device;
use parallax_lockstep::{
    campaign::{Bound, Campaign, Known, Plan, Record, Shard, THIN_AFTER},
    escape,
    outside::{Outside, name_of},
    subject::UnderTest,
    suite::Suite,
};

use crate::{
    failure::{Ending, Failure, note},
    files,
    folder::{Folder, Keeper},
    interrupt, known, number,
    output::{self, counted},
    progress::Lines,
    report::{self, Detail, Presentation, Report},
    selection::Selection,
    settings::Settings,
    suites,
    under_test::{Allowed, EngineReport},
    unlisted::WithUnlisted,
};

/// Time a campaign takes by default.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Least time in which a finding of an engine in a process of its own is brought down to a small case.
const SHORTEST_SHRINK: Duration = Duration::from_millis(200);

/// Last number that a campaign may begin at: there are enough behind it.
const LAST_FIRST: u64 = 1 << 62;
/// Most parts that a campaign is divided into.
const MOST_SHARDS: u64 = 10_000;

/// Run a campaign: generated programs on both engines, compared after every step
///
/// Runs every suite on every device for a minute by default, prints a line for each device and writes
/// report.html, report.json and junit.xml. Findings are written as traces the moment they are found.
/// The same seed gives the same cases, whatever the number of jobs; without one each run draws a new
/// one. Ctrl-C ends the campaign early, with the summary so far. The folder belongs to one run at a
/// time; findings of the run before are kept in findings.previous.
///
/// A journal in the folder says how far the campaign is: after Ctrl-C, a kill or a power cut, --resume
/// goes on from there as if nothing had been. --shard runs a part of the cases, `parallax merge` joins
/// the parts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax run
  parallax run --device g45 --time 2m --jobs 4
  parallax run --device g45,skl --exclude formats --details
  parallax run --device g45 --instruction add,mul --time 10s
  parallax run --rule g45.inst.add.semantics --minimum-coverage 5%
  parallax run --sabotage g45.inst.add.semantics --time 5s
  parallax run --device bw --cases 100000 --seed 7 --out /tmp/night
  parallax run --time 8h --out night; parallax run --resume --out night
  parallax run --cases 10000 --seed 7 --shard 2/4 --out part2
  parallax run --device g45 --engine \"cmd:python3 my-engine.py\" --time 20s
  parallax run --engine \"cmd:./new-engine\" --reference \"cmd:./old-engine\" --time 20s

Exit codes: 0 all agree, 1 divergences, too little compared or covered, 2 a suite was not run, a named
rule was not met, or a usage, input or I/O error, 130 interrupted.")]
pub(crate) struct Arguments {
    /// Device to test, or several: g45,skl; may be given several times [default: all]
    #[arg(long, value_delimiter = ',')]
    device: Vec<Device>,
    /// Suite to run, or several: eu,formats; may be given several times [default: all]
    #[arg(long, value_delimiter = ',')]
    suite: Vec<String>,
    /// Suite not to run, or several; may be given several times
    #[arg(long, value_name = "SUITE", value_delimiter = ',')]
    exclude: Vec<String>,
    /// Run only programs of this instruction, or of several: add,mul; may be given several times. Suites that have
    /// no such programs are left out (execution units only)
    #[arg(long, value_name = "MNEMONIC", value_delimiter = ',')]
    instruction: Vec<String>,
    /// Run only the suites that meet this rule, or one of several; may be given several times. Says at the end
    /// whether each was covered; one that was not met makes the run incomplete
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    rule: Vec<String>,
    /// Break this rule of the engine on purpose: where the reference applies it, one bit of what the step did is
    /// wrong. Runs only suites that meet the rule, and says at the end whether that was noticed and whether the
    /// rule is a suspect. A rule whose sabotage goes unnoticed is not tested
    #[arg(long, value_name = "ID", conflicts_with = "rule")]
    sabotage: Option<String>,
    /// Leave instructions that are known to be wrong out of programs: those of a file as `parallax known add` writes it,
    /// or of a finding's trace; may be given several times. One case of 64 is made without leaving anything out; what
    /// differs there and is known is no finding
    #[arg(long, value_name = "FILE|TRACE")]
    known: Vec<PathBuf>,
    /// File of settings, instead of parallax.toml in this folder or one above it
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Read no parallax.toml
    #[arg(long)]
    pub(crate) no_config: bool,
    /// The settings that were taken from a file.
    #[arg(skip)]
    pub(crate) settings: Option<Settings>,
    /// How long to run, over all suites: 60s, 2m, 1h 30m [default: 60s]
    #[arg(long, value_parser = parse_time, allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Cases to run in each suite, instead of a time
    #[arg(long, conflicts_with = "time", value_parser = number::within(1..=u64::MAX), allow_negative_numbers = true)]
    cases: Option<u64>,
    /// Instructions to execute in each suite, instead of a time
    #[arg(long, conflicts_with_all = ["time", "cases"], value_parser = number::within(1..=u64::MAX), allow_negative_numbers = true)]
    instructions: Option<u64>,
    /// Engine to test: executor, or one that speaks the engine protocol: `cmd:` and
    /// what starts it, or `unix:` and the socket that it listens at. Its cases are limited to what it says it has
    #[arg(long, default_value = "executor")]
    engine: String,
    /// Hold the engine against another one instead of the model: `cmd:` or `unix:` as with --engine. Cases are limited
    /// to what both have. The model runs beside it and says of each finding which of the two is right
    #[arg(long, value_name = "ENGINE", requires = "engine")]
    reference: Option<String>,
    #[command(flatten)]
    allowed: Allowed,
    #[command(flatten)]
    unlisted: WithUnlisted,
    #[command(flatten)]
    presentation: Presentation,
    /// Number of the first case of each suite: to go on where an earlier campaign ended
    #[arg(long, value_name = "CASE", default_value_t = 0, requires = "seed", value_parser = number::within(0..=LAST_FIRST), allow_negative_numbers = true)]
    first: u64,
    /// Seed that all cases come from [default: a new one each time]
    #[arg(long, value_parser = number::within(0..=u64::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Run a part of the cases, number K of N: with --cases, the parts come to what one run does
    #[arg(long, value_name = "K/N", value_parser = parse_shard, requires = "seed", conflicts_with = "stop_after")]
    shard: Option<Shard>,
    /// Go on with the run that was ended early in the folder: with its suites, seed, bound and engine
    #[arg(long, conflicts_with_all = ["device", "suite", "exclude", "instruction", "rule", "known", "sabotage", "time", "cases", "instructions", "engine", "reference", "first", "seed", "stop_after", "shard"])]
    resume: bool,
    /// End after so many findings
    #[arg(long, value_name = "N", value_parser = number::within(1..=u64::MAX), allow_negative_numbers = true)]
    stop_after: Option<u64>,
    /// Longest time in which a finding is brought down to a small case: 0 for not at all, 500ms, 10s [default: no bound;
    /// with --engine and without --cases a hundredth of the campaign's time, as an engine that dies makes each attempt
    /// slow]
    #[arg(long, value_name = "TIME", value_parser = parse_bound, allow_hyphen_values = true)]
    shrink: Option<Duration>,
    /// Threads [default: one per processor]
    #[arg(long, short, value_parser = number::within(1..=1024), allow_negative_numbers = true)]
    jobs: Option<u64>,
    /// Folder for the reports and findings
    #[arg(long, short, value_name = "DIR", default_value = report::DEFAULT_FOLDER)]
    out: PathBuf,
    /// Also write report.json to this file (- is standard output, which then gets nothing else)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print a line for each suite on each device at the end, not only for each device
    #[arg(long)]
    details: bool,
    /// Show no progress, and at the end only findings and the verdict
    #[arg(long, short, conflicts_with = "details")]
    quiet: bool,
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

/// A time with a unit, or seconds; zero is one too.
fn parse_bound(text: &str) -> Result<Duration, String> {
    match text.parse::<u64>() {
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => humantime::parse_duration(text)
            .map_err(|_| "expected a time such as 0, 500ms or 10s".to_owned()),
    }
}

/// A part of a whole: `2/4`.
fn parse_shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/');
    let numbers = numbers.and_then(|(k, n)| Some((k.parse::<u64>().ok()?, n.parse::<u64>().ok()?)));
    let (number, of) =
        numbers.ok_or("expected the number of a part and of all parts, such as 2/4")?;
    if of > MOST_SHARDS {
        return Err(format!("there are at most {MOST_SHARDS} parts"));
    }
    if number == 0 || number > of {
        return Err(format!("there is no part {number} of {of}: they have the numbers 1 to {of}"));
    }
    Ok(Shard { number, of })
}

/// What a campaign compares with what, and where.
fn compared(engine: &UnderTest, reference: Option<&Outside>, suites: &[Box<dyn Suite>]) -> String {
    let devices: Vec<_> = suites::devices(suites).iter().map(|device| device.name()).collect();
    let outside = |engine: &Outside| {
        format!("{} ({})", engine.hello().name, escape::line(&name_of(&engine.command)))
    };
    let engine = match engine {
        UnderTest::Named(name) => format!("self-test: the engine `{name}` of this program"),
        UnderTest::Outside(engine) => outside(engine),
    };
    let reference = reference.map_or("the reference model".to_owned(), outside);
    let count = counted(suites.len() as u64, "suite");
    format!("{engine} against {reference}; {count} on {}", devices.join(", "))
}

impl Arguments {
    /// The command with all its options.
    pub(crate) fn command() -> clap::Command {
        Self::augment_args(clap::Command::new("run"))
    }

    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let earlier = if self.resume { Some(Folder::with_journal(&self.out)?) } else { None };
        let selection = match &earlier {
            Some((_, journal)) => Selection::of(journal),
            None => Selection::new(&self.instruction, &self.rule, &self.device)
                .map_err(|failure| self.located(&["instruction", "rule"], failure))?
                .breaking(self.sabotage.as_deref())
                .map_err(|failure| self.located(&["sabotage"], failure))?,
        };
        let name = earlier.as_ref().map_or(&self.engine, |(_, journal)| &journal.engine).clone();
        let engine = self.allowed.engine(&name);
        let engine = engine.map_err(|failure| self.located(&["engine"], failure))?;
        let reference_name = match &earlier {
            None => self.reference.clone(),
            Some((_, journal)) => journal.reference.clone(),
        };
        let reference = reference_name.as_deref().map(|name| self.allowed.reference(name, &engine));
        let reference = reference.transpose();
        let reference = reference.map_err(|failure| self.located(&["reference"], failure))?;
        let suites = selection.sabotaged(match &earlier {
            Some((_, journal)) => {
                suites::of_record(&journal.record, &engine, &selection.instructions)?
            }
            None => {
                let devices = selection.devices(&self.device);
                let suites = suites::select(
                    &devices,
                    &self.suite,
                    &self.unlisted.allow,
                    &engine,
                    &selection.instructions,
                )
                .map_err(|failure| self.located(&["suite", "instruction", "device"], failure))?;
                let suites = suites::without(suites, &self.exclude)
                    .map_err(|failure| self.located(&["exclude"], failure))?;
                selection.meeting(suites)
            }
        })?;
        let suites = match &reference {
            Some(reference) => suites::held_against(suites, reference)?,
            None => suites,
        };
        let known = known::in_force(
            known::read(&self.known).map_err(|failure| self.located(&["known"], failure))?,
        );
        let compared = compared(&engine, reference.as_deref(), &suites);
        let engine = match &engine {
            UnderTest::Outside(engine) => {
                let devices = suites::devices(&suites);
                let report = EngineReport::new(engine, &devices, &suites);
                Some(report.held_against(reference.as_deref()))
            }
            UnderTest::Named(_) => None,
        };
        let presented = self.presentation.read()?;
        if let Some(file) = self.json_file() {
            files::check(file)?;
        }
        let cancel = interrupt::listen()?;
        let running: BTreeSet<_> = suites.iter().map(|suite| suite.name()).collect();
        let running = running.into_iter().collect::<Vec<_>>().join(", ");
        let mut lines = Lines::new(&suites, self.quiet);
        let (folder, mut campaign) = match earlier {
            Some((folder, journal)) => {
                let campaign = self.resumed(journal.record, suites, &folder)?;
                (folder, campaign)
            }
            None => {
                let folder = Folder::take(&self.out)?;
                let campaign = self.begun(suites, known, &folder, engine.is_some())?;
                (folder, campaign)
            }
        };
        let seed = campaign.plan().seed;
        if !self.quiet {
            if !self.rule.is_empty() || self.sabotage.is_some() {
                note(format_args!("suites: {running}"));
            }
            if let Some(settings) = &self.settings {
                note(format_args!("settings from {}", settings.path.display()));
            }
            note(format_args!("{compared}"));
            note(format_args!("seed {seed}"));
        }
        Report::of_running(seed).write(&self.out)?;
        let mut keeper = Keeper::new(&folder, name, reference_name, selection.clone());
        keeper.keep(campaign.record())?;
        let run = campaign.run(&cancel, |campaign, progress| {
            lines.update(campaign, progress);
            // A round that was cancelled is half done.
            if !cancel.load(Ordering::Relaxed) {
                keeper.keep_now_and_then(campaign);
            }
        });
        run.map_err(|error| Failure::input(error.to_string()))?;
        let record = campaign.record();
        let summary = campaign.summary();
        lines.finish(&summary.suites);
        let selection = selection.given();
        let mut report = Report { engine, selection, ..report::of_campaign(seed, &summary) };
        presented.apply(&mut report);
        self.write(&report)?;
        if let Some(error) = summary.unwritten.first() {
            return Err(Failure::input(format!("a finding was not kept: {error}")));
        }
        if !summary.cancelled {
            keeper.keep(record.over())?;
        }
        Ok(match report.verdict {
            _ if summary.cancelled => Ending::Interrupted,
            verdict => verdict.ending(),
        })
    }

    /// A failure that the values of some options led to, with the line of the file that has the first of them.
    fn located(&self, keys: &[&str], failure: Failure) -> Failure {
        match &self.settings {
            Some(settings) => settings.located(keys, failure),
            None => failure,
        }
    }

    /// A campaign that begins: what is in the folder of an earlier one is put aside.
    fn begun(
        &self,
        suites: Vec<Box<dyn Suite>>,
        known: Vec<Known>,
        folder: &Folder,
        is_outside: bool,
    ) -> Result<Campaign, Failure> {
        folder.put_aside()?;
        let seed = self.seed.unwrap_or_else(new_seed);
        Ok(Campaign::new(Plan { known, ..self.plan(seed, folder, is_outside) }, suites))
    }

    /// A campaign that goes on.
    fn resumed(
        &self,
        mut record: Record,
        suites: Vec<Box<dyn Suite>>,
        folder: &Folder,
    ) -> Result<Campaign, Failure> {
        record.plan.shrink = self.shrink.or(record.plan.shrink);
        let jobs = self.jobs.map(|jobs| jobs as usize);
        Campaign::resume(record, suites, jobs, Some(folder.findings()))
            .map_err(|error| Failure::input(format!("{}: {error}", self.out.display())))
    }

    fn plan(&self, seed: u64, folder: &Folder, is_outside: bool) -> Plan {
        let bound = match (self.cases, self.instructions) {
            (Some(cases), _) => Bound::Cases(cases),
            (None, Some(instructions)) => Bound::Instructions(instructions),
            (None, None) => Bound::Time(self.time.unwrap_or(DEFAULT_TIME)),
        };
        Plan {
            seed,
            jobs: self.jobs.map(|jobs| jobs as usize),
            bound,
            first: self.first,
            stop_after: self.stop_after.map(|most| most as usize),
            known: Vec::new(),
            thin_after: Some(THIN_AFTER),
            shrink: self.shrink.or(match bound {
                Bound::Time(time) if is_outside => Some((time / 100).max(SHORTEST_SHRINK)),
                _ => None,
            }),
            shard: self.shard.unwrap_or(Shard::WHOLE),
            findings: Some(folder.findings()),
        }
    }

    /// Writes the reports and prints the summary, which names them only if they are there.
    fn write(&self, report: &Report) -> Result<(), Failure> {
        let written = report.write(&self.out).and_then(|()| match self.json_file() {
            Some(file) => files::write(file, report.json().as_bytes()),
            None => Ok(()),
        });
        if self.json.is_some() && self.json_file().is_none() {
            output::print(report.json().trim_end());
        } else {
            if !self.quiet {
                output::print("");
            }
            output::print(report.summary(self.detail()).trim_start_matches('\n'));
            if written.is_ok() && !self.quiet {
                let page = self.out.join("report.html");
                output::print(format!("report   {}", page.display()));
            }
        }
        written
    }

    /// How much the summary says.
    fn detail(&self) -> Detail {
        match (self.quiet, self.details) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Suites,
            (false, false) => Detail::Devices,
        }
    }

    /// The file that `--json` names, if it is not standard output.
    fn json_file(&self) -> Option<&Path> {
        self.json.as_deref().filter(|file| *file != Path::new("-"))
    }
}

/// A seed that no run before had, most likely; short enough to be typed.
fn new_seed() -> u64 {
    RandomState::new().hash_one(()) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_a_number_and_a_whole() {
        assert_eq!(parse_shard("1/1"), Ok(Shard::WHOLE));
        assert_eq!(parse_shard("2/4"), Ok(Shard { number: 2, of: 4 }));
        for mistake in ["0/4", "5/4", "4", "/4", "1/", "-1/4", "1/0", "a/b", "1/10001", "1/2/3"] {
            assert!(parse_shard(mistake).is_err(), "{mistake}");
        }
    }

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
