//! Surface formats and pixel operations on both engines.

use std::collections::BTreeMap;

use parallax_executor::surface::Executor;
use parallax_isa::{Device, Outcome, surface::Case};
use parallax_lockstep::{
    Verdict, lockstep,
    lockstep::Agreement,
    random::{SplitMix64, case_seed},
    suite::{Finding, Suite},
    surface::{
        Surface,
        generate::{self, pixels},
        suites::suites,
    },
};
use parallax_reference::surface::Reference;
use rstest::rstest;

/// Cases of each suite on each device.
const CASES: u64 = 400;

/// The first case of a suite on which the engines differ, minimised.
fn first_finding(suite: &dyn Suite) -> Option<Finding> {
    let mut worker = suite.worker();
    let seeds = (0..CASES).map(|n| case_seed(4, suite.name(), suite.device(), n));
    let seed = seeds.into_iter().find(|&seed| worker.run(seed).diverged.is_some())?;
    worker.investigate(seed).ok()
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
    let kinds: [fn(Device, &[u8]) -> Case; 2] = [generate::formats, pixels::pixels];
    for make in kinds {
        let mut random = SplitMix64::new(6);
        let mut bytes = vec![0; generate::BYTES];
        let mut open = BTreeMap::new();
        for _ in 0..CASES {
            random.fill(&mut bytes);
            let case = make(device, &bytes);
            let mut reference = Reference::new();
            let verdict = lockstep::<Surface>(&mut reference, &mut Executor::new(), &case);
            if let Verdict::Agreed(Agreement { outcome: Outcome::Undefined(why), .. }) = verdict {
                *open.entry(why).or_insert(0) += 1;
            }
        }
        assert!(
            open.values().sum::<u64>() < CASES / 20,
            "on {device} these are skipped: {open:#?}"
        );
    }
}
