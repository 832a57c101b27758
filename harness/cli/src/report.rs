//! What a campaign found: the report, as JSON, HTML and JUnit.

mod campaign;
pub(crate) mod chapters;
mod chart;
mod decisions;
mod depths;
mod diff;
mod exactness;
mod file;
mod gallery;
mod heat;
mod history;
mod html;
mod junit;
mod known;
mod markdown;
mod numbers;
mod pages;
mod pdf;
mod presentation;
mod printed;
mod ran;
mod related;
mod requirements;
mod scope;
mod spread;
mod standings;
mod summary;
mod suspects;
mod waivers;

use std::collections::BTreeMap;

use parallax_isa::r700::Profile;
use parallax_lockstep::{campaign::Verdict as Agreement, depth::Depths, outside};
use parallax_spec::{
    Rule, RuleId,
    browse::{Standing, out_of_scope},
    coverage::{Coverage, Uses},
    sabotage::is_noticed,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use self::{
    campaign::of_campaign,
    diff::Changes,
    history::History,
    html::html,
    junit::junit,
    markdown::markdown,
    pdf::pdf,
    presentation::Presentation,
    summary::Detail,
    suspects::IMPLICATED,
    waivers::{DAY, last_day},
};
use self::{
    exactness::{Exactness, OfDevice},
    known::{Known, Thinned},
    presentation::Dut,
    ran::Ran,
    requirements::Requirements,
    spread::{Declined, Spread},
    waivers::Waived,
};
use crate::{
    failure::Ending,
    output::{self, counted, quoted},
    selection::Selection,
    under_test::EngineReport,
};

/// Version of the JSON interface. It grows when a key changes its meaning or goes away.
pub(crate) const VERSION: u32 = 3;

/// Where `parallax run` writes its reports by default.
pub(crate) const DEFAULT_FOLDER: &str = "target/parallax";

/// Everything a finished campaign has to say.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Report {
    /// Version of this format.
    pub(crate) version: u32,
    /// Whether everything agreed.
    pub(crate) verdict: Verdict,
    /// The seed of all cases.
    pub(crate) seed: u64,
    /// Seconds that the campaign ran.
    pub(crate) elapsed_s: f64,
    /// Whether the user stopped it early.
    #[serde(default)]
    pub(crate) interrupted: bool,
    /// True while the run lasts: nothing else is known yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) running: bool,
    /// When, where and with which program the campaign ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<Ran>,
    /// The engine under test, if it is not part of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) engine: Option<EngineReport>,
    /// The device under test, as `--dut-name` and `--dut-version` call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dut: Option<Dut>,
    /// What `--waivers` waives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) waived: Option<Waived>,
    /// What `--minimum-coverage` and `--rule` require of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) requirements: Option<Requirements>,
    /// What `--instruction` and `--rule` limited the run to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) selection: Option<Selection>,
    /// The suites that ran, once for each device.
    pub(crate) suites: Vec<Suite>,
    /// Which rules of the manuals the run exercised.
    pub(crate) rules: Rules,
    /// How exactly destinations were compared in a sample of the cases, by opcode.
    #[serde(default)]
    pub(crate) exactness: Vec<Exactness>,
    /// The same by device, then by mnemonic, then by type of the destination.
    #[serde(default)]
    #[schemars(
        with = "BTreeMap<String, BTreeMap<String, BTreeMap<String, crate::schema::foreign::Elements>>>"
    )]
    pub(crate) exactness_by_type: BTreeMap<String, OfDevice>,
    /// Steps by device, then by how deeply control flow was nested, in a sample of the cases.
    #[serde(default)]
    pub(crate) depths: BTreeMap<String, Depths>,
    /// What instructions were run, in a sample of the cases.
    #[serde(default, skip_serializing_if = "Spread::is_empty")]
    pub(crate) spread: Spread,
    /// What the engine under test said that it does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) declined: Option<Declined>,
    /// What `--known` leaves out of programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) known: Vec<Known>,
    /// Instructions that differed so often that they were left out of most programs from then on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) thinned: Vec<Thinned>,
    /// The findings: one for each cause, with its smallest case.
    pub(crate) divergences: Vec<Divergence>,
    /// How the profiles of R700 differ, if its suites ran: each case is in one of them.
    #[serde(default)]
    pub(crate) profiles: Vec<ProfileDifference>,
}

/// A point in which the profiles `manual` and `silicon` differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct ProfileDifference {
    /// The instructions.
    pub(crate) subject: String,
    /// What they do in the printed manual.
    pub(crate) manual: String,
    /// What they do on shipped hardware.
    pub(crate) silicon: String,
}

