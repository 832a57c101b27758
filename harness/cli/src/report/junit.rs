//! The report as JUnit XML, which most CI systems read.

use std::time::Duration;

use parallax_lockstep::escape;
use quick_junit::{
    NonSuccessKind::{self, Error, Failure},
    Report as Document, TestCase, TestCaseStatus, TestSuite,
};

use super::{
    Divergence, Report, Suite, Verdict,
    standings::{self, Row},
};

/// A test suite per suite, with a test case for all of it and a failed one per divergence, and one per
/// document, with a test case per rule.
pub(crate) fn junit(report: &Report) -> String {
    let mut document = Document::new("parallax");
    document.set_time(Duration::try_from_secs_f64(report.elapsed_s).unwrap_or_default());
    document.add_test_suites(report.suites.iter().map(|suite| of_suite(report, suite)));
    if report.running {
        let mut suite = TestSuite::new("parallax");
        suite.add_test_case(campaign(&suite, wrong(Error, "the run has not ended")));
        document.add_test_suite(suite);
    }
    let rows = standings::rows(report);
    let documents = rows.chunk_by(|a, b| a.document == b.document);
    document.add_test_suites(documents.map(|rows| of_rules(report, rows)));
    document.to_string().expect("memory takes what is written")
}

/// Text of a report as XML allows it, without control characters and noncharacters; the library would leave
/// out some of them and let others pass.
fn safe(text: &str) -> String {
    escape::lines(text).into_owned()
}

fn wrong(kind: NonSuccessKind, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(safe(message));
    status
}

/// The test case for all of a suite.
fn campaign(suite: &TestSuite, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new("campaign", status);
    case.set_classname(suite.name.clone());
    case
}

fn of_suite(report: &Report, suite: &Suite) -> TestSuite {
    let is_of_suite = |d: &&Divergence| d.suite == suite.name && d.device == suite.device;
    let divergences: Vec<_> = report.divergences.iter().filter(is_of_suite).collect();
    let status = match suite.verdict {
        Verdict::Pass => TestCaseStatus::success(),
        Verdict::Incomplete => wrong(Error, suite.objection.as_deref().unwrap_or("not run")),
        // Its divergences fail.
        Verdict::Fail if !divergences.is_empty() => TestCaseStatus::success(),
        Verdict::Fail => wrong(Failure, suite.objection.as_deref().unwrap_or_default()),
    };
    let mut tests = TestSuite::new(safe(&format!("{}.{}", suite.device, suite.name)));
    let mut whole = campaign(&tests, status);
    whole.set_system_out(format!(
        "{} cases, {} instructions, {} comparisons, {} skipped, {} uncompared",
        suite.cases, suite.instructions, suite.comparisons, suite.skipped, suite.uncompared
    ));
    tests.add_test_case(whole);
    for divergence in divergences {
        let Divergence { step, instruction, location, actual, expected, .. } = divergence;
        let message =
            format!("step {step}: {instruction}: {location} is {actual}, expected {expected}");
        let mut status = wrong(Failure, &message);
        let extent = divergence.extent().map_or(String::new(), |extent| extent + "\n");
        status.set_description(safe(&(extent + &divergence.context)));
        let mut case = TestCase::new(safe(&divergence.id), status);
        case.set_classname(tests.name.clone());
        tests.add_test_case(case);
    }
    tests
}

/// The test suite of a document with a test case for each of its rules: one that is at stake in a
/// divergence fails, one that is covered or checked passes, and any other is skipped and says why.
fn of_rules(report: &Report, rows: &[Row]) -> TestSuite {
    let mut tests = TestSuite::new(format!("rules.{}", rows[0].document));
    for row in rows {
        let mut case = TestCase::new(row.id, of_rule(report, row));
        case.set_classname(tests.name.clone());
        tests.add_test_case(case);
    }
    tests
}

fn of_rule(report: &Report, row: &Row) -> TestCaseStatus {
    match row.state {
        "covered" | "checked" => TestCaseStatus::success(),
        "failed" => {
            let has_it = |d: &&Divergence| d.rules.iter().any(|id| id == row.id);
            let at_stake = report.divergences.iter().filter(has_it);
            let findings: Vec<_> = at_stake.map(|divergence| divergence.id.as_str()).collect();
            let mut status = wrong(Failure, "at stake in a divergence");
            status.set_description(safe(&findings.join("\n")));
            status
        }
        state => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(match row.reason {
                Some(reason) => format!("{state}: {reason}"),
                None => state.to_owned(),
            });
            status
        }
    }
}
