//! Campaigns against an engine with a planted fault: the same whatever the number of threads, kept
//! when they are stopped, findings on disk the moment they are found.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use parallax_executor::eu::Executor;
use parallax_isa::Device;
use parallax_lockstep::{
    campaign::{Bound, Cause, Plan, Shard, Statistics, Summary, Verdict, campaign},
    eu::{Eu, generate},
    subject::MakeEngine,
    suite::{Finding, Suite},
    suites::lockstep::LockstepSuite,
    trace::{self, Trace, replay},
};
use parallax_reference::eu::Reference;
use parallax_spec::{Level, RuleId, browse::Standing, coverage::OFTEN};

use crate::{fault_injection::Faulty, faults::eu::fault};

/// An engine with a fault that a few cases in a hundred show.
fn faulty() -> Faulty<Eu> {
    Faulty::new(fault("sada2 taken for sad2"))
}

fn suite_of(device: Device, engine: MakeEngine<Eu>) -> Box<dyn Suite> {
    let generate = move |bytes: &[u8]| generate::straight_line(device, bytes);
    let suite = LockstepSuite::new("planted", device.name(), generate::BYTES, generate);
    Box::new(suite.with_engine(engine))
}

fn suites() -> Vec<Box<dyn Suite>> {
    vec![
        suite_of(Device::G45, || Box::new(faulty())),
        suite_of(Device::Bw, || Box::new(Executor::new())),
    ]
}

/// A plan on two threads.
pub(crate) fn plan(seed: u64, bound: Bound) -> Plan {
    Plan {
        seed,
        jobs: Some(2),
        bound,
        first: 0,
        stop_after: None,
        known: Vec::new(),
        thin_after: None,
        shrink: None,
        shard: Shard::WHOLE,
        findings: None,
    }
}

fn run(plan: &Plan) -> Summary {
    campaign(plan, suites(), &AtomicBool::new(false), |_| ()).expect("it starts")
}

/// What has to be the same every time: all but the time it took.
pub(crate) fn timeless(summary: &Summary) -> (Vec<Statistics>, Vec<Finding>) {
    let without = |suite: &Statistics| Statistics { elapsed: Duration::ZERO, ..suite.clone() };
    let findings = summary.findings.iter().map(|cause| cause.finding.clone());
    (summary.suites.iter().map(without).collect(), findings.collect())
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let plan = plan(11, Bound::Cases(400));
    let [one, two] = [1, 2].map(|jobs| run(&Plan { jobs: Some(jobs), ..plan.clone() }));
    assert_eq!(timeless(&one), timeless(&two));
    assert_eq!(one.coverage, two.coverage);
    assert!(!one.findings.is_empty() && one.verdict() == Verdict::Fail);
    let other = run(&Plan { seed: 12, ..plan });
    assert_ne!(timeless(&one), timeless(&other));
}

/// One wrong instruction, seen in many cases at many steps and in all the banks it can write its result
/// to, is one finding, and one more where its flags are wrong and nothing before them.
#[test]
fn a_bug_counts_once() {
    let suites = vec![
        suite_of(Device::G45, || Box::new(faulty())),
        suite_of(Device::G45, || Box::new(Faulty::new(fault("rndu taken for frc")))),
    ];
    let stop = AtomicBool::new(false);
    let summary = campaign(&plan(11, Bound::Cases(400)), suites, &stop, |_| ()).expect("it starts");
    let seen: Vec<_> = summary.suites.iter().map(|suite| suite.divergences).collect();
    let kinds: Vec<_> = summary.findings.iter().map(|cause| &*cause.finding.kind).collect();
    assert!(seen.iter().all(|seen| *seen > 50), "{seen:?}");
    let possible =
        ["sada2", "rndu"].map(|mnemonic| ["result", "f"].map(|bank| format!("{mnemonic} {bank}")));
    let possible = possible.as_flattened();
    assert!(kinds.iter().all(|kind| possible.iter().any(|known| known == kind)), "{kinds:?}");
    let different: BTreeSet<_> = kinds.iter().collect();
    assert_eq!(different.len(), kinds.len(), "{kinds:?}");
}

/// A rule that a divergence implicates has failed, however often it agreed elsewhere: a wrong `rnde` leaves
/// none of its rules covered.
#[test]
fn implicated_rules_have_failed() {
    let suites =
        vec![suite_of(Device::G45, || Box::new(Faulty::new(fault("rnde taken for rndz"))))];
    let stop = AtomicBool::new(false);
    let summary = campaign(&plan(11, Bound::Cases(400)), suites, &stop, |_| ()).expect("it starts");
    let standing = |rule: RuleId| Standing::of(rule.rule(), summary.coverage.uses(rule));
    let implicated: BTreeSet<_> =
        summary.findings.iter().flat_map(|cause| cause.finding.rules.clone()).collect();
    let binding = implicated.iter().filter(|rule| rule.rule().level == Level::Must);
    assert!(binding.clone().count() > 10);
    for rule in binding {
        assert_eq!(standing(*rule), Standing::Failed, "{rule}");
    }
    let semantics = RuleId::find("g45.inst.rnde.semantics").expect("in the catalogue");
    assert_eq!(standing(semantics), Standing::Failed);
    let other = RuleId::find("g45.inst.add.opcode").expect("in the catalogue");
    assert_eq!(standing(other), Standing::Covered);
}

