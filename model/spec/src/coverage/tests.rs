//! Tests of counting.

use super::*;
use crate::rule_id;

const D: RuleId = rule_id!("g45.dt.d");
const W: RuleId = rule_id!("g45.dt.w");
const TABLE: RuleId = rule_id!("g45.field.width.codes");

fn finalized() -> Coverage {
    let mut coverage = Coverage::new();
    add_to(&mut coverage);
    coverage
}

#[test]
fn counters_are_taken_once() {
    drop_marks();
    hit(D);
    hit(D);
    let coverage = take();
    assert_eq!(coverage.hits(D), 1, "one step");
    assert_eq!(coverage.covered().collect::<Vec<_>>(), [D]);
    assert_eq!(take(), Coverage::new());
}

#[test]
fn marks_count_once_they_are_settled() {
    drop_marks();
    hit(D);
    finalize(Weight::Exact);
    hit(W);
    assert_eq!(marked(), [W]);
    drop_marks();
    assert_eq!(finalized().used().map(|(rule, _)| rule).collect::<Vec<_>>(), [D]);
}

#[test]
fn what_is_open_is_only_accepted_and_what_differs_failed() {
    drop_marks();
    hit(D);
    finalize(Weight::Accepted);
    hit(D);
    hit_distinguished(W);
    finalize(Weight::Exact);
    hit_distinguished(W);
    finalize(Weight::Accepted);
    hit(D);
    finalize(Weight::Failed);
    let coverage = finalized();
    assert_eq!(coverage.uses(D), Uses { exact: 1, accepted: 1, failed: 1 });
    assert_eq!(coverage.uses(W), Uses { exact: 2, accepted: 0, failed: 0 });
}

/// Rules and rows with the steps that were compared exactly; then nothing is left.
#[test]
fn counters_are_drained() {
    drop_marks();
    let row = Table::of(TABLE).expect("a table").rows().next().expect("a row");
    let drained = || {
        let mut all = Vec::new();
        drain(|place, steps| all.push((Coverage::places().nth(place).expect("a place"), steps)));
        all
    };
    hit(D);
    finalize(Weight::Exact);
    hit(W);
    finalize(Weight::Accepted);
    hit(D);
    hit_row(row);
    let row = (TABLE.rule().id, Some(row.number()));
    assert_eq!(drained(), [((D.rule().id, None), 2), (row, 1)]);
    assert_eq!(drained(), []);
    assert_eq!(finalized(), Coverage::new());
}

#[test]
fn a_table_is_covered_when_every_row_is() {
    drop_marks();
    let table = Table::of(TABLE).expect("a table");
    let last = table.rows().count() - 1;
    table.rows().take(last).for_each(hit_row);
    finalize(Weight::Exact);
    let mut coverage = finalized();
    assert_eq!(coverage.hits(TABLE), 0);
    assert_eq!(coverage.missing_rows(TABLE).collect::<Vec<_>>(), [last as u16]);
    table.rows().skip(last).for_each(hit_row);
    assert_eq!(marked(), [TABLE]);
    finalize(Weight::Exact);
    coverage.merge(&finalized());
    assert_eq!(coverage.hits(TABLE), 1);
}

#[test]
fn marks_are_made_again() {
    drop_marks();
    hit(D);
    let ((), marks) = Marks::of(|| hit(W));
    assert_eq!(marked(), [D]);
    for _ in 0..2 {
        marks.repeat();
        finalize(Weight::Exact);
    }
    let coverage = finalized();
    assert_eq!([D, W].map(|rule| coverage.hits(rule)), [1, 2]);
}

#[test]
fn what_is_uncounted_leaves_no_trace_even_if_it_panics() {
    drop_marks();
    hit(D);
    let panicked = std::panic::catch_unwind(|| {
        uncounted(|| {
            hit(W);
            finalize(Weight::Exact);
            hit(W);
            panic!("on purpose");
        })
    });
    assert!(panicked.is_err());
    assert_eq!(marked(), [D]);
    finalize(Weight::Exact);
    assert_eq!(take().covered().collect::<Vec<_>>(), [D]);
}

/// What was met often is passed over, but not in work that does not count, which may be about what fails.
#[test]
fn what_was_met_often_is_passed_over() {
    let mut met = Coverage::new();
    drop_marks();
    for _ in 0..OFTEN {
        hit(D);
        finalize(Weight::Exact);
    }
    hit(W);
    finalize(Weight::Exact);
    add_to(&mut met);
    let often = MetOften::of(&met, OFTEN);
    let wanted_here = || [D, W].map(|rule| wanted().has(rule));
    assert_eq!(wanted_here(), [true, true]);
    passing_over(&often, || {
        assert_eq!(wanted_here(), [false, true]);
        assert_eq!(uncounted(wanted_here), [true, true]);
        assert_eq!(wanted_here(), [false, true]);
    });
    assert_eq!(wanted_here(), [true, true]);
    met.merge(&met.clone());
    assert_eq!([D, W].map(|rule| met.clone().up_to_often().hits(rule)), [OFTEN, 2]);
}

#[test]
fn others_than_those_met_often_are_noted() {
    let mut often = MetOften::nothing();
    let row = Table::of(TABLE).and_then(|table| table.rows().next()).expect("a row");
    let mark = || {
        hit_row(row);
        drop_marks();
    };
    assert!(noting_others(&often, mark).1);
    often.add(row.place());
    assert!(!noting_others(&often, mark).1);
    assert!(finalized().used().next().is_none());
}