impl ProfileDifference {
    /// All of them.
    pub(crate) fn all() -> Vec<Self> {
        let difference = |d: parallax_isa::r700::case::ProfileDifference| Self {
            subject: d.subject.to_owned(),
            manual: d.manual.to_owned(),
            silicon: d.silicon.to_owned(),
        };
        Profile::DIFFERENCES.map(difference).into()
    }
}

/// Whether everything agreed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Everything was compared and agreed.
    #[default]
    Pass,
    /// Something differs, or too little was compared.
    Fail,
    /// Nothing differs, but not everything was run.
    Incomplete,
}

impl From<Agreement> for Verdict {
    fn from(verdict: Agreement) -> Self {
        match verdict {
            Agreement::Pass => Self::Pass,
            Agreement::Fail => Self::Fail,
            Agreement::NotRun => Self::Incomplete,
        }
    }
}

impl Verdict {
    /// The word of the JSON interface.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Incomplete => "incomplete",
        }
    }

    /// How a command ends that comes to it.
    pub(crate) fn ending(self) -> Ending {
        match self {
            Self::Pass => Ending::Success,
            Self::Fail => Ending::Found,
            Self::Incomplete => Ending::Incomplete,
        }
    }
}

/// One suite on one device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Suite {
    /// The suite.
    pub(crate) name: String,
    /// The device.
    pub(crate) device: String,
    /// Cases that ran to their end.
    pub(crate) cases: u64,
    /// Steps that both engines took.
    pub(crate) instructions: u64,
    /// Comparisons of the state.
    pub(crate) comparisons: u64,
    /// Cases that did not agree.
    pub(crate) divergences: u64,
    /// Places where a value other than the reference's was accepted.
    pub(crate) accepted_undefined: u64,
    /// Cases that no engine could start, or that ended where the manual leaves the effect open.
    pub(crate) skipped: u64,
    /// Skipped cases that ended before anything was compared.
    #[serde(default)]
    pub(crate) uncompared: u64,
    /// Cases that were not run because the engine does not have their instructions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) left_out: u64,
    /// Cases that the engine said it does not have.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) declined: u64,
    /// Whether the suite agreed.
    #[serde(default)]
    pub(crate) verdict: Verdict,
    /// Why it failed or was not run, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) objection: Option<String>,
}

/// What of the manuals was exercised: of all there is, and of what could be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Rules {
    /// Rules of every level.
    pub(crate) total: u64,
    /// Rules of level `must`.
    pub(crate) must: u64,
    /// Rules of level `must` that an exact comparison depended on.
    pub(crate) covered: u64,
    /// The same, of rules that are in scope.
    pub(crate) in_scope: Share,
    /// The same, of rules that the run could test: those in scope of documents about its devices, and of instructions
    /// that the engine declares and the run is limited to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) applicable: Option<Share>,
    /// Ids of the rules that are the first suspect of a finding.
    pub(crate) failed: Vec<String>,
    /// Ids of the rules that are a later suspect of a finding.
    #[serde(default)]
    pub(crate) implicated: Vec<String>,
    /// Ids of the binding rules in scope whose results were accepted but never compared exactly.
    pub(crate) only_accepted: Vec<String>,
    /// Ids of the binding rules in scope that no comparison depended on.
    pub(crate) uncovered: Vec<String>,
    /// How often each rule was used, by id. Rules that were not used are left out.
    #[schemars(with = "BTreeMap<String, crate::schema::foreign::Uses>")]
    pub(crate) uses: BTreeMap<String, Uses>,
    /// For rules that are tables: numbers of the rows that no exact comparison depended on, by id.
    pub(crate) missing_rows: BTreeMap<String, Vec<u16>>,
    /// Ids of the rules that an exact comparison depended on, by device.
    #[serde(default)]
    pub(crate) devices: BTreeMap<String, Vec<String>>,
}

/// How many of some rules are covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Share {
    /// Rules of level `must`.
    pub(crate) must: u64,
    /// Those that an exact comparison depended on.
    pub(crate) covered: u64,
}

impl Share {
    /// Counts the rules of level must among some.
    pub(crate) fn of(standings: impl IntoIterator<Item = Standing>) -> Self {
        use Standing::{Covered, Failed, OnlyAccepted, OutOfScope, Uncovered};
        let mut share = Self::default();
        for standing in standings {
            share.must += u64::from(matches!(
                standing,
                Covered | Failed | OnlyAccepted | OutOfScope | Uncovered
            ));
            share.covered += u64::from(standing == Covered);
        }
        share
    }

