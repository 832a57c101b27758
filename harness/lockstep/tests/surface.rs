//! Surface formats and pixel operations on both engines.

use parallax_isa::Device;
use parallax_lockstep::{
    random::case_seed,
    suite::{Finding, Suite},
    surface::suites::suites,
};
use rstest::rstest;

/// Cases of each suite on each device.
const CASES: u64 = 400;

/// The first case of a suite on which the engines differ, minimised.
fn first_finding(suite: &dyn Suite) -> Option<Finding> {
    let mut worker = suite.worker();
    let seeds = (0..CASES).map(|n| case_seed(4, suite.name(), suite.device().name(), n));
    let seed = seeds.into_iter().find(|&seed| worker.run(seed).diverged.is_some())?;
    worker.investigate(seed)
}

#[rstest]
fn engines_agree(
    #[values(Device::Bw, Device::Cl, Device::Ctg, Device::G45, Device::Dg1, Device::Rv770)]
    device: Device,
) {
    for suite in suites(device) {
        if let Some(finding) = first_finding(&*suite) {
            panic!("{} on {device}: {}", suite.name(), finding.text);
        }
    }
}

#[rstest]
fn most_cases_are_compared_to_their_end(#[values(Device::G45, Device::Dg1)] device: Device) {
    for suite in suites(device) {
        let mut worker = suite.worker();
        let seeds = (0..CASES).map(|n| case_seed(5, suite.name(), device.name(), n));
        let skipped = seeds.filter(|&seed| worker.run(seed).skipped).count() as u64;
        assert!(skipped < CASES / 10, "{} on {device}: {skipped} skipped", suite.name());
    }
}
