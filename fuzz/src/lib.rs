//! What fuzz targets share: the check that both engines agree on a case, and rule counters as libFuzzer
//! counters, so that an input that exercises a rule for the first time is kept like one that reaches new
//! code.

use std::sync::atomic::{AtomicU8, Ordering};

use parallax_lockstep::{Subject, Verdict, lockstep, subject::engine};
use parallax_spec::{coverage, rules::COUNT};

/// libFuzzer reads this section after every input.
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static RULES: [AtomicU8; COUNT] = [const { AtomicU8::new(0) }; COUNT];

/// Hands the rules that this input has exercised to libFuzzer.
pub fn report_rules() {
    let coverage = coverage::take();
    for rule in coverage.covered() {
        let hits = u8::try_from(coverage.hits(rule)).unwrap_or(u8::MAX);
        RULES[rule.index()].store(hits, Ordering::Relaxed);
    }
}

/// Runs a case on reference and executor.
///
/// # Panics
/// If they differ.
pub fn agree<M: Subject>(case: &M::Case) {
    let mut executor = engine::<M>("executor").expect("every machine has one");
    let verdict = lockstep::<M>(&mut *M::reference(), &mut *executor, case);
    report_rules();
    if let Verdict::Diverged(divergence) = verdict {
        panic!("{divergence}");
    }
}