    /// Covered rules in percent with one decimal, never rounded up to 100; all of none are covered.
    pub(crate) fn percent(self) -> String {
        if self.covered == self.must {
            return "100".to_owned();
        }
        format!("{:.1}", (self.covered as f64 * 1000.0 / self.must as f64).floor() / 10.0)
    }
}

/// A cause of divergences: the smallest case of it, and where else it showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Divergence {
    /// Name of the finding, unique in the report.
    pub(crate) id: String,
    /// The instruction of the smallest case and what it does wrong.
    #[serde(default)]
    pub(crate) kind: String,
    /// What the instructions that differ have, and those that agree have not: `mov :f <- :ud`,
    /// `any instruction with NoMask`. Absent where nothing tells them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
    /// Number of cases that showed it.
    #[serde(default)]
    pub(crate) cases: u64,
    /// Where it showed.
    #[serde(default)]
    pub(crate) shown: Vec<Shown>,
    /// Number of instructions of the smallest case.
    #[serde(default)]
    pub(crate) instructions: u64,
    /// Device of the smallest case.
    pub(crate) device: String,
    /// Suite of the smallest case.
    pub(crate) suite: String,
    /// Number of the step that differs, from 0.
    pub(crate) step: u64,
    /// The instruction of that step, as text.
    pub(crate) instruction: String,
    /// The first place that differs.
    pub(crate) location: String,
    /// What the reference has there.
    pub(crate) expected: String,
    /// What the engine under test has there.
    pub(crate) actual: String,
    /// Which of the two engines the model agrees with, where another engine took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) referee: Option<String>,
    /// Ids of the suspects: rules that the step depended on, the most suspicious first.
    pub(crate) rules: Vec<String>,
    /// The trace file that repeats it.
    pub(crate) trace: String,
    /// The step with its operands and both results, as text.
    #[serde(default)]
    pub(crate) context: String,
}

/// A suite in which a cause showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Shown {
    /// The suite.
    pub(crate) suite: String,
    /// The device.
    pub(crate) device: String,
    /// Number of its cases that showed the finding.
    pub(crate) cases: u64,
    /// Seed of the first of them.
    pub(crate) seed: u64,
}

impl Divergence {
    /// What it is called: its signature, if it has one, or its kind.
    pub(crate) fn title(&self) -> &str {
        let names = [self.signature.as_deref().unwrap_or_default(), &self.kind];
        names.into_iter().find(|name| !name.is_empty()).unwrap_or(&self.id)
    }

    /// Devices and suites in which it showed, each once: `bw, g45`, `eu, eu-flow`.
    pub(crate) fn places(&self) -> [String; 2] {
        let all = |name: fn(&Shown) -> &str| {
            let mut names: Vec<&str> = Vec::new();
            for name in self.shown.iter().map(name) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.join(", ")
        };
        [all(|shown| &shown.device), all(|shown| &shown.suite)]
    }

    /// The commands to go on with: to repeat it, to make it smaller, to look at it, and what the rule
    /// most likely at stake says.
    pub(crate) fn next(&self, engine: Option<&EngineReport>) -> Vec<String> {
        let mut commands = Vec::new();
        let engine = engine.map_or(String::new(), |engine| {
            format!(" --engine {}", quoted(&outside::name_of(&engine.command)))
        });
        if !self.trace.is_empty() {
            let trace = quoted(&self.trace);
            commands.push(format!("parallax replay {trace}{engine}"));
            commands.push(format!("parallax minimize {trace}{engine} -o smaller.trace"));
            commands.push(format!("parallax show {trace}"));
        }
        if let Some(rule) = self.rules.first() {
            commands.push(format!("parallax rules --explain {rule}"));
        }
        commands
    }

    /// How often and where it showed, in a line; nothing of a report that does not say.
    pub(crate) fn extent(&self) -> Option<String> {
        if self.shown.is_empty() {
            return None;
        }
        let [devices, suites] = self.places();
        let cases = counted(self.cases, "case");
        Some(format!("{}: {cases} on {devices} in {suites}", self.title()))
    }
}

