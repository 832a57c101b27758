//! What a run is limited to within its suites: the instructions that programs are made of, and the rules that suites
//! have to meet.

use std::{collections::BTreeSet, thread};

use parallax_isa::{Device, device::Family};
use parallax_lockstep::{
    campaign::journal::Journal, random::case_seed, subject::UnderTest, suite::Suite,
};
use parallax_spec::{
    Level, RuleId,
    browse::out_of_scope,
    coverage::{self, Coverage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    documents,
    failure::{Failure, note},
    output::brief,
    sheet, suggestion, suites,
};

/// Cases of each suite that are tried to see whether it meets a rule.
const TRIED: u64 = 64;
/// Seed of those cases: whatever the seed of the run, the same suites are selected.
const SEED: u64 = 1;

/// What a run is limited to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub(crate) struct Selection {
    /// Mnemonics: programs have no others. Left out if they may have any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) instructions: Vec<String>,
    /// Ids of the rules that suites were selected for. Left out if all suites were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<String>,
    /// Id of the rule of the engine that is broken on purpose. Left out if none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sabotage: Option<String>,
}

impl Selection {
    /// Holds names against what there is on some devices, on all if none are named.
    ///
    /// # Errors
    /// If something does not exist, or no case can decide a rule.
    pub(crate) fn new(
        instructions: &[String],
        rules: &[String],
        devices: &[Device],
    ) -> Result<Self, Failure> {
        let devices = if devices.is_empty() { &Device::ALL[..] } else { devices };
        let known: BTreeSet<_> = devices.iter().flat_map(|d| sheet::mnemonics(*d)).collect();
        let mut selection = Self::default();
        for name in instructions {
            let name = name.to_lowercase();
            if !known.contains(&*name) {
                return Err(no_instruction(&name, &known, devices));
            }
            if !selection.instructions.contains(&name) {
                selection.instructions.push(name);
            }
        }
        for id in rules {
            check_rule(id)?;
            if !selection.rules.contains(id) {
                selection.rules.push(id.clone());
            }
        }
        Ok(selection)
    }

    /// What a run was limited to that has a journal.
    pub(crate) fn of(journal: &Journal) -> Self {
        let Journal { instructions, rules, sabotage, .. } = journal.clone();
        Self { instructions, rules, sabotage }
    }

    /// The same with a rule of the engine broken on purpose.
    ///
    /// # Errors
    /// If it does not exist, or no case can decide it.
    pub(crate) fn breaking(self, rule: Option<&str>) -> Result<Self, Failure> {
        if let Some(id) = rule {
            check_rule(id)?;
        }
        Ok(Self { sabotage: rule.map(str::to_owned), ..self })
    }

    /// Suites whose engine has the rule broken that is to be; those that have no steps are left out.
    ///
    /// # Errors
    /// If none has.
    pub(crate) fn sabotaged(
        &self,
        mut suites: Vec<Box<dyn Suite>>,
    ) -> Result<Vec<Box<dyn Suite>>, Failure> {
        let Some(rule) = self.sabotage.as_deref().and_then(RuleId::find) else { return Ok(suites) };
        suites.retain_mut(|suite| suite.sabotage(rule));
        if suites.is_empty() {
            return Err(Failure::input(format!(
                "the rule `{rule}` cannot be sabotaged: the suites that meet it compare texts or tables, not steps"
            )));
        }
        Ok(suites)
    }

    /// The rules that suites have to meet.
    fn to_meet(&self) -> impl Iterator<Item = &String> {
        self.rules.iter().chain(&self.sabotage)
    }

    /// Nothing, if the run is not limited.
    pub(crate) fn given(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }

    /// The devices to look for suites on: those that were named, or those that the documents of the rules are about.
    pub(crate) fn devices(&self, named: &[Device]) -> Vec<Device> {
        if !named.is_empty() || self.to_meet().next().is_none() {
            return named.to_vec();
        }
        let rules = || self.to_meet().filter_map(|id| RuleId::find(id));
        let describes =
            |device: &Device| rules().any(|id| documents::describes(id.rule(), *device));
        Device::ALL.into_iter().filter(describes).collect()
    }

