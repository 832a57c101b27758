//! What a trace says: the effects of each step on the banks of the state, and a digest of the last.

use parallax_isa::{Expectation, Image, Machine, Outcome, image::Bank};
use smallvec::{SmallVec, smallvec};

/// Bytes that are compared at once: most of a state stays as it was.
const CHUNK: usize = 256;

/// A case and what it has to come to.
#[derive(Debug, Clone)]
pub struct Trace<M: Machine> {
    /// The case.
    pub case: M::Case,
    /// The banks that the machine had when the trace was recorded.
    pub banks: Vec<&'static Bank>,
    /// Effects of each step, in order.
    pub steps: Vec<Effects>,
    /// How the run ends.
    pub outcome: Outcome,
    /// CRC-32 of the banks of the last state.
    pub digest: u32,
}

/// Two traces are the same if they say the same; which banks there were shows in the digest.
impl<M: Machine> PartialEq for Trace<M> {
    fn eq(&self, other: &Self) -> bool {
        self.case == other.case
            && self.steps == other.steps
            && self.outcome == other.outcome
            && self.digest == other.digest
    }
}

/// What one step did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Bytes of the state image that changed.
    pub changes: Vec<Change>,
    /// Places where something else is accepted too.
    pub tolerances: Vec<Expectation>,
}

/// Neighbouring bytes of one bank that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// First byte in the state image.
    pub offset: usize,
    /// Their new values: few, mostly.
    pub bytes: SmallVec<[u8; 16]>,
}

impl Effects {
    /// What changed from one state to the next.
    pub(super) fn between<I: Image>(before: &I, after: &I) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        for bank in I::BANKS {
            let range = bank.range();
            let mut next = None;
            let [old, new] =
                [before, after].map(|state| state.image()[range.clone()].chunks(CHUNK));
            let both = old.zip(new).enumerate();
            for (number, (old, new)) in both.filter(|(_, (old, new))| old != new) {
                let start = range.start + number * CHUNK;
                for (offset, (old, new)) in (start..).zip(old.iter().zip(new)) {
                    if old == new {
                        continue;
                    }
                    match changes.last_mut().filter(|_| next == Some(offset)) {
                        Some(last) => last.bytes.push(*new),
                        None => changes.push(Change { offset, bytes: smallvec![*new] }),
                    }
                    next = Some(offset + 1);
                }
            }
        }
        // A run has many steps.
        changes.shrink_to_fit();
        changes
    }

    /// Bytes that it takes in a file, at least.
    pub(super) fn least_bytes(&self) -> usize {
        // A number is a byte or more: two lengths, of a change its place and length, of a tolerance its
        // place, bytes, mask and what it accepts.
        let changes = self.changes.iter().map(|change| 4 + change.bytes.len());
        2 + changes.sum::<usize>() + 6 * self.tolerances.len()
    }

    /// Carries out what a step changed.
    pub fn apply(&self, state: &mut impl Image) {
        for Change { offset, bytes } in &self.changes {
            state.image_mut()[*offset..offset + bytes.len()].copy_from_slice(bytes);
        }
    }
}

/// CRC-32 of banks of a state, one after the other. What only some devices have of a bank counts
/// where it is not zero, so that a bank may grow.
pub(super) fn digest(state: &impl Image, banks: &[&Bank]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for bank in banks {
        let (bytes, common) = (&state.image()[bank.range()], bank.common().len());
        let only_common = bytes[common..].iter().all(|byte| *byte == 0);
        hasher.update(if only_common { &bytes[..common] } else { bytes });
    }
    hasher.finalize()
}