#[test]
fn a_campaign_goes_on_where_another_ended() {
    let whole = run(&plan(11, Bound::Cases(200)));
    let halves = [0, 100].map(|first| run(&Plan { first, ..plan(11, Bound::Cases(100)) }));
    let sum = |number: fn(&Statistics) -> u64| {
        let parts = halves.iter().map(|half| half.suites.iter().map(number).collect::<Vec<_>>());
        parts.reduce(|a, b| a.iter().zip(b).map(|(a, b)| a + b).collect()).expect("two halves")
    };
    let all = |number: fn(&Statistics) -> u64| whole.suites.iter().map(number).collect::<Vec<_>>();
    for number in [
        |suite: &Statistics| suite.cases,
        |suite: &Statistics| suite.instructions,
        |suite: &Statistics| suite.divergences,
    ] {
        assert_eq!(sum(number), all(number));
    }
}

#[test]
fn a_cancelled_campaign_keeps_what_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let cancel = AtomicBool::new(false);
    let plan = Plan {
        findings: Some(folder.path().to_owned()),
        ..plan(11, Bound::Time(Duration::from_secs(3600)))
    };
    let summary = campaign(&plan, suites(), &cancel, |progress| {
        if !progress.findings.is_empty() {
            cancel.store(true, Ordering::Relaxed);
        }
    });
    let summary = summary.expect("it starts");
    assert!(summary.cancelled && summary.verdict() == Verdict::Fail);
    assert!(summary.elapsed < Duration::from_secs(600));
    assert!(summary.suites[0].cases > 0 && summary.suites[0].divergences > 0);
    assert!(summary.coverage.covered().count() > 50);
    for Cause { finding, trace: path, .. } in &summary.findings {
        assert!(path.as_ref().is_some_and(|path| path.is_file()), "{}", finding.id);
    }
}

#[test]
fn findings_are_traces_the_moment_they_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan =
        Plan { findings: Some(folder.path().to_owned()), ..plan(11, Bound::Instructions(40_000)) };
    let mut seen = 0;
    let summary = campaign(&plan, suites(), &AtomicBool::new(false), |progress| {
        for finding in progress.findings {
            check(&folder.path().join(format!("{}.trace", finding.id)), finding);
            seen += 1;
        }
    });
    let summary = summary.expect("it starts");
    assert!(seen > 0 && seen == summary.findings.len());
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), seen);
    assert!(summary.unwritten.is_empty());
}

/// A finding's trace is small, and it tells the engine with the fault from the one without.
fn check(path: &Path, finding: &Finding) {
    let trace: Trace<Eu> = trace::read(path).expect("a whole trace");
    assert!(finding.instructions < 5, "{}", finding.text);
    let faulty = replay(&trace, &mut faulty()).expect("it loads");
    assert_eq!(faulty.map(|divergence| divergence.step), Some(finding.step), "{}", finding.text);
    let right = replay(&trace, &mut Executor::new()).expect("it loads");
    assert!(right.is_none(), "{}\n{right:?}", finding.text);
    assert!(replay(&trace, &mut Reference::new()).expect("it loads").is_none());
}

#[test]
fn findings_that_cannot_be_written_are_named_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a writable folder");
    let summary = run(&Plan { findings: Some(file.clone()), ..plan(11, Bound::Cases(300)) });
    assert!(!summary.findings.is_empty());
    assert_eq!(summary.unwritten.len(), summary.findings.len());
    assert!(summary.findings.iter().all(|cause| cause.trace.is_none()));
    let message = summary.unwritten[0].to_string();
    assert!(message.contains("cannot write") && message.contains("file"), "{message}");
}

/// Nobody looks for rules any more that were met often, but where engines differ each rule of the step fails.
#[test]
fn rules_that_were_met_often_fail_where_engines_differ() {
    let suites = vec![
        suite_of(Device::G45, || Box::new(Executor::new())),
        suite_of(Device::G45, || Box::new(faulty())),
    ];
    let plan = plan(21, Bound::Cases(6000));
    let summary = campaign(&plan, suites, &AtomicBool::new(false), |_| ()).expect("it starts");
    let differing = summary.suites[1].divergences;
    let rule = *summary.findings[0].finding.rules.first().expect("a suspect");
    let uses = summary.coverage.uses(rule);
    assert_eq!((rule.rule().id, uses.exact), ("g45.inst.sada2.semantics", OFTEN));
    assert_eq!(uses.failed, differing + 1, "each step that differs, and the finding");
}
