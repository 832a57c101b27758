//! The steps that cases get simpler by: something left out, or one thing made plainer. Every machine
//! puts its own together from these, the boldest first.

use std::ops::Range;

use parallax_isa::{Image, image::Bank};

/// Steps that a case can start from instead of its first: the one that differs, those one, three,
/// seven, … before it. An engine that fails because of what it did long before fails from one of those.
pub fn steps_back(step: u64) -> impl Iterator<Item = u64> {
    let back = std::iter::successors(Some(0_u64), |back| Some(2 * back + 1));
    back.map_while(move |back| step.checked_sub(back)).filter(|start| *start > 0)
}

/// Runs of some things: halves of them, quarters, … single ones.
pub fn runs(length: usize) -> impl Iterator<Item = Range<usize>> {
    runs_of(length, length.div_ceil(2), 1)
}

/// Runs from one size down, half as long each time, to another.
fn runs_of(length: usize, longest: usize, shortest: usize) -> impl Iterator<Item = Range<usize>> {
    let sizes = std::iter::successors(Some(longest), |size| Some(size / 2));
    let sizes = sizes.take_while(move |size| *size >= shortest && *size > 0);
    sizes.flat_map(move |size| (0..length).step_by(size).map(move |at| at..(at + size).min(length)))
}

/// Lists without a run of their elements; at least one is left.
pub fn shorter<T: Clone>(list: &[T]) -> impl Iterator<Item = Vec<T>> + use<T> {
    let list = list.to_vec();
    let some = runs(list.len()).filter({
        let length = list.len();
        move |run| run.len() < length
    });
    some.map(move |run| [&list[..run.start], &list[run.end..]].concat())
}

/// Lists with one of their elements simpler.
pub fn each_simpler<T: Clone, F: Fn(&T) -> Vec<T>>(
    list: &[T],
    simpler: F,
) -> impl Iterator<Item = Vec<T>> + use<T, F> {
    let list = list.to_vec();
    (0..list.len()).flat_map(move |at| {
        let with = |element| {
            let mut with = list.clone();
            with[at] = element;
            with
        };
        simpler(&list[at]).into_iter().map(with).collect::<Vec<_>>()
    })
}

/// A value after a change, if that changes anything.
pub fn changed<T: Clone + PartialEq>(value: &T, change: impl FnOnce(&mut T)) -> Option<T> {
    let mut plainer = value.clone();
    change(&mut plainer);
    (plainer != *value).then_some(plainer)
}

/// A value after each change that changes anything.
pub fn each_changed<'t, T: Clone + PartialEq>(
    value: &'t T,
    changes: &'t [fn(&mut T)],
) -> impl Iterator<Item = T> + 't {
    changes.iter().filter_map(move |change| changed(value, change))
}

/// Cases with a range of their state as in a plain one: all of it, then of every bank all, halves,
/// quarters, … ranges of `smallest` bytes. `state` finds the state in a case.
pub fn cleared<C: Clone, S: Image>(
    case: &C,
    state: fn(&mut C) -> &mut S,
    plain: Box<S>,
    smallest: usize,
) -> impl Iterator<Item = C> + use<C, S> {
    let mut case = case.clone();
    let inside = move |bank: &'static Bank| {
        let least = smallest.min(bank.len());
        let runs = runs_of(bank.len(), bank.len().next_power_of_two(), least);
        runs.map(|run| bank.offset + run.start..bank.offset + run.end)
    };
    let ranges = std::iter::once(0..plain.image().len()).chain(S::BANKS.iter().flat_map(inside));
    ranges.filter_map(move |range| {
        let plain = &plain.image()[range.clone()];
        (state(&mut case).image()[range.clone()] != *plain).then(|| {
            let mut cleared = case.clone();
            state(&mut cleared).image_mut()[range].copy_from_slice(plain);
            cleared
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_halves_and_then_smaller() {
        assert_eq!(runs(0).next(), None);
        assert!(runs(1).eq(std::iter::once(0..1)));
        assert_eq!(runs(3).collect::<Vec<_>>(), [0..2, 2..3, 0..1, 1..2, 2..3]);
    }

    #[test]
    fn something_is_always_left() {
        assert_eq!(shorter(&[1]).next(), None);
        assert_eq!(
            shorter(&[1, 2, 3]).collect::<Vec<_>>(),
            [vec![3], vec![1, 2], vec![2, 3], vec![1, 3], vec![1, 2]]
        );
    }

    #[test]
    fn a_change_that_changes_nothing_is_no_step() {
        let clear: fn(&mut u8) = |bits| *bits = 0;
        let halve: fn(&mut u8) = |bits| *bits /= 2;
        assert_eq!(each_changed(&6, &[clear, halve]).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(each_changed(&0, &[clear, halve]).next(), None);
    }

    #[test]
    fn one_element_at_a_time_gets_simpler() {
        let halves = |n: &u8| if *n > 1 { vec![n / 2] } else { Vec::new() };
        assert_eq!(each_simpler(&[4, 1, 2], halves).collect::<Vec<_>>(), [[2, 1, 2], [4, 1, 1]]);
    }
}
