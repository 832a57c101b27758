//! Signatures: what instructions have in common that differ, and those that agree have not. A mistake in what
//! many instructions share is one signature, and so is each mistake that one instruction makes with some types
//! or operands only.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::census::{Agreed, Census, Seen};
use crate::{form::Form, pattern::Pattern};

/// Mnemonics that have to differ with a feature, and agree without it, until it is taken for their mistake.
const SHARED_BY: usize = 3;
/// How many times as often instructions have to differ with what they are told apart by as without it.
const TIMES: f64 = 2.0;
/// The same for instructions of one mnemonic.
const TIMES_OF_ONE: f64 = 3.0;
/// How often an instruction differs that is wrong by itself.
const OFTEN: f64 = 0.4;
/// How often those differ that have a mark in common, if that is why one of them differs.
const OFTEN_SHARED: f64 = 0.25;
/// How often an instruction that always agrees with a feature would differ, if the feature were wrong and that
/// speaks against it.
const AGAIN: f64 = 3.0;
/// The least evidence, in natural units of information, that goes for more than chance.
const EVIDENCE: f64 = 5.0;
/// The same for what several instructions have in common, of all of them.
const SHARED_EVIDENCE: f64 = 20.0;
/// What has no mark is of the same mistake as what has one, unless this is more than so many times as much.
const REST: usize = 4;
/// The part of what the best mark of an instruction tells that one has to tell which it shares with others.
const MOSTLY: f64 = 0.7;

/// What an instruction is told apart by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// A feature, by its place in the machine's list.
    Feature(u8),
    /// Mnemonic and types.
    Name(String),
    /// Nothing more than its mnemonic.
    Mnemonic,
}

impl Mark {
    const fn is_feature(&self) -> bool {
        matches!(self, Self::Feature(_))
    }

    /// Whether a form has it.
    pub(super) fn is_on(&self, form: &Form) -> bool {
        match self {
            Self::Feature(feature) => form.features.has(*feature),
            Self::Name(name) => form.name == *name,
            Self::Mnemonic => true,
        }
    }
}

/// What differs in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    /// The mnemonic, unless several have the mistake in common.
    pub(super) mnemonic: Option<String>,
    /// What tells what differs apart from what agrees.
    pub(super) mark: Mark,
    /// What is wrong.
    pub(super) wrong: BTreeSet<Wrong>,
    /// Suites and cases.
    pub(super) cases: Cases,
}

/// Suites and cases.
type Cases = BTreeSet<(usize, u64)>;

impl Signature {
    /// Whether an instruction that differs in a kind is of it.
    pub(super) fn is_of(&self, kind: &str, form: &Form) -> bool {
        let is_mnemonic = self.mnemonic.as_deref().is_none_or(|name| name == form.mnemonic());
        self.wrong.contains(&Wrong::of(kind)) && is_mnemonic && self.mark.is_on(form)
    }

    /// Takes what has its mark out of instructions that are wrong in another way.
    fn join(&mut self, wrong: Wrong, sightings: &mut ByMnemonic<'_>) {
        let cases = take(sightings.values_mut(), |form| self.mark.is_on(form));
        if !cases.is_empty() {
            self.wrong.insert(wrong);
            self.cases.extend(cases);
        }
    }

    /// Adds another one of the same mistake: instructions have it in common if they have either.
    fn add(&mut self, other: Self) {
        self.mnemonic = self.mnemonic.take().filter(|_| other.mnemonic.is_some());
        self.wrong.extend(other.wrong);
        self.cases.extend(other.cases);
    }

    /// Whether wrong flags have the same mark, of an instruction or of all that have it.
    fn has_flags_of(&self, of_flags: &Self) -> bool {
        let is_same = self.mnemonic == of_flags.mnemonic || of_flags.mnemonic.is_none();
        is_same && self.mark == of_flags.mark
    }

