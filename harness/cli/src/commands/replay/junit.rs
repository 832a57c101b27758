//! What came of replayed traces as JUnit XML.

use parallax_lockstep::escape;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Replayed, Verdict};

/// A test case for each trace: one that differs fails, one that cannot be read is an error, one that is left out or
/// differs in what is known to be wrong is skipped.
pub(super) fn junit(engine: &str, traces: &[Replayed]) -> String {
    let safe = |text: &str| escape::lines(text).into_owned();
    let mut tests = TestSuite::new("replay");
    tests.add_property(("engine", safe(engine).as_str()));
    for trace in traces {
        let message = safe(trace.message.as_deref().unwrap_or_default());
        let mut status = match trace.verdict {
            Verdict::Agrees => TestCaseStatus::success(),
            Verdict::Differs => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Verdict::Unreadable => TestCaseStatus::non_success(NonSuccessKind::Error),
            Verdict::LeftOut | Verdict::Known => TestCaseStatus::skipped(),
        };
        if trace.verdict != Verdict::Agrees {
            let first = message.lines().next().unwrap_or_default().to_owned();
            let known =
                trace.known.as_deref().map(|what| format!("known to be wrong: {}", safe(what)));
            status.set_message(known.unwrap_or(first));
            status.set_description(message);
        }
        let mut case = TestCase::new(safe(&trace.file.display().to_string()), status);
        case.set_classname(trace.machine.unwrap_or("replay"));
        tests.add_test_case(case);
    }
    let mut document = Report::new("parallax replay");
    document.add_test_suite(tests);
    document.to_string().expect("memory takes what is written")
}
