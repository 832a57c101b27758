//! The report as one HTML page that needs nothing beside it.

use std::collections::BTreeMap;

use minijinja::{Environment, context};
use parallax_spec::{
    Level, Rule,
    browse::{Standing, out_of_scope, reason},
    rules::RULES,
};
use serde::Serialize;

use super::{Report, Verdict, gallery};
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
    let uncovered: u64 = documents.iter().map(|d| d.bar.must - d.bar.covered).sum();
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
            percent => percent(report.rules.covered, report.rules.must),
            uncovered,
            documents,
            gallery => gallery::walls(&devices),
        })
        .expect("the template uses what it is given")
}

/// Covered rules of some group.
#[derive(Debug, Default, Serialize)]
struct Bar {
    must: u64,
    covered: u64,
    percent: String,
}

/// A catalogue: how much of it was covered, unit by unit.
#[derive(Debug, Serialize)]
struct Document {
    name: String,
    bar: Bar,
    units: Vec<Unit>,
}

#[derive(Debug, Serialize)]
struct Unit {
    name: &'static str,
    bar: Bar,
    uncovered: Vec<Uncovered>,
}

#[derive(Debug, Serialize)]
struct Uncovered {
    id: &'static str,
    title: &'static str,
    lines: &'static str,
    rule: &'static str,
    reason: Option<&'static str>,
}

fn documents(report: &Report) -> Vec<Document> {
    report.rules.documents.iter().map(|name| document(report, name)).collect()
}

fn document(report: &Report, name: &str) -> Document {
    let mut by_unit: BTreeMap<&str, Vec<&'static Rule>> = BTreeMap::new();
    for rule in RULES.iter().filter(|rule| rule.catalogue == name && rule.level == Level::Must) {
        if report.rules.hits_of(rule.id) > 0 || out_of_scope(rule).is_none() {
            by_unit.entry(rule.unit).or_default().push(rule);
        }
    }
    let standing = |rule: &Rule| Standing::of(rule, report.rules.hits_of(rule.id));
    let bar = |rules: &[&Rule]| {
        let covered = rules.iter().filter(|r| standing(r) == Standing::Covered).count() as u64;
        let must = rules.len() as u64;
        Bar { must, covered, percent: percent(covered, must) }
    };
    let all: Vec<&Rule> = by_unit.values().flatten().copied().collect();
    let mut units: Vec<_> = by_unit.into_iter().collect();
    units.sort_by_key(|(name, _)| name.to_lowercase());
    let units = units.into_iter().map(|(name, rules)| Unit {
        name,
        bar: bar(&rules),
        uncovered: rules
            .into_iter()
            .filter(|rule| standing(rule) == Standing::Uncovered)
            .map(|rule| Uncovered {
                id: rule.id,
                title: rule.title,
                lines: rule.lines,
                rule: rule.rule,
                reason: reason(rule),
            })
            .collect(),
    });
    Document { name: name.to_owned(), bar: bar(&all), units: units.collect() }
}

/// A share in percent with one decimal, never rounded up to 100.
fn percent(part: u64, whole: u64) -> String {
    if part == whole {
        return "100".to_owned();
    }
    format!("{:.1}", (part as f64 * 1000.0 / whole as f64).floor() / 10.0)
}
