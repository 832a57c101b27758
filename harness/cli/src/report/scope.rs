//! What of the manuals a campaign could test.
//!
//! Applicable are the binding rules in scope of documents about a device that ran, of which the suites that ran could
//! meet the conditions; of an engine that declares what it has, or a run that was limited to instructions, without the
//! rules of which no instruction could. What was met is applicable, whatever else.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use parallax_engine::Hello;
use parallax_isa::Device;
use parallax_lockstep::scope;
use parallax_spec::{Level, Rule, RuleId, browse::out_of_scope, coverage::Uses};

use super::{Report, Suite};
use crate::documents;

/// What a campaign could test.
pub(super) struct Scope<'r> {
    report: &'r Report,
    /// What is limited on each device: what the engine declares, and the rules that its data instructions could meet.
    limits: Vec<(Hello, Option<Arc<BTreeSet<RuleId>>>)>,
}

impl<'r> Scope<'r> {
    pub(super) fn new(report: &'r Report) -> Self {
        let instructions =
            report.selection.as_ref().map_or(&[][..], |selection| &selection.instructions);
        let hello = report.engine.as_ref().and_then(|engine| engine.hello.as_ref());
        let limits = report.devices().into_iter().filter_map(|name| {
            let device = name.parse().ok()?;
            let hello = scope::declared(device, hello, instructions)?;
            let met = met_within(device, &hello);
            Some((hello, met))
        });
        Self { report, limits: limits.collect() }
    }

    /// Whether it could test a rule.
    pub(super) fn has(&self, rule: &Rule) -> bool {
        let Self { report, limits } = self;
        let describes = |device: &str| documents::devices(rule).contains(&device);
        let could_meet =
            |suite: &Suite| describes(&suite.device) && scope::could_meet(&suite.name, rule);
        let is_of_data = scope::is_of_data(rule);
        let is_limited_to = |(hello, met): &(Hello, Option<Arc<BTreeSet<RuleId>>>)| {
            let is_met = |met: &Arc<BTreeSet<RuleId>>| met.iter().any(|id| id.rule() == rule);
            scope::is_within(hello, rule) && (!is_of_data || met.as_ref().is_none_or(is_met))
        };
        rule.level == Level::Must
            && out_of_scope(rule).is_none()
            && report.devices().into_iter().any(describes)
            && (report.rules.uses_of(rule.id) != Uses::default()
                || report.suites.iter().any(could_meet)
                    && (limits.is_empty() || limits.iter().any(is_limited_to)))
    }
}

/// A device, what an engine declares, and the rules that it could meet there.
type Known = (Device, Hello, Arc<BTreeSet<RuleId>>);

/// The same as [`scope::met_within`]; a report asks for it several times.
fn met_within(device: Device, hello: &Hello) -> Option<Arc<BTreeSet<RuleId>>> {
    static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., met)) = known.iter().find(|(of, own, _)| *of == device && own == hello) {
        return Some(Arc::clone(met));
    }
    let met = Arc::new(scope::met_within(device, hello)?);
    known.push((device, hello.clone(), Arc::clone(&met)));
    Some(met)
}
