//! Causes of divergences. A mistake shows in many cases, on several devices and in several suites: what
//! has the same signature counts as one, and where there is none, what the same instruction does wrong in the
//! same way, by the rules of the same manual.
//!
//! Which cases stand for a cause depends on nothing but the cases, so that shards come to what one
//! campaign comes to: of each kind the first case of the first suite is looked into, and of what comes
//! down to the same, the smallest is shown.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use super::{
    blame::{Blamed, Steps},
    census::{Decided, Differed, Seen},
    chunk::ToInvestigate,
    kinds::Cases,
    manual::manual,
    part::{Found, Part},
    signature::{Signature, signatures},
};
use crate::{registry, suite::Finding, suspects};

/// A kind of divergences, by the manual of their device.
type Kind<'f> = (&'static str, &'f str);

/// Cases that are looked into until one stands for its signature alone.
const TRIES: usize = 4;

/// What a cause is told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'f> {
    /// The signature, by its place in the list.
    Signature(usize),
    /// The kind that its cases come down to, where they have no signature.
    Kind(Kind<'f>),
}

/// A cause of divergences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Its smallest case.
    pub finding: Finding,
    /// What tells its instructions from those that agree, in words: `mov with :vf`; `None` where nothing does.
    pub signature: Option<String>,
    /// The file that the finding was written to.
    pub trace: Option<PathBuf>,
    /// Where it showed, in the order of the suites.
    pub shown: Vec<Shown>,
}

/// A suite in which a cause showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Suite.
    pub suite: String,
    /// Device.
    pub device: String,
    /// In how many of its cases.
    pub cases: u64,
    /// Seed of the first of them.
    pub seed: u64,
}

impl Cause {
    /// In how many cases it showed.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.shown.iter().map(|shown| shown.cases).sum()
    }
}

fn kind(found: &Found) -> Kind<'_> {
    (manual(&found.finding.device), &found.finding.kind)
}

fn seen(found: &Found) -> Kind<'_> {
    (manual(&found.finding.device), &found.seen)
}

fn kind_of<'s>(part: &Part, seen: &'s Seen) -> Kind<'s> {
    (part.manual(), &seen.what.kind)
}

/// Whether divergences come from the same cause, as far as that can be told of two of them.
pub(super) fn is_same(a: &Found, b: &Found) -> bool {
    kind(a) == kind(b)
}

/// How well a case stands for a signature, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stands {
    /// It shows what the signature says, and nothing that another one says.
    Alone,
    /// It may show what another one says.
    WithOthers,
    /// It does not show what the signature says.
    ForOther,
}

/// A cause, and what was looked into of it.
struct Grouped<'f> {
    key: Key<'f>,
    found: Vec<&'f Found>,
    /// Suite and case of its finding.
    case: (usize, u64),
    cause: Cause,
}

/// The divergences of a campaign, sorted by what they have in common.
struct Sorted<'f> {
    parts: &'f [Part],
    found: &'f [Found],
    /// Those of each manual.
    signatures: Vec<Signature>,
    /// The signatures of suites and cases, by their places in the list.
    of_cases: BTreeMap<(usize, u64), usize>,
    /// The rules of steps by manual.
    steps: BTreeMap<&'static str, Steps>,
    /// How many of the first cases of each suite showed a kind, by their signatures.
    looked_at: Vec<BTreeMap<&'f str, BTreeMap<Option<usize>, Cases>>>,
}

impl<'f> Sorted<'f> {
    fn new(found: &'f [Found], parts: &'f [Part]) -> Self {
        let manuals: BTreeSet<_> = parts.iter().map(Part::manual).collect();
        let signatures = manuals.into_iter().flat_map(|manual| {
            let suites = parts.iter().enumerate().filter(|(_, part)| part.manual() == manual);
            signatures(suites.map(|(suite, part)| (suite, &part.census)))
        });
        Self::of(found, parts, signatures.collect())
    }

