//! Which instructions differed and which agreed in the first cases of a suite, by their forms and by the rules that
//! decided them: what tells mistakes apart that one engine has at once, and the rules that they break from others.

use std::collections::{BTreeMap, BTreeSet};

use parallax_spec::{RuleId, coverage::rule_of};
use serde::{Deserialize, Serialize};

use crate::{form::Executed, suite::Sighting};

/// The first cases of a suite that are looked at.
pub(super) const CENSUS: u64 = 8192;
/// Forms of which those that agreed are counted.
const FORMS: usize = 4096;

/// A divergence that came up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Number of the case.
    pub(super) case: u64,
    /// Seed of the case.
    pub(super) seed: u64,
    pub(super) what: Sighting,
    /// An engine did not answer.
    pub(super) is_silent: bool,
}

/// What differed and what agreed. Pieces of work in which nothing differed are left out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Census {
    /// By the names of forms: those that set no flags, and those that do.
    pub(super) agreed: BTreeMap<String, [Agreed; 2]>,
    /// The same by rules.
    pub(super) decided: Decided,
    /// In the order of the cases.
    pub(super) differed: Vec<Differed>,
}

/// An instruction that differed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Differed {
    pub(super) seen: Seen,
    /// The places of the rules that decided its step.
    pub(super) rules: Vec<u16>,
}

/// Instructions that agreed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Agreed {
    /// How many.
    pub(super) number: u64,
    /// How many of them had each feature.
    pub(super) with: BTreeMap<u8, u64>,
}

impl Agreed {
    /// How many there are without and with a feature.
    pub(super) fn split(&self, feature: u8) -> [u64; 2] {
        let with = self.with.get(&feature).copied().unwrap_or(0);
        [self.number - with, with]
    }

    /// Adds others.
    pub(super) fn add(&mut self, other: &Self) {
        self.number += other.number;
        for (feature, number) in &other.with {
            *self.with.entry(*feature).or_default() += number;
        }
    }
}

/// Steps, and how many of them each rule decided.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Decided {
    pub(super) steps: u64,
    /// By the places of rules and of rows of tables.
    pub(super) by_place: BTreeMap<u16, u64>,
}

impl Decided {
    /// Counts a step that these rules decided.
    pub(super) fn count(&mut self, rules: &[u16]) {
        self.steps += 1;
        for place in rules {
            *self.by_place.entry(*place).or_default() += 1;
        }
    }

    /// Adds others.
    pub(super) fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        for (place, number) in &other.by_place {
            *self.by_place.entry(*place).or_default() += number;
        }
    }

    /// The steps that a rule did not decide, and those that it did.
    pub(super) fn split(&self, place: u16) -> [u64; 2] {
        let with = self.by(place);
        [self.steps - with, with]
    }

    /// How many of them a rule decided.
    pub(super) fn by(&self, place: u16) -> u64 {
        self.by_place.get(&place).copied().unwrap_or(0)
    }

    /// The rules that decided a third of the steps and more; of one that is a table, a row.
    pub(super) fn common(&self) -> BTreeSet<RuleId> {
        let common = self.by_place.iter().filter(|(_, number)| 3 * **number >= self.steps);
        common.map(|(place, _)| rule_of(*place)).collect()
    }
}

impl Census {
    /// Whether instructions have forms.
    pub(super) fn has_forms(&self) -> bool {
        !self.agreed.is_empty() || self.seen().any(|seen| !seen.what.form.name.is_empty())
    }

    /// Counts a step that agreed.
    pub(super) fn agree(&mut self, Executed { forms, rules }: Executed) {
        self.decided.count(&rules);
        for form in forms.into_iter().filter(|form| !form.name.is_empty()) {
            let with = form.features.places().map(|feature| (feature, 1)).collect();
            let mut agreed = <[Agreed; 2]>::default();
            agreed[usize::from(form.sets_flags)] = Agreed { number: 1, with };
            self.add_agreed(form.name, &agreed);
        }
    }

    /// Takes in an instruction that differed, and the places of the rules that decided its step.
    pub(super) fn differ(&mut self, seen: Seen, rules: Vec<u16>) {
        self.differed.push(Differed { seen, rules });
    }

    /// What differed.
    pub(super) fn seen(&self) -> impl Iterator<Item = &Seen> {
        self.differed.iter().map(|differed| &differed.seen)
    }

    /// Adds what other cases of the suite came to.
    pub(super) fn add(&mut self, other: Self) {
        for (name, agreed) in other.agreed {
            self.add_agreed(name, &agreed);
        }
        self.decided.add(&other.decided);
        self.differed.extend(other.differed);
        self.differed.sort_by_key(|differed| differed.seen.case);
    }

    fn add_agreed(&mut self, name: String, agreed: &[Agreed; 2]) {
        if let Some(known) = self.agreed.get_mut(&name) {
            known.iter_mut().zip(agreed).for_each(|(known, agreed)| known.add(agreed));
        } else if self.agreed.len() < FORMS {
            self.agreed.insert(name, agreed.clone());
        }
    }
}