impl Rules {
    /// What a campaign used, of all rules, and what each of its devices did. All suspects have failed
    /// until [`Report::accuse`].
    pub(crate) fn new(coverage: &Coverage, by_device: &BTreeMap<String, Coverage>) -> Self {
        let standings: Vec<_> = RuleId::all()
            .map(|rule| (rule.rule(), Standing::of(rule.rule(), coverage.uses(rule))))
            .collect();
        let ids = |wanted: Standing| {
            let rules = standings.iter().filter(|(_, standing)| *standing == wanted);
            rules.map(|(rule, _)| rule.id.to_owned()).collect()
        };
        let share = Share::of(standings.iter().map(|(_, standing)| *standing));
        let in_scope = standings.iter().filter(|(rule, _)| out_of_scope(rule).is_none());
        let noticed = |rule: &RuleId| is_noticed(rule.rule());
        let covered =
            |used: &Coverage| used.covered().filter(noticed).map(|rule| rule.to_string()).collect();
        let missing = |rule| coverage.missing_rows(rule).collect::<Vec<_>>();
        let missing = RuleId::all().map(|rule| (rule.to_string(), missing(rule)));
        Self {
            total: standings.len() as u64,
            must: share.must,
            covered: share.covered,
            applicable: None,
            in_scope: Share::of(in_scope.map(|(_, standing)| *standing)),
            failed: ids(Standing::Failed),
            implicated: Vec::new(),
            only_accepted: ids(Standing::OnlyAccepted),
            uncovered: ids(Standing::Uncovered),
            uses: coverage.used().map(|(rule, uses)| (rule.to_string(), uses)).collect(),
            missing_rows: missing.filter(|(_, rows)| !rows.is_empty()).collect(),
            devices: by_device
                .iter()
                .map(|(device, used)| (device.clone(), covered(used)))
                .collect(),
        }
    }

    /// The ids of all rules that are named.
    fn ids(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.failed, &self.implicated, &self.only_accepted, &self.uncovered];
        let listed = lists.into_iter().chain(self.devices.values()).flatten();
        let keys = self.uses.keys().chain(self.missing_rows.keys());
        listed.chain(keys).map(String::as_str)
    }

    /// How a rule was used.
    pub(crate) fn uses_of(&self, id: &str) -> Uses {
        self.uses.get(id).copied().unwrap_or_default()
    }

    /// How a rule stands.
    pub(crate) fn standing(&self, rule: &Rule) -> Standing {
        Standing::of(rule, self.uses_of(rule.id))
    }

    /// Covered rules of all.
    pub(crate) fn share(&self) -> Share {
        Share { must: self.must, covered: self.covered }
    }
}

impl Report {
    /// The report of a run that has not ended.
    pub(crate) fn of_running(seed: u64) -> Self {
        Self {
            version: VERSION,
            engine: None,
            dut: None,
            waived: None,
            requirements: None,
            selection: None,
            verdict: Verdict::Incomplete,
            seed,
            elapsed_s: 0.0,
            interrupted: false,
            running: true,
            suites: Vec::new(),
            run: Some(Ran::here()),
            rules: Rules::new(&Coverage::new(), &BTreeMap::new()),
            exactness: Vec::new(),
            exactness_by_type: BTreeMap::new(),
            depths: BTreeMap::new(),
            spread: Spread::default(),
            declined: None,
            known: Vec::new(),
            thinned: Vec::new(),
            divergences: Vec::new(),
            profiles: Vec::new(),
        }
    }

    /// The devices that suites ran on, each once.
    pub(crate) fn devices(&self) -> Vec<&str> {
        let mut devices: Vec<&str> = Vec::new();
        for suite in &self.suites {
            if !devices.contains(&&*suite.device) {
                devices.push(&suite.device);
            }
        }
        devices
    }

    /// The verdict in words.
    pub(crate) fn headline(&self) -> String {
        if let Some(missed) = self.missed() {
            return missed;
        }
        match self.verdict {
            _ if self.running => "run in progress".to_owned(),
            Verdict::Pass if self.diverging() > 0 => {
                format!(
                    "all agree but for {} waived",
                    output::counted(self.number_waived(), "finding")
                )
            }
            Verdict::Pass => self.agreement(),
            Verdict::Fail if self.diverging() > 0 => self.counted_causes(),
            Verdict::Fail => "too little was compared".to_owned(),
            Verdict::Incomplete => "incomplete, not every suite was run".to_owned(),
        }
    }

    /// What keeps suites without a divergence from passing: their names and why.
    pub(crate) fn objections(&self) -> Vec<String> {
        let suites = self.suites.iter().filter(|suite| suite.divergences == 0);
        let objections = suites.filter_map(|suite| {
            let why = match (suite.verdict, &suite.objection) {
                (Verdict::Pass, _) => return None,
                (Verdict::Incomplete, why) => why.as_deref().unwrap_or("not run"),
                (Verdict::Fail, why) => why.as_deref()?,
            };
            Some(format!("{} on {}: {why}", suite.name, suite.device))
        });
        objections.collect()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
