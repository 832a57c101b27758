//! What a campaign found: the report, as JSON, HTML and JUnit.

mod gallery;
mod html;
mod junit;
mod summary;

use std::{collections::BTreeMap, path::Path};

use parallax_isa::r700::Profile;
use parallax_lockstep::{
    campaign,
    exactness::{self, Elements},
};
use parallax_spec::{
    Rule, RuleId,
    browse::{Standing, out_of_scope},
    coverage::{Coverage, Uses},
};
use serde::{Deserialize, Serialize};

pub(crate) use self::{html::html, junit::junit};
use crate::{
    failure::{Ending, Failure},
    files,
    output::{self, counted},
    under_test::EngineReport,
};

/// Version of the JSON interface. It grows when a key changes its meaning or goes away.
pub(crate) const VERSION: u32 = 2;

/// Where `parallax run` writes its reports unless told otherwise.
pub(crate) const DEFAULT_FOLDER: &str = "target/parallax";

/// Largest report that is read.
const LIMIT: u64 = 64 << 20;

/// Everything a finished campaign has to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// [`VERSION`].
    pub(crate) version: u32,
    /// Whether everything agreed.
    pub(crate) verdict: Verdict,
    /// The seed all cases came from.
    pub(crate) seed: u64,
    /// Seconds the campaign ran.
    pub(crate) elapsed_s: f64,
    /// Whether the user stopped it early.
    #[serde(default)]
    pub(crate) interrupted: bool,
    /// Whether the run has not ended yet: nothing of it is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) running: bool,
    /// The engine that was tested, if it is one outside of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) engine: Option<EngineReport>,
    /// What ran.
    pub(crate) suites: Vec<Suite>,
    /// What of the manuals was exercised.
    pub(crate) rules: Rules,
    /// How exactly destinations were compared in a sample of the cases, opcode by opcode.
    #[serde(default)]
    pub(crate) exactness: Vec<Exactness>,
    /// What did not agree.
    pub(crate) divergences: Vec<Divergence>,
    /// In what the profiles of R700 differ, if its programs ran: each case is in one of them.
    #[serde(default)]
    pub(crate) profiles: Vec<ProfileDifference>,
}

/// Destination elements of an opcode, by what is accepted there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exactness {
    /// The opcode.
    pub(crate) mnemonic: String,
    /// Elements of which one bit pattern is accepted.
    pub(crate) exact: u64,
    /// Elements of which several are.
    pub(crate) loose: u64,
    /// Elements that the manual leaves open.
    pub(crate) open: u64,
    /// Why fewer than three in four are exact, if that has a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl Exactness {
    /// Those of all suites together, the least exact first.
    pub(crate) fn of(suites: &[campaign::Statistics]) -> Vec<Self> {
        let mut all = exactness::Exactness::new();
        suites.iter().for_each(|suite| exactness::merge(&mut all, &suite.exactness));
        let mut rows: Vec<_> = all.into_iter().collect();
        rows.sort_by(|(_, a), (_, b)| a.share().total_cmp(&b.share()));
        let row = |(mnemonic, elements): (&str, Elements)| Self {
            mnemonic: mnemonic.to_owned(),
            exact: elements.exact,
            loose: elements.loose,
            open: elements.open,
            reason: exactness::reason(mnemonic).map(str::to_owned),
        };
        rows.into_iter().map(row).collect()
    }
}

/// A point in which the profiles `manual` and `silicon` differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProfileDifference {
    /// The instructions.
    pub(crate) subject: String,
    /// What they do as printed.
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Everything was compared, and agreed.
    #[default]
    Pass,
    /// Something differs, or was compared too little.
    Fail,
    /// Neither: something was not run.
    Incomplete,
}

impl From<campaign::Verdict> for Verdict {
    fn from(verdict: campaign::Verdict) -> Self {
        match verdict {
            campaign::Verdict::Pass => Self::Pass,
            campaign::Verdict::Fail => Self::Fail,
            campaign::Verdict::NotRun => Self::Incomplete,
        }
    }
}

impl Verdict {
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Suite {
    /// Suite.
    pub(crate) name: String,
    /// Device.
    pub(crate) device: String,
    /// Cases run to their end.
    pub(crate) cases: u64,
    /// Steps both engines took.
    pub(crate) instructions: u64,
    /// Comparisons of the state.
    pub(crate) comparisons: u64,
    /// Cases that did not agree.
    pub(crate) divergences: u64,
    /// Places where a value other than the reference's was accepted.
    pub(crate) accepted_undefined: u64,
    /// Cases that no engine could start, or that ended where the manual leaves the effect open.
    pub(crate) skipped: u64,
    /// Cases of those in which nothing was compared before.
    #[serde(default)]
    pub(crate) uncompared: u64,
    /// Cases that were not run, as the engine does not have what they take.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) left_out: u64,
    /// Whether it agreed.
    #[serde(default)]
    pub(crate) verdict: Verdict,
    /// Why it fails, in words, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) objection: Option<String>,
}

/// What of the manuals was exercised, of all there is: what ran changes no denominator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rules {
    /// Rules of every level.
    pub(crate) total: u64,
    /// Rules of level must.
    pub(crate) must: u64,
    /// Rules of level must that an exact comparison depended on.
    pub(crate) covered: u64,
    /// The same of those that are in scope.
    pub(crate) in_scope: Share,
    /// Ids of the rules of level must that are at stake in a divergence.
    pub(crate) failed: Vec<String>,
    /// Ids of the rules of level must and in scope whose results were only accepted.
    pub(crate) only_accepted: Vec<String>,
    /// Ids of the rules of level must and in scope that nothing depended on.
    pub(crate) uncovered: Vec<String>,
    /// How each rule was used; rules without any use are left out.
    pub(crate) uses: BTreeMap<String, Uses>,
    /// Of rules that are tables, the numbers of the rows that no exact comparison depended on.
    pub(crate) missing_rows: BTreeMap<String, Vec<u16>>,
}

