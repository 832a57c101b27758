//! The report of a campaign.

use parallax_lockstep::campaign::{self, Cause, Statistics, Summary};

use super::{
    Declined, Divergence, Exactness, ProfileDifference, Ran, Report, Rules, Shown, Spread, Suite,
    VERSION, depths, exactness, known,
};

/// What a campaign came to, as a report.
pub(crate) fn of_campaign(seed: u64, summary: &Summary) -> Report {
    let suite = |suite: &Statistics| Suite {
        name: suite.name.clone().into_owned(),
        device: suite.device.clone().into_owned(),
        cases: suite.cases,
        instructions: suite.instructions,
        comparisons: suite.comparisons,
        divergences: suite.divergences,
        accepted_undefined: suite.accepted_undefined,
        skipped: suite.skipped,
        uncompared: suite.uncompared,
        left_out: suite.left_out,
        declined: suite.declined.cases,
        verdict: suite.verdict().into(),
        objection: suite.objection(),
    };
    let shown = |shown: &campaign::Shown| Shown {
        suite: shown.suite.clone(),
        device: shown.device.clone(),
        cases: shown.cases,
        seed: shown.seed,
    };
    let divergence = |cause: &Cause| {
        let finding = &cause.finding;
        Divergence {
            id: finding.id.clone(),
            kind: finding.kind.clone(),
            signature: cause.signature.clone(),
            cases: cause.cases(),
            shown: cause.shown.iter().map(shown).collect(),
            instructions: finding.instructions as u64,
            device: finding.device.clone().into_owned(),
            suite: finding.suite.clone().into_owned(),
            step: finding.step,
            instruction: finding.instruction.clone(),
            location: finding.location.clone(),
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
            rules: finding.rules.iter().map(ToString::to_string).collect(),
            trace: cause.trace.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
            referee: finding.referee.clone(),
            context: finding.text.clone(),
        }
    };
    let mut report = Report {
        version: VERSION,
        engine: None,
        dut: None,
        waived: None,
        requirements: None,
        selection: None,
        verdict: summary.verdict().into(),
        seed,
        elapsed_s: summary.elapsed.as_secs_f64(),
        interrupted: summary.cancelled,
        running: false,
        suites: summary.suites.iter().map(suite).collect(),
        run: Some(Ran::here()),
        rules: Rules::new(&summary.coverage, &summary.by_device),
        exactness: Exactness::of(&summary.suites),
        exactness_by_type: exactness::by_type(&summary.suites),
        depths: depths::by_device(&summary.suites),
        spread: Spread::of(&summary.suites),
        declined: Declined::of(&summary.suites),
        known: known::known(summary),
        thinned: known::thinned(&summary.suites),
        divergences: summary.findings.iter().map(divergence).collect(),
        profiles: if summary.suites.iter().any(|suite| suite.name.starts_with("r700")) {
            ProfileDifference::all()
        } else {
            Vec::new()
        },
    };
    report.accuse();
    report
}