    /// The suites that meet one of the rules in the first of their cases; all of them if none does, or no rules are
    /// named. An engine outside of this process is not asked: programs of the same suites run on the executor.
    pub(crate) fn meeting(&self, mut suites: Vec<Box<dyn Suite>>) -> Vec<Box<dyn Suite>> {
        if self.to_meet().next().is_none() {
            return suites;
        }
        let rules: Vec<_> = self.to_meet().filter_map(|id| RuleId::find(id)).collect();
        let devices = suites::devices(&suites);
        let executor = UnderTest::Named("executor".to_owned());
        let tried = suites::all(&devices, &self.instructions, &executor);
        let is_selected = |tried: &&dyn Suite| {
            suites.iter().any(|s| s.name() == tried.name() && s.device() == tried.device())
        };
        let tried: Vec<_> = tried.iter().map(|suite| &**suite).filter(is_selected).collect();
        let met = met(&tried, &rules);
        if met.is_empty() {
            let rules = self.to_meet().map(String::as_str).collect::<Vec<_>>().join(", ");
            note(format_args!(
                "warning: no suite met {rules} in its first {TRIED} cases; all of them run"
            ));
        } else {
            suites.retain(|suite| met.contains(&(suite.name(), suite.device())));
        }
        suites
    }

    /// In words: `programs of add and mul only`.
    pub(crate) fn programs(&self) -> Option<String> {
        let list = self.instructions.join(", ");
        (!list.is_empty()).then(|| format!("programs of {list} only"))
    }
}

/// Names and devices of the suites that meet one of some rules.
fn met(suites: &[&dyn Suite], rules: &[RuleId]) -> BTreeSet<(&'static str, &'static str)> {
    let meets = |suite: &&&dyn Suite| {
        let mut worker = suite.worker();
        let mut used = Coverage::new();
        (0..TRIED).any(|number| {
            worker.run(case_seed(SEED, suite.name(), suite.device(), number));
            coverage::drop_marks();
            coverage::add_to(&mut used);
            rules.iter().any(|rule| used.is_met(*rule))
        })
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let length = suites.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts = suites.chunks(length).map(|part| {
            scope.spawn(move || {
                let names = part.iter().filter(meets).map(|suite| (suite.name(), suite.device()));
                names.collect::<Vec<_>>()
            })
        });
        let parts: Vec<_> = parts.collect();
        let names = |part: thread::ScopedJoinHandle<'_, Vec<_>>| {
            part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        parts.into_iter().flat_map(names).collect()
    })
}

fn no_instruction(name: &str, known: &BTreeSet<&'static str>, devices: &[Device]) -> Failure {
    if devices.iter().all(|device| device.family() == Family::R700) {
        return Failure::input("--instruction is for execution units, not rv770");
    }
    let near = suggestion::instead(name, known.iter().copied());
    let on: Vec<_> = devices.iter().map(|device| device.name()).collect();
    let on =
        if on.len() < Device::ALL.len() { on.join(", ") } else { "execution units".to_owned() };
    Failure::input(format!(
        "there is no instruction `{}` on {on}{near} (`parallax list instructions` lists them)",
        brief(name)
    ))
}

/// Checks that an instruction exists on some device.
pub(crate) fn check_instruction(name: &str) -> Result<(), Failure> {
    let name = name.to_lowercase();
    let known: BTreeSet<_> = Device::ALL.into_iter().flat_map(sheet::mnemonics).collect();
    if known.contains(&*name) {
        return Ok(());
    }
    Err(no_instruction(&name, &known, &Device::ALL))
}

/// Checks that there is a rule, and that cases can decide it.
pub(crate) fn check_rule(id: &str) -> Result<(), Failure> {
    let rule = suggestion::rule(id)?.rule();
    let why = match rule.level {
        Level::Must => match out_of_scope(rule) {
            None => return Ok(()),
            Some(_) => "it is out of scope",
        },
        Level::Restriction => "it is a restriction on programs",
        Level::Undefined => "it leaves the result open",
        Level::Info => "it says nothing that could be compared",
    };
    Err(Failure::input(format!(
        "no case decides the rule `{id}`: {why} (`parallax rules --explain {id}`)"
    )))
}
