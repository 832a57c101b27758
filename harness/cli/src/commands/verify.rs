//! `parallax verify`: whether a bundle is intact, and comes out the same again.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, RandomState},
    path::PathBuf,
};

use clap::Args;
use parallax_isa::Device;
use parallax_lockstep::{
    campaign::{Bound, Campaign, Plan, Shard, Statistics, THIN_AFTER},
    outside, registry,
    subject::UnderTest,
    trace,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    bundle::{Bundle, Settings},
    failure::{Ending, Failure},
    interrupt, number,
    output::{self, counted, grouped},
    report::{Report, Suite},
    suites,
    under_test::Allowed,
    unlisted::Unlisted,
};

/// Suites that are repeated by default.
const SAMPLE: u64 = 3;

/// Cases of a suite that are repeated where the campaign was bounded by time.
const CASES: u64 = 240;

/// Check a bundle of `parallax report --bundle`, and repeat a sample of the campaign
///
/// Checks every checksum, runs the cases of some suites again, chosen at random, and replays the trace of every
/// finding. A suite of a campaign that was bounded by --cases has to come to the same numbers; one that was bounded by
/// time is repeated in part, and shows no divergence that the campaign does not have. Nothing is unpacked to files.
///
/// An engine outside of this program is never started because a bundle says so: name it with --engine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax verify signed.zip
  parallax verify signed.zip --engine \"cmd:python3 my-engine.py\" --sample 10 --json

Exit codes: 0 it comes out the same, 1 it does not, 2 it is damaged, no bundle, or one of another version.")]
pub(crate) struct Arguments {
    /// The bundle
    #[arg(value_name = "FILE.zip")]
    path: PathBuf,
    /// Engine to repeat it with [default: that of the campaign, if it is one of this program]
    #[arg(long)]
    engine: Option<String>,
    #[command(flatten)]
    allowed: Allowed,
    /// Suites to repeat, 0 for none
    #[arg(long, value_name = "N", default_value_t = SAMPLE, value_parser = number::within(0..=10_000), allow_negative_numbers = true)]
    sample: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `verify`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// `same` or `different`.
    verdict: &'static str,
    /// The engine that the sample was repeated on.
    engine: String,
    /// The suites that were repeated.
    suites: Vec<Repeated>,
    /// The findings that were replayed.
    findings: Vec<Replayed>,
}

/// A suite that was run again.
#[derive(Debug, Serialize, JsonSchema)]
struct Repeated {
    /// The suite.
    suite: String,
    /// The device.
    device: String,
    /// Cases that were repeated.
    cases: u64,
    /// Whether these are all cases of the campaign.
    whole: bool,
    /// What came out differently, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<String>,
}

/// A finding that was replayed.
#[derive(Debug, Serialize, JsonSchema)]
struct Replayed {
    /// Id of the finding.
    finding: String,
    /// What came out differently, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<String>,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let bundle = Bundle::read(&self.path)?;
        let failure = |what: &str| Failure::input(format!("{}: {what}", self.path.display()));
        let manifest = &bundle.manifest;
        let here = (env!("CARGO_PKG_VERSION"), option_env!("PARALLAX_COMMIT"));
        let commit = manifest.commit.as_deref();
        if manifest.version != here.0 || (commit.is_some() && here.1.is_some() && commit != here.1)
        {
            let of = |version: &str, commit: Option<&str>| {
                commit.map_or(version.to_owned(), |commit| format!("{version}, commit {commit}"))
            };
            return Err(failure(&format!(
                "it was made by parallax {}; this is parallax {}, which may come to other numbers",
                of(&manifest.version, commit),
                of(here.0, here.1)
            )));
        }
        let report = bundle.report(&self.path)?;
        if report.seed != manifest.seed {
            return Err(failure("the seeds of manifest.json and report.json are not the same"));
        }
        let name = self.engine_name(&report).map_err(|what| failure(&what))?;
        let engine = self.allowed.engine(&name)?;
        let findings = replay_all(&bundle, &report, &engine).map_err(|what| failure(&what))?;
        let suites = repeat(&report, manifest.settings.as_ref(), &engine, self.sample)?;
        let is_same = suites.iter().all(|suite| suite.difference.is_none())
            && findings.iter().all(|finding| finding.difference.is_none());
        let verdict = if is_same { "same" } else { "different" };
        let verified = Verified { verdict, engine: engine.name().to_owned(), suites, findings };
        match self.json {
            true => output::print_json(&verified),
            false => output::print(verified.text()),
        }
        Ok(Ending::found(!is_same))
    }

    /// The engine given, or that of the campaign. What a file says is never started.
    fn engine_name(&self, report: &Report) -> Result<String, String> {
        match (&self.engine, &report.engine) {
            (Some(name), _) => Ok(name.clone()),
            (None, None) => Ok("executor".to_owned()),
            (None, Some(engine)) => Err(format!(
                "the campaign tested {}; start it with --engine {}",
                output::brief(&engine.name),
                output::quoted(&outside::name_of(&engine.command))
            )),
        }
    }
}

impl Verified {
    fn text(&self) -> String {
        let mut lines = Vec::new();
        for Repeated { suite, device, cases, whole, difference } in &self.suites {
            let extent = if *whole { "" } else { ", a part" };
            let what = difference.as_deref().unwrap_or("the same");
            lines.push(format!("{suite} on {device} ({} cases{extent}): {what}", grouped(*cases)));
        }
        for Replayed { finding, difference } in &self.findings {
            lines.push(format!("{finding}: {}", difference.as_deref().unwrap_or("the same")));
        }
        lines.push(format!(
            "verdict  {} ({} repeated, {} replayed on the {})",
            self.verdict,
            counted(self.suites.len() as u64, "suite"),
            counted(self.findings.len() as u64, "finding"),
            self.engine
        ));
        lines.join("\n")
    }
}

