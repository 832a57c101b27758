//! The report as one HTML page that needs nothing beside it.

use std::collections::BTreeMap;

use minijinja::{Environment, context};
use parallax_spec::{
    Level, Rule,
    browse::{Standing, out_of_scope, reason},
    rules::RULES,
};
use serde::Serialize;

use super::{Report, Share, Verdict, gallery};
use crate::output::grouped;

const TEMPLATE: &str = include_str!("../../templates/report.html");

/// The page.
pub(crate) fn html(report: &Report) -> String {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.add_filter("grouped", grouped);
    environment.add_template("report.html", TEMPLATE).expect("the template is part of the source");
    let template = environment.get_template("report.html").expect("added above");
    let documents = documents(report);
    let open: u64 = documents.iter().map(|document| document.open).sum();
    let drawn = report.suites.iter().filter(|suite| suite.name == "formats");
    let devices: Vec<&str> = drawn.map(|suite| suite.device.as_str()).collect();
    template
        .render(context! {
            report,
            program => concat!("parallax ", env!("CARGO_PKG_VERSION")),
            passed => report.verdict == Verdict::Pass,
            headline => report.headline(),
            objections => report.objections(),
            elapsed => format!("{:.0}", report.elapsed_s),
            cases => report.suites.iter().map(|suite| suite.cases).sum::<u64>(),
            instructions => report.suites.iter().map(|suite| suite.instructions).sum::<u64>(),
            percent => report.rules.share().percent(),
            percent_in_scope => report.rules.in_scope.percent(),
            open,
            documents,
            gallery => gallery::walls(&devices),
        })
        .expect("the template uses what it is given")
}

/// Covered rules of some group.
#[derive(Debug, Serialize)]
struct Bar {
    must: u64,
    covered: u64,
    percent: String,
}

impl Bar {
    fn of(report: &Report, rules: &[&Rule]) -> Self {
        let share = Share::of(rules.iter().map(|rule| report.rules.standing(rule)));
        Self { must: share.must, covered: share.covered, percent: share.percent() }
    }
}

/// A catalogue: how much of it was covered, unit by unit.
#[derive(Debug, Serialize)]
struct Document {
    name: &'static str,
    bar: Bar,
    /// The same of what is in scope.
    in_scope: Bar,
    /// Rules in scope, or failed, that are not covered.
    open: u64,
    units: Vec<Unit>,
}

#[derive(Debug, Serialize)]
struct Unit {
    name: &'static str,
    bar: Bar,
    /// Rules in scope that are not covered.
    open: Vec<Open>,
}

/// A rule that is not covered.
#[derive(Debug, Serialize)]
struct Open {
    id: &'static str,
    state: &'static str,
    title: &'static str,
    lines: &'static str,
    rule: &'static str,
    missing_rows: Vec<u16>,
    reason: Option<&'static str>,
}

fn documents(report: &Report) -> Vec<Document> {
    let mut by_document: BTreeMap<&str, Vec<&'static Rule>> = BTreeMap::new();
    for rule in RULES.iter().filter(|rule| rule.level == Level::Must) {
        by_document.entry(rule.catalogue).or_default().push(rule);
    }
    by_document.into_iter().map(|(name, rules)| document(report, name, &rules)).collect()
}

fn document(report: &Report, name: &'static str, rules: &[&'static Rule]) -> Document {
    let mut by_unit: BTreeMap<(String, &str), Vec<&'static Rule>> = BTreeMap::new();
    for rule in rules {
        by_unit.entry((rule.unit.to_lowercase(), rule.unit)).or_default().push(rule);
    }
    let in_scope: Vec<_> = rules.iter().copied().filter(|r| out_of_scope(r).is_none()).collect();
    let units = by_unit.into_iter().map(|((_, name), rules)| Unit {
        name,
        bar: Bar::of(report, &rules),
        open: rules.into_iter().filter_map(|rule| open(report, rule)).collect(),
    });
    let units: Vec<_> = units.collect();
    Document {
        name,
        bar: Bar::of(report, rules),
        in_scope: Bar::of(report, &in_scope),
        open: units.iter().map(|unit| unit.open.len() as u64).sum(),
        units,
    }
}

/// A rule that is in scope, or failed, and is not covered.
fn open(report: &Report, rule: &'static Rule) -> Option<Open> {
    let state = report.rules.standing(rule);
    if matches!(state, Standing::Covered | Standing::OutOfScope) {
        return None;
    }
    Some(Open {
        id: rule.id,
        state: state.keyword(),
        title: rule.title,
        lines: rule.lines,
        rule: rule.rule,
        missing_rows: report.rules.missing_rows.get(rule.id).cloned().unwrap_or_default(),
        reason: reason(rule),
    })
}
