//! The report as JUnit XML, which most CI systems read.

use std::fmt::Write;

use super::{Divergence, Report, Suite, Verdict};

/// A test suite per suite: a test case for all of it and a failed one per divergence.
pub(crate) fn junit(report: &Report) -> String {
    let mut suites: Vec<_> =
        report.suites.iter().map(|suite| TestSuite::of(report, suite)).collect();
    if report.running {
        let problem = Some(("error", "the run has not ended".to_owned()));
        suites.push(TestSuite { name: "parallax".to_owned(), problem, ..TestSuite::default() });
    }
    let sum = |number: fn(&TestSuite) -> usize| suites.iter().map(number).sum::<usize>();
    let rules_failed = report.rules.failed.len();
    let (tests, time) = (sum(|suite| suite.tests()) + rules_failed, report.elapsed_s);
    let (failures, errors) =
        (sum(|suite| suite.number("failure")) + rules_failed, sum(|suite| suite.number("error")));
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    writeln!(
        xml,
        "<testsuites name=\"parallax\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         time=\"{time:.3}\">"
    )
    .expect("writing to a string");
    suites.iter().for_each(|suite| suite.write(&mut xml));
    rules(&mut xml, report);
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

/// The rules that are at stake in divergences, each a failed test case.
fn rules(xml: &mut String, report: &Report) {
    let failed = &report.rules.failed;
    if failed.is_empty() {
        return;
    }
    let number = failed.len();
    xml.push_str(&format!(
        "  <testsuite name=\"rules\" tests=\"{number}\" failures=\"{number}\">\n"
    ));
    for id in failed {
        let at_stake = report.divergences.iter().filter(|divergence| divergence.rules.contains(id));
        let findings: Vec<_> = at_stake.map(|divergence| escape(&divergence.id)).collect();
        let id = escape(id);
        xml.push_str(&format!(
            "    <testcase classname=\"rules\" name=\"{id}\">\n      \
             <failure message=\"at stake in a divergence\">{}</failure>\n    </testcase>\n",
            findings.join("&#10;")
        ));
    }
    xml.push_str("  </testsuite>\n");
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
