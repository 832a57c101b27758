//! What is left out of the programs of a suite: what is known to be wrong, and what differed often enough. That is
//! decided between rounds, by the cases before, so that a number of threads changes nothing. A shard decides by its own
//! cases.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    Plan,
    census::Census,
    kinds::Kinds,
    manual::manual,
    signature::{Signature, signatures},
};
use crate::{omission::Omissions, pattern::Pattern, registry::features};

/// What is a larger share of all instructions than one in so many is not left out: little would be left.
const SHARE: u64 = 4;

/// Instructions that differed so often that they are left out of most programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Thinned {
    pub(super) pattern: Pattern,
    /// The number of the first case that they are left out of.
    pub(super) since: u64,
}

/// Whether something known to be wrong on one device is so on another.
#[must_use]
pub fn is_known_on(of: &str, device: &str) -> bool {
    of == device || !manual(of).is_empty() && manual(of) == manual(device)
}

/// What is left out of a case of a suite on a device.
pub(super) fn omissions(
    plan: &Plan,
    device: &str,
    thinned: &[Thinned],
    case: u64,
) -> Arc<Omissions> {
    let known = plan.known.iter().filter(|known| is_known_on(&known.device, device));
    let known = known.map(|known| known.pattern.clone()).collect();
    let thinned = thinned.iter().filter(|thinned| thinned.since <= case);
    Arc::new(Omissions::new(known, thinned.map(|thinned| thinned.pattern.clone())))
}

/// The patterns of what differed in so many cases or more, by what a suite has seen.
pub(super) fn often(device: &str, census: &Census, kinds: &Kinds, cases: u64) -> Vec<Pattern> {
    if !census.has_forms() {
        return by_kinds(kinds, cases);
    }
    let features = features(device);
    let is_often = |signature: &Signature| signature.cases.len() as u64 >= cases;
    let signatures = signatures([(0, census)]).into_iter().filter(is_often);
    let patterns = signatures.map(|signature| signature.pattern(features));
    patterns.filter(|pattern| !is_much(pattern, census)).collect()
}

/// Whether a pattern matches so many of the instructions that little would be left.
fn is_much(pattern: &Pattern, census: &Census) -> bool {
    let differed = census.seen().filter(|seen| pattern.is_of(&seen.what.form)).count();
    let agreed = census.agreed.iter().flat_map(|(name, of)| of.iter().map(move |of| (name, of)));
    let matching = agreed
        .clone()
        .map(|(name, agreed)| pattern.count(name, |feature| agreed.split(feature), agreed.number));
    let matching = differed as u64 + matching.sum::<u64>();
    let all: u64 = agreed.map(|(_, agreed)| agreed.number).sum();
    SHARE * matching > all + census.differed.len() as u64
}

/// The same where instructions have no forms: by the mnemonics of kinds.
fn by_kinds(kinds: &Kinds, cases: u64) -> Vec<Pattern> {
    let mut by_mnemonic: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, counted) in kinds.iter() {
        let mnemonic = kind.split(' ').next().unwrap_or_default();
        *by_mnemonic.entry(mnemonic).or_default() += counted.number;
    }
    let often = by_mnemonic.into_iter().filter(|(_, number)| *number >= cases);
    often.map(|(mnemonic, _)| Pattern::of_mnemonic(mnemonic)).collect()
}
