//! The report as one HTML page that needs nothing beside it.

use minijinja::context;
use parallax_lockstep::outside;
use parallax_spec::{RuleId, rules::COUNT};
use serde::Serialize;

use super::{
    Divergence, Report, Verdict, decisions, depths, gallery, heat,
    numbers::{self, Numbers},
    pages, printed,
    related::Related,
    standings,
    waivers::Entry,
};

/// Rules of a finding that are shown with their statements; the others are folded away.
const SUSPECTS: usize = 3;

/// The page; printed with the annex of all rules, or without.
pub(crate) fn html(report: &Report, annex: bool) -> String {
    let mut rows = standings::rows(report);
    let reasons = standings::number_reasons(&mut rows);
    let waived = report.waived.as_ref();
    let mut gallery = gallery::of_report(report);
    let pictures = gallery::distinct(&mut gallery);
    pages::render(
        "report.html",
        context! {
            report,
            passed => report.verdict == Verdict::Pass,
            headline => report.headline(),
            elapsed => format!("{:.0}", report.elapsed_s),
            cases => report.suites.iter().map(|suite| suite.cases).sum::<u64>(),
            instructions => report.suites.iter().map(|suite| suite.instructions).sum::<u64>(),
            annex,
            dut_name => report.dut_name(),
            dut_version => report.dut_version(),
            engine => report.engine.as_ref().map(|engine| outside::name_of(&engine.command)),
            weaknesses => report.engine.as_ref().map(crate::under_test::EngineReport::weaknesses),
            numbers => Numbers::of(&rows),
            matrix => numbers::matrix(report, &rows),
            untested => numbers::untested(report, &rows),
            waived => report.number_waived(),
            waivers => waived.map(|waived| &waived.entries),
            signatures => waived.map(|waived| &waived.signatures),
            reasons,
            findings => report.related().iter().map(|causes| Card::of(report, causes)).collect::<Vec<_>>(),
            states => standings::STATES,
            sums => standings::sums(&rows),
            rules_of_all => COUNT,
            groups => standings::groups(&rows),
            devices => report.devices(),
            printed => printed::chapters(report),
            heat => heat::maps(report),
            depths => depths::charts(report),
            gallery,
            pictures,
            decisions => decisions::all(),
        },
    )
}

/// What a card says of a finding beyond what the finding itself does.
#[derive(Serialize)]
struct Card<'r> {
    finding: &'r Divergence,
    /// The waiver that is active for it.
    waiver: Option<&'r Entry>,
    /// The suspects, the most likely first.
    suspects: Vec<Suspect>,
    /// The ids of the others.
    others: &'r [String],
    /// Commands to go on with.
    next: Vec<String>,
    /// Other causes with the same first suspect, and how many cases showed them.
    related: Vec<Card<'r>>,
    related_cases: u64,
}

#[derive(Serialize)]
struct Suspect {
    id: &'static str,
    title: &'static str,
    document: &'static str,
    lines: &'static str,
    rule: &'static str,
}

impl<'r> Card<'r> {
    fn of(report: &'r Report, causes: &Related<'r>) -> Self {
        let others = || causes.others.iter().copied();
        Self {
            related: others().map(|finding| Self::of_one(report, finding)).collect(),
            related_cases: others().map(|finding| finding.cases).sum(),
            ..Self::of_one(report, causes.first)
        }
    }

    fn of_one(report: &'r Report, finding: &'r Divergence) -> Self {
        let (first, others) = finding.rules.split_at(finding.rules.len().min(SUSPECTS));
        let suspects = first.iter().filter_map(|id| RuleId::find(id)).map(|rule| {
            let rule = rule.rule();
            Suspect {
                id: rule.id,
                title: rule.title,
                document: rule.catalogue,
                lines: rule.lines,
                rule: rule.rule,
            }
        });
        Self {
            finding,
            waiver: report.waiver_of(finding),
            suspects: suspects.collect(),
            others,
            next: finding.next(report.engine.as_ref()),
            related: Vec::new(),
            related_cases: 0,
        }
    }
}
