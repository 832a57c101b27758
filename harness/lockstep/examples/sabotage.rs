//! Breaks each rule of the executor in turn and looks whether lockstep notices: `scripts/sabotage-all.sh` writes what
//! it prints to `model/spec/sabotage.csv`.
//!
//! `sabotage CASES SEED [DEVICE or SUITE…]` runs so many cases of every suite, or of those named, to learn where each
//! rule is met, and then some of these cases with the rule broken. It prints a row for each rule that was met: the
//! suite, device and seed of the case that shows it, and how many milliseconds it took to come to it; `-` where no
//! case does.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::ExitCode,
    time::Instant,
};

use parallax_isa::Device;
use parallax_lockstep::{random::case_seed, registry, suite::Suite};
use parallax_spec::{
    RuleId,
    coverage::{self, Coverage},
};
use rayon::prelude::*;

/// Cases of a suite that are kept for each rule.
const KEPT: usize = 100;

/// A case: the number of its suite, and its seed.
type Case = (usize, u64);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|number| number.parse::<u64>().ok());
    let (Some(cases), Some(seed)) = (number(), number()) else {
        eprintln!("usage: sabotage CASES SEED [DEVICE or SUITE…]");
        return ExitCode::from(2);
    };
    let named: Vec<String> = arguments.collect();
    let is_it = |name: &String, suite: &dyn Suite| *name == suite.name() || *name == suite.device();
    let is_named =
        |suite: &dyn Suite| named.is_empty() || named.iter().any(|name| is_it(name, suite));
    let is_unknown = |name: &&String| !suites().iter().any(|suite| is_it(name, &**suite));
    if let Some(unknown) = named.iter().find(is_unknown) {
        eprintln!("`{unknown}` is no device and no suite");
        return ExitCode::from(2);
    }
    let met: BTreeMap<RuleId, Vec<Case>> = (0..suites().len())
        .into_par_iter()
        .filter(|place| is_named(&*suites()[*place]))
        .map(|place| met(place, cases, seed))
        .reduce(BTreeMap::new, |mut all, some| {
            some.into_iter().for_each(|(rule, cases)| all.entry(rule).or_default().extend(cases));
            all
        });
    println!("rule,suite,device,seed,milliseconds");
    let rows: Vec<_> = met.into_par_iter().map(|(rule, cases)| row(rule, &cases)).collect();
    rows.iter().for_each(|row| println!("{row}"));
    ExitCode::SUCCESS
}

/// Every suite on every device.
fn suites() -> Vec<Box<dyn Suite>> {
    Device::ALL.into_iter().flat_map(registry::suites).collect()
}

/// The rules that a suite meets, with the first cases that do.
fn met(place: usize, cases: u64, seed: u64) -> BTreeMap<RuleId, Vec<Case>> {
    let places: Vec<_> =
        Coverage::places().map(|(id, _)| RuleId::find(id).expect("a rule")).collect();
    let suite = suites().swap_remove(place);
    let mut worker = suite.worker();
    let mut met = BTreeMap::<RuleId, Vec<Case>>::new();
    drop(coverage::take());
    for number in 0..cases {
        let seed = case_seed(seed, suite.name(), suite.device(), number);
        worker.run(seed);
        coverage::drain(|number, _| {
            let cases = met.entry(places[number]).or_default();
            if cases.len() < KEPT && cases.last() != Some(&(place, seed)) {
                cases.push((place, seed));
            }
        });
    }
    met
}

/// The row of a rule that some cases meet.
fn row(rule: RuleId, cases: &[Case]) -> String {
    let start = Instant::now();
    let found = cases.iter().find(|case| shows(rule, **case));
    let time = start.elapsed().as_millis();
    match found {
        Some((place, seed)) => {
            let suite = suites().swap_remove(*place);
            format!("{rule},{},{},{seed:#x},{time}", suite.name(), suite.device())
        }
        None => {
            let has_steps = |(place, _): &Case| suites().swap_remove(*place).sabotage(rule);
            let none = if cases.iter().any(has_steps) { "-" } else { "no steps" };
            let names: BTreeSet<_> =
                cases.iter().map(|(place, _)| suites().swap_remove(*place).name()).collect();
            let names: Vec<_> = names.into_iter().collect();
            format!("{rule},{none},{},,{time}", names.join("+"))
        }
    }
}

/// Whether a case differs with a rule broken.
fn shows(rule: RuleId, (place, seed): Case) -> bool {
    let mut suite = suites().swap_remove(place);
    suite.sabotage(rule) && suite.worker().run(seed).diverged.is_some()
}
