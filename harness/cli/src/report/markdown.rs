//! The report in a few lines of Markdown, as a comment on a change.

use std::fmt::Write as _;

use parallax_lockstep::{escape, outside};

use super::{
    Report,
    numbers::{self, Numbers},
    standings,
};
use crate::output::{counted, grouped};

/// Causes that are listed; the others are counted.
const LISTED: usize = 20;

/// The report as Markdown.
pub(crate) fn markdown(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |what: String| writeln!(text, "{what}").expect("writing to a string");
    let rows = standings::rows(report);
    let numbers = Numbers::of(&rows);
    line(format!("## Parallax: {}\n", plain(&report.headline())));
    let version = report.dut_version().unwrap_or("not stated");
    line(format!("Device under test: {}, version {}", plain(report.dut_name()), plain(version)));
    if let Some(engine) = &report.engine {
        let command = code(&outside::name_of(&engine.command));
        let other = engine.reference.as_ref().map_or(String::new(), |other| {
            format!(", held against {} in place of the model", plain(&other.name))
        });
        line(format!("Engine: {} ({command}){other}", plain(&engine.name)));
    }
    if let Some(run) = &report.run {
        line(format!("Date: {}", plain(&run.date)));
    }
    line(format!("Scope: {}\n", plain(&report.devices().join(", "))));
    let findings = report.related().len() as u64;
    let waived = match report.number_waived() {
        0 => String::new(),
        waived => format!(" ({} waived)", grouped(waived)),
    };
    line("| applicable rules covered | findings | applicable rules left open |".to_owned());
    line("| ---: | ---: | ---: |".to_owned());
    line(format!(
        "| {} of {} ({} %) | {}{waived} | {} |\n",
        grouped(numbers.covered),
        grouped(numbers.applicable),
        numbers.percent(),
        grouped(findings),
        grouped(numbers.open)
    ));
    if numbers.failed + numbers.implicated > 0 {
        line(format!(
            "{} failed (the first suspect of a cause), {} implicated (the other suspects).\n",
            counted(numbers.failed, "rule"),
            grouped(numbers.implicated)
        ));
    }
    line("Not tested, and why:\n".to_owned());
    for untested in numbers::untested(report, &rows) {
        line(format!("- {}", plain(&untested)));
    }
    line(String::new());
    for waiver in report.waiver_lines() {
        line(format!("- {}", plain(&waiver)));
    }
    if !report.divergences.is_empty() {
        line("\n| cause | cases | devices | expected | actual | first suspect |".to_owned());
        line("| --- | ---: | --- | --- | --- | --- |".to_owned());
    }
    for finding in report.divergences.iter().take(LISTED) {
        let kind = finding.title();
        let [devices, _] = finding.places();
        let cells = [
            match report.waiver_of(finding) {
                Some(waiver) => format!("{} (waived until {})", plain(kind), plain(&waiver.until)),
                None => plain(kind),
            },
            grouped(finding.cases),
            plain(&devices),
            code(&finding.expected),
            code(&finding.actual),
            finding.rules.first().map_or(String::new(), |rule| code(rule)),
        ];
        line(format!("| {} |", cells.join(" | ")));
    }
    if let Some(more) = report.divergences.len().checked_sub(LISTED).filter(|more| *more > 0) {
        line(format!("\nand {}", counted(more as u64, "more cause")));
    }
    line("\n| device | suites | cases | instructions | divergences |".to_owned());
    line("| --- | ---: | ---: | ---: | ---: |".to_owned());
    for device in report.devices() {
        let suites = || report.suites.iter().filter(|suite| suite.device == device);
        line(format!(
            "| {} | {} | {} | {} | {} |",
            plain(device),
            suites().count(),
            grouped(suites().map(|suite| suite.cases).sum()),
            grouped(suites().map(|suite| suite.instructions).sum()),
            grouped(suites().map(|suite| suite.divergences).sum()),
        ));
    }
    let program = report.run.as_ref().map_or(String::new(), |run| {
        let commit = run.commit.as_ref();
        let commit = commit.map_or(String::new(), |commit| format!(" ({})", plain(commit)));
        format!(", parallax {}{commit}, {}", plain(&run.version), plain(&run.date))
    });
    line(format!("\nSeed {}, {:.1} s{program}.", report.seed, report.elapsed_s));
    text
}

/// Text that is no markup, in one line: punctuation that Markdown, HTML or the linking of names may give a
/// meaning is escaped.
fn plain(text: &str) -> String {
    let mut escaped = String::new();
    for character in escape::line(text).chars() {
        match character {
            // No escape keeps what takes `@name` for a person from it.
            '@' => escaped += "&#64;",
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '|' | '*' | '_' | '`' | '>' | '[' | ']' | '\\' | '#' | '~' | '!' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    // Addresses become links by themselves.
    escaped.replace("://", "&#58;//")
}

/// Text as code in a cell of a table.
fn code(text: &str) -> String {
    let plain: String =
        escape::line(text).chars().map(|c| if c == '`' { '\'' } else { c }).collect();
    format!("`{}`", plain.replace('|', "\\|"))
}
