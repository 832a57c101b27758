//! The harness notices every fault of a list, within 200,000 instructions, and brings the program
//! that shows it down to fewer than five instructions.

use std::fmt::Write as _;

use parallax_executor::eu::Executor;
use parallax_isa::Device;
use parallax_lockstep::{
    Verdict,
    eu::{
        Eu,
        faulty::{FAULTS, Fault, Faulty},
        generate,
    },
    lockstep,
    minimize::{Shrink, minimize},
    random::SplitMix64,
};
use parallax_reference::eu::Reference;
use rayon::prelude::*;

/// Most instructions until a fault is found.
const BUDGET: u64 = 200_000;

/// Instructions until a fault was found and instructions of the smallest program that shows it.
fn hunt(fault: Fault) -> Option<(u64, usize)> {
    let mut reference = Reference::new();
    let mut faulty = Faulty::new(Executor::new(), fault);
    let mut random = SplitMix64::new(45);
    let mut bytes = vec![0; generate::BYTES];
    let mut instructions = 0;
    while instructions < BUDGET {
        random.fill(&mut bytes);
        let case = generate::straight_line(Device::G45, &bytes);
        match lockstep::<Eu>(&mut reference, &mut faulty, &case) {
            Verdict::Agreed(agreement) => instructions += agreement.steps + 1,
            Verdict::NotRun { .. } => {}
            Verdict::Diverged(divergence) => {
                let right = lockstep::<Eu>(&mut reference, &mut Executor::new(), &case);
                instructions += divergence.step + 1;
                if matches!(right, Verdict::Diverged(_)) {
                    // The engine differs without the fault: that is no find.
                    continue;
                }
                let smallest = minimize::<Eu>(&mut reference, &mut faulty, &case).case;
                return Some((instructions, Eu::length(&smallest)));
            }
        }
    }
    None
}

#[test]
fn every_fault_is_found_and_minimised() {
    let found: Vec<_> = FAULTS.par_iter().map(|fault| (fault, hunt(*fault))).collect();
    let mut table = format!("{:<52} {:>12} {:>9}\n", "fault", "found after", "minimised");
    let mut missed = Vec::new();
    for (fault, hunted) in found {
        match hunted {
            Some((after, length)) => {
                let _ = writeln!(table, "{:<52} {after:>12} {length:>9}", fault.name);
                if length >= 5 {
                    missed.push(fault.name);
                }
            }
            None => missed.push(fault.name),
        }
    }
    println!("{table}");
    assert!(missed.is_empty(), "not found, or not minimised: {missed:?}\n{table}");
}
