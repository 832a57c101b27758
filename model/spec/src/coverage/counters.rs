//! The counters of a thread: the marks of the step that is under way, and what became of earlier ones.

use std::cell::Cell;

use super::{PLACES, WEIGHTS, Weight};
use crate::rules::RuleId;

/// Marks of one result that are held back; of more, the later ones belong to the step as a whole.
const HELD: usize = 64;

/// Marks are not held back: more than there is room for.
const NOT_HELD: usize = usize::MAX;

/// Lists of rules of which it is remembered that the step under way has marked them.
const LISTS: usize = 128;

/// What a rule or row decided in the step that is under way: exact results, open ones, or both.
pub(super) type Decided = u8;

/// Results that are compared exactly.
const EXACT: Decided = 1 << 0;
/// Results that the manual leaves open.
const OPEN: Decided = 1 << 1;
/// Results within a tolerance that excludes every other reading of the rule.
const TOLD_APART: Decided = 1 << 2;

/// One mark, or those of a list of rules.
#[derive(Clone, Copy)]
enum Held {
    Place(u16),
    List(&'static [RuleId]),
}

/// A list of rules that a step has marked as a whole.
#[derive(Clone, Copy)]
struct List {
    rules: *const [RuleId],
    /// The number of that step.
    step: u64,
}

/// The counters of a thread.
pub(super) struct Counters {
    /// The steps that count and used each rule and row, by weight: most are of one weight, and those stand
    /// together.
    pub(super) settled: [[Cell<u64>; PLACES]; WEIGHTS],
    /// The uses of each rule and row in the step that is under way, however many.
    marks: [Cell<Decided>; PLACES],
    /// The places of those uses, in the order of the first use of each.
    pub(super) marked: [Cell<u16>; PLACES],
    /// How many places those are.
    pub(super) number: Cell<usize>,
    /// Lists that were marked as a whole, by where they are: channels and sources mark the same ones
    /// again and again.
    lists: [Cell<List>; LISTS],
    /// The number of the step that is under way: lists of earlier ones are not marked.
    step: Cell<u64>,
    /// Marks of a result of which it is not known yet whether it is exact.
    held: [Cell<Held>; HELD],
    /// How many those are; [`NOT_HELD`] if marks are not held back.
    holding: Cell<usize>,
    /// What is settled is forgotten instead.
    pub(super) is_silent: Cell<bool>,
}

impl Counters {
    /// Holds marks back if marks are held back now and there is room; whether it did.
    #[inline]
    fn hold(&self, held: Held) -> bool {
        let number = self.holding.get();
        let is_held = number < HELD;
        if is_held {
            self.held[number].set(held);
            self.holding.set(number + 1);
        }
        is_held
    }

    /// From now on marks are held back, until they are let go of.
    #[inline]
    pub(super) fn start_holding(&self) {
        self.holding.set(0);
    }

    #[inline]
    pub(super) fn hit(&self, place: u16) {
        if !self.hold(Held::Place(place)) {
            self.mark(place, EXACT);
        }
    }

    #[inline]
    pub(super) fn hit_list(&self, rules: &'static [RuleId]) {
        if !self.hold(Held::List(rules)) {
            self.mark_list(rules);
        }
    }

    /// Marks a place as one that decides what is accepted, though no result is exact.
    pub(super) fn tell_apart(&self, place: u16) {
        self.mark(place, TOLD_APART);
    }

    /// Marks the rules of a list as exact; if it was marked in this step already, at one look.
    fn mark_list(&self, rules: &'static [RuleId]) {
        let place = rules.as_ptr().addr() / align_of::<u64>() % LISTS;
        let list = List { rules, step: self.step.get() };
        let last = self.lists[place].get();
        if last.step == list.step && std::ptr::eq(last.rules, list.rules) {
            return;
        }
        self.mark_each(rules.iter().map(|rule| rule.index() as u16));
        self.lists[place].set(list);
    }

