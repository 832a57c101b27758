//! Results of the last step that the engine under test does not claim to have right ([`Weaknesses`]): what observers of
//! the references find of them, and what is accepted there.

use std::{cell::RefCell, ops::Range};

use parallax_isa::{Acceptance, Expectation, Extent, Weaknesses};

thread_local! {
    static STEP: RefCell<Step> = const { RefCell::new(Step { wanted: None, found: Vec::new() }) };
}

struct Step {
    /// The weaknesses of the engine that runs on this thread, if it has any.
    wanted: Option<Box<Weaknesses>>,
    /// What is accepted of the step.
    found: Vec<Expectation>,
}

/// From now on steps are looked at for these weaknesses, on this thread.
pub(crate) fn want(weaknesses: Option<&Weaknesses>) {
    STEP.with_borrow_mut(|step| {
        step.found.clear();
        if step.wanted.as_deref() != weaknesses {
            step.wanted = weaknesses.cloned().map(Box::new);
        }
    });
}

/// Another step begins.
pub(crate) fn begin() {
    STEP.with_borrow_mut(|step| step.found.clear());
}

/// Inspects what a step did, if anything is wanted of it.
pub(crate) fn inspect(inspect: impl FnOnce(&Weaknesses, &mut Vec<Expectation>)) {
    STEP.with_borrow_mut(|Step { wanted, found }| {
        if let Some(wanted) = wanted {
            inspect(wanted, found);
        }
    });
}

/// What is accepted of the step.
pub(crate) fn found() -> Vec<Expectation> {
    STEP.with_borrow(|step| step.found.clone())
}

/// Whether anything is.
pub(crate) fn is_any() -> bool {
    STEP.with_borrow(|step| !step.found.is_empty())
}

/// Whether a step left something open, by the reference or by the weaknesses of the engine, in a place that the engine
/// has.
pub(crate) fn leaves_open(expectations: &[Expectation], lacks: &[Range<usize>]) -> bool {
    let is_lacked = |place: Range<usize>| {
        lacks.iter().any(|lacked| lacked.start <= place.start && place.end <= lacked.end)
    };
    let is_open = |of: &Expectation| !is_lacked(of.extent.range());
    expectations.iter().any(is_open) || STEP.with_borrow(|step| step.found.iter().any(is_open))
}

/// What kind of number a float is, as far as engines treat it by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Zero,
    /// Denormal, or the least number that is not.
    Tiny,
    Nan,
    Other,
}

impl Class {
    /// That of a float with so many bits for its fraction and its exponent.
    pub(crate) const fn of(bits: u64, fraction: u32, exponent: u32) -> Self {
        let magnitude = bits & ((1 << (fraction + exponent)) - 1);
        let infinity = ((1 << exponent) - 1) << fraction;
        if magnitude == 0 {
            Self::Zero
        } else if magnitude <= 1 << fraction {
            Self::Tiny
        } else if magnitude > infinity {
            Self::Nan
        } else {
            Self::Other
        }
    }

    /// That of a binary32 number.
    pub(crate) const fn of_single(bits: u32) -> Self {
        Self::of(bits as u64, 23, 8)
    }
}

/// Whether a result of these sources is, or may have been, denormal: a machine that flushes it has zero.
pub(crate) fn is_tiny(
    result: Option<Class>,
    sources: impl Iterator<Item = Option<Class>> + Clone,
) -> bool {
    let is = |class: Class| sources.clone().any(|source| source == Some(class));
    match result {
        _ if is(Class::Tiny) => true,
        Some(Class::Tiny) => true,
        Some(Class::Zero) => !is(Class::Zero) && sources.clone().flatten().next().is_some(),
        _ => false,
    }
}

/// Any value is accepted in some bytes.
pub(crate) fn anything(found: &mut Vec<Expectation>, start: usize, bytes: usize) {
    for done in (0..bytes).step_by(8) {
        let extent = Extent::whole(start + done, (bytes - done).min(8));
        found.push(Expectation { extent, acceptance: Acceptance::Undefined });
    }
}