    /// It in words: `any instruction with NoMask`, `mov with :vf`, `add :f <- :d, :d`.
    pub(super) fn text<'s>(&'s self, features: &'s [&'s str]) -> impl fmt::Display + 's {
        fmt::from_fn(move |f| match (&self.mark, &self.mnemonic) {
            (Mark::Name(name), _) => f.write_str(name),
            (Mark::Mnemonic, mnemonic) => f.write_str(mnemonic.as_deref().unwrap_or_default()),
            (Mark::Feature(place), mnemonic) => {
                let mnemonic = mnemonic.as_deref().unwrap_or("any instruction");
                let feature = features.get(usize::from(*place)).copied().unwrap_or_default();
                write!(f, "{mnemonic} with {feature}")
            }
        })
    }

    /// The instructions that it is about.
    pub(super) fn pattern(&self, features: &[&str]) -> Pattern {
        let (feature, name) = match &self.mark {
            Mark::Feature(feature) => (Some(*feature), None),
            Mark::Name(name) => (None, Some(name.clone())),
            Mark::Mnemonic => (None, None),
        };
        Pattern::new(self.text(features).to_string(), self.mnemonic.clone(), feature, name)
    }
}

/// What is wrong in a divergence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wrong {
    /// A result, or what else is no flag.
    Value,
    /// Flags alone.
    Flags,
    /// The engine failed.
    Failure,
}

impl Wrong {
    /// What is wrong in a divergence of a kind.
    fn of(kind: &str) -> Self {
        const FAILURES: [&str; 6] = ["lost", "no", "panic", "nonsense", "unable", "load"];
        let mut words = kind.split(' ').skip(1);
        match words.clone().next() {
            _ if words.any(|word| FAILURES.contains(&word)) => Self::Failure,
            Some("f") => Self::Flags,
            _ => Self::Value,
        }
    }
}

/// An instruction that differed, and where.
#[derive(Debug, Clone, Copy)]
struct Sighted<'c> {
    suite: usize,
    seen: &'c Seen,
}

/// The signatures of what differed in the suites of one manual, by their numbers. What no mark tells apart from
/// what agrees has none. Wrong flags stand beside what agrees of the instructions that set flags: none of the others
/// could show them.
pub(super) fn signatures<'c>(
    suites: impl IntoIterator<Item = (usize, &'c Census)>,
) -> Vec<Signature> {
    let [mut all, mut of_flags] = [ByName::new(), ByName::new()];
    let mut sightings: BTreeMap<Wrong, ByMnemonic<'_>> = BTreeMap::new();
    for (suite, census) in suites {
        for (name, by_flags) in &census.agreed {
            let mnemonic = name.split(' ').next().unwrap_or_default();
            for (agreed, sets_flags) in by_flags.iter().zip([false, true]) {
                all.entry(mnemonic).or_default().entry(name).or_default().add(agreed);
                if sets_flags {
                    of_flags.entry(mnemonic).or_default().entry(name).or_default().add(agreed);
                }
            }
        }
        let has_form = |seen: &&Seen| !seen.what.form.name.is_empty();
        for seen in census.seen().filter(has_form) {
            let sightings = sightings.entry(Wrong::of(&seen.what.kind)).or_default();
            sightings.entry(seen.what.form.mnemonic()).or_default().push(Sighted { suite, seen });
        }
    }
    let mut values = sightings.get(&Wrong::Value).cloned().unwrap_or_default();
    let mut signatures: Vec<Signature> = Vec::new();
    for (wrong, mut sightings) in sightings {
        let shared = signatures.iter_mut().filter(|signature| signature.mnemonic.is_none());
        if wrong == Wrong::Flags {
            shared.for_each(|signature| signature.join(wrong, &mut sightings));
        }
        let agreed = if wrong == Wrong::Flags { &of_flags } else { &all };
        for mut signature in (Table { agreed, sightings, wrong }).signatures() {
            let is_same =
                |known: &mut Signature| wrong == Wrong::Flags && known.has_flags_of(&signature);
            let same: Vec<_> = signatures.extract_if(.., is_same).collect();
            same.into_iter().for_each(|known| signature.add(known));
            signatures.push(signature);
        }
    }
    // Wrong results that are too few for a mark of their own go with the mark of wrong flags.
    for sightings in values.values_mut() {
        sightings.retain(|sighted| !signatures.iter().any(|s| s.cases.contains(&sighted.case())));
    }
    let shared = signatures.iter_mut().filter(|signature| signature.mnemonic.is_none());
    for signature in shared.filter(|signature| signature.wrong == [Wrong::Flags].into()) {
        signature.join(Wrong::Value, &mut values);
    }
    signatures
}

impl Sighted<'_> {
    const fn form(&self) -> &Form {
        &self.seen.what.form
    }

    /// Suite and case.
    const fn case(&self) -> (usize, u64) {
        (self.suite, self.seen.case)
    }
}

