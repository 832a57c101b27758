//! What proptest leaves of the bytes of a failing case.

use parallax_lockstep::{eu::Eu, minimize::Shrink};
use proptest::{
    collection,
    prelude::*,
    test_runner::{Config, RngSeed, TestError, TestRunner},
};

use crate::{
    fault_injection::{Faulty, divergence},
    faults::eu::{EFFECTS, REWRITES},
};

/// Fewer and smaller bytes give shorter and plainer cases, which still fail.
#[test]
fn bytes_of_failing_cases_shrink_to_plain_cases_that_still_fail() {
    for family in [&REWRITES, &EFFECTS] {
        for fault in family.faults.iter().step_by(29) {
            let cases = collection::vec(any::<u8>(), 0..=family.bytes)
                .prop_map(|bytes| (family.generate)(family.device, &bytes));
            let differs = |case: &_| divergence::<Eu>(&mut Faulty::new(*fault), case).is_some();
            let mut runner = TestRunner::new(Config {
                cases: 2000,
                rng_seed: RngSeed::Fixed(45),
                failure_persistence: None,
                ..Config::default()
            });
            let result = runner.run(&cases, |case| {
                prop_assert!(!differs(&case));
                Ok(())
            });
            let Err(TestError::Fail(_, smallest)) = result else {
                panic!("{}: {result:?}", fault.name)
            };
            assert!(differs(&smallest), "{}", fault.name);
            assert!(Eu::length(&smallest) <= 40, "{}", fault.name);
        }
    }
}
