//! The report as JUnit XML, which most CI systems read.

use std::time::Duration;

use parallax_lockstep::escape;
use quick_junit::{
    NonSuccessKind::{self, Error, Failure},
    Report as Document, TestCase, TestCaseStatus, TestSuite,
};

use super::{
    Divergence, Report, Suite, Verdict,
    numbers::Numbers,
    standings::{self, Row},
    suspects::IMPLICATED,
    waivers::State,
};

/// A test suite per suite, with a test case for all of it and a failed one per divergence that is not waived, and
/// one per document, with a test case per applicable rule.
pub(crate) fn junit(report: &Report) -> String {
    let mut document = Document::new("parallax");
    document.set_time(Duration::try_from_secs_f64(report.elapsed_s).unwrap_or_default());
    document.add_test_suites(report.suites.iter().map(|suite| of_suite(report, suite)));
    if report.running {
        let mut suite = TestSuite::new("parallax");
        suite.add_test_case(campaign(&suite, wrong(Error, "the run has not ended")));
        document.add_test_suite(suite);
    }
    document.add_test_suites(of_waivers(report));
    document.add_test_suites(of_requirements(report));
    let rows = standings::rows(report);
    let documents = rows.chunk_by(|a, b| a.document == b.document);
    document.add_test_suites(documents.filter_map(|rows| of_rules(report, rows)));
    document.add_test_suite(numbers(&rows));
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
        let referee = divergence.referee.iter().map(|referee| format!("; {referee}"));
        let message = message + &referee.collect::<String>();
        let mut status = match report.waiver_of(divergence) {
            Some(waiver) => skipped(&format!("{}: {message}", waiver.text())),
            None => wrong(Failure, &message),
        };
        let extent = divergence.extent().map_or(String::new(), |extent| extent + "\n");
        status.set_description(safe(&(extent + &divergence.context)));
        let mut case = TestCase::new(safe(&divergence.id), status);
        case.set_classname(tests.name.clone());
        tests.add_test_case(case);
    }
    tests
}

/// The waivers that waive nothing: one that has expired fails, one that is about no finding is skipped.
fn of_waivers(report: &Report) -> Option<TestSuite> {
    let mut tests = TestSuite::new("waivers");
    for waiver in report.waived.iter().flat_map(|waived| &waived.entries) {
        let status = match waiver.state {
            State::Active => continue,
            State::Expired => wrong(Failure, &waiver.text()),
            State::Unmatched => skipped(&waiver.text()),
        };
        let mut case = TestCase::new(safe(waiver.what()), status);
        case.set_classname("waivers");
        tests.add_test_case(case);
    }
    (!tests.test_cases.is_empty()).then_some(tests)
}

/// The minimum coverage as a test case, if one was asked for and is missed.
fn of_requirements(report: &Report) -> Option<TestSuite> {
    let missed = report.missed()?;
    let mut tests = TestSuite::new("requirements");
    let kind = if report.verdict == Verdict::Fail { Failure } else { Error };
    let mut case = TestCase::new("requirements", wrong(kind, &missed));
    case.set_classname("requirements");
    tests.add_test_case(case);
    Some(tests)
}

/// The test suite of a document, with a test case for each of its rules that a verdict or the lack of one is
/// known of: one that failed fails, one that is covered passes. One that is implicated, or applicable and left
/// open, is skipped and says why: nobody knows more of it. The others are only counted, restrictions among them, which
/// hold of programs and not of engines; `None` if there are no more than them.
fn of_rules(report: &Report, rows: &[Row]) -> Option<TestSuite> {
    let mut tests = TestSuite::new(format!("rules.{}", rows[0].document));
    let is_case =
        |row: &Row| row.applicable || matches!(row.state, "covered" | "failed" | IMPLICATED);
    for row in rows.iter().filter(|row| is_case(row)) {
        let mut case = TestCase::new(row.id, of_rule(report, row));
        case.set_classname(tests.name.clone());
        tests.add_test_case(case);
    }
    let left_out = rows.iter().filter(|row| !is_case(row)).count();
    tests.add_property(("not-applicable", left_out.to_string().as_str()));
    (left_out < rows.len()).then_some(tests)
}

/// How the applicable rules of all documents stand, as properties.
fn numbers(rows: &[Row]) -> TestSuite {
    let Numbers { applicable, covered, failed, implicated, open, not_applicable } =
        Numbers::of(rows);
    let mut tests = TestSuite::new("rules");
    for (name, number) in [
        ("applicable", applicable),
        ("covered", covered),
        ("failed", failed),
        ("implicated", implicated),
        ("open", open),
        ("not-applicable", not_applicable),
    ] {
        tests.add_property((name, number.to_string().as_str()));
    }
    tests
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(safe(message));
    status
}

fn of_rule(report: &Report, row: &Row) -> TestCaseStatus {
    let suspecting = || {
        let has_it = |d: &&Divergence| d.rules.iter().any(|id| id == row.id);
        let findings = report.divergences.iter().filter(has_it);
        findings.map(|divergence| divergence.id.as_str()).collect::<Vec<_>>().join("\n")
    };
    match row.state {
        "covered" => TestCaseStatus::success(),
        "failed" => {
            let mut status = wrong(Failure, "the first suspect of a finding");
            status.set_description(safe(&suspecting()));
            status
        }
        IMPLICATED => {
            let mut status = skipped("implicated: a suspect of a finding, but not the first");
            status.set_description(safe(&suspecting()));
            status
        }
        state => match row.reason {
            Some(reason) => skipped(&format!("{state}: {reason}")),
            None => skipped(state),
        },
    }
}