/// Replays the traces of all findings, each of which has to differ.
fn replay_all(
    bundle: &Bundle,
    report: &Report,
    engine: &UnderTest,
) -> Result<Vec<Replayed>, String> {
    let mut all = Vec::new();
    for finding in report.divergences.iter().filter(|finding| !finding.trace.is_empty()) {
        let id = output::brief(&finding.id).to_string();
        let trace =
            bundle.trace(&finding.id).ok_or_else(|| format!("the trace of {id} is missing"))?;
        let machine = trace::machine_of(trace).map_err(|error| format!("{id}: {error}"))?;
        let machine = registry::machine(&machine)
            .ok_or_else(|| format!("{id}: its trace is for a machine that there is not"))?;
        let replayed =
            machine.replay(trace, engine).map_err(|problem| format!("{id}: {problem}"))?;
        let difference = match (replayed.beyond, replayed.difference) {
            (Some(lack), _) => Some(format!("not replayed: the engine does not have {lack}")),
            (None, None) => Some("the engine agrees with the reference now".to_owned()),
            (None, Some(_)) => None,
        };
        all.push(Replayed { finding: id, difference });
    }
    Ok(all)
}

/// Runs some suites of a campaign again.
fn repeat(
    report: &Report,
    settings: Option<&Settings>,
    engine: &UnderTest,
    sample: u64,
) -> Result<Vec<Repeated>, Failure> {
    let mut ran: Vec<&Suite> = report.suites.iter().filter(|suite| suite.cases > 0).collect();
    let order = RandomState::new();
    ran.sort_by_key(|suite| order.hash_one((&suite.name, &suite.device)));
    ran.truncate(sample as usize);
    let mut repeated = Vec::new();
    for suite in ran {
        repeated.push(repeat_one(report, suite, settings, engine)?);
    }
    Ok(repeated)
}

fn repeat_one(
    report: &Report,
    suite: &Suite,
    settings: Option<&Settings>,
    engine: &UnderTest,
) -> Result<Repeated, Failure> {
    let device: Device =
        suite.device.parse().map_err(|error| Failure::input(format!("{error}")))?;
    let name = std::slice::from_ref(&suite.name);
    let instructions =
        report.selection.as_ref().map_or(&[][..], |selection| &selection.instructions);
    let suites = suites::select(&[device], name, &[Unlisted::Dp4a], engine, instructions)?;
    let suites = match &report.selection {
        Some(selection) => selection.sabotaged(suites)?,
        None => suites,
    };
    // All cases of a campaign by numbers were run, unless it ended early; of one by time some may have been left.
    let whole = settings.filter(|settings| {
        matches!(settings.bound, Bound::Cases(_))
            && settings.stop_after.is_none()
            && !report.interrupted
    });
    let bound = whole.map_or(Bound::Cases(suite.cases.min(CASES)), |settings| settings.bound);
    let plan = Plan {
        seed: report.seed,
        jobs: None,
        bound,
        first: settings.map_or(0, |settings| settings.first),
        stop_after: None,
        known: report.known_patterns(),
        thin_after: Some(THIN_AFTER),
        shrink: None,
        shard: whole.map_or(Shard::WHOLE, |settings| settings.shard),
        findings: None,
    };
    let cancel = interrupt::listen()?;
    let mut campaign = Campaign::new(plan, suites);
    campaign.run(&cancel, |_, _| ()).map_err(|error| Failure::input(error.to_string()))?;
    let summary = campaign.summary();
    if summary.cancelled {
        return Err(Failure::input("interrupted before the sample was repeated"));
    }
    let again = &summary.suites[0];
    let difference = match whole {
        Some(_) => numbers_that_differ(suite, again),
        None => {
            let known: BTreeSet<&str> =
                report.divergences.iter().map(|finding| finding.kind.as_str()).collect();
            let new = summary.findings.iter().find(|new| !known.contains(&*new.finding.kind));
            match (new, suite.divergences) {
                (_, 0) if again.divergences > 0 => Some(format!(
                    "{}, and the campaign has none",
                    counted(again.divergences, "divergence")
                )),
                (Some(new), _) => {
                    Some(format!("{}, which the campaign does not have", new.finding.kind))
                }
                _ => None,
            }
        }
    };
    Ok(Repeated {
        suite: suite.name.clone(),
        device: suite.device.clone(),
        cases: again.cases,
        whole: whole.is_some(),
        difference,
    })
}

/// The numbers of a suite that are not the same again, in words.
fn numbers_that_differ(suite: &Suite, again: &Statistics) -> Option<String> {
    let numbers = [
        ("cases", suite.cases, again.cases),
        ("instructions", suite.instructions, again.instructions),
        ("comparisons", suite.comparisons, again.comparisons),
        ("divergences", suite.divergences, again.divergences),
        ("accepted results", suite.accepted_undefined, again.accepted_undefined),
        ("skipped cases", suite.skipped, again.skipped),
        ("uncompared cases", suite.uncompared, again.uncompared),
        ("cases left out", suite.left_out, again.left_out),
    ];
    let differ = numbers.iter().filter(|(_, before, now)| before != now);
    let differ = differ.map(|(what, before, now)| {
        format!("{} {what} where there were {}", grouped(*now), grouped(*before))
    });
    let differ: Vec<_> = differ.collect();
    (!differ.is_empty()).then(|| differ.join(", "))
}
