//! The report as JUnit XML, which most CI systems read.

use std::fmt::Write;

use super::{Divergence, Report, Suite};

/// A test suite per suite, a test case per suite and a failed one per divergence.
pub(crate) fn junit(report: &Report) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let failures = report.divergences.len();
    let tests = report.suites.len() + failures;
    let time = report.elapsed_s;
    writeln!(
        xml,
        "<testsuites name=\"parallax\" tests=\"{tests}\" failures=\"{failures}\" time=\"{time:.3}\">"
    )
    .expect("writing to a string");
    for suite in &report.suites {
        let of_suite = |d: &&Divergence| d.suite == suite.name && d.device == suite.device;
        test_suite(
            &mut xml,
            suite,
            &report.divergences.iter().filter(of_suite).collect::<Vec<_>>(),
        );
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn test_suite(xml: &mut String, suite: &Suite, divergences: &[&Divergence]) {
    let name = escape(&format!("{}.{}", suite.device, suite.name));
    let (failures, tests) = (divergences.len(), divergences.len() + 1);
    let mut line = |text: String| {
        xml.push_str(&text);
        xml.push('\n');
    };
    line(format!("  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\">"));
    line(format!("    <testcase classname=\"{name}\" name=\"campaign\">"));
    line(format!(
        "      <system-out>{} cases, {} instructions, {} comparisons, {} skipped</system-out>",
        suite.cases, suite.instructions, suite.comparisons, suite.skipped
    ));
    line("    </testcase>".to_owned());
    for divergence in divergences {
        let id = escape(&divergence.id);
        let message = escape(&format!(
            "step {}: {}: {} is {}, expected {}",
            divergence.step,
            divergence.instruction,
            divergence.location,
            divergence.actual,
            divergence.expected
        ));
        line(format!("    <testcase classname=\"{name}\" name=\"{id}\">"));
        line(format!(
            "      <failure message=\"{message}\">{}</failure>",
            escape(&divergence.context)
        ));
        line("    </testcase>".to_owned());
    }
    line("  </testsuite>".to_owned());
}

/// Text as it may stand in an XML attribute or element.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            _ if character.is_control() => escaped.push('\u{FFFD}'),
            _ => escaped.push(character),
        }
    }
    escaped
}