/// How many of some rules are covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Share {
    /// Rules of level must.
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

/// A case on which the engines do not agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Divergence {
    /// Name of the finding, unique in the report.
    pub(crate) id: String,
    /// Device.
    pub(crate) device: String,
    /// Suite.
    pub(crate) suite: String,
    /// Number of the step, from 0.
    pub(crate) step: u64,
    /// The instruction as text.
    pub(crate) instruction: String,
    /// The first place that differs.
    pub(crate) location: String,
    /// What the reference has there.
    pub(crate) expected: String,
    /// What the engine under test has there.
    pub(crate) actual: String,
    /// Ids of the rules the reference applied in the step.
    pub(crate) rules: Vec<String>,
    /// The trace file that repeats it.
    pub(crate) trace: String,
    /// The step with its operands and both results, for people.
    #[serde(default)]
    pub(crate) context: String,
}

impl Rules {
    /// What a campaign used, of all rules.
    pub(crate) fn new(coverage: &Coverage) -> Self {
        let standings: Vec<_> = RuleId::all()
            .map(|rule| (rule.rule(), Standing::of(rule.rule(), coverage.uses(rule))))
            .collect();
        let ids = |wanted: Standing| {
            let rules = standings.iter().filter(|(_, standing)| *standing == wanted);
            rules.map(|(rule, _)| rule.id.to_owned()).collect()
        };
        let share = Share::of(standings.iter().map(|(_, standing)| *standing));
        let in_scope = standings.iter().filter(|(rule, _)| out_of_scope(rule).is_none());
        let missing = |rule| coverage.missing_rows(rule).collect::<Vec<_>>();
        let missing = RuleId::all().map(|rule| (rule.to_string(), missing(rule)));
        Self {
            total: standings.len() as u64,
            must: share.must,
            covered: share.covered,
            in_scope: Share::of(in_scope.map(|(_, standing)| *standing)),
            failed: ids(Standing::Failed),
            only_accepted: ids(Standing::OnlyAccepted),
            uncovered: ids(Standing::Uncovered),
            uses: coverage.used().map(|(rule, uses)| (rule.to_string(), uses)).collect(),
            missing_rows: missing.filter(|(_, rows)| !rows.is_empty()).collect(),
        }
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
            verdict: Verdict::Incomplete,
            seed,
            elapsed_s: 0.0,
            interrupted: false,
            running: true,
            suites: Vec::new(),
            rules: Rules::new(&Coverage::new()),
            exactness: Vec::new(),
            divergences: Vec::new(),
            profiles: Vec::new(),
        }
    }

    /// The verdict in words.
    pub(crate) fn headline(&self) -> String {
        match self.verdict {
            _ if self.running => "run in progress".to_owned(),
            Verdict::Pass => "all agree".to_owned(),
            Verdict::Fail if self.diverging() > 0 => counted(self.diverging(), "divergence"),
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
                (Verdict::Incomplete, _) => "not run",
                (Verdict::Fail, why) => why.as_deref()?,
            };
            Some(format!("{} on {}: {why}", suite.name, suite.device))
        });
        objections.collect()
    }

    /// Reads a `report.json`, or the one in a folder that a campaign wrote.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        /// The one key every version has.
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let inside = path.join("report.json");
        let path = if inside.is_file() { &inside } else { path };
        let bytes = files::read(path, LIMIT, "a report")?;
        let not_a_report = |error: serde_json::Error| {
            Failure::input(format!("{} is not a report of parallax: {error}", path.display()))
        };
        let Versioned { version } = serde_json::from_slice(&bytes).map_err(not_a_report)?;
        if version != VERSION {
            return Err(Failure::input(format!(
                "{} is a report of version {version}; this program reads version {VERSION}",
                path.display()
            )));
        }
        serde_json::from_slice(&bytes).map_err(not_a_report)
    }

    /// The JSON interface.
    pub(crate) fn json(&self) -> String {
        output::to_json(self) + "\n"
    }

    /// Writes `report.json`, `report.html` and `junit.xml` into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Failure> {
        files::write(&folder.join("report.json"), self.json().as_bytes())?;
        files::write(&folder.join("report.html"), html(self).as_bytes())?;
        files::write(&folder.join("junit.xml"), junit(self).as_bytes())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