/// Instructions that agreed, by mnemonic, then by the whole name of the form.
type ByName<'c> = BTreeMap<&'c str, BTreeMap<&'c str, Agreed>>;

/// Instructions that differed, by mnemonic.
type ByMnemonic<'c> = BTreeMap<&'c str, Vec<Sighted<'c>>>;

/// Instructions that differed and agreed, without and with a mark.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) differed: [u64; 2],
    pub(super) agreed: [u64; 2],
}

impl Counts {
    /// The share that differed, without and with the mark; `None` if there are none.
    fn rates(self) -> [Option<f64>; 2] {
        [0, 1].map(|with| {
            let (differed, agreed) = (self.differed[with], self.agreed[with]);
            let all = differed + agreed;
            (all > 0).then(|| differed as f64 / all as f64)
        })
    }

    /// Whether instructions differ much more often with the mark.
    pub(super) fn tells(self) -> bool {
        let [without, with] = self.rates();
        with.zip(without).is_some_and(|(with, without)| with > 0.0 && with >= TIMES * without)
    }

    /// How much the mark tells of whether an instruction differs, in natural units of information.
    pub(super) fn information(self) -> f64 {
        let all = |counts: [u64; 2]| (counts[0] + counts[1]) as f64;
        let total = all(self.differed) + all(self.agreed);
        let term = |number: u64, of_row: f64, with: usize| {
            let of_column = (self.differed[with] + self.agreed[with]) as f64;
            let expected = of_row * of_column / total;
            if number == 0 { 0.0 } else { number as f64 * (number as f64 / expected).ln() }
        };
        [self.differed, self.agreed]
            .into_iter()
            .flat_map(|row| [0, 1].map(|with| term(row[with], all(row), with)))
            .sum()
    }
}

/// What differed and is of no signature yet, beside what agreed.
struct Table<'t, 'c> {
    agreed: &'t ByName<'c>,
    sightings: ByMnemonic<'c>,
    wrong: Wrong,
}

