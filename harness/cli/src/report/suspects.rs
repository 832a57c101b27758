//! Which rules the findings accuse: of each cause one has failed, the others are implicated.

use std::collections::BTreeSet;

use parallax_spec::{Level, Rule, RuleId, browse::Standing};

use super::{Report, Rules, related::Related};

/// The state of a rule that is a suspect of a finding, but not its first.
pub(crate) const IMPLICATED: &str = "implicated";

impl Report {
    /// Divides the suspects of all findings into those that have failed, the first binding suspect of each cause,
    /// and those that are implicated, all others. Causes that probably come from one mistake count once.
    pub(super) fn accuse(&mut self) {
        let first = |cause: &Related<'_>| {
            let is_binding = |id: &&String| {
                RuleId::find(id).is_some_and(|rule| rule.rule().level == Level::Must)
            };
            cause.first.rules.iter().find(is_binding).cloned()
        };
        let accused: BTreeSet<String> = self.related().iter().filter_map(first).collect();
        let Rules { failed, implicated, .. } = &mut self.rules;
        let mut suspects = std::mem::take(failed);
        suspects.append(implicated);
        suspects.sort_unstable();
        (*failed, *implicated) = suspects.into_iter().partition(|id| accused.contains(id));
    }
}

impl Rules {
    /// The word for how a rule stands.
    pub(crate) fn word(&self, rule: &Rule) -> &'static str {
        match self.standing(rule) {
            Standing::Failed if !self.failed.iter().any(|id| id == rule.id) => IMPLICATED,
            standing => standing.keyword(),
        }
    }
}
