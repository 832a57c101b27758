//! Faults that begin late: a program has to run long before they show, and to depend on what it
//! computes for them to show at all.

use parallax_executor::r700::Executor;
use parallax_isa::{Device, Engine, r700::CfOpcode};
use parallax_lockstep::{
    Verdict,
    lockstep::lockstep_at,
    r700::{flow, suites::LONG},
    random::SplitMix64,
};
use parallax_reference::r700::Reference;
use rayon::prelude::*;

use super::{Fault, R700, disturb};
use crate::fault_injection::Faulty;

/// Most cases until a fault is found.
const CASES: u64 = 60;

/// Every fault is found. How small their cases get is what other tables are about: a case of 64 pixels
/// with a history takes minutes to minimise.
#[test]
fn late_faults_are_found_in_long_programs() {
    let missed: Vec<_> = FAULTS.par_iter().filter(|fault| !is_found(**fault)).collect();
    let names: Vec<_> = missed.into_iter().map(|fault| fault.name).collect();
    assert!(names.is_empty(), "not found: {names:?}");
}

fn is_found(fault: Fault<R700>) -> bool {
    let (mut reference, mut faulty) = (Reference::new(), Faulty::new(fault));
    let mut bytes = vec![0; flow::LONG_BYTES];
    (0..CASES).any(|seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        let case = flow::long(Device::Rv770, &bytes);
        let mut differs = |engine: &mut dyn Engine<R700>| {
            matches!(lockstep_at(LONG, &mut reference, engine, &case), Verdict::Diverged(_))
        };
        differs(&mut faulty) && !differs(&mut Executor::new())
    })
}

/// Every fault of this kind.
const FAULTS: &[Fault<R700>] = &[
    disturb("a push forgets the last quad from the 13th on", |_, before, after| {
        if after.stack_depth > before.stack_depth {
            after.stack[before.stack_depth as usize].pixels.active &= u64::MAX >> 4;
        }
    })
    .after(12),
    disturb("a trip of a loop not counted from the 9th on", |_, before, after| {
        if after.current_loop.count != before.current_loop.count
            && after.stack_depth == before.stack_depth
        {
            after.current_loop.count = before.current_loop.count;
        }
    })
    .after(8),
    disturb("AR of the upper pixels stale from the 9th time on", |_, before, after| {
        if after.in_clause == 1 && after.ar != before.ar {
            for (new, old) in after.ar.iter_mut().zip(before.ar) {
                new[32..].copy_from_slice(&old[32..]);
            }
        }
    })
    .after(8),
    disturb(
        "an else does not turn the first pixel round from the 6th on",
        |opcode, before, after| {
            if opcode == CfOpcode::Else {
                after.pixels.active = after.pixels.active & !1 | before.pixels.active & 1;
            }
        },
    )
    .after(5),
    disturb("a break leaves one pixel in the loop from the 5th on", |opcode, before, after| {
        if matches!(opcode, CfOpcode::AluBreak | CfOpcode::LoopBreak) {
            let left = before.pixels.active & !after.pixels.active;
            after.pixels.active |= left & left.wrapping_neg();
        }
    })
    .after(4),
    disturb("a result lost from the 40th group on, in free runs", |_, before, after| {
        if before.in_clause == 1 && after.gpr[..6] != before.gpr[..6] {
            after.gpr = before.gpr;
        }
    })
    .after(40)
    .in_free_runs(),
    disturb(
        "a pop leaves the stack as it is from the 13th on, in free runs",
        |_, before, after| {
            if after.stack_depth < before.stack_depth {
                after.pixels = before.pixels;
            }
        },
    )
    .after(12)
    .in_free_runs(),
];
