//! Causes of divergences. A mistake shows in many cases, on several devices and in several suites: what
//! the same instruction does wrong in the same way, by the rules of the same manual, counts as one.
//!
//! Which cases stand for a cause depends on nothing but the cases, so that shards come to what one
//! campaign comes to: of each kind the first case of the first suite is looked into, and of what comes
//! down to the same, the smallest is shown.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use parallax_isa::Device;

use super::{
    kinds::Cases,
    part::{Found, Part},
};
use crate::suite::Finding;

/// What a cause is told apart by: the manual, and the kind of its divergences.
type Key<'f> = (&'static str, &'f str);

/// A cause of divergences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Its smallest case.
    pub finding: Finding,
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

/// The manual that a device's programs are of: its devices run the same instructions by the same rules.
pub(super) fn manual(device: &str) -> &'static str {
    let Ok(device) = device.parse::<Device>() else { return "" };
    let manuals: [&[Device]; 4] = [&Device::GEN4, &Device::GEN7, &[Device::Dg1], &[Device::Rv770]];
    let of_device = manuals.into_iter().find(|devices| devices.contains(&device));
    of_device.and_then(<[_]>::first).map_or("", |device| device.name())
}

fn key(found: &Found) -> Key<'_> {
    (manual(&found.finding.device), &found.finding.kind)
}

fn seen(found: &Found) -> Key<'_> {
    (manual(&found.finding.device), &found.seen)
}

/// Whether divergences come from the same cause, as far as that can be told.
pub(super) fn is_same(a: &Found, b: &Found) -> bool {
    key(a) == key(b)
}

/// Of what was looked into what stands for a cause: of each kind that a suite has taken up the first
/// case of the first suite, and every case in which an engine was silent.
fn firsts<'f>(found: &'f [Found], parts: &[Part]) -> Vec<&'f Found> {
    let known: BTreeSet<Key<'_>> = parts
        .iter()
        .flat_map(|part| {
            let manual = manual(&part.statistics.device);
            part.known.keys().map(move |kind| (manual, kind.as_str()))
        })
        .collect();
    let mut in_order: Vec<_> = found.iter().collect();
    in_order.sort_by_key(|found| (found.suite, !found.is_silent, found.case));
    let mut taken = BTreeSet::new();
    in_order.retain(|found| {
        let kind = seen(found);
        found.is_silent || (known.contains(&kind) && taken.insert(kind))
    });
    in_order
}

/// [`firsts`] alone.
pub(super) fn keep_firsts(found: &mut Vec<Found>, parts: &[Part]) {
    *found = firsts(found, parts).into_iter().cloned().collect();
}

/// The causes of what was looked into, those that showed in most cases first. None is written yet.
pub(super) fn causes(found: &[Found], parts: &[Part]) -> Vec<Cause> {
    let mut by_cause: BTreeMap<Key<'_>, Vec<&Found>> = BTreeMap::new();
    for found in firsts(found, parts) {
        by_cause.entry(key(found)).or_default().push(found);
    }
    let mut causes: Vec<_> = by_cause.into_values().map(|found| cause(&found, parts)).collect();
    causes.sort_by_key(|(place, cause)| (Reverse(cause.cases()), *place));
    causes.into_iter().map(|(_, cause)| cause).collect()
}

/// The cause of what comes down to the same, at least one, and the suite and case of its finding.
fn cause(found: &[&Found], parts: &[Part]) -> ((usize, u64), Cause) {
    let smallest = found.iter().min_by_key(|f| (f.finding.instructions, f.suite, f.case));
    let smallest = smallest.expect("a cause has a finding");
    let shown = parts.iter().enumerate().filter_map(|(suite, part)| {
        let Part { statistics, kinds, .. } = part;
        let of_kinds = found.iter().filter(|found| !found.is_silent).filter_map(|found| {
            let is_of_manual = manual(&statistics.device) == manual(&found.finding.device);
            if is_of_manual { kinds.cases(&found.seen) } else { None }
        });
        let silent = found.iter().filter(|found| found.is_silent && found.suite == suite);
        let silent = silent.map(|found| Cases::one(found.case, found.finding.seed));
        let cases = of_kinds.chain(silent).reduce(Cases::and)?;
        Some(Shown {
            suite: statistics.name.clone().into_owned(),
            device: statistics.device.clone().into_owned(),
            cases: cases.number,
            seed: cases.first.1,
        })
    });
    let shown = shown.collect();
    let cause = Cause { finding: smallest.finding.clone(), trace: None, shown };
    ((smallest.suite, smallest.case), cause)
}
