//! Looking rules up, and how each stands after a campaign.

use crate::{
    Level, Rule,
    coverage::Uses,
    rules::{EXCUSES, RULES},
    sabotage::is_noticed,
    selector::selects,
};

/// Which rules to show. Every part that is given narrows the choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Name of a catalogue, or its start: `g45`, `g45-instructions`.
    pub document: Option<String>,
    /// Subject class, as in the catalogue: `float`.
    pub kind: Option<String>,
    /// Instruction, register or table, without regard to case: `add`.
    pub unit: Option<String>,
    /// Level.
    pub level: Option<Level>,
    /// Words that must all stand in the id, the title or the statement, without regard to case.
    pub words: Vec<String>,
}

impl Query {
    /// Whether a rule is asked for.
    #[must_use]
    pub fn matches(&self, rule: &Rule) -> bool {
        let is = |wanted: &Option<String>, actual: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(actual))
        };
        self.document.as_ref().is_none_or(|start| {
            let start = start.to_lowercase();
            rule.catalogue.strip_prefix(&start).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('-') || start.ends_with('-')
            })
        }) && is(&self.kind, rule.kind)
            && is(&self.unit, rule.unit)
            && self.level.is_none_or(|level| level == rule.level)
            && self.words.iter().all(|word| contains(rule, &word.to_lowercase()))
    }

    /// The rules asked for, in order of id.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> + '_ {
        RULES.iter().filter(|rule| self.matches(rule))
    }
}

/// Whether a word in lower case stands in a rule's text.
fn contains(rule: &Rule, word: &str) -> bool {
    [rule.id, rule.title, rule.rule].iter().any(|text| text.to_lowercase().contains(word))
}

/// How a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It is a suspect of a divergence.
    Failed,
    /// An exact comparison depended on it, if it is a table on every row, and an engine that breaks it is noticed.
    Covered,
    /// It was used, but whatever depended on it was open and accepted, or it is a table of which some
    /// rows were not used, or an engine that breaks it goes unnoticed ([`crate::sabotage`]).
    OnlyAccepted,
    /// It should have been covered and was not.
    Uncovered,
    /// The manual leaves the result open: nothing is compared.
    Undefined,
    /// A ban on programs: legality checks it.
    Restriction,
    /// Background without a testable effect.
    Info,
    /// Part of something this version does not model; `decisions.md` says what.
    OutOfScope,
}

impl Standing {
    /// The standing of a rule that was used like this.
    #[must_use]
    pub fn of(rule: &Rule, uses: Uses) -> Self {
        match rule.level {
            Level::Must if uses.failed > 0 => Self::Failed,
            Level::Must if uses.exact > 0 && is_noticed(rule) => Self::Covered,
            Level::Must if out_of_scope(rule).is_some() => Self::OutOfScope,
            Level::Must if uses.exact > 0 || uses.accepted > 0 => Self::OnlyAccepted,
            Level::Must => Self::Uncovered,
            Level::Undefined => Self::Undefined,
            Level::Restriction => Self::Restriction,
            Level::Info => Self::Info,
        }
    }

    /// The word of the JSON interface.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Covered => "covered",
            Self::OnlyAccepted => "only-accepted",
            Self::Uncovered => "uncovered",
            Self::Undefined => "undefined",
            Self::Restriction => "restriction",
            Self::Info => "info",
            Self::OutOfScope => "out-of-scope",
        }
    }
}

/// Why a rule belongs to nothing this version models, if so: the first row of the table "Out of
/// scope" of `decisions.md` that selects it.
#[must_use]
pub fn out_of_scope(rule: &Rule) -> Option<&'static str> {
    excuse(rule, true)
}

/// What `decisions.md` says about a rule that is not covered: why it is out of scope, or else the
/// reason of the table "Rules not covered".
#[must_use]
pub fn reason(rule: &Rule) -> Option<&'static str> {
    excuse(rule, true).or_else(|| excuse(rule, false))
}

fn excuse(rule: &Rule, out_of_scope: bool) -> Option<&'static str> {
    EXCUSES
        .iter()
        .filter(|(table, ..)| *table == out_of_scope)
        .find(|(_, selector, _)| selects(selector, rule.id, rule.catalogue, rule.unit))
        .map(|(.., reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuleId;

    #[test]
    fn parts_of_a_query_narrow_it() {
        let all = Query::default();
        assert_eq!(all.rules().count(), crate::rules::COUNT);
        let add = Query { unit: Some("ADD".into()), ..Query::default() };
        assert!(add.rules().count() > 5);
        let document = |name: &str| Query { document: Some(name.into()), ..Query::default() };
        assert_eq!(document("g45-instructions").rules().count(), 1123);
        assert_eq!(document("g45-").rules().count(), document("g45").rules().count());
        assert_eq!(document("g4").rules().count(), 0);
        let words = Query {
            words: vec!["Saturat".into(), "overflow".into()],
            level: Some(Level::Must),
            ..Query::default()
        };
        assert!(words.rules().count() > 0);
        assert!(words.rules().all(|rule| rule.level == Level::Must));
    }

    #[test]
    fn only_binding_rules_are_covered_or_not() {
        let must = RuleId::find("g45.dt.d").expect("in the catalogue").rule();
        let uses = |exact, accepted, failed| Uses { exact, accepted, failed };
        assert_eq!(Standing::of(must, uses(3, 1, 0)), Standing::Covered);
        assert_eq!(Standing::of(must, uses(3, 1, 1)), Standing::Failed);
        assert_eq!(Standing::of(must, uses(0, 1, 0)), Standing::OnlyAccepted);
        assert_eq!(Standing::of(must, Uses::default()), Standing::Uncovered);
        // An engine that breaks it goes unnoticed: it does nothing.
        let unnoticed = RuleId::find("g45.inst.nenop.semantics").expect("a rule").rule();
        assert_eq!(Standing::of(unnoticed, uses(3, 1, 0)), Standing::OnlyAccepted);
        assert_eq!(Standing::of(unnoticed, uses(3, 0, 0)), Standing::OnlyAccepted);
        assert_eq!(Standing::of(unnoticed, uses(0, 0, 0)), Standing::Uncovered);
        let restriction = RULES.iter().find(|rule| rule.level == Level::Restriction);
        let restriction = restriction.expect("in the catalogue");
        assert_eq!(Standing::of(restriction, uses(3, 0, 0)), Standing::Restriction);
    }

    #[test]
    fn what_is_out_of_scope_has_a_reason() {
        let is_unpublished =
            |rule: &&Rule| rule.id.starts_with("g45.smsg.unorm.") && rule.level == Level::Must;
        let unpublished = RULES.iter().find(is_unpublished).expect("in the catalogue");
        assert_eq!(Standing::of(unpublished, Uses::default()), Standing::OutOfScope);
        assert!(reason(unpublished).is_some_and(|reason| reason.ends_with('.')));
    }
}
