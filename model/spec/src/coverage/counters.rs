//! The counters of a thread: the marks of the step that is under way, and what became of earlier ones.

use std::cell::Cell;

use super::{PLACES, WEIGHTS, Weight};
use crate::rules::RuleId;

/// Lists of rules of which it is remembered that the step under way has marked them.
const LISTS: usize = 128;

/// What a rule or row decided in the step that is under way.
pub(super) type Decided = u8;

/// Results that are compared exactly.
const EXACT: Decided = 1 << 0;
/// Results within a tolerance that excludes every other reading of the rule.
const DISTINGUISHED: Decided = 1 << 1;

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
    pub(super) finalized: [[Cell<u64>; PLACES]; WEIGHTS],
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
    /// What is finalized is forgotten instead.
    pub(super) is_silent: Cell<bool>,
    /// Steps are not observed.
    pub(super) is_unobserved: Cell<bool>,
    /// A step that has ended had marks.
    pub(super) was_marked: Cell<bool>,
}

impl Counters {
    #[inline]
    pub(super) fn hit(&self, place: u16) {
        self.mark(place, EXACT);
    }

    /// Marks a place as one that decides what is accepted, though no result is exact.
    pub(super) fn tell_apart(&self, place: u16) {
        self.mark(place, DISTINGUISHED);
    }

    /// Marks the rules of a list as exact; if it was marked in this step already, nothing more is done.
    pub(super) fn hit_list(&self, rules: &'static [RuleId]) {
        let place = rules.as_ptr().addr() / align_of::<u64>() % LISTS;
        let list = List { rules, step: self.step.get() };
        let last = self.lists[place].get();
        if last.step == list.step && std::ptr::eq(last.rules, list.rules) {
            return;
        }
        self.mark_each(rules.iter().map(|rule| rule.index() as u16));
        self.lists[place].set(list);
    }

    /// Marks several places as exact.
    #[inline]
    pub(super) fn mark_each(&self, places: impl Iterator<Item = u16>) {
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
        self.forget_lists();
        self.was_marked.set(self.was_marked.get() || self.number.get() > 0);
        for number in &self.marked[..self.number.replace(0)] {
            let number = number.get();
            each(number, self.marks[usize::from(number)].replace(0));
        }
    }

    pub(super) fn drop_marks(&self) {
        self.end_step(|_, _| ());
    }

    /// From now on no list counts as marked.
    #[inline]
    fn forget_lists(&self) {
        self.step.set(self.step.get() + 1);
    }

    pub(super) fn finalize(&self, weight: Weight) {
        if self.is_silent.get() {
            return self.drop_marks();
        }
        let add = |weight: Weight, place: u16| {
            let finalized = &self.finalized[weight as usize][usize::from(place)];
            finalized.set(finalized.get() + 1);
        };
        self.end_step(|place, decided| match weight {
            Weight::Accepted if decided & DISTINGUISHED != 0 => add(Weight::Exact, place),
            weight => add(weight, place),
        });
    }
}

thread_local! {
    pub(super) static COUNTERS: Counters = const {
        Counters {
            finalized: [const { [const { Cell::new(0) }; PLACES] }; WEIGHTS],
            marks: [const { Cell::new(0) }; PLACES],
            marked: [const { Cell::new(0) }; PLACES],
            number: Cell::new(0),
            lists: [const { Cell::new(List { rules: &[], step: 0 }) }; LISTS],
            step: Cell::new(1),
            is_silent: Cell::new(false),
            is_unobserved: Cell::new(false),
            was_marked: Cell::new(false),
        }
    };
}
