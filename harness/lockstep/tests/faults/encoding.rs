//! The suite `eu-encoding` against decoders with a fault.

use parallax_isa::Device;
use parallax_lockstep::{
    eu::{Eu, suites::encoding},
    suite::Suite,
};
use rstest::rstest;

use crate::{eu::fault, kit::Faulty};

/// A decoder that takes one field for another is noticed by what the instruction does.
#[rstest]
#[case::offset(|| Faulty::new(fault("address offset off by 16")))]
#[case::swizzle(|| Faulty::new(fault("swizzle rotated")))]
#[case::any_for_all(|| Faulty::new(fault("any taken for all")))]
fn a_field_taken_for_another_is_noticed(#[case] engine: fn() -> Faulty<Eu>) {
    let suite = encoding(Device::G45, engine);
    let mut worker = suite.worker();
    let noticed = |seed| worker.run(seed).diverged.map(|seen| (seed, seen.kind));
    let (seed, kind) = (0..300).find_map(noticed).expect("it is noticed");
    assert!(kind.starts_with("meaning"), "{kind}");
    let finding = worker.investigate(seed).expect("it is still there");
    assert!(finding.trace.is_some() && finding.instructions == 1, "{finding:?}");
}
