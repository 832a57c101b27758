//! The report in a few lines of Markdown, as a comment on a change.

use std::fmt::Write as _;

use parallax_lockstep::{escape, outside};

use super::Report;
use crate::output::{counted, grouped};

/// Causes that are listed; the others are counted.
const LISTED: usize = 20;

/// The report as Markdown.
pub(crate) fn markdown(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |what: String| writeln!(text, "{what}").expect("writing to a string");
    line(format!("## Parallax: {}\n", plain(&report.headline())));
    if let Some(engine) = &report.engine {
        let command = code(&outside::name_of(&engine.command));
        line(format!("Engine: {} ({command})\n", plain(&engine.name)));
    }
    let share = report.rules.in_scope;
    line("| device | suites | cases | instructions | divergences |".to_owned());
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
    line(format!(
        "\n{} of {} binding rules in scope covered ({} %), {} failed.",
        grouped(share.covered),
        grouped(share.must),
        share.percent(),
        grouped(report.rules.failed.len() as u64)
    ));
    for objection in report.objections() {
        line(format!("- {}", plain(&objection)));
    }
    if !report.divergences.is_empty() {
        line("\n| cause | cases | devices | expected | actual | most likely at stake |".to_owned());
        line("| --- | ---: | --- | --- | --- | --- |".to_owned());
    }
    for finding in report.divergences.iter().take(LISTED) {
        let kind = if finding.kind.is_empty() { &finding.id } else { &finding.kind };
        let [devices, _] = finding.places();
        let cells = [
            plain(kind),
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
