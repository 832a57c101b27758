//! The report as JUnit XML, which most CI systems read.

use std::fmt::Write;

use super::{
    Divergence, Report, Suite, Verdict,
    standings::{self, Row},
};

/// A test suite per suite, with a test case for all of it and a failed one per divergence, and one per
/// document, with a test case per rule.
pub(crate) fn junit(report: &Report) -> String {
    let mut suites: Vec<_> =
        report.suites.iter().map(|suite| TestSuite::of(report, suite)).collect();
    if report.running {
        let problem = Some(("error", "the run has not ended".to_owned()));
        suites.push(TestSuite { name: "parallax".to_owned(), problem, ..TestSuite::default() });
    }
    let sum = |number: fn(&TestSuite) -> usize| suites.iter().map(number).sum::<usize>();
    let rows = standings::rows(report);
    let (tests, time) = (sum(|suite| suite.tests()) + rows.len(), report.elapsed_s);
    let failures = sum(|suite| suite.number("failure")) + rows_that(&rows, has_failed);
    let errors = sum(|suite| suite.number("error"));
    let skipped = rows_that(&rows, is_skipped);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    writeln!(
        xml,
        "<testsuites name=\"parallax\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"{time:.3}\">"
    )
    .expect("writing to a string");
    suites.iter().for_each(|suite| suite.write(&mut xml));
    rules(&mut xml, report, &rows);
    xml.push_str("</testsuites>\n");
    xml
}

#[derive(Default)]
struct TestSuite<'r> {
    name: String,
    /// The numbers of the suite.
    numbers: String,
    /// What is wrong with it as a whole: the kind of element and a sentence.
    problem: Option<(&'static str, String)>,
    divergences: Vec<&'r Divergence>,
}

impl<'r> TestSuite<'r> {
    fn of(report: &'r Report, suite: &Suite) -> Self {
        let of_suite = |d: &&Divergence| d.suite == suite.name && d.device == suite.device;
        let divergences: Vec<_> = report.divergences.iter().filter(of_suite).collect();
        let problem = match suite.verdict {
            Verdict::Pass => None,
            Verdict::Incomplete => Some(("error", "not run".to_owned())),
            Verdict::Fail if !divergences.is_empty() => None,
            Verdict::Fail => Some(("failure", suite.objection.clone().unwrap_or_default())),
        };
        let name = format!("{}.{}", suite.device, suite.name);
        let numbers = format!(
            "{} cases, {} instructions, {} comparisons, {} skipped, {} uncompared",
            suite.cases, suite.instructions, suite.comparisons, suite.skipped, suite.uncompared
        );
        Self { name, numbers, problem, divergences }
    }

    fn tests(&self) -> usize {
        self.divergences.len() + 1
    }

    /// How many of its test cases end in an element of a kind.
    fn number(&self, kind: &str) -> usize {
        let whole = self.problem.as_ref().is_some_and(|(of_kind, _)| *of_kind == kind);
        usize::from(whole) + if kind == "failure" { self.divergences.len() } else { 0 }
    }

    fn write(&self, xml: &mut String) {
        let name = escape(&self.name);
        let [failures, errors] = ["failure", "error"].map(|kind| self.number(kind));
        let tests = self.tests();
        let mut line = |text: String| {
            xml.push_str(&text);
            xml.push('\n');
        };
        line(format!(
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
        ));
        line(format!("    <testcase classname=\"{name}\" name=\"campaign\">"));
        if let Some((kind, sentence)) = &self.problem {
            line(format!("      <{kind} message=\"{}\"/>", escape(sentence)));
        }
        line(format!("      <system-out>{}</system-out>", escape(&self.numbers)));
        line("    </testcase>".to_owned());
        for divergence in &self.divergences {
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
            let extent = divergence.extent().map_or(String::new(), |extent| extent + "\n");
            line(format!(
                "      <failure message=\"{message}\">{}</failure>",
                escape(&(extent + &divergence.context))
            ));
            line("    </testcase>".to_owned());
        }
        line("  </testsuite>".to_owned());
    }
}

/// A test suite per document with a test case for each of its rules: one that is at stake in a
/// divergence fails, one that is covered or checked passes, and any other is skipped and says why.
fn rules(xml: &mut String, report: &Report, rows: &[Row]) {
    for rows in rows.chunk_by(|a, b| a.document == b.document) {
        let tests = rows.len();
        let [failures, skipped] = [rows_that(rows, has_failed), rows_that(rows, is_skipped)];
        let document = escape(rows[0].document);
        xml.push_str(&format!(
            "  <testsuite name=\"rules.{document}\" tests=\"{tests}\" failures=\"{failures}\" \
             errors=\"0\" skipped=\"{skipped}\">\n"
        ));
        for row in rows {
            let id = escape(row.id);
            let case = format!("    <testcase classname=\"rules.{document}\" name=\"{id}\"");
            xml.push_str(&case);
            if has_failed(row) {
                let at_stake = report.divergences.iter();
                let at_stake =
                    at_stake.filter(|divergence| divergence.rules.iter().any(|id| id == row.id));
                let findings: Vec<_> = at_stake.map(|divergence| escape(&divergence.id)).collect();
                xml.push_str(&format!(
                    ">\n      <failure message=\"at stake in a divergence\">{}</failure>\n    \
                     </testcase>\n",
                    findings.join("&#10;")
                ));
            } else if is_skipped(row) {
                let why = match row.reason {
                    Some(reason) => format!("{}: {reason}", row.state),
                    None => row.state.to_owned(),
                };
                xml.push_str(&format!("><skipped message=\"{}\"/></testcase>\n", escape(&why)));
            } else {
                xml.push_str("/>\n");
            }
        }
        xml.push_str("  </testsuite>\n");
    }
}

fn has_failed(row: &Row) -> bool {
    row.state == "failed"
}

fn is_skipped(row: &Row) -> bool {
    !["failed", "covered", "checked"].contains(&row.state)
}

fn rows_that(rows: &[Row], is: impl Fn(&Row) -> bool) -> usize {
    rows.iter().filter(|row| is(row)).count()
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
