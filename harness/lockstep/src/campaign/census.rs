//! Which instructions differed and which agreed in the first cases of a suite, by their forms and by the rules that
//! decided them: what tells mistakes apart that one engine has at once, and the rules that they break from others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{blame::Decided, chunk::Seen};
use crate::executed::Executed;

/// The first cases of a suite that are looked at.
pub(super) const CENSUS: u64 = 8192;
/// Forms of which those that agreed are counted.
const FORMS: usize = 4096;

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
