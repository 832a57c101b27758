//! The harness notices every fault of a list in the R700 executor, and brings the case that shows it
//! down to a few groups.

use std::fmt::Write as _;

use parallax_executor::r700::Executor;
use parallax_isa::{Device, r700::Case};
use parallax_lockstep::{
    Verdict, lockstep,
    minimize::{Shrink, minimize},
    r700::{
        R700,
        faulty::{FAULTS, Fault, Faulty, MEMORY_FAULTS},
        flow,
        generate::{self, memory},
    },
    random::SplitMix64,
};
use parallax_reference::r700::Reference;
use rayon::prelude::*;

/// Most groups and control-flow instructions until a fault is found.
const BUDGET: u64 = 100_000;
/// Groups of the smallest case: fewer than this.
const FEW: usize = 5;

/// Groups and programs in turn.
fn groups_and_programs(number: u64, bytes: &[u8]) -> Case {
    match number % 2 {
        0 => generate::groups(Device::Rv770, bytes),
        _ => flow::any(Device::Rv770, bytes),
    }
}

/// Steps until a fault was found and groups of the smallest case that shows it.
fn hunt(fault: Fault, generate: fn(u64, &[u8]) -> Case) -> Option<(u64, usize)> {
    let mut reference = Reference::new();
    let mut faulty = Faulty::new(Executor::new(), fault);
    let mut random = SplitMix64::new(700);
    let mut bytes = vec![0; generate::BYTES.max(flow::BYTES).max(memory::BYTES)];
    let mut steps = 0;
    for number in 0.. {
        if steps > BUDGET {
            break;
        }
        random.fill(&mut bytes);
        let case = generate(number, &bytes);
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
    found_and_minimised(&FAULTS, groups_and_programs);
}

#[test]
fn every_fault_of_memory_is_found_and_minimised() {
    found_and_minimised(&MEMORY_FAULTS, |_, bytes| memory::memory(Device::Rv770, bytes));
}

fn found_and_minimised(faults: &[Fault], generate: fn(u64, &[u8]) -> Case) {
    let found: Vec<_> = faults.par_iter().map(|fault| (fault, hunt(*fault, generate))).collect();
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