impl<'c> Table<'_, 'c> {
    /// The signatures of all that differed.
    fn signatures(mut self) -> Vec<Signature> {
        let all = self.sightings.clone();
        let mut signatures: Vec<_> = std::iter::from_fn(|| self.shared()).collect();
        let mut others = Vec::new();
        for mnemonic in self.mnemonics() {
            others.extend(self.of_mnemonic(mnemonic));
        }
        let is_wrong = |mnemonic: &&str| self.is_wrong_by_itself(mnemonic);
        let wrong: Vec<_> = self.mnemonics().into_iter().filter(is_wrong).collect();
        // What nearly all instructions do wrong is nothing that each does by itself.
        if 2 * wrong.len() <= self.agreed.len() {
            others.extend(wrong.into_iter().map(|mnemonic| self.whole(mnemonic)));
        }
        for signature in others {
            // What always has the mark that instructions share is of their mistake.
            let mut of_it =
                all.iter().filter(|(name, _)| signature.mnemonic.as_deref() == Some(name));
            let of_it = of_it.next().map_or(&[][..], |(_, sightings)| sightings);
            let of_it = of_it.iter().filter(|sighting| signature.cases.contains(&sighting.case()));
            let has_all = |shared: &&mut Signature| {
                let is_shared = shared.mnemonic.is_none();
                is_shared && of_it.clone().all(|sighting| shared.mark.is_on(sighting.form()))
            };
            match signatures.iter_mut().find(has_all) {
                Some(shared) => shared.cases.extend(signature.cases),
                None => signatures.push(signature),
            }
        }
        // What is left with a mark that instructions share is of it, if what has that mark differs often.
        for shared in signatures.iter_mut().filter(|signature| signature.mnemonic.is_none()) {
            if self.differs_often(&shared.mark, &all) {
                shared.join(self.wrong, &mut self.sightings);
            }
        }
        signatures
    }

    /// Whether instructions with a mark differ often.
    fn differs_often(&self, mark: &Mark, sightings: &ByMnemonic<'_>) -> bool {
        let differed = sightings.values().flatten().filter(|s| mark.is_on(s.form())).count();
        let agreed: u64 = self.agreed.keys().map(|name| self.count(name, mark).agreed[1]).sum();
        differed as f64 >= OFTEN_SHARED * (differed as f64 + agreed as f64)
    }

    /// The mnemonics of what has no signature yet.
    fn mnemonics(&self) -> Vec<&'c str> {
        let has = self.sightings.iter().filter(|(_, sightings)| !sightings.is_empty());
        has.map(|(mnemonic, _)| *mnemonic).collect()
    }

    /// What has no signature yet of a mnemonic.
    fn of(&self, mnemonic: &str) -> &[Sighted<'c>] {
        self.sightings.get(mnemonic).map_or(&[], Vec::as_slice)
    }

    /// The instructions of a mnemonic, without and with a mark.
    fn count(&self, mnemonic: &str, mark: &Mark) -> Counts {
        let mut counts = Counts::default();
        for sighting in self.of(mnemonic) {
            counts.differed[usize::from(mark.is_on(sighting.form()))] += 1;
        }
        for (name, agreed) in self.agreed.get(mnemonic).into_iter().flatten() {
            let [without, with] = match mark {
                Mark::Feature(feature) => agreed.split(*feature),
                Mark::Name(of) if of == name => [0, agreed.number],
                Mark::Name(_) => [agreed.number, 0],
                Mark::Mnemonic => [0, agreed.number],
            };
            counts.agreed[0] += without;
            counts.agreed[1] += with;
        }
        counts
    }

    /// How much each mark of what differs of a mnemonic tells, where it differs much more often with the mark.
    fn telling(&self, mnemonic: &str) -> BTreeMap<Mark, f64> {
        let forms = self.of(mnemonic).iter().map(Sighted::form);
        let features: BTreeSet<_> = forms.clone().flat_map(|form| form.features.places()).collect();
        let names: BTreeSet<_> = forms.map(|form| &form.name).collect();
        let names = names.into_iter().cloned().map(Mark::Name);
        let marks = features.into_iter().map(Mark::Feature).chain(names);
        let telling = marks.filter_map(|mark| {
            let counts = self.count(mnemonic, &mark);
            counts.tells().then(|| (mark, counts.information()))
        });
        telling.collect()
    }

    /// Takes out what differs with the feature that tells the most in several instructions, and in each of them
    /// hardly less than any other.
    fn shared(&mut self) -> Option<Signature> {
        let mnemonics = self.mnemonics();
        let telling: BTreeMap<_, _> = mnemonics.iter().map(|m| (*m, self.telling(m))).collect();
        let most =
            |mnemonic: &str| telling[mnemonic].iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
        let mut speaking: BTreeMap<&Mark, (usize, f64)> = BTreeMap::new();
        for (mnemonic, marks) in &telling {
            let Some((_, most)) = most(mnemonic) else { continue };
            for (mark, information) in marks.iter().filter(|(mark, _)| mark.is_feature()) {
                let is_speaking = *information >= EVIDENCE / 2.0 && *information >= MOSTLY * most;
                let (number, sum) = speaking.entry(mark).or_default();
                (*number, *sum) = (*number + usize::from(is_speaking), *sum + information);
            }
        }
        let shared = speaking.into_iter().filter(|(mark, (number, sum))| {
            *number >= SHARED_BY && *sum >= SHARED_EVIDENCE && *number > 2 * self.against(mark)
        });
        let (mark, _) = shared.max_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b))?;
        let mark = mark.clone();
        // What an instruction does wrong by itself stays with it.
        let is_by_itself = |mnemonic: &str| {
            let [without, _] = self.count(mnemonic, &mark).rates();
            without.is_some_and(|without| without >= OFTEN)
        };
        let by_themselves: BTreeSet<_> =
            mnemonics.iter().copied().filter(|mnemonic| is_by_itself(mnemonic)).collect();
        let better: BTreeMap<_, Mark> = mnemonics
            .iter()
            .filter_map(|mnemonic| {
                let (best, most) = most(mnemonic)?;
                let of_mark = telling[mnemonic].get(&mark).copied().unwrap_or(0.0);
                (of_mark < MOSTLY * most && *most >= EVIDENCE).then(|| (*mnemonic, best.clone()))
            })
            .collect();
        let others = mnemonics.into_iter().filter(|mnemonic| !by_themselves.contains(mnemonic));
        let mut cases = BTreeSet::new();
        for mnemonic in others {
            let better = better.get(mnemonic);
            cases.extend(self.take(mnemonic, |form| {
                mark.is_on(form) && !better.is_some_and(|better| better.is_on(form))
            }));
        }
        let is_any = !cases.is_empty();
        is_any.then(|| self.signature(None, mark, cases))
    }

    /// How many mnemonics always agree with a mark with which others differ so often that they should not.
    fn against(&self, mark: &Mark) -> usize {
        let counts: Vec<_> = self.agreed.keys().map(|name| self.count(name, mark)).collect();
        let differ: u64 = counts.iter().map(|counts| counts.differed[1]).sum();
        let of_those = counts.iter().filter(|counts| counts.differed[1] > 0);
        let agree: u64 = of_those.map(|counts| counts.agreed[1]).sum();
        let rate = differ as f64 / (differ + agree) as f64;
        let is_against =
            |counts: &&Counts| counts.differed[1] == 0 && counts.agreed[1] as f64 * rate >= AGAIN;
        counts.iter().filter(is_against).count()
    }

    /// Takes out what differs of a mnemonic, by the marks that tell the most; all of it together where much of it
    /// has none.
    fn of_mnemonic(&mut self, mnemonic: &str) -> Vec<Signature> {
        let before = self.sightings.clone();
        let marked: Vec<_> = std::iter::from_fn(|| self.marked(mnemonic)).collect();
        let number: usize = marked.iter().map(|signature| signature.cases.len()).sum();
        let rest = self.of(mnemonic).len();
        let is_much = rest > 1 && REST * rest >= number || self.is_wrong_by_itself(mnemonic);
        if number == 0 || !is_much {
            return marked;
        }
        self.sightings = before;
        vec![self.whole(mnemonic)]
    }

    /// Takes out what differs of a mnemonic with the mark that tells the most.
    fn marked(&mut self, mnemonic: &str) -> Option<Signature> {
        let telling = self.telling(mnemonic).into_iter().filter(|(mark, _)| {
            let counts = self.count(mnemonic, mark);
            let [without, with] = counts.rates();
            let is_much_more =
                with.zip(without).is_some_and(|(with, without)| with >= TIMES_OF_ONE * without);
            counts.differed[1] > 1 && is_much_more
        });
        // Of marks that tell as much the types say it more plainly.
        let most = telling.max_by(|(a, of_a), (b, of_b)| of_a.total_cmp(of_b).then(a.cmp(b)));
        let (mark, information) = most?;
        (information >= EVIDENCE).then_some(())?;
        let cases = self.take(mnemonic, |form| mark.is_on(form));
        Some(self.signature(Some(mnemonic), mark, cases))
    }

    /// Whether a mnemonic differs much more often than the others.
    fn is_wrong_by_itself(&self, mnemonic: &str) -> bool {
        let mut counts = Counts::default();
        for (name, sightings) in &self.sightings {
            counts.differed[usize::from(*name == mnemonic)] += sightings.len() as u64;
        }
        for (name, agreed) in self.agreed {
            let number: u64 = agreed.values().map(|agreed| agreed.number).sum();
            counts.agreed[usize::from(*name == mnemonic)] += number;
        }
        let [_, with] = counts.rates();
        let is_often = counts.differed[1] > 1 && with.is_some_and(|with| with >= OFTEN);
        is_often && counts.tells() && counts.information() >= EVIDENCE
    }

    /// Takes out all that differs of a mnemonic.
    fn whole(&mut self, mnemonic: &str) -> Signature {
        let cases = self.take(mnemonic, |_| true);
        self.signature(Some(mnemonic), Mark::Mnemonic, cases)
    }

    fn signature(&self, mnemonic: Option<&str>, mark: Mark, cases: Cases) -> Signature {
        let mnemonic = mnemonic.map(str::to_owned);
        Signature { mnemonic, mark, wrong: BTreeSet::from([self.wrong]), cases }
    }

    /// Takes out what differs of a mnemonic in some forms; the suites and cases.
    fn take(&mut self, mnemonic: &str, is_taken: impl Fn(&Form) -> bool) -> Cases {
        take(self.sightings.get_mut(mnemonic), is_taken)
    }
}

/// Takes those out of some instructions whose forms are of a kind; the suites and cases.
fn take<'s, 'c: 's>(
    sightings: impl IntoIterator<Item = &'s mut Vec<Sighted<'c>>>,
    is_taken: impl Fn(&Form) -> bool,
) -> Cases {
    let sightings = sightings.into_iter();
    let taken = sightings.flat_map(|all| all.extract_if(.., |s| is_taken(s.form())));
    taken.map(|sighting| sighting.case()).collect()
}

#[cfg(test)]
mod tests;
