//! Which rules observers look for: all of them, or those that were not met often.

use std::{cell::RefCell, mem::replace, rc::Rc, sync::Arc};

use super::{Coverage, PLACES, Weight};
use crate::rules::RuleId;

/// Exact comparisons after which a rule was met often.
pub const OFTEN: u64 = 64;

/// Rules and rows that decided so many steps that observers need not look for them any more.
#[derive(Debug, Clone)]
pub struct MetOften(Arc<[bool]>);

impl MetOften {
    /// None of them.
    #[must_use]
    pub fn nothing() -> Self {
        Self([false; PLACES].into())
    }

    /// Those that decided so many steps which were compared exactly.
    #[must_use]
    pub fn of(coverage: &Coverage, often: u64) -> Self {
        Self((0..PLACES).map(|place| coverage.at(Weight::Exact, place) >= often).collect())
    }

    /// Those that are passed over on this thread.
    #[must_use]
    pub fn here() -> Self {
        wanted().met_often.map_or_else(Self::nothing, |places| Self(Arc::from(&*places)))
    }

    /// Whether what is at a place, in the order of [`Coverage::places`], is one of them.
    #[must_use]
    pub fn has(&self, place: u16) -> bool {
        self.0[usize::from(place)]
    }

    /// Adds what is at a place.
    pub fn add(&mut self, place: u16) {
        Arc::make_mut(&mut self.0)[usize::from(place)] = true;
    }
}

/// Does something in which observers need not look for rules that were met often. In work that does not count
/// ([`uncounted`](super::uncounted)) they look for all of them again.
pub fn passing_over<T>(often: &MetOften, work: impl FnOnce() -> T) -> T {
    let wanted = LAST.with_borrow_mut(|last| {
        if last.met_often.as_deref() != Some(&*often.0) {
            *last = Wanted { number: last.number + 1, met_often: Some(Rc::from(&*often.0)) };
        }
        last.clone()
    });
    let _before = Sought::only(wanted);
    work()
}

/// The rules that observers on this thread are to look for.
#[must_use]
pub fn wanted() -> Wanted {
    SOUGHT.with_borrow(Clone::clone)
}

/// Whether the rule or row at a place is looked for on this thread.
pub(super) fn is_wanted(place: u16) -> bool {
    SOUGHT.with_borrow(|wanted| wanted.has_place(place))
}

/// The rules that observers are to look for: all but those that were met often.
#[derive(Debug, Clone)]
pub struct Wanted {
    number: u64,
    met_often: Option<Rc<[bool]>>,
}

impl Wanted {
    /// Every rule.
    pub const EVERY: Self = Self { number: 0, met_often: None };

    /// A number that no other choice of rules on this thread has.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Whether a rule is one of them.
    #[must_use]
    pub fn has(&self, rule: RuleId) -> bool {
        self.has_place(rule.index() as u16)
    }

    /// Whether the rule or row at a place is one of them.
    pub(super) fn has_place(&self, place: u16) -> bool {
        let met_often = self.met_often.as_deref().unwrap_or_default();
        !met_often.get(usize::from(place)).copied().unwrap_or(false)
    }
}

thread_local! {
    static SOUGHT: RefCell<Wanted> = const { RefCell::new(Wanted::EVERY) };
    /// The last choice of rules that passes over some: observers keep what they know of it.
    static LAST: RefCell<Wanted> = const { RefCell::new(Wanted::EVERY) };
}

/// Goes back to the rules that were sought before some work, even if it panics.
pub(super) struct Sought(Wanted);

impl Sought {
    /// From now on every rule is sought.
    pub(super) fn every() -> Self {
        Self::only(Wanted::EVERY)
    }

    fn only(wanted: Wanted) -> Self {
        Self(SOUGHT.replace(wanted))
    }
}

impl Drop for Sought {
    fn drop(&mut self) {
        SOUGHT.set(replace(&mut self.0, Wanted::EVERY));
    }
}