    fn of(found: &'f [Found], parts: &'f [Part], signatures: Vec<Signature>) -> Self {
        let mut of_cases = BTreeMap::new();
        for (place, signature) in signatures.iter().enumerate() {
            of_cases.extend(signature.cases.iter().map(|case| (*case, place)));
        }
        let looked_at = parts.iter().enumerate().map(|(suite, part)| {
            let mut by_kind: BTreeMap<&str, BTreeMap<Option<usize>, Cases>> = BTreeMap::new();
            for seen in part.census.seen() {
                let signature = of_cases.get(&(suite, seen.case)).copied();
                let cases = Cases::one(seen.case, seen.seed);
                let counted = by_kind.entry(&seen.what.kind).or_default().entry(signature);
                counted.and_modify(|counted| *counted = counted.and(cases)).or_insert(cases);
            }
            by_kind
        });
        let looked_at = looked_at.collect();
        let mut steps: BTreeMap<_, Steps> = BTreeMap::new();
        for part in parts {
            let Steps { differed, agreed } = steps.entry(part.manual()).or_default();
            agreed.add(&part.census.decided);
            part.census.differed.iter().for_each(|of_case| differed.count(&of_case.rules));
        }
        Self { parts, found, signatures, of_cases, steps, looked_at }
    }

    /// The signature of a case, by its place in the list.
    fn signature(&self, suite: usize, case: u64) -> Option<usize> {
        self.of_cases.get(&(suite, case)).copied()
    }

