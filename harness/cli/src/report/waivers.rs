//! Waivers: findings that somebody accepts for a time, with a reason.
//!
//! A file of TOML:
//!
//! ```toml
//! [[waiver]]
//! finding = "add result"         # the signature or the id of a finding, or
//! # rule = "g45.inst.add.carry"  # the rule that a finding suspects most
//! reason = "known, fixed in 2.1"
//! until = "2027-03-31"           # the last day, in UTC
//!
//! [[signature]]                  # a line to sign on in print
//! role = "Verification lead"
//! ```

use std::{
    path::Path,
    time::{Duration, SystemTime},
};

use parallax_spec::{RuleId, rules::RULES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Divergence, Report, Verdict};
use crate::{
    failure::Failure,
    output::{brief, counted},
    suggestion,
    toml_file::TomlFile,
};

pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The waivers of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waivers {
    #[serde(default)]
    waiver: Vec<Spanned<Waiver>>,
    #[serde(default)]
    signature: Vec<Signature>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Waiver {
    rule: Option<Spanned<String>>,
    finding: Option<Spanned<String>>,
    reason: Spanned<String>,
    until: Spanned<String>,
}

/// Who signs: what is missing is left blank, to be filled in by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signature {
    /// The role of who signs.
    pub(crate) role: String,
    /// The name of who signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The date of signing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) date: Option<String>,
}

/// What became of waivers in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Waived {
    /// The verdict without the waivers.
    pub(crate) verdict_before: Verdict,
    /// The waivers, in the order of the file.
    pub(crate) entries: Vec<Entry>,
    /// Lines to sign on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) signatures: Vec<Signature>,
}

/// A waiver, and what it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Entry {
    /// Id of the rule that is waived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    /// Signature or id of the finding that is waived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finding: Option<String>,
    /// Why.
    pub(crate) reason: String,
    /// The last day on which it holds, in UTC.
    pub(crate) until: String,
    /// What it did.
    pub(crate) state: State,
    /// Ids of the findings that it applies to.
    pub(crate) findings: Vec<String>,
}

/// What a waiver did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It waives findings.
    Active,
    /// It applies to findings, but its last day is over.
    Expired,
    /// It applies to no finding of the report.
    Unmatched,
}

/// Reads a file of waivers.
///
/// # Errors
/// If it cannot be read, or something in it is wrong: the line, and what was expected.
pub(crate) fn read(path: &Path) -> Result<Waivers, Failure> {
    let file = TomlFile::read(path, "a file of waivers")?;
    let waivers: Waivers = toml::from_str(&file.text).map_err(|error| file.refused(&error))?;
    for waiver in &waivers.waiver {
        waiver
            .get_ref()
            .check()
            .map_err(|(at, what)| file.wrong(at.unwrap_or(waiver.span().start), &what))?;
    }
    Ok(waivers)
}

/// Where in the file something is wrong, if not the waiver as a whole, and what was expected.
type Mistake = (Option<usize>, String);

impl Waiver {
    fn check(&self) -> Result<(), Mistake> {
        let at = |text: &Spanned<String>| Some(text.span().start);
        match (&self.rule, &self.finding) {
            (Some(rule), None) => {
                let id = rule.get_ref();
                if RuleId::find(id).is_none() {
                    let near = suggestion::instead(id, RULES.iter().map(|rule| rule.id));
                    return Err((at(rule), format!("there is no rule `{}`{near}", brief(id))));
                }
            }
            (None, Some(finding)) if finding.get_ref().trim().is_empty() => {
                return Err((at(finding), "expected the signature or the id of a finding".into()));
            }
            (None, Some(_)) => {}
            _ => return Err((None, "expected either `rule` or `finding` in a waiver".into())),
        }
        if self.reason.get_ref().trim().is_empty() {
            return Err((at(&self.reason), "expected a reason that is not empty".into()));
        }
        match last_day(self.until.get_ref()) {
            Some(_) => Ok(()),
            None => {
                let text = brief(self.until.get_ref());
                let what = format!("expected a date such as 2027-03-31 in `until`, not `{text}`");
                Err((at(&self.until), what))
            }
        }
    }

    fn is_about(&self, finding: &Divergence) -> bool {
        let suspect =
            self.rule.as_ref().is_some_and(|rule| finding.rules.first() == Some(rule.get_ref()));
        let named = self.finding.as_ref().is_some_and(|name| {
            [finding.title(), &finding.kind, &finding.id].contains(&name.get_ref().as_str())
        });
        suspect || named
    }

