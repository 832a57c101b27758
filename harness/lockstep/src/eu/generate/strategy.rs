//! The generator of cases as proptest strategies. What shrinks is the bytes: fewer and smaller ones
//! give shorter and plainer cases, and every case on the way is legal.

use parallax_isa::{Device, eu::Case};
use proptest::{collection, prelude::*};

use crate::{choices::Choices, eu::generate};

/// Straight-line cases for a device.
pub fn straight_line(device: Device) -> impl Strategy<Value = Case> {
    of_bytes(generate::BYTES, move |bytes| generate::straight_line(device, bytes))
}

/// Straight-line cases for any device with Intel execution units.
pub fn any_straight_line() -> impl Strategy<Value = Case> {
    of_bytes(generate::BYTES, |bytes| generate::any_straight_line(Choices::new(bytes)))
}

/// Whatever a generator makes of at most so many bytes.
pub fn of_bytes<T: std::fmt::Debug>(
    most: usize,
    generate: impl Fn(&[u8]) -> T,
) -> impl Strategy<Value = T> {
    collection::vec(any::<u8>(), 0..=most).prop_map(move |bytes| generate(&bytes))
}

#[cfg(test)]
mod tests {
    use parallax_executor::eu::Executor;
    use parallax_isa::Engine;
    use parallax_reference::eu::Reference;
    use proptest::test_runner::{Config, RngSeed, TestRunner};
    use rstest::rstest;

    use super::*;
    use crate::{
        Verdict,
        eu::{Eu, generate::mistakes},
        lockstep,
    };

    fn runner(cases: u32) -> TestRunner {
        let rng_seed = RngSeed::Fixed(45);
        TestRunner::new(Config { cases, rng_seed, failure_persistence: None, ..Config::default() })
    }

    fn agreement(engine: &mut impl Engine<Eu>, case: &Case) -> Result<(), TestCaseError> {
        match lockstep::<Eu>(&mut Reference::new(), engine, case) {
            Verdict::Agreed(_) => Ok(()),
            Verdict::Diverged(divergence) => Err(TestCaseError::fail(divergence.to_string())),
            Verdict::NotRun(error) => Err(TestCaseError::fail(error.to_string())),
        }
    }

    #[rstest]
    fn the_engines_agree(
        #[values(
            Device::Bw,
            Device::Cl,
            Device::Ctg,
            Device::G45,
            Device::Ivb,
            Device::Skl,
            Device::Dg1
        )]
        device: Device,
    ) {
        let agreed =
            runner(150).run(&straight_line(device), |case| agreement(&mut Executor::new(), &case));
        agreed.unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn cases_of_any_device_are_legal() {
        let legal = runner(200).run(&any_straight_line(), |case| {
            prop_assert!(mistakes(&case).is_empty());
            Ok(())
        });
        legal.unwrap_or_else(|error| panic!("{error}"));
    }
}
