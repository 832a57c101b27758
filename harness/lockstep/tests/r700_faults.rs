//! The harness notices every fault of a list in the R700 executor, and brings the case that shows it
//! down to a few groups.

use std::fmt::Write as _;

use parallax_executor::r700::Executor;
use parallax_isa::Device;
use parallax_lockstep::{
    Verdict, lockstep,
    minimize::{Shrink, minimize},
    r700::{
        R700,
        faulty::{FAULTS, Fault, Faulty},
        flow, generate,
    },
    random::SplitMix64,
};
use parallax_reference::r700::Reference;
use rayon::prelude::*;

/// Most groups and control-flow instructions until a fault is found.
const BUDGET: u64 = 100_000;
/// Groups of the smallest case: fewer than this.
const FEW: usize = 5;

/// Steps until a fault was found and groups of the smallest case that shows it.
fn hunt(fault: Fault) -> Option<(u64, usize)> {
    let mut reference = Reference::new();
    let mut faulty = Faulty::new(Executor::new(), fault);
    let mut random = SplitMix64::new(700);
    let mut bytes = vec![0; generate::BYTES.max(flow::BYTES)];
    let mut steps = 0;
    for number in 0.. {
        if steps > BUDGET {
            break;
        }
        random.fill(&mut bytes);
        // Groups and programs in turn.
        let case = match number % 2 {
            0 => generate::groups(Device::Rv770, &bytes),
            _ => flow::any(Device::Rv770, &bytes),
        };
        match lockstep::<R700>(&mut reference, &mut faulty, &case) {
            Verdict::Agreed(agreement) => steps += agreement.steps + 1,
            Verdict::NotRun { .. } => {}
            Verdict::Diverged(divergence) => {
                let right = lockstep::<R700>(&mut reference, &mut Executor::new(), &case);
                steps += divergence.step + 1;
                if matches!(right, Verdict::Diverged(_)) {
                    // The engine differs without the fault: that is no find.
                    continue;
                }
                let smallest = minimize::<R700>(&mut reference, &mut faulty, &case).case;
                return Some((steps, R700::length(&smallest)));
            }
        }
    }
    None
}

#[test]
fn every_fault_is_found_and_minimised() {
    let found: Vec<_> = FAULTS.par_iter().map(|fault| (fault, hunt(*fault))).collect();
    let mut table = format!("{:<44} {:>12} {:>16}\n", "fault", "found after", "minimised");
    let mut missed = Vec::new();
    for (fault, hunted) in found {
        match hunted {
            Some((after, groups)) => {
                let _ = writeln!(table, "{:<44} {after:>6} steps {groups:>9} groups", fault.name);
                if groups >= FEW {
                    missed.push(fault.name);
                }
            }
            None => missed.push(fault.name),
        }
    }
    println!("{table}");
    assert!(missed.is_empty(), "not found, or not minimised: {missed:?}\n{table}");
}