    #[inline]
    pub(super) fn hit_each(&self, places: &[u16]) {
        if self.holding.get() != NOT_HELD {
            places.iter().for_each(|place| self.hit(*place));
        } else {
            self.mark_each(places.iter().copied());
        }
    }

    /// Marks several places as exact.
    #[inline]
    fn mark_each(&self, places: impl Iterator<Item = u16>) {
        let mut number = self.number.get();
        for place in places {
            let marks = &self.marks[usize::from(place)];
            let before = marks.get();
            if before == 0 {
                self.marked[number].set(place);
                number += 1;
            }
            marks.set(before | EXACT);
        }
        self.number.set(number);
    }

    #[inline]
    pub(super) fn mark(&self, place: u16, decided: Decided) {
        let marks = &self.marks[usize::from(place)];
        let before = marks.get();
        if before & decided == decided {
            return;
        }
        if before == 0 {
            let number = self.number.get();
            self.marked[number].set(place);
            self.number.set(number + 1);
        }
        marks.set(before | decided);
    }

    /// Ends a step: gives the places that it used, and what each decided.
    #[inline]
    pub(super) fn end_step(&self, mut each: impl FnMut(u16, Decided)) {
        self.holding.set(NOT_HELD);
        self.forget_lists();
        for number in &self.marked[..self.number.replace(0)] {
            let number = number.get();
            each(number, self.marks[usize::from(number)].replace(0));
        }
    }

    pub(super) fn discard(&self) {
        self.end_step(|_, _| ());
    }

    /// From now on no list counts as marked.
    #[inline]
    fn forget_lists(&self) {
        self.step.set(self.step.get() + 1);
    }

    /// Forgets the marks of some places: of each it is given whether it is one.
    pub(super) fn forget(&self, is_forgotten: &[bool]) {
        self.forget_lists();
        let mut kept = 0;
        for number in &self.marked[..self.number.get()] {
            let number = number.get();
            if is_forgotten[usize::from(number)] {
                self.marks[usize::from(number)].set(0);
            } else {
                self.marked[kept].set(number);
                kept += 1;
            }
        }
        self.number.set(kept);
    }

    pub(super) fn settle(&self, weight: Weight) {
        if self.is_silent.get() {
            return self.discard();
        }
        let add = |weight: Weight, place: u16| {
            let settled = &self.settled[weight as usize][usize::from(place)];
            settled.set(settled.get() + 1);
        };
        self.end_step(|place, decided| match weight {
            Weight::Accepted if decided & TOLD_APART != 0 => add(Weight::Exact, place),
            Weight::Exact => {
                if decided & (EXACT | TOLD_APART) != 0 {
                    add(Weight::Exact, place);
                }
                if decided & OPEN != 0 {
                    add(Weight::Accepted, place);
                }
            }
            weight => add(weight, place),
        });
    }

    /// Lets go of held marks.
    pub(super) fn release(&self, is_exact: bool) {
        let number = self.holding.replace(NOT_HELD);
        if number == NOT_HELD {
            return;
        }
        for held in &self.held[..number] {
            match (held.get(), is_exact) {
                (Held::Place(place), true) => self.mark(place, EXACT),
                (Held::Place(place), false) => self.mark(place, OPEN),
                (Held::List(rules), true) => self.mark_list(rules),
                (Held::List(rules), false) => {
                    rules.iter().for_each(|rule| self.mark(rule.index() as u16, OPEN));
                }
            }
        }
    }
}

thread_local! {
    pub(super) static COUNTERS: Counters = const {
        Counters {
            settled: [const { [const { Cell::new(0) }; PLACES] }; WEIGHTS],
            marks: [const { Cell::new(0) }; PLACES],
            marked: [const { Cell::new(0) }; PLACES],
            number: Cell::new(0),
            lists: [const { Cell::new(List { rules: &[], step: 0 }) }; LISTS],
            step: Cell::new(1),
            held: [const { Cell::new(Held::Place(0)) }; HELD],
            holding: Cell::new(NOT_HELD),
            is_silent: Cell::new(false),
        }
    };
}
