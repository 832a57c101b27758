use parallax_executor::r700::Executor;
use parallax_isa::{
    Model, Outcome,
    r700::{
        Program,
        legality::{Settings, Violation, check as violations},
        text,
    },
};
use parallax_reference::r700::Reference;

use super::*;
use crate::{
    Verdict,
    lockstep::{lockstep, lockstep_at},
    r700::{R700, suites::LONG},
};

fn bytes(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; BYTES];
    SplitMix64::new(seed).fill(&mut bytes);
    bytes
}

#[test]
fn structured_programs_are_legal() {
    for seed in 0..400 {
        let (case, tree) = structured(Choices::new(&bytes(seed)));
        let program = Program::decode(&case.program).unwrap();
        let mut found = violations(&program, &Settings::of(&case));
        found.retain(Violation::is_illegal);
        assert!(found.is_empty(), "{seed}: {found:#?}\n{}\n{tree:?}", text::print(&program));
    }
}

/// Wrong upper bits of an address show in those, and in no other.
#[test]
fn some_programs_stand_far_from_their_start() {
    let addresses = (0..2000).filter_map(|seed| {
        let (case, _) = structured(Choices::new(&bytes(seed)));
        let is_far = case.program.len() > 1 << 16;
        let program = is_far.then(|| Program::decode(&case.program).unwrap())?;
        program.clauses.keys().copied().max()
    });
    let all = addresses.fold(0, |all, address| all | address);
    assert!(all >= 1 << 16, "{all:#x}");
}

#[test]
fn structured_programs_come_to_what_scalar_code_says() {
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    for seed in 0..150 {
        let (case, tree) = structured(Choices::new(&bytes(seed)));
        let verdict = lockstep::<R700>(&mut reference, &mut executor, &case);
        let program = Program::decode(&case.program).unwrap();
        let Verdict::Agreed(agreement) = verdict else {
            panic!("{seed}: {verdict:?}\n{}", text::print(&program))
        };
        assert_eq!(agreement.outcome, Outcome::Halted, "{seed}\n{}", text::print(&program));
        let difference = follow(&tree, &case, reference.state());
        assert_eq!(difference, None, "{seed}\n{}\n{tree:?}", text::print(&program));
    }
}

fn long_case(seed: u64) -> Case {
    let mut bytes = vec![0; LONG_BYTES];
    SplitMix64::new(seed).fill(&mut bytes);
    long(Device::Rv770, &bytes)
}

#[test]
fn long_programs_are_legal() {
    for seed in 0..400 {
        let case = long_case(seed);
        let program = Program::decode(&case.program).unwrap();
        let mut found = violations(&program, &Settings::of(&case));
        found.retain(Violation::is_illegal);
        assert!(found.is_empty(), "{seed}: {found:#?}\n{}", text::print(&program));
    }
}

/// More than a thousand steps, compared where long free runs end: open results are none that matter.
#[test]
fn long_programs_run_long_in_free_runs() {
    let (mut reference, mut executor) = (Reference::new(), Executor::new());
    let (mut steps, mut comparisons) = (Vec::new(), 0);
    for seed in 0..40 {
        let case = long_case(seed);
        let verdict = lockstep_at::<R700>(LONG, &mut reference, &mut executor, &case);
        let Verdict::Agreed(agreement) = verdict else { panic!("{seed}: {verdict:?}") };
        assert!(!matches!(agreement.outcome, Outcome::Undefined(_)), "{seed}: {agreement:?}");
        steps.push(agreement.steps);
        comparisons += agreement.comparisons;
    }
    steps.sort_unstable();
    let sum: u64 = steps.iter().sum();
    assert!(sum > 40 * 1000, "{steps:?}");
    assert!(100 * comparisons < sum, "{comparisons} comparisons of {sum} steps");
}

#[test]
fn few_bytes_give_programs_too() {
    for length in 0..48 {
        let case = any(Device::Rv770, &bytes(1)[..length]);
        assert!(Program::decode(&case.program).is_ok());
    }
}
