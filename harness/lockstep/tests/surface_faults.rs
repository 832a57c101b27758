//! The harness notices every fault of a list of surface faults and brings the case that shows it
//! down to one operation.

use std::fmt::Write as _;

use parallax_executor::surface::{Executor, decodes};
use parallax_isa::Device;
use parallax_lockstep::{
    Verdict, lockstep,
    minimize::{Shrink, minimize},
    random::SplitMix64,
    surface::{
        Surface,
        faulty::{Fault, Faulty, faults},
        generate::{self, pixels},
    },
};
use parallax_reference::surface::Reference;

/// Most operations until a fault is found.
const BUDGET: u64 = 200_000;

/// Operations until a fault was found and operations of the smallest case that shows it.
fn hunt(fault: Fault) -> Option<(u64, usize)> {
    let mut reference = Reference::new();
    let mut faulty = Faulty::new(Executor::new(), fault);
    let mut random = SplitMix64::new(4);
    let mut bytes = vec![0; generate::BYTES];
    let make = if fault.pixels { pixels::pixels } else { generate::formats };
    let mut operations = 0;
    while operations < BUDGET {
        random.fill(&mut bytes);
        let case = make(fault.device, &bytes);
        match lockstep::<Surface>(&mut reference, &mut faulty, &case) {
            Verdict::Agreed(agreement) => operations += agreement.steps,
            Verdict::NotRun { .. } => {}
            Verdict::Diverged(divergence) => {
                operations += divergence.step + 1;
                let right = lockstep::<Surface>(&mut reference, &mut Executor::new(), &case);
                if matches!(right, Verdict::Diverged(_)) {
                    // The engine differs without the fault: that is no find.
                    continue;
                }
                let smallest = minimize::<Surface>(&mut reference, &mut faulty, &case).case;
                return Some((operations, Surface::length(&smallest)));
            }
        }
    }
    None
}

#[test]
fn every_fault_is_found_and_minimised() {
    let mut table =
        format!("{:<42} {:<6} {:>12} {:>9}\n", "fault", "device", "found after", "minimised");
    let mut missed = Vec::new();
    let mut count = 0;
    for fault in faults() {
        count += 1;
        match hunt(fault) {
            Some((after, length)) => {
                let device = fault.device.name();
                let _ = writeln!(table, "{:<42} {device:<6} {after:>12} {length:>9}", fault.name);
                if length != 1 {
                    missed.push(fault.name);
                }
            }
            // A fault of blocks shows only if there are blocks.
            None if fault.name.contains("blocks") && !decodes(Device::Dg1, "BC7_UNORM") => {}
            None => missed.push(fault.name),
        }
    }
    println!("{table}");
    assert!(count >= 40, "{count} faults");
    assert!(missed.is_empty(), "not found, or not minimised: {missed:?}\n{table}");
}
