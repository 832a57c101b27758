//! What a run has to come to beyond agreement: a minimum coverage, and rules that have to be met.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use parallax_spec::{RuleId, browse::Standing};

use super::{Report, Verdict, numbers::Numbers, standings};
use crate::output::grouped;

/// A share in hundredths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Percent(u64);

impl Percent {
    /// Reads `95%`, `95` or `99.5 %`.
    ///
    /// # Errors
    /// If it is none of 0 to 100 with two decimals at most: what was expected.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let expected = || "expected a percentage from 0 to 100, such as 95% or 99.5%".to_owned();
        let number = text.trim().trim_end_matches('%').trim_end();
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let is_number =
            |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole) || whole.len() > 3 || !is_number(decimals) || decimals.len() > 2 {
            return Err(expected());
        }
        let hundredths = format!("{whole}{decimals:0<2}").parse::<u64>().map_err(|_| expected())?;
        if hundredths > 10_000 { Err(expected()) } else { Ok(Self(hundredths)) }
    }

    fn text(self) -> String {
        match self.0 % 100 {
            0 => format!("{} %", self.0 / 100),
            decimals => {
                let decimals = format!("{decimals:02}");
                format!("{}.{} %", self.0 / 100, decimals.trim_end_matches('0'))
            }
        }
    }
}

/// What was required of a run, and what it comes to without that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Requirements {
    /// The verdict without them.
    pub(crate) verdict_before: Verdict,
    /// The minimum of `--minimum-coverage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) minimum_coverage: Option<Minimum>,
}

/// A minimum coverage and what it is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Minimum {
    /// The least share of covered rules, in hundredths of a percent.
    hundredths: u64,
    /// Applicable rules that are covered.
    covered: u64,
    /// Applicable rules.
    applicable: u64,
}

impl Minimum {
    fn is_missed(self) -> bool {
        let least = u128::from(self.hundredths) * u128::from(self.applicable);
        u128::from(self.covered) * 10_000 < least || self.applicable == 0 && self.hundredths > 0
    }

    /// In a line.
    pub(super) fn text(self) -> String {
        let Self { hundredths, covered, applicable } = self;
        let relation = if self.is_missed() { "below" } else { "not below" };
        format!(
            "{} of {} applicable rules covered, {relation} the minimum of {}",
            grouped(covered),
            grouped(applicable),
            Percent(hundredths).text()
        )
    }
}

impl Requirements {
    /// The minimum coverage that was asked for.
    pub(super) fn minimum(&self) -> Option<Percent> {
        self.minimum_coverage.map(|minimum| Percent(minimum.hundredths))
    }
}

impl Report {
    /// Takes back what requirements made of the verdict.
    pub(super) fn take_requirements(&mut self) -> Option<Requirements> {
        let requirements = self.requirements.take()?;
        self.verdict = requirements.verdict_before;
        Some(requirements)
    }

    /// Holds the report against a minimum coverage, and its named rules against what was met: below the one it fails,
    /// without the others it is incomplete.
    pub(super) fn require(&mut self, minimum: Option<Percent>) {
        let verdict_before = self.verdict;
        let minimum_coverage = minimum.map(|Percent(hundredths)| {
            let numbers = Numbers::of(&standings::rows(self));
            Minimum { hundredths, covered: numbers.covered, applicable: numbers.applicable }
        });
        let has_rules =
            self.selection.as_ref().is_some_and(|selection| !selection.rules.is_empty());
        if minimum_coverage.is_none() && !has_rules {
            return;
        }
        if minimum_coverage.is_some_and(Minimum::is_missed) {
            self.verdict = Verdict::Fail;
        } else if verdict_before == Verdict::Pass && self.unmet().next().is_some() {
            self.verdict = Verdict::Incomplete;
        }
        self.requirements = Some(Requirements { verdict_before, minimum_coverage });
    }

    /// The rules that the run was asked for and that nothing met.
    fn unmet(&self) -> impl Iterator<Item = &str> {
        let rules = self.selection.iter().flat_map(|selection| &selection.rules);
        rules.map(String::as_str).filter(|id| self.outcome_of(id) == "not met")
    }

    /// How a rule that the run was asked for stands.
    fn outcome_of(&self, id: &str) -> &'static str {
        let Some(id) = RuleId::find(id) else { return "not met" };
        match self.rules.standing(id.rule()) {
            Standing::Covered => "covered",
            Standing::Failed => self.rules.word(id.rule()),
            Standing::OnlyAccepted => "met, but never compared exactly",
            _ => "not met",
        }
    }

    /// What became of the requirements, a line each.
    pub(super) fn requirement_lines(&self) -> Vec<String> {
        let rules = self.selection.iter().flat_map(|selection| &selection.rules);
        let rules = rules.map(|id| format!("rule     {id}: {}", self.outcome_of(id)));
        let minimum = self.minimum().map(|minimum| format!("coverage {}", minimum.text()));
        rules.chain(self.sabotage_line()).chain(minimum).collect()
    }

    /// Whether the rule that was broken on purpose was noticed, and where it stands among the suspects.
    fn sabotage_line(&self) -> Option<String> {
        let id = self.selection.as_ref()?.sabotage.as_ref()?;
        let places = self.divergences.iter().filter_map(|finding| {
            let place = finding.rules.iter().position(|rule| rule == id)?;
            Some((place, &finding.id))
        });
        let noticed = match places.min() {
            Some((0, finding)) => format!("noticed, the first suspect of {finding}"),
            Some((place, finding)) => format!("noticed, suspect {} of {finding}", place + 1),
            None if self.divergences.is_empty() => "not noticed".to_owned(),
            None => "noticed, but no suspect of any finding".to_owned(),
        };
        Some(format!("sabotage {id}: {noticed}"))
    }

    /// The minimum coverage, if one was asked for.
    pub(super) fn minimum(&self) -> Option<Minimum> {
        self.requirements.as_ref()?.minimum_coverage
    }

    /// Why the verdict is another than without the requirements, in words.
    pub(super) fn missed(&self) -> Option<String> {
        let requirements = self.requirements.as_ref()?;
        if requirements.verdict_before == self.verdict {
            return None;
        }
        match requirements.minimum_coverage.filter(|minimum| minimum.is_missed()) {
            Some(Minimum { hundredths, .. }) => {
                Some(format!("coverage is below the minimum of {}", Percent(hundredths).text()))
            }
            None => Some("incomplete, a named rule was not met".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_two_decimals() {
        for (text, hundredths) in
            [("95%", 9500), ("95", 9500), ("99.5 %", 9950), ("0", 0), ("100%", 10000), ("0.01", 1)]
        {
            assert_eq!(Percent::parse(text), Ok(Percent(hundredths)), "{text}");
        }
        for text in ["", "%", "101", "100.01", "-1", "1e2", "95.", ".5", "1.234", "many", "0x5f"] {
            assert!(Percent::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn coverage_is_held_against_the_minimum_exactly() {
        let missed = |hundredths, covered, applicable| {
            Minimum { hundredths, covered, applicable }.is_missed()
        };
        assert!(!missed(9510, 951, 1000));
        assert!(missed(9511, 951, 1000));
        assert!(missed(1, 0, 0) && !missed(0, 0, 0));
    }
}
