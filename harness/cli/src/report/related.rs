//! Causes that probably come from one mistake are shown together, the one of most cases first.

use parallax_lockstep::campaign::related::{Suspicion, related};

use super::{Divergence, Report};
use crate::output::{counted, grouped};

/// Causes that probably come from one mistake.
pub(crate) struct Related<'r> {
    /// The one that showed in most cases.
    pub(crate) first: &'r Divergence,
    /// The others, in the order of the report.
    pub(crate) others: Vec<&'r Divergence>,
}

impl Report {
    /// The causes, those together that probably come from one mistake. In the order of the report.
    pub(crate) fn related(&self) -> Vec<Related<'_>> {
        let causes = self.divergences.iter();
        let suspicions: Vec<_> = causes
            .map(|cause| {
                let suspicion = Suspicion::new(&cause.kind, cause.rules.iter().map(String::as_str));
                suspicion.with_signature(cause.signature.as_deref()).with_values(
                    &cause.location,
                    &cause.expected,
                    &cause.actual,
                )
            })
            .collect();
        let cause = |place: usize| &self.divergences[place];
        let groups = related(&suspicions).into_iter();
        let group = groups.map(|places| Related {
            first: cause(places[0]),
            others: places[1..].iter().copied().map(cause).collect(),
        });
        group.collect()
    }

    /// How many divergences there are and what they come from: `33 divergences of 2 causes`.
    pub(super) fn counted_causes(&self) -> String {
        let (kinds, related) = (self.divergences.len(), self.related().len());
        let divergences = counted(self.diverging(), "divergence");
        match related < kinds {
            true => {
                let causes = counted(related as u64, "cause");
                format!("{divergences} in {kinds} kinds, probably of {causes}")
            }
            false => format!("{divergences} of {}", counted(kinds as u64, "cause")),
        }
    }
}

impl Related<'_> {
    /// What else there is, in a line: `probably the same in 26 cases of shl result, add result`.
    pub(super) fn what_else(&self) -> Option<String> {
        if self.others.is_empty() {
            return None;
        }
        let cases: u64 = self.others.iter().map(|other| other.cases).sum();
        let names: Vec<_> = self.others.iter().map(|other| other.title()).collect();
        let plural = if cases == 1 { "case" } else { "cases" };
        Some(format!("probably the same in {} {plural} of {}", grouped(cases), names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Suite, Verdict};

    fn divergence(kind: &str, cases: u64, rules: &[&str]) -> Divergence {
        let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
        let json = serde_json::json!({
            "id": format!("eu-g45-{kind}"), "kind": kind, "cases": cases, "device": "g45", "suite": "eu",
            "step": 0, "instruction": kind, "location": "r1.0", "expected": "1", "actual": "0",
            "rules": [], "trace": "",
        });
        Divergence { rules, ..serde_json::from_value(json).expect("a divergence") }
    }

    fn report(divergences: Vec<Divergence>) -> Report {
        let cases = divergences.iter().map(|divergence| divergence.cases).sum();
        let suite = Suite { divergences: cases, ..Suite::default() };
        let suites = vec![suite];
        Report {
            running: false,
            verdict: Verdict::Fail,
            suites,
            divergences,
            ..Report::of_running(1)
        }
    }

    #[test]
    fn what_has_its_first_rule_in_common_stands_together() {
        let report = report(vec![
            divergence("mov result", 8, &["g45.dw3.imm", "g45.inst.mov.semantics"]),
            divergence("mul result", 7, &["g45.inst.mul.semantics", "g45.dw3.imm"]),
            divergence("shl result", 5, &["g45.dw3.imm"]),
            divergence("panic", 2, &[]),
            divergence("lost", 2, &[]),
            divergence("add flow", 1, &["g45.dw3.imm"]),
        ]);
        let related = report.related();
        let kinds: Vec<_> = related.iter().map(|related| &*related.first.kind).collect();
        assert_eq!(kinds, ["mov result", "mul result", "panic", "lost"]);
        assert_eq!(
            related[0].what_else().as_deref(),
            Some("probably the same in 6 cases of shl result, add flow")
        );
        assert!(related[1..].iter().all(|related| related.what_else().is_none()));
        assert_eq!(report.headline(), "25 divergences in 6 kinds, probably of 4 causes");
    }

    #[test]
    fn causes_of_rules_of_their_own_are_counted_as_they_are() {
        let report = report(vec![
            divergence("mov result", 8, &["g45.dw3.imm"]),
            divergence("mul result", 1, &["g45.inst.mul.semantics"]),
        ]);
        assert_eq!(report.headline(), "9 divergences of 2 causes");
    }
}
