//! The counters of a thread: the marks of the step that is under way, and what became of earlier ones.

use std::cell::Cell;

use super::{PLACES, WEIGHTS, Weight};

/// What a rule or row decided in the step that is under way.
pub(super) type Decided = u8;

/// Results that are compared exactly.
const EXACT: Decided = 1 << 0;
/// Results within a tolerance that excludes every other reading of the rule.
const DISTINGUISHED: Decided = 1 << 1;

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
        self.was_marked.set(self.was_marked.get() || self.number.get() > 0);
        for number in &self.marked[..self.number.replace(0)] {
            let number = number.get();
            each(number, self.marks[usize::from(number)].replace(0));
        }
    }

    pub(super) fn drop_marks(&self) {
        self.end_step(|_, _| ());
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
            is_silent: Cell::new(false),
            is_unobserved: Cell::new(false),
            was_marked: Cell::new(false),
        }
    };
}