    fn applied(&self, report: &Report, now: SystemTime) -> Entry {
        let findings = report.divergences.iter().filter(|finding| self.is_about(finding));
        let findings: Vec<String> = findings.map(|finding| finding.id.clone()).collect();
        let is_over = last_day(self.until.get_ref()).is_none_or(|day| now >= day + DAY);
        let text = |text: &Spanned<String>| text.get_ref().clone();
        Entry {
            rule: self.rule.as_ref().map(text),
            finding: self.finding.as_ref().map(text),
            reason: text(&self.reason),
            until: text(&self.until),
            state: match findings.is_empty() {
                true => State::Unmatched,
                false if is_over => State::Expired,
                false => State::Active,
            },
            findings,
        }
    }
}

/// The start of a day, of `2027-03-31`; nothing of what is no date.
pub(crate) fn last_day(date: &str) -> Option<SystemTime> {
    let is_date = date.len() == 10
        && date.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_date.then(|| humantime::parse_rfc3339(&format!("{date}T00:00:00Z")).ok()).flatten()
}

impl Waivers {
    /// Waives what they say in a report, instead of what was waived there before.
    pub(crate) fn apply(&self, report: &mut Report) {
        let now = SystemTime::now();
        let before = report.waived.take().map_or(report.verdict, |waived| waived.verdict_before);
        let entries = self.waiver.iter().map(|waiver| waiver.get_ref().applied(report, now));
        let entries = entries.collect();
        let signatures = self.signature.clone();
        report.waived = Some(Waived { verdict_before: before, entries, signatures });
        report.verdict = report.after_waivers(before);
    }
}

impl Report {
    /// The waiver of a finding, if one is active.
    pub(crate) fn waiver_of(&self, finding: &Divergence) -> Option<&Entry> {
        let mut entries = self.waived.iter().flat_map(|waived| &waived.entries);
        entries.find(|entry| entry.state == State::Active && entry.findings.contains(&finding.id))
    }

    /// The findings that no waiver is active for.
    pub(crate) fn unwaived(&self) -> impl Iterator<Item = &Divergence> {
        self.divergences.iter().filter(|finding| self.waiver_of(finding).is_none())
    }

    /// How many findings are waived.
    pub(crate) fn number_waived(&self) -> u64 {
        (self.divergences.len() - self.unwaived().count()) as u64
    }

    /// The verdict with waivers: a failure passes if nothing but waived findings makes it one. Divergences that
    /// are no case of a finding cannot be waived.
    fn after_waivers(&self, before: Verdict) -> Verdict {
        let cases: u64 = self.divergences.iter().map(|finding| finding.cases).sum();
        let all_waived = self.number_waived() > 0 && self.unwaived().next().is_none();
        let fails_otherwise =
            |suite: &super::Suite| suite.verdict == Verdict::Fail && suite.divergences == 0;
        if before != Verdict::Fail
            || !all_waived
            || cases < self.diverging()
            || self.suites.iter().any(fails_otherwise)
        {
            return before;
        }
        match self.suites.iter().any(|suite| suite.verdict == Verdict::Incomplete) {
            true => Verdict::Incomplete,
            false => Verdict::Pass,
        }
    }

    /// What became of each waiver, a line each.
    pub(crate) fn waiver_lines(&self) -> Vec<String> {
        let entries = self.waived.iter().flat_map(|waived| &waived.entries);
        entries.map(Entry::text).collect()
    }
}

impl Entry {
    /// What is waived.
    pub(crate) fn what(&self) -> &str {
        self.rule.as_deref().or(self.finding.as_deref()).unwrap_or_default()
    }

    /// What became of it, in a line.
    pub(crate) fn text(&self) -> String {
        let Self { until, reason, findings, .. } = self;
        let findings = counted(findings.len() as u64, "finding");
        let what = self.what();
        match self.state {
            State::Active => format!("waived {what} until {until}: {reason} ({findings})"),
            State::Expired => {
                format!("waiver of {what} expired on {until}: {reason} ({findings})")
            }
            State::Unmatched => format!("waiver of {what} matched nothing: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_that_there_are() {
        for date in ["2027-03-31", "2028-02-29", "1999-12-31", "9999-12-31"] {
            assert!(last_day(date).is_some(), "{date}");
        }
        for date in ["2027-02-29", "2027-13-01", "2027-1-1", "27-01-01", "", "soon", "2027-03-31T"]
        {
            assert!(last_day(date).is_none(), "{date}");
        }
    }
}