    /// What was looked into of a signature.
    fn of_signature(&self, place: usize) -> impl Iterator<Item = &'f Found> {
        let cases = self.signatures[place].cases.clone();
        let found = self.found.iter().filter(|found| !found.is_silent);
        found.filter(move |found| cases.contains(&(found.suite, found.case)))
    }

    /// How well a case stands for a signature: it has come down to what that says, and to nothing that another one
    /// says.
    fn stands_for(&self, place: usize, found: &Found) -> Stands {
        let is_of =
            |signature: &Signature| signature.is_of(&found.finding.kind, &found.finding.form);
        let mut others = self.signatures.iter().enumerate().filter(|(other, _)| *other != place);
        match is_of(&self.signatures[place]) {
            true if others.any(|(_, other)| is_of(other)) => Stands::WithOthers,
            true => Stands::Alone,
            false => Stands::ForOther,
        }
    }

    /// Leaves out signatures of which nothing was looked into.
    fn of_what_was_found(self) -> Self {
        let has = |place: &usize| self.of_signature(*place).next().is_some();
        let places = (0..self.signatures.len()).filter(has);
        let found = places.map(|place| self.signatures[place].clone()).collect();
        Self::of(self.found, self.parts, found)
    }

    /// Of what was looked into and has no signature what stands for a cause: of each kind that a suite has
    /// taken up the first case of the first suite, and every case in which an engine was silent.
    fn firsts(&self) -> Vec<&'f Found> {
        let known = self
            .parts
            .iter()
            .flat_map(|part| part.known.keys().map(move |kind| (part.manual(), kind.as_str())));
        let looked_at =
            self.parts.iter().flat_map(|part| part.census.seen().map(|seen| kind_of(part, seen)));
        let known: BTreeSet<Kind<'_>> = known.chain(looked_at).collect();
        let mut in_order: Vec<_> = self.found.iter().collect();
        in_order.retain(|f| f.is_silent || self.signature(f.suite, f.case).is_none());
        in_order.sort_by_key(|found| (found.suite, !found.is_silent, found.case));
        let mut taken = BTreeSet::new();
        in_order.retain(|found| {
            let kind = seen(found);
            found.is_silent || (known.contains(&kind) && taken.insert(kind))
        });
        in_order
    }

    /// The cases to look into next, by their suites, so that each signature and each kind without one has a
    /// case that stands for it.
    fn lacking(&self) -> Vec<(usize, ToInvestigate)> {
        let mut lacking = Vec::new();
        for place in 0..self.signatures.len() {
            let tried: Vec<_> = self.of_signature(place).collect();
            let is_shown = tried.iter().any(|found| self.stands_for(place, found) == Stands::Alone);
            if !is_shown && tried.len() < TRIES {
                lacking.extend(self.next_of(place, &tried));
            }
        }
        let mut taken: BTreeSet<Kind<'_>> = self.firsts().into_iter().map(seen).collect();
        for (suite, part) in self.parts.iter().enumerate() {
            let others =
                part.census.seen().filter(|seen| self.signature(suite, seen.case).is_none());
            let new = others.filter(|seen| taken.insert(kind_of(part, seen)));
            lacking.extend(new.map(|seen| (suite, seen.clone().into())));
        }
        lacking
    }

    /// The first case of a signature that was not tried, if there is one that shows nothing that another signature
    /// says, which it must not come down to.
    fn next_of(&self, place: usize, tried: &[&Found]) -> Option<(usize, ToInvestigate)> {
        let signature = &self.signatures[place];
        let mut others: Vec<_> = self.signatures.iter().collect();
        others.remove(place);
        let cases = self.parts.iter().enumerate().flat_map(|(suite, part)| {
            let seen = part.census.seen().map(move |seen| (suite, seen));
            seen.filter(|(suite, seen)| signature.cases.contains(&(*suite, seen.case)))
        });
        let new = cases.filter(|(suite, seen)| {
            !tried.iter().any(|f| (f.suite, f.case) == (*suite, seen.case))
        });
        let is_alone = |(_, seen): &&(usize, &Seen)| {
            !others.iter().any(|other| other.is_of(&seen.what.kind, &seen.what.form))
        };
        let new: Vec<_> = new.collect();
        let (suite, seen) = *new.iter().find(is_alone).or(new.first())?;
        let features = registry::features(&self.parts[suite].statistics.device);
        let others = others.into_iter().map(|other| other.pattern(features)).collect();
        Some((suite, ToInvestigate { seen: seen.clone(), others }))
    }

    /// The causes, and the suites and cases of their findings.
    fn causes(&self) -> Vec<((usize, u64), Cause)> {
        let mut by_cause: BTreeMap<Key<'_>, Vec<&Found>> = BTreeMap::new();
        for place in 0..self.signatures.len() {
            by_cause.insert(Key::Signature(place), self.of_signature(place).collect());
        }
        for found in self.firsts() {
            by_cause.entry(Key::Kind(kind(found))).or_default().push(found);
        }
        let causes = by_cause.into_iter().map(|(key, found)| {
            let (case, cause) = self.cause(key, &found);
            Grouped { key, found, case, cause }
        });
        let mut causes: Vec<_> = causes.collect();
        self.blame(&mut causes);
        causes.into_iter().map(|Grouped { case, cause, .. }| (case, cause)).collect()
    }

    /// The cause of what comes down to the same, at least one, and the suite and case of its finding.
    fn cause(&self, key: Key<'_>, found: &[&Found]) -> ((usize, u64), Cause) {
        let smallest = found.iter().min_by_key(|found| {
            let stands = match key {
                Key::Signature(place) => self.stands_for(place, found),
                Key::Kind(_) => Stands::Alone,
            };
            (stands, found.finding.instructions, found.suite, found.case)
        });
        let smallest = smallest.expect("a cause has a finding");
        let shown = self.parts.iter().enumerate().filter_map(|(suite, part)| {
            let cases: Vec<Cases> = match key {
                Key::Signature(place) => self.cases_of_signature(suite, place),
                Key::Kind(_) => self.cases_of_kinds(suite, found),
            };
            let cases = cases.into_iter().reduce(Cases::and)?;
            Some(Shown {
                suite: part.statistics.name.clone().into_owned(),
                device: part.statistics.device.clone().into_owned(),
                cases: cases.number,
                seed: cases.first.1,
            })
        });
        let signature = match key {
            Key::Signature(place) => Some(&self.signatures[place]),
            Key::Kind(_) => None,
        };
        let finding = smallest.finding.clone();
        let features = registry::features(&finding.device);
        let signature = signature.map(|signature| signature.text(features).to_string());
        let shown = shown.collect();
        let cause = Cause { finding, signature, trace: None, shown };
        ((smallest.suite, smallest.case), cause)
    }

    /// Orders the rules of the findings of causes, the most suspect ones first.
    fn blame(&self, causes: &mut [Grouped<'_>]) {
        for (of, steps) in &self.steps {
            let of_manual =
                causes.iter_mut().filter(|grouped| manual(&grouped.cause.finding.device) == *of);
            let blamed = of_manual.map(|Grouped { key, found, cause, .. }| {
                self.blamed(*key, found, &mut cause.finding)
            });
            let mut blamed: Vec<_> = blamed.collect();
            steps.order(&mut blamed);
        }
    }

    /// The finding of a cause with what tells its rules apart. Of what instructions have in common the rules are those
    /// that most of them share.
    fn blamed<'c>(&self, key: Key<'_>, found: &[&Found], finding: &'c mut Finding) -> Blamed<'c> {
        let of_cause = self.differed(key, found);
        let is_shared = match key {
            Key::Signature(place) => self.signatures[place].mnemonic.is_none(),
            Key::Kind(_) => false,
        };
        let mut common = of_cause.common();
        if is_shared && !common.is_empty() {
            finding.rules.retain(|rule| common.remove(rule));
            finding.rules.extend(common);
        }
        let own = match is_shared {
            true => Vec::new(),
            false => suspects::own(&finding.kind, &finding.rules),
        };
        Blamed { rules: &mut finding.rules, own, of_cause }
    }

    /// The rules of the steps that differed for a cause.
    fn differed(&self, key: Key<'_>, found: &[&Found]) -> Decided {
        let mut decided = Decided::default();
        for (suite, part) in self.parts.iter().enumerate() {
            for Differed { seen: of_case, rules } in &part.census.differed {
                let signature = self.signature(suite, of_case.case);
                let is_of_cause = match key {
                    Key::Signature(place) => signature == Some(place),
                    Key::Kind(_) => {
                        let kind = kind_of(part, of_case);
                        signature.is_none() && found.iter().any(|found| seen(found) == kind)
                    }
                };
                if is_of_cause && !rules.is_empty() {
                    decided.count(rules);
                }
            }
        }
        decided
    }

    /// The cases of a suite that showed a signature, by their kinds.
    fn cases_of_signature(&self, suite: usize, place: usize) -> Vec<Cases> {
        let kinds = self.looked_at[suite].keys();
        kinds.filter_map(|kind| self.share(suite, kind, Some(place))).collect()
    }

    /// The cases of a suite that showed the kinds of what was found without having a signature.
    fn cases_of_kinds(&self, suite: usize, found: &[&Found]) -> Vec<Cases> {
        let part = &self.parts[suite];
        let of_kinds = found.iter().filter(|found| !found.is_silent).filter_map(|found| {
            let is_of_manual = part.manual() == manual(&found.finding.device);
            if is_of_manual { self.share(suite, &found.seen, None) } else { None }
        });
        let silent = found.iter().filter(|found| found.is_silent && found.suite == suite);
        of_kinds.chain(silent.map(|found| Cases::one(found.case, found.finding.seed))).collect()
    }

    /// The cases of a suite that showed a kind, and a signature or none. Those after the first of the suite count
    /// in proportion to these.
    fn share(&self, suite: usize, kind: &str, signature: Option<usize>) -> Option<Cases> {
        let all = self.parts[suite].kinds.cases(kind)?;
        let Some(looked_at) = self.looked_at[suite].get(kind) else {
            return signature.is_none().then_some(all);
        };
        let counted: u64 = looked_at.values().map(|cases| cases.number).sum();
        let share = |cases: &Cases| {
            cases.number + all.number.saturating_sub(counted) * cases.number / counted
        };
        let rest = all.number.saturating_sub(looked_at.values().map(share).sum());
        let is_first = looked_at.keys().next() == Some(&signature);
        let cases = looked_at.get(&signature)?;
        Some(Cases { number: share(cases) + if is_first { rest } else { 0 }, ..*cases })
    }
}

/// Leaves of what was looked into what stands for causes.
pub(super) fn keep_firsts(found: &mut Vec<Found>, parts: &[Part]) {
    let sorted = Sorted::new(found, parts);
    let of_signatures = (0..sorted.signatures.len()).flat_map(|place| sorted.of_signature(place));
    let kept = sorted.firsts().into_iter().chain(of_signatures).cloned().collect();
    *found = kept;
}

/// The cases to look into beside what was, by their suites.
pub(super) fn lacking(found: &[Found], parts: &[Part]) -> Vec<(usize, ToInvestigate)> {
    Sorted::new(found, parts).lacking()
}

/// The causes of what was looked into, those that showed in most cases first. None is written yet.
pub(super) fn causes(found: &[Found], parts: &[Part]) -> Vec<Cause> {
    let mut causes = Sorted::new(found, parts).of_what_was_found().causes();
    causes.sort_by_key(|(place, cause)| (Reverse(cause.cases()), *place));
    causes.into_iter().map(|(_, cause)| cause).collect()
}
